import * as Schema from "effect/Schema"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/**
 * Why an account was not funded, or why that is unknown. `detail` is for people and is returned to clients.
 *
 * - `not_configured`: the operator must set something first
 * - `invalid_address`: it is not an address, or does not accept coins
 * - `too_soon`: it was funded before, and `retryAfter` must pass
 * - `not_sent`: no coins were sent
 * - `uncertain`: the coins may have arrived
 * - `timed_out`: the node timed out; `detail` says whether the coins may have arrived
 */
export class FundingError extends Schema.TaggedError<FundingError>()("FundingError", {
  reason: Schema.Literal("not_configured", "invalid_address", "too_soon", "not_sent", "uncertain", "timed_out"),
  detail: Schema.String,
  /** When the address may be funded, ms from now. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message() {
    return this.detail
  }
}

export const notSent = (why: string) =>
  new FundingError({ reason: "not_sent", detail: `${why} Nothing was sent: try again.` })

/** The node failed before the coins were sent, or the send call did not reach it. */
export const unreached = ({ detail, retryAfter }: UpstreamError) =>
  new FundingError({
    reason: "not_sent",
    detail: `The node of the test network returned no usable answer: ${detail}. Nothing was sent: try again.`,
    ...(retryAfter === undefined ? {} : { retryAfter })
  })

const uncertainty = (hash: string | undefined) =>
  hash === undefined
    ? "The coins may have arrived anyway: check the balance"
    : `The transaction ${hash} may have arrived anyway: look it up`

export const uncertain = (hash: string | undefined) =>
  new FundingError({
    reason: "uncertain",
    detail: `The node of the test network did not report the result of the funding. ${uncertainty(hash)} before trying again.`
  })

export const timedOut = (sent: boolean, hash: string | undefined) =>
  new FundingError({
    reason: "timed_out",
    detail: sent
      ? `The node of the test network timed out. ${uncertainty(hash)} before trying again.`
      : "The node of the test network timed out. Nothing was sent: try again."
  })
