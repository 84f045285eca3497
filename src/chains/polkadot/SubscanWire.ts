import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { Fault } from "../../upstream/UpstreamError.ts"

const Text = Schema.optional(Schema.NullOr(Schema.String))

/** The hash of an extrinsic, or empty text. */
const hash = /^(0x[0-9a-f]{64})?$/i

const placed = {
  block_num: Schema.NonNegativeInt,
  /** Seconds. */
  block_timestamp: Schema.NonNegativeInt,
  success: Schema.Boolean
}

export const SubscanTransfer = Schema.Struct({
  ...placed,
  from: Schema.NonEmptyString,
  to: Schema.NonEmptyString,
  /** In whole coins, as a decimal string; `amount_v2` is in base units, or 0 if it is missing. */
  amount: Schema.String,
  amount_v2: Text,
  /** In base units; fee and hash are empty if no extrinsic made the transfer. */
  fee: Text,
  hash: Text,
  extrinsic_index: Text,
  event_idx: Schema.optional(Schema.NullOr(Schema.NonNegativeInt)),
  module: Text,
  asset_type: Text,
  /** `standard_assets/1984`; symbols are not unique. */
  asset_unique_id: Text
})
export type SubscanTransfer = typeof SubscanTransfer.Type

export const Extrinsic = Schema.Struct({
  ...placed,
  extrinsic_index: Schema.NonEmptyString,
  extrinsic_hash: Text,
  call_module: Schema.NonEmptyString,
  call_module_function: Schema.NonEmptyString,
  account_id: Text,
  account_display: Schema.optional(Schema.NullOr(Schema.Struct({ address: Schema.String }))),
  /** Base units: estimated and actual fee, the latter including the tip. */
  fee: Text,
  fee_used: Text,
  event: Schema.optional(
    Schema.NullOr(Schema.Array(Schema.Struct({ module_id: Schema.String, event_id: Schema.String })))
  )
})
export type Extrinsic = typeof Extrinsic.Type

/** True if the ids of a row have the expected format. */
export const isWellFormed = (row: SubscanTransfer | Extrinsic): boolean =>
  hash.test(("hash" in row ? row.hash : "extrinsic_hash" in row ? row.extrinsic_hash : "") ?? "") &&
  /^(\d+-\d+)?$/.test(row.extrinsic_index ?? "")

/** The code for an account without records. */
const nothing = 10_004

/** The number of rows on all pages. */
const count = Schema.optional(Schema.NullOr(Schema.NonNegativeInt))

/** If there are no rows, the data or the list in it is null; a response in which either is absent is invalid. */
const answer = <A, I>(data: Schema.Schema<A, I>) =>
  Schema.Union(
    Schema.Struct({ code: Schema.Literal(0), data: Schema.NullOr(data) }),
    Schema.Struct({ code: Schema.Literal(nothing), data: Schema.NullishOr(data) })
  )
export const Transfers = answer(Schema.Struct({ count, transfers: Schema.NullOr(Schema.Array(SubscanTransfer)) }))
export const Extrinsics = answer(Schema.Struct({ count, extrinsics: Schema.NullOr(Schema.Array(Extrinsic)) }))

/** Subscan returns errors in the body, with HTTP 200 or 400. */
export const refusal = (body: unknown): Fault | undefined => {
  if (!Predicate.isRecord(body) || typeof body.code !== "number") return undefined
  const { code, message } = body
  if (code === 0 || code === nothing) return undefined
  if (code === 429 || /rate limit/i.test(String(message)))
    return { reason: "rate_limited", detail: "rate limit reached" }
  return code === 401 || code === 403
    ? { reason: "upstream_error", detail: `access denied (${code})` }
    : { reason: "upstream_error", detail: `returned an error (${code})` }
}
