import type { Contract } from "../World.ts"
import { type Exhibit, type ExhibitFacts, receives, sends } from "./exhibit.ts"

/** Exhibits of Polkadot, oldest first. */
export const polkadot = (_: ExhibitFacts, tokens: ReadonlyArray<Contract>): ReadonlyArray<Exhibit> => [
  receives("without an extrinsic", 106_530_901_255n),
  sends("transfer to itself"),
  sends("failed in its events", { amount: 872_321_233_400n, failed: true }),
  ...tokens
    .filter(({ coin }) => coin.symbol === "usdt")
    .flatMap((contract) => [
      receives("other symbol", 11_000_000n, { contract }),
      sends("tokens", { contract, amount: 11_000_000n })
    ])
]
