import { type Exhibit, receives, sends } from "./exhibit.ts"

/** Exhibits of TON, oldest first. */
export const ton = (): ReadonlyArray<Exhibit> => [
  receives("before deployment", 3_000_000_000n),
  receives("comment", 100_000_000n),
  sends("comment", { amount: 22_000_000n }),
  receives("tick-tock", 0n),
  // Too little to pay for its message, which the wallet skips.
  sends("skipped message", { amount: 1n, failed: true }),
  sends("jettons to their master", { amount: 200_000_000n, failed: true })
]
