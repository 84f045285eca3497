import type { Contract } from "../World.ts"
import { type Exhibit, type ExhibitFacts, sends } from "./exhibit.ts"

/** The part of a fee that pays for bandwidth, in sun. */
export const netFee = 2_209_000n

/** Exhibits of Tron, oldest first. */
export const tron = (_: ExhibitFacts, tokens: ReadonlyArray<Contract>): ReadonlyArray<Exhibit> => {
  const receives = (exhibit: string, amount: bigint): Exhibit => ({ ...sends(exhibit, { amount }), direction: "in" })
  const contract = tokens.at(-1)
  return [
    sends("SUCESS", { amount: 13_195_916_000n, fee: 2_690n }),
    sends("TRC-10", { fee: 2_850n }),
    receives("TRC-10", 0n),
    receives("no timestamp", 1n),
    sends("out of energy", { failed: true, fee: netFee + 51_962_200n }),
    sends("fee in parts", { fee: netFee + 1_000_000n }),
    sends("rejected call"),
    { ...receives("rejected row", 5_000_000n), failed: true },
    sends("unfreeze", { received: 7_000_000n, fee: 0n }),
    sends("withdraw", { received: 11_000_000n, fee: 0n }),
    sends("withdraw expired", { received: 13_000_000n, fee: 0n }),
    // All of it goes out again: the museum has no balance of the token.
    ...(contract === undefined
      ? []
      : [
          { ...receives("listed twice", 50_000_000n), contract },
          sends("listed once", { amount: 50_000_000n, contract })
        ])
  ]
}
