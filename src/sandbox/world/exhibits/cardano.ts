import { type Exhibit, sends } from "./exhibit.ts"

/** Deposit of a registration, which its end returns, lovelace. */
export const deposit = 2_000_000n

/** Exhibits of Cardano, oldest first. */
export const cardano = (): ReadonlyArray<Exhibit> => [
  // In no block.
  { ...sends("genesis"), direction: "in", amount: 538_861n, fee: 0n },
  sends("registration", { amount: deposit }),
  sends("delegation"),
  sends("withdrawal", { received: 1_234_567n }),
  sends("deregistration", { received: deposit }),
  { ...sends("airdrop"), direction: "in", amount: 1_500_000n }
]
