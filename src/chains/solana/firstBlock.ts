import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { numberOf, type Seconds, type Slot, slot } from "../../domain/units.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { codes } from "../../jsonrpc/errors.ts"
import type { Endpoint } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import { decoded } from "./Holdings.ts"
import * as TransactionWire from "./TransactionWire.ts"

export const firstBlock: Client.ClientCall = { method: "getFirstAvailableBlock", params: [] }

/** What a node may lack. */
interface Gap {
  /** The first block that it has; undefined if it does not report it. */
  readonly start: Slot | undefined
  readonly error: UpstreamError
  /** Text for people. */
  readonly text: string
  /** True if a retry would not help. */
  readonly isFinal: boolean
}

/** The blocks that a node may lack, from its result of {@link firstBlock}; undefined if it has all. */
export const gapOf = (node: Endpoint, outcome: Client.Outcome | undefined): Gap | undefined => {
  const start = Option.getOrUndefined(Either.getRight(decoded(TransactionWire.NodeSlot, outcome)))
  if (start === slot(0)) return undefined
  const error = node.fault(start === undefined ? unreported : pruned)
  return {
    start,
    error,
    text: `transactions before ${start === undefined ? "the oldest" : `slot ${start}`}: ${error.message}`,
    isFinal: start === undefined && isUnsupported(outcome)
  }
}

/** True if the first block of a node is not after this time: it has all that is requested. Cannot fail. */
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
