import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import { type Seconds, type Slot, slot } from "../../../domain/units.ts"
import type { CallAnswer } from "../../../jsonrpc/boundCalls.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { noFirstBlock, type SolanaProvider } from "../Provider.ts"

/** What a node may lack. */
interface MissingBlocks {
  /** The first block that it has; undefined if it does not report it. */
  readonly start: Slot | undefined
  readonly error: UpstreamError
  readonly gap: Gap
}

/** The blocks that a node may lack, from its first one; undefined if it has all. */
export const missingBlocks = (node: Endpoint, first: CallAnswer<Slot>): MissingBlocks | undefined => {
  const start = Either.getOrUndefined(first)
  if (start === slot(0)) return undefined
  const error = node.fault(start === undefined ? unreported : pruned)
  return {
    start,
    error,
    gap: gap(
      "older",
      `transactions before ${start === undefined ? "the oldest" : `slot ${start}`}: ${error.message}`,
      Either.isLeft(first) && first.left === noFirstBlock ? { isFinal: true } : {}
    )
  }
}

/** True if a node has the blocks since this time, because its first block is older. Cannot fail. */
export const hasBlocksSince = (agave: SolanaProvider, node: Endpoint, start: Slot | undefined, since: Seconds) =>
  start === undefined
    ? Effect.succeed(false)
    : Effect.match(agave.blockTime(node, start), {
        onFailure: () => false,
        onSuccess: (time) => Either.isRight(time) && time.right <= since
      })

const unreported: Fault = { reason: "upstream_error", detail: "the node does not report which blocks it has" }
const pruned: Fault = { reason: "upstream_error", detail: "the node does not have the older blocks" }
