import * as Schema from "effect/Schema"
import { Reason } from "../domain/Reason.ts"

/**
 * Why an upstream gave no usable answer. `detail` is for people and goes out to clients: it never holds an address, a
 * key or a body of the upstream.
 */
export class UpstreamError extends Schema.TaggedError<UpstreamError>()("UpstreamError", {
  upstream: Schema.String,
  reason: Reason,
  detail: Schema.String,
  /** HTTP status, where there was an answer. */
  status: Schema.optional(Schema.Number),
  /** How long the upstream asks to be left alone, ms. */
  retryAfter: Schema.optional(Schema.Number),
  /** The call did not get as far as the upstream: it cannot have done anything there. */
  unsent: Schema.optional(Schema.Boolean),
  /** The upstream understood and said no: asking again, or another address, would bring the same. */
  final: Schema.optional(Schema.Boolean)
}) {
  override get message() {
    return `${this.upstream}: ${this.detail}`
  }
}

/** What an interpreter of answers finds wrong; the client adds which upstream it was. */
export type Fault = Omit<typeof UpstreamError.Encoded, "_tag" | "upstream">
