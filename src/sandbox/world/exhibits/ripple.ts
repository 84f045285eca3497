import type { Contract } from "../World.ts"
import { type Exhibit, type ExhibitFacts, sends } from "./exhibit.ts"

/** Exhibits of the XRP Ledger, oldest first. */
export const ripple = (_: ExhibitFacts, [first, second]: ReadonlyArray<Contract>): ReadonlyArray<Exhibit> => {
  const receives = (exhibit: string, amount: bigint): Exhibit => ({ ...sends(exhibit, { amount }), direction: "in" })
  return [
    ...(first === undefined ? [] : [sends("trust line", { contract: first })]),
    // All of it goes out again: the museum has no balance of the token.
    ...(second === undefined
      ? []
      : [
          { ...receives("high side", 5_000_000_000n), contract: second },
          sends("high side", { amount: 5_000_000_000n, contract: second })
        ]),
    { ...receives("account deletion", 9_995_000_000n), fee: 5_000_000n },
    receives("partial payment", 1_000_000n),
    receives("multi-purpose token", 0n),
    sends("escrow", { amount: 2n }),
    sends("memo", { amount: 6_000_000n }),
    sends("failed offer", { failed: true }),
    receives("no nodes", 25_718_124n),
    receives("not delivered", 3n),
    receives("unavailable", 5n),
    receives("unavailable without nodes", 4n),
    receives("DeliveredAmount", 9n),
    // Another account pays the fee.
    sends("delegated", { amount: 6n, fee: 0n }),
    // The museum pays the fee of a payment between others.
    sends("delegate", { fee: 15n })
  ]
}
