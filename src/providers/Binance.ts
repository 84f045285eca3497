import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
import * as BoundedMap from "../kernel/collections/BoundedMap.ts"
import { span } from "../kernel/span.ts"
import * as declare from "../settings/declare.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"

// Binance's spot API (binance-spot-api-docs, rest-api.md). It quotes in tether (USDT), which counts as a dollar while
// it keeps its peg. To check the peg, tether is compared with the other large dollar coin, USDC: if they differ by more
// than 1 %, one of them may have lost its peg, and no prices or candles are returned.

/** Price of a coin at an exchange and its change in 24 hours, in US dollars. */
export interface Ticker {
  readonly id: CoinId
  readonly price: number
  readonly change: number
  readonly changePercent: number
  /** When the last trade window ended, ms. */
  readonly at: number
}

/** A candle of an exchange, in US dollars. */
export interface Kline {
  /** Start time, ms; CoinGecko identifies a candle by its end instead. */
  readonly opensAt: number
  /** Last millisecond; in the future for the newest candle, which is still open. */
  readonly closesAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export type KlineInterval = "30m" | "4h" | "1d"

/** The exchange whose prices of large coins are the fallback if the market data provider fails. */
export class Binance extends Context.Tag("providers/Binance")<
  Binance,
  {
    /** Whether the exchange trades this coin against USDT. */
    readonly trades: (id: CoinId) => boolean
    /** Tickers of the coins that it trades and for which it has a usable price. */
    readonly tickers: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Ticker>, UpstreamError>
    /** The newest candles, in ascending order; fails for a coin that it does not trade. */
    readonly klines: (
      id: CoinId,
      interval: KlineInterval,
      count: number
    ) => Effect.Effect<ReadonlyArray<Kline>, UpstreamError>
    /** Its state and usual latency, to rank it among sources of the same data. */
    readonly standing: Effect.Effect<Standing>
  }
>() {
  static readonly layer = Layer.effect(
    Binance,
    Effect.gen(function* () {
      const api = yield* Upstream.make({
        name: "binance",
        urls: [
          yield* declare.url({
            name: "BINANCE_URL",
            default: "https://api.binance.com",
            meaning: "Base address of Binance's spot API"
          })
        ],
        // The limit is a weight of 6,000 per minute and address: a call weighs 2 for up to 20 symbols, 40 for more.
        rate: { source: "BINANCE", keyless: { perSecond: 1, burst: 25, maxWait: 1_000 } },
        canary: (address) => address.read(HttpClientRequest.get("/api/v3/time"), reading(ServerTime))
      })
      const market = marketOf(api)

      return {
        trades: (id) => symbolOf(id) !== undefined,
        tickers: Effect.fnUntraced(function* (ids) {
          const symbols = new Map(Arr.filterMap([...new Set(ids)], withSymbol))
          if (symbols.size === 0) return []
          const found = yield* market.traded([...symbols.values()])
          return Arr.filterMap([...symbols], ([id, symbol]) =>
            Option.map(found.get(symbol) ?? Option.none(), (row) => toTicker(id, row))
          )
        }, span("Binance.tickers")),
        klines: Effect.fnUntraced(function* (id, interval, count) {
          const symbol = symbolOf(id)
          const now = yield* Clock.currentTimeMillis
          if (symbol === undefined || market.isDelisted(symbol, now)) return yield* api.fault(notTraded)
          if (!(yield* market.pegHolds)) return yield* api.fault(notPegged)
          const request = HttpClientRequest.get("/api/v3/klines").pipe(
            HttpClientRequest.setUrlParams({ symbol, interval, limit: String(count) })
          )
          const found = yield* market.readSymbol(symbol, request, Klines)
          return Option.isSome(found) ? found.value.map(toKline) : yield* api.fault(notTraded)
        }, span("Binance.klines")),
        standing: api.standing
      }
    })
  )
}

const notTraded: Fault = { reason: "upstream_error", detail: "does not trade this coin", final: true }
const notPegged: Fault = { reason: "no_price", detail: "its dollar coins differ from each other", final: true }

const toTicker = (id: CoinId, row: Row): Ticker => ({
  id,
  price: row.lastPrice,
  change: row.priceChange,
  changePercent: row.priceChangePercent,
  at: row.closeTime
})

const toKline = ([opensAt, open, high, low, close, , closesAt]: (typeof Klines.Type)[number]): Kline => ({
  opensAt,
  closesAt,
  open,
  high,
  low,
  close
})

/** The exchange's symbols of large coins, by CoinGecko id. No dollar coins: their price in USDT is circular. */
const baseSymbols: Readonly<Record<string, string>> = {
  aave: "AAVE",
  algorand: "ALGO",
  aptos: "APT",
  arbitrum: "ARB",
  "avalanche-2": "AVAX",
  binancecoin: "BNB",
  bitcoin: "BTC",
  "bitcoin-cash": "BCH",
  cardano: "ADA",
  chainlink: "LINK",
  cosmos: "ATOM",
  dogecoin: "DOGE",
  ethereum: "ETH",
  "ethereum-classic": "ETC",
  filecoin: "FIL",
  "hedera-hashgraph": "HBAR",
  "injective-protocol": "INJ",
  "internet-computer": "ICP",
  litecoin: "LTC",
  near: "NEAR",
  optimism: "OP",
  pepe: "PEPE",
  polkadot: "DOT",
  "polygon-ecosystem-token": "POL",
  ripple: "XRP",
  "shiba-inu": "SHIB",
  solana: "SOL",
  "sonic-3": "S",
  stellar: "XLM",
  sui: "SUI",
  "the-open-network": "TON",
  tron: "TRX",
  uniswap: "UNI",
  vechain: "VET"
}

const symbolOf = (id: string): string | undefined =>
  Object.hasOwn(baseSymbols, id) ? `${baseSymbols[id]}USDT` : undefined

const withSymbol = (id: CoinId) => Option.map(Option.fromNullable(symbolOf(id)), (symbol) => [id, symbol] as const)

const nothing: Rows = new Map()

/** How long an unknown symbol is not requested again, ms. */
const delistedFor = 24 * 60 * 60 * 1000

/** How long a check of the peg is valid, ms. */
const pegLasts = 5 * 60 * 1000

const pegSymbol = "USDCUSDT"
const pegTolerance = 0.01

/** Largest age of a price that proves the peg, ms. */
const pegMaxAge = 15 * 60 * 1000

const isPegged = ({ closeTime, lastPrice }: Row, now: number) =>
  Math.abs(lastPrice - 1) <= pegTolerance && Math.abs(now - closeTime) <= pegMaxAge

/** Reads pairs against tether, only while tether is worth a dollar. */
const marketOf = (api: Upstream.Upstream) => {
  const delisted = BoundedMap.make<string, true>({ capacity: 1_000 })
  const peg = { checkedAt: Number.NEGATIVE_INFINITY, holds: false }

  const read = <A, I>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Schema<A, I>) =>
    api.over((address) => address.read(request, reading(schema)))

