import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../upstream/UpstreamError.ts"

// The responses of Binance's spot API (binance-spot-api-docs: rest-api.md, errors.md).

const numberOf = (pattern: RegExp) =>
  Schema.transform(Schema.String.pipe(Schema.pattern(pattern)), Schema.Finite, {
    strict: true,
    decode: Number,
    encode: String
  })

/** A number as text, never with an exponent. */
const Decimal = numberOf(/^-?\d+(\.\d+)?$/)

const Amount = Decimal.pipe(Schema.positive())

/** A whole number; mirrors of the API write it as text. */
const Whole = Schema.Union(Schema.NonNegativeInt, numberOf(/^\d{1,15}$/))

/** A row of `/api/v3/ticker/24hr`: a pair in the last 24 hours. */
const Row = Schema.Struct({
  symbol: Schema.String,
  lastPrice: Amount,
  priceChange: Decimal,
  priceChangePercent: Decimal,
  /** The end of the 24 hours, ms. */
  closeTime: Whole,
  /** Trades. */
  count: Whole
})
export type Row = typeof Row.Type

/** Rows by symbol; none for a row that is malformed, or all zeros because the pair was not traded. */
export const Rows = Schema.transform(
  Schema.Array(Schema.Struct({ symbol: Schema.String }, { key: Schema.String, value: Schema.Unknown })),
  Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.OptionFromSelf(Schema.typeSchema(Row)) }),
  {
    strict: false,
    decode: (rows) => new Map(rows.map((row) => [row.symbol, Option.filter(decodeRow(row), ({ count }) => count > 0)])),
    encode: (rows) => [...rows.values()].flatMap(Option.toArray)
  }
)
export type Rows = typeof Rows.Type

const decodeRow = Schema.decodeUnknownOption(Row)

/** A row of `/api/v3/klines`: first ms, open, high, low, close, volume, last ms, and five that are not used here. */
const Kline = Schema.Tuple(
  Whole,
  Amount,
  Amount,
  Amount,
  Amount,
  Decimal,
  Whole,
  Schema.Unknown,
  Schema.Unknown,
  Schema.Unknown,
  Schema.Unknown,
  Schema.Unknown
).pipe(
  Schema.filter(
    ([opensAt, open, high, low, close, , closesAt]) =>
      opensAt < closesAt && low <= Math.min(open, close) && high >= Math.max(open, close)
  )
)

/** In ascending order. */
export const Klines = Schema.Array(Kline).pipe(
  Schema.filter((rows) => rows.every(([opensAt], index) => index === 0 || opensAt > (rows[index - 1]?.[0] ?? opensAt)))
)

const unknownSymbol = -1121
const tooManyCalls = -1003

/** `/api/v3/time`: ms. */
export const ServerTime = Schema.Struct({ serverTime: Schema.Int.pipe(Schema.positive()) })

/** None where a requested symbol is not traded (any more): the provider works, and refuses the whole list. */
export const reading =
  <A, I>(schema: Schema.Schema<A, I>): ResponseDecoder.Decoder<Option.Option<A>> =>
  (response) => {
    const code = errorCode(response)
    if (code === unknownSymbol) return Either.right(Option.none())
    const fault = refusal(response.status, code)
    return fault === undefined
      ? Either.map(ResponseDecoder.fitting(schema)(response), Option.some)
      : Either.left({ ...fault, status: response.status, retryAfter: response.retryAfter ?? fault.retryAfter })
  }

/** The pause after a rate limit without Retry-After, ms: calls are counted by the minute. */
const usualPause = 60_000

/** Errors have the form `{code, msg}`. 418 is the ban of a client that continues after a 429. */
const refusal = (status: number, code: number | undefined): Fault | undefined => {
  if (status === 418 || status === 429 || code === tooManyCalls)
    return { reason: "rate_limited", detail: `rate limit reached (HTTP ${status})`, retryAfter: usualPause }
  if (status === 451) return { reason: "upstream_error", detail: "access denied (HTTP 451)" }
  return code !== undefined && status < 300 ? { reason: "upstream_error", detail: `returned error ${code}` } : undefined
}

const errorCode = (response: ResponseDecoder.UpstreamResponse): number | undefined => {
  const body = Either.getOrUndefined(ResponseDecoder.json(response))
  return Predicate.isRecord(body) && typeof body.code === "number" ? body.code : undefined
}
