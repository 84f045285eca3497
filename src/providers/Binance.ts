import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type * as Schema from "effect/Schema"
import type { CoinId } from "../domain/CoinId.ts"
import { span } from "../kernel/span.ts"
import * as declare from "../settings/declare.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import * as BinanceWire from "./BinanceWire.ts"

// Binance's spot API (binance-spot-api-docs, rest-api.md). It quotes in tether (USDT), which is no dollar but stands for
// one as long as it keeps its peg. So tether is compared with the other large dollar coin, USDC: where the two differ by
// more than 1 %, one of them has lost its peg, it cannot be told which, and there are no prices and no candles at all.

/** What an exchange says of a coin over the last 24 hours, in US dollars. */
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
  /** When it begins, ms: CoinGecko's candles are told by when they end. */
  readonly opensAt: number
  /** Its last millisecond. The newest candle is still open: this lies ahead. */
  readonly closesAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export type KlineInterval = "30m" | "4h" | "1d"

/** The exchange whose prices of large coins stand in when the market data provider is away. */
export class Binance extends Context.Tag("providers/Binance")<
  Binance,
  {
    /** Whether it trades this coin against the dollar. */
    readonly trades: (id: CoinId) => boolean
    /** Those of the coins that it trades and has a usable price of. */
    readonly tickers: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Ticker>, UpstreamError>
    /** The newest candles, the oldest first; fails for a coin that it does not trade. */
    readonly klines: (
      id: CoinId,
      interval: KlineInterval,
      count: number
    ) => Effect.Effect<ReadonlyArray<Kline>, UpstreamError>
    /** How it stands among other sources of the same. */
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
        concurrency: 4,
        // 6,000 weight a minute and address: 2 a call for up to 20 symbols, 40 for more.
        rate: { source: "BINANCE", keyless: { perSecond: 1, burst: 25, maxWait: 1_000 } },
        canary: (address) =>
          address.read(HttpClientRequest.get("/api/v3/time"), BinanceWire.reading(BinanceWire.ServerTime))
      })
      /** Symbols that were answered as unknown, and until when they are not asked for (ms). */
      const delisted = new Map<string, number>()
      const peg = { checkedAt: Number.NEGATIVE_INFINITY, holds: false }

      const ask = <A, I>(request: HttpClientRequest.HttpClientRequest, schema: Schema.Schema<A, I>) =>
        api.over((address) => address.read(request, BinanceWire.reading(schema)))

      const day = (symbols: ReadonlyArray<string>) =>
        ask(
          HttpClientRequest.get("/api/v3/ticker/24hr").pipe(
            HttpClientRequest.setUrlParams({ symbols: JSON.stringify(symbols) })
          ),
          BinanceWire.Rows
        )

      const forget = (symbol: string) =>
        Effect.map(Clock.currentTimeMillis, (now) => {
          delisted.set(symbol, now + forgottenFor)
        })

      /** One symbol that is unknown fails the whole list: then each is asked for alone. */
      const rowsOf = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
        const all = yield* day(symbols)
        if (Option.isSome(all)) return all.value
        const each = yield* Effect.forEach(symbols, alone, { concurrency: 4 })
        return new Map(each.flatMap((rows) => [...rows])) satisfies BinanceWire.Rows as BinanceWire.Rows
      })

      const alone = (symbol: string) =>
        Effect.flatMap(
          day([symbol]),
          (rows): Effect.Effect<BinanceWire.Rows> =>
            Option.isSome(rows)
              ? Effect.succeed(rows.value)
              : Effect.as(forget(symbol), new Map([[symbol, Option.none()]]))
        )

      /** What is traded of these; nothing unless the peg holds. */
      const traded = Effect.fnUntraced(function* (symbols: ReadonlyArray<string>) {
        const started = yield* Clock.currentTimeMillis
        const wanted = [...symbols, pegSymbol].filter((symbol) => (delisted.get(symbol) ?? 0) <= started)
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
        // Of a check in a time to come, from before the clock was set back, nobody knows the age.
        if (now < peg.checkedAt || now - peg.checkedAt > pegLasts) yield* traded([])
        return peg.holds
      })

      return {
        trades: (id) => symbolOf(id) !== undefined,
        tickers: Effect.fnUntraced(function* (ids) {
          const symbols = new Map(Arr.filterMap([...new Set(ids)], withSymbol))
          if (symbols.size === 0) return []
          const found = yield* traded([...symbols.values()])
          return Arr.filterMap([...symbols], ([id, symbol]) =>
            Option.map(found.get(symbol) ?? Option.none(), (row) => toTicker(id, row))
          )
        }, span("Binance.tickers")),
        klines: Effect.fnUntraced(function* (id, interval, count) {
          const symbol = symbolOf(id)
          const now = yield* Clock.currentTimeMillis
          if (symbol === undefined || (delisted.get(symbol) ?? 0) > now) return yield* api.fault(notTraded)
          if (!(yield* pegHolds)) return yield* api.fault(notPegged)
          const found = yield* ask(
            HttpClientRequest.get("/api/v3/klines").pipe(
              HttpClientRequest.setUrlParams({ symbol, interval, limit: String(count) })
            ),
            BinanceWire.Klines
          )
          if (Option.isSome(found)) return found.value.map(toKline)
          yield* forget(symbol)
          return yield* api.fault(notTraded)
        }, span("Binance.klines")),
        standing: api.standing
      }
    })
  )
}

const nothing: BinanceWire.Rows = new Map()

const notTraded: Fault = { reason: "upstream_error", detail: "does not trade this coin", final: true }
const notPegged: Fault = { reason: "no_price", detail: "its dollar coins differ from each other", final: true }

const forgottenFor = 24 * 60 * 60 * 1000

/** A check of the peg is good for so long, ms. */
const pegLasts = 5 * 60 * 1000

const pegSymbol = "USDCUSDT"
const pegTolerance = 0.01

/** A pair whose numbers are older says nothing of the peg now, ms. */
const pegMaxAge = 15 * 60 * 1000

const isPegged = ({ closeTime, lastPrice }: BinanceWire.Row, now: number) =>
  Math.abs(lastPrice - 1) <= pegTolerance && Math.abs(now - closeTime) <= pegMaxAge

const toTicker = (id: CoinId, row: BinanceWire.Row): Ticker => ({
  id,
  price: row.lastPrice,
  change: row.priceChange,
  changePercent: row.priceChangePercent,
  at: row.closeTime
})

const toKline = ([opensAt, open, high, low, close, , closesAt]: (typeof BinanceWire.Klines.Type)[number]): Kline => ({
  opensAt,
  closesAt,
  open,
  high,
  low,
  close
})

/** Large coins by CoinGecko's ids, and what the exchange calls them. No dollar coins: their price here is circular. */
const bases: Readonly<Record<string, string>> = {
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

const symbolOf = (id: string): string | undefined => (Object.hasOwn(bases, id) ? `${bases[id]}USDT` : undefined)

const withSymbol = (id: CoinId) => Option.map(Option.fromNullable(symbolOf(id)), (symbol) => [id, symbol] as const)