  const isDelisted = (symbol: string, now: number): boolean => delisted.get(symbol, now) === true

  /** Returns none for an unknown symbol, which is then not requested for a day. */
  const readSymbol = <A, I>(
    symbol: string,
    request: HttpClientRequest.HttpClientRequest,
    schema: Schema.Schema<A, I>
  ) =>
    Effect.tap(read(request, schema), (found) =>
      Option.isSome(found)
        ? Effect.void
        : Effect.map(Clock.currentTimeMillis, (now) => delisted.set(symbol, true, now + delistedFor))
    )

  const rowOf = (symbol: string) =>
    Effect.map(
      readSymbol(symbol, tickerRequest([symbol]), Rows),
      Option.getOrElse((): Rows => new Map([[symbol, Option.none()]]))
    )

  /** An unknown symbol fails the whole list; then each symbol is requested alone. */
  const rowsOf = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
    const all = yield* read(tickerRequest(symbols), Rows)
    if (Option.isSome(all)) return all.value
    const each = yield* Effect.forEach(symbols, rowOf, { concurrency: 4 })
    return new Map(each.flatMap((rows) => [...rows])) satisfies Rows as Rows
  })

  /** The rows of the traded symbols; empty unless the peg holds. */
  const traded = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
    const started = yield* Clock.currentTimeMillis
    const wanted = [...symbols, pegSymbol].filter((symbol) => !isDelisted(symbol, started))
    if (!wanted.includes(pegSymbol)) return nothing
    const found = yield* rowsOf(wanted)
    const pair = found.get(pegSymbol)
    if (pair === undefined)
      return yield* api.fault({ reason: "bad_answer", detail: "returned something other than what was requested" })
    const now = yield* Clock.currentTimeMillis
    peg.checkedAt = now
    peg.holds = Option.exists(pair, (row) => isPegged(row, now))
    if (peg.holds) return found
    yield* Effect.logWarning("binance: no prices, because tether is not known to be worth a dollar")
    return nothing
  })

  const pegHolds = Effect.gen(function* () {
    const now = yield* Clock.currentTimeMillis
    // A check in the future is from before the clock was set back: its age is unknown.
    if (now < peg.checkedAt || now - peg.checkedAt > pegLasts) yield* traded([])
    return peg.holds
  })

  return { isDelisted, readSymbol, traded, pegHolds }
}

