import { blockTimeOf, type NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { distance, type Millis, toSeconds } from "../../domain/units.ts"
import type { TransactionStatus } from "../Chain.ts"

export type FinalityFacts = Pick<NetworkFacts, "blockTime" | "finality" | "proxy">

/**
 * Whether enough blocks and enough time passed since the block of a transaction; one of them suffices if the other is
 * unknown. Undefined if it is in no block, or both are unknown.
 */
export const isDeep = (
  facts: FinalityFacts,
  { at, confirmations, status }: TransactionStatus,
  clock: Millis
): boolean | undefined => {
  if (status !== "confirmed" && status !== "failed") return undefined
  const blockTime = blockTimeOf(facts)
  // Blocks may come faster than on average, and a network may stop.
  const isOld = at === undefined || distance(at, toSeconds(clock)) >= facts.finality
  if (blockTime !== undefined && confirmations !== undefined)
    return isOld && (confirmations - 1) * blockTime >= 1000 * facts.finality
  return at === undefined ? undefined : isOld
}
