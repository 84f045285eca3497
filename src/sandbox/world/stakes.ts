import * as World from "./World.ts"

/** What an address has staked beside its balance, on networks where stakes are beside it; half of the used ones have. */
export const stakeOf = (facts: World.Inhabited, address: string): bigint =>
  World.chanceIn(facts, "stakes", address) < 0.5 ? 0n : World.firstNative(facts, address) / 4n

/** The rewards of it that wait to be withdrawn. */
export const rewardsOf = (facts: World.Inhabited, address: string): bigint => stakeOf(facts, address) / 50n