const tickerRequest = (symbols: ReadonlyArray<string>) =>
  HttpClientRequest.get("/api/v3/ticker/24hr").pipe(
    HttpClientRequest.setUrlParams({ symbols: JSON.stringify(symbols) })
  )

const numberOf = (pattern: RegExp) =>
  Schema.transform(Schema.String.pipe(Schema.pattern(pattern)), Schema.Finite, {
    strict: true,
    decode: Number,
    encode: String
  })

/** A decimal number as text, without exponent. */
const Decimal = numberOf(/^-?\d+(\.\d+)?$/)

const Amount = Decimal.pipe(Schema.positive())

/** A whole number, which mirrors of the API return as text. */
const Whole = Schema.Union(Schema.NonNegativeInt, numberOf(/^\d{1,15}$/))

/** A row of `/api/v3/ticker/24hr`: statistics of a pair over the last 24 hours. */
const Row = Schema.Struct({
  symbol: Schema.String,
  lastPrice: Amount,
  priceChange: Decimal,
  priceChangePercent: Decimal,
  /** The end of the 24 hours, ms. */
  closeTime: Whole,
  /** Number of trades. */
  count: Whole
})
type Row = typeof Row.Type

/** Rows by symbol; none if the row is malformed, or if the pair was not traded and all values are zero. */
const Rows = Schema.transform(
  Schema.Array(Schema.Struct({ symbol: Schema.String }, { key: Schema.String, value: Schema.Unknown })),
  Schema.ReadonlyMapFromSelf({ key: Schema.String, value: Schema.OptionFromSelf(Schema.typeSchema(Row)) }),
  {
    strict: false,
    decode: (rows) => new Map(rows.map((row) => [row.symbol, Option.filter(decodeRow(row), ({ count }) => count > 0)])),
    encode: (rows) => [...rows.values()].flatMap(Option.toArray)
  }
)
type Rows = typeof Rows.Type

const decodeRow = Schema.decodeUnknownOption(Row)

/** A row of `/api/v3/klines`: first ms, open, high, low, close, volume, last ms, and five that are not used here. */
const KlineRow = Schema.Tuple(
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
const Klines = Schema.Array(KlineRow).pipe(
  Schema.filter((rows) => rows.every(([opensAt], index) => index === 0 || opensAt > (rows[index - 1]?.[0] ?? opensAt)))
)

const unknownSymbol = -1121
const tooManyCalls = -1003

/** `/api/v3/time`: ms. */
const ServerTime = Schema.Struct({ serverTime: Schema.Int.pipe(Schema.positive()) })

/** Decodes to none if a requested symbol is not traded (any more): the provider works, but rejects the whole list. */
const reading =
  <A, I>(schema: Schema.Schema<A, I>): ResponseDecoder.Decoder<Option.Option<A>> =>
  (response) => {
    const code = errorCode(response)
    if (code === unknownSymbol) return Either.right(Option.none())
    const fault = refusal(response.status, code)
    return fault === undefined
      ? Either.map(ResponseDecoder.fitting(schema)(response), Option.some)
      : Either.left({ ...fault, status: response.status, retryAfter: response.retryAfter ?? fault.retryAfter })
  }

/** The pause after a rate limit without Retry-After, ms: the provider counts calls per minute. */
const usualPause = 60_000

/** Errors have the form `{code, msg}`. Status 418 bans a client that continues after a 429. */
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
