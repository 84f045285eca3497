import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { stakeOf } from "../world/stakes.ts"
import * as SuiSystem from "./SuiSystem.ts"

const stakedType = "0x3::staking_pool::StakedSui"

/** The staked coins of an address, in two objects; undefined where the filter is for objects of another type. */
export const stakesOf = (facts: NetworkFacts, owner: string, filter: unknown) => {
  const { type } = (filter ?? {}) as { readonly type?: string }
  if (type !== stakedType) return undefined
  const staked = stakeOf(facts, owner)
  return [staked - staked / 3n, staked / 3n]
    .filter((principal) => principal > 0n)
    .map((principal, index) => {
      const address = SuiSystem.objectId(facts.id, owner, "stake", String(index))
      return {
        address,
        contents: {
          json: {
            id: address,
            pool_id: SuiSystem.objectId("pool", String(index)),
            stake_activation_epoch: "800",
            principal: { value: String(principal) }
          }
        }
      }
    })
}
