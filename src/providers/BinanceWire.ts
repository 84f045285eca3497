import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../upstream/UpstreamError.ts"

// What Binance's spot API answers (binance-spot-api-docs: rest-api.md, errors.md).

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

/** A row of `/api/v3/ticker/24hr`: what happened to a pair in 24 hours. */
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

/** What was answered by symbol; none for a row that is odd or all zeros (nobody traded the pair), which costs no other. */
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

/** The oldest first. */
export const Klines = Schema.Array(Kline).pipe(
  Schema.filter((rows) => rows.every(([opensAt], index) => index === 0 || opensAt > (rows[index - 1]?.[0] ?? opensAt)))
)

const unknownSymbol = -1121
const tooManyCalls = -1003

/** `/api/v3/time`: ms. */
export const ServerTime = Schema.Struct({ serverTime: Schema.Int.pipe(Schema.positive()) })

/** None where a symbol is not traded (any more): the provider is well, and says so of the whole list it was asked for. */
export const reading =
  <A, I>(schema: Schema.Schema<A, I>): ResponseDecoder.Decoder<Option.Option<A>> =>
  (answer) => {
    const code = errorCode(answer)
    if (code === unknownSymbol) return Either.right(Option.none())
    const fault = refusal(answer.status, code)
    return fault === undefined
      ? Either.map(ResponseDecoder.fitting(schema)(answer), Option.some)
      : Either.left({ ...fault, status: answer.status, retryAfter: answer.retryAfter ?? fault.retryAfter })
  }

/** Calls are counted by the minute. */
const usualRest = 60_000

/** Errors come as `{code, msg}`. 418 is the ban of those who go on after a 429. */
const refusal = (status: number, code: number | undefined): Fault | undefined => {
  if (status === 418 || status === 429 || code === tooManyCalls)
    return { reason: "rate_limited", detail: `rate limit reached (HTTP ${status})`, retryAfter: usualRest }
  if (status === 451) return { reason: "upstream_error", detail: "access denied (HTTP 451)" }
  return code !== undefined && status < 300 ? { reason: "upstream_error", detail: `returned error ${code}` } : undefined
}

const errorCode = (answer: ResponseDecoder.UpstreamResponse): number | undefined => {
  const body = Either.getOrUndefined(ResponseDecoder.json(answer))
  return Predicate.isRecord(body) && typeof body.code === "number" ? body.code : undefined
}
