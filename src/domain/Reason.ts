import * as Schema from "effect/Schema"

/**
 * Why a number is missing; returned as `errorCode` next to a null.
 *
 * - `invalid_address`: the address is not one of that network; no upstream was called
 * - `timeout`: no response in time
 * - `rate_limited`: the upstream refuses more calls for now
 * - `upstream_error`: the upstream could not be reached or returned an error
 * - `bad_answer`: the upstream returned a response that does not fit the request
 * - `sunset`: the network was shut down
 * - `not_configured`: the operator must set something first
 * - `no_price`: no source has a current price
 * - `not_listed`: no source lists it; no failure
 */
export const Reason = Schema.Literal(
  "invalid_address",
  "timeout",
  "rate_limited",
  "upstream_error",
  "bad_answer",
  "sunset",
  "not_configured",
  "no_price",
  "not_listed"
)
export type Reason = typeof Reason.Type
