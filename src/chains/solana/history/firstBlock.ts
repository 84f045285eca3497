import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { type Gap, gap } from "../../../domain/history/Gap.ts"
import { numberOf, type Seconds, type Slot, slot } from "../../../domain/units.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import { callAll } from "../../../jsonrpc/callAll.ts"
import { codes } from "../../../jsonrpc/errors.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import { decoded } from "../accounts.ts"
import * as TransactionWire from "../TransactionWire.ts"

export const firstBlock: Client.ClientCall = { method: "getFirstAvailableBlock", params: [] }

/** What a node may lack. */
interface MissingBlocks {
  /** The first block that it has; undefined if it does not report it. */
  readonly start: Slot | undefined
  readonly error: UpstreamError
  readonly gap: Gap
}

/** The blocks that a node may lack, from its result of {@link firstBlock}; undefined if it has all. */
export const missingBlocks = (node: Endpoint, outcome: Client.Outcome | undefined): MissingBlocks | undefined => {
  const start = Option.getOrUndefined(Either.getRight(decoded(TransactionWire.NodeSlot, outcome)))
  if (start === slot(0)) return undefined
  const error = node.fault(start === undefined ? unreported : pruned)
  return {
    start,
    error,
    gap: gap(
      "older",
      `transactions before ${start === undefined ? "the oldest" : `slot ${start}`}: ${error.message}`,
      start === undefined && isUnsupported(outcome) ? { isFinal: true } : {}
    )
  }
}

/** True if a node has the blocks since this time, because its first block is older. Cannot fail. */
export const hasBlocksSince = (node: Endpoint, start: Slot | undefined, since: Seconds): Effect.Effect<boolean> =>
  start === undefined
    ? Effect.succeed(false)
    : Effect.match(callAll(node, [{ method: "getBlockTime", params: [numberOf(start)] }]), {
        onFailure: () => false,
        onSuccess: ([outcome]) =>
          Option.exists(Either.getRight(decoded(TransactionWire.BlockTime, outcome)), (time) => time <= since)
      })

/** True if the node does not know the method, or returns no slot. */
const isUnsupported = (outcome: Client.Outcome | undefined) =>
  outcome !== undefined && (Either.isRight(outcome) || outcome.left.code === codes.refused)

const unreported: Fault = { reason: "upstream_error", detail: "the node does not report which blocks it has" }
const pruned: Fault = { reason: "upstream_error", detail: "the node does not have the older blocks" }
