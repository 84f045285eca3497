import type { Contract } from "../World.ts"
import { type Exhibit, type ExhibitFacts, receives, sends } from "./exhibit.ts"

/** Exhibits of Sui, oldest first. */
export const sui = (_: ExhibitFacts, tokens: ReadonlyArray<Contract>): ReadonlyArray<Exhibit> => [
  receives("system", 0n, { fee: 0n }),
  sends("two recipients", { amount: 800n, fee: 2_985_880n }),
  sends("many recipients", { amount: 119n }),
  sends("failed in a command", { amount: 10n ** 9n, failed: true, fee: 1_079_040n }),
  // Another address pays the gas.
  sends("sponsored", { amount: 900n, fee: 0n }),
  // The museum pays the gas of a payment between others.
  sends("sponsor", { fee: 2_997_880n }),
  ...tokens
    .filter(({ coin }) => coin.symbol === "usdc")
    .flatMap((contract) => [
      receives("tokens", 10_231_646n, { contract }),
      // The storage rebate exceeds the costs.
      sends("negative fee", { contract, amount: 10_231_646n, fee: 0n, received: 201_792n })
    ])
]
