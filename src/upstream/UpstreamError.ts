import * as Schema from "effect/Schema"
import { Reason } from "../domain/Reason.ts"

/**
 * Reason why an upstream returned no usable response. `detail` is shown to clients: it never contains an address, a key
 * or a body of the upstream.
 */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  upstream: Schema.String,
  reason: Reason,
  detail: Schema.String,
  /** HTTP status, if there was a response. */
  status: Schema.optional(Schema.Number),
  /** The pause that the upstream demands, ms. */
  retryAfter: Schema.optional(Schema.Number),
  /** The method of the call, if the limit may concern no other. */
  limitedMethod: Schema.optional(Schema.String),
  /** The call did not reach the upstream: it cannot have had any effect there. */
  unsent: Schema.optional(Schema.Boolean),
  /**
   * Faults for which callers do something else: the newest block of a source cannot be that of the network, a response
   * was larger than allowed, a call waited too long for others, or a node could not execute a contract call.
   */
  kind: Schema.optional(Schema.Literal("not_current", "too_large", "too_many_calls", "not_executed")),
  /** The upstream understood and rejected the call: another attempt or another address would have the same result. */
  final: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `${this.upstream}: ${this.detail}`
  }
}

/** The call waited too long for other calls to end, and was not sent. This is no fault of the upstream. */
export const tooMany: Fault = {
  reason: "timeout",
  detail: "too many other calls were in flight",
  unsent: true,
  kind: "too_many_calls"
}

/** True if a call timed out before there was a response. */
export const isSilence = ({ reason, status }: Pick<Fault, "reason" | "status">): boolean =>
  status === undefined && reason === "timeout"

/** True if a call took too long for the service, or for a gateway before the node. */
export const isSlow = ({ reason, status }: Pick<Fault, "reason" | "status">): boolean =>
  isSilence({ reason, status }) || status === 408 || status === 504 || status === 524

/** Fault that a decoder finds; the client adds the name of the upstream. */
export type Fault = Omit<typeof UpstreamError.Encoded, "_tag" | "upstream">
