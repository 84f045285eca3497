import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { Height, numberOf, Seconds } from "../../../../domain/units.ts"
import * as Call from "../../../../upstream/Call.ts"
import { rowsOf } from "../../../../upstream/response/rows.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"

// The calls of Subscan's API: transfers and extrinsics of Asset Hub, and of the relay chain until November 2025.

/** The address of the documentation. @public */
export const documentation = "https://support.subscan.io"

/** The page limit. */
export const pageSize = 100

export const metadata = Call.post("/api/scan/metadata", {
  body: () => ({}),
  response: Schema.Struct({ code: Schema.Literal(0) })
})

export const blocks = Call.post("/api/v2/scan/blocks", {
  note: "Newest first.",
  body: () => ({ row: 1, page: 0 }),
  response: Schema.Struct({
    data: Schema.Struct({
      blocks: Schema.Tuple(
        [Schema.Struct({ block_num: Schema.compose(Schema.NonNegativeInt, Height), block_timestamp: Seconds })],
        Schema.Unknown
      )
    })
  })
})

const Text = Schema.optional(Schema.NullOr(Schema.String))

const placed = {
  block_num: Schema.compose(Schema.NonNegativeInt, Height),
  block_timestamp: Schema.compose(Schema.NonNegativeInt, Seconds),
  success: Schema.Boolean
}

/** In the order in which they happened. */
const events = Schema.optional(
  Schema.NullOr(
    Schema.Array(Schema.Struct({ module_id: Schema.String, event_id: Schema.String, params: Schema.Unknown }))
  )
)

const SubscanTransfer = Schema.Struct({
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

const Extrinsic = Schema.Struct({
  ...placed,
  extrinsic_index: Schema.NonEmptyString,
  extrinsic_hash: Text,
  /** That of the signer. */
  nonce: Schema.NullishOr(Schema.NonNegativeInt),
  call_module: Schema.NonEmptyString,
  call_module_function: Schema.NonEmptyString,
  account_id: Text,
  account_display: Schema.optional(Schema.NullOr(Schema.Struct({ address: Schema.String }))),
  /** Base units: estimated and actual fee, the latter including the tip. */
  fee: Text,
  fee_used: Text,
  event: events
})
export type Extrinsic = typeof Extrinsic.Type

interface OfExtrinsic {
  readonly hash: string
}

const withHash = ({ hash }: OfExtrinsic) => ({ hash })

export const extrinsic = Call.post("/api/scan/extrinsic", {
  note: "In a block, or in the pool; the data of another one is null.",
  body: withHash,
  response: Schema.Struct({ data: Schema.NullishOr(Schema.Struct({ extrinsic_hash: Schema.String })) }),
  about: ({ data }, { hash }) => data == null || data.extrinsic_hash.toLowerCase() === hash
})

export const extrinsicState = Call.post("/api/scan/extrinsic", {
  body: withHash,
  response: Schema.Struct({
    data: Schema.Struct({
      ...placed,
      event: events,
      finalized: Schema.NullishOr(Schema.Boolean),
      pending: Schema.NullishOr(Schema.Boolean),
      /** Base units: the fee that was paid, including the tip. */
      fee_used: Schema.NullishOr(Schema.String)
    })
  })
})

export const wholeExtrinsic = Call.post("/api/scan/extrinsic", {
  body: withHash,
  response: Schema.Struct({ data: Schema.Union(Schema.Struct({ pending: Schema.Literal(true) }), Extrinsic) })
})

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

const Transfers = answer(Schema.Struct({ count, transfers: Schema.NullOr(rowsOf(SubscanTransfer)) }))

/** A page of the list of an address, up to a block. */
export interface ListPage {
  readonly address: string
  readonly page: number
  readonly last: Height | undefined
}

const listBody = ({ address, last, page }: ListPage) => ({
  address,
  row: pageSize,
  page,
  ...(last === undefined ? {} : { block_range: `0-${numberOf(last)}` })
})

export const transfers = Call.post("/api/v2/scan/transfers", {
  perOpen: { history: 2 },
  body: listBody,
  response: Transfers
})

export const extrinsicTransfers = Call.post("/api/v2/scan/transfers", {
  body: ({ index }: { readonly index: string }) => ({ extrinsic_index: index, row: pageSize, page: 0 }),
  response: Transfers
})

export const extrinsics = Call.post("/api/v2/scan/extrinsics", {
  perOpen: { history: 2 },
  body: listBody,
  response: answer(Schema.Struct({ count, extrinsics: Schema.NullOr(rowsOf(Extrinsic)) }))
})

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
