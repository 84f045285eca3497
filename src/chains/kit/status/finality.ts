import { blockTimeOf, type NetworkFacts } from "../../../catalogue/NetworkFacts.ts"
import { distance, type Millis, toSeconds } from "../../../domain/units.ts"
import type { TransactionStatus } from "../../Chain.ts"

export type FinalityFacts = Pick<NetworkFacts, "blockTime" | "finality" | "proxy"> &
  Partial<Pick<NetworkFacts, "genesisTime">>

/** Part of the time that its blocks take on average after which a transaction can be final: blocks may come faster. */
const leastShare = 0.25

/**
 * Whether enough blocks passed since the block of a transaction, or enough time if their number is unknown. Not if they
 * came much faster than on average: the known average may be wrong. Undefined if it is in no block, or its block and
 * time are unknown.
 */
export const isDeep = (
  facts: FinalityFacts,
  { at, confirmations, status }: TransactionStatus,
  clock: Millis
): boolean | undefined => {
  if (status !== "confirmed" && status !== "failed") return undefined
  const blockTime = blockTimeOf(facts)
  const elapsed = at === undefined ? undefined : distance(at, toSeconds(clock))
  if (blockTime === undefined || confirmations === undefined)
    return elapsed === undefined ? undefined : elapsed >= facts.finality
  const isPlausible = elapsed === undefined || elapsed >= leastShare * facts.finality
  return isPlausible && (confirmations - 1) * blockTime >= 1000 * facts.finality
}
