import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { CoinId } from "../domain/CoinId.ts"
import { span } from "../kernel/span.ts"
import * as declare from "../settings/declare.ts"
import type { Standing } from "../upstream/Sources.ts"
import * as Upstream from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import * as BinanceMarket from "./BinanceMarket.ts"
import * as BinanceWire from "./BinanceWire.ts"

// Binance's spot API (binance-spot-api-docs, rest-api.md). It quotes in tether (USDT), which counts as a dollar as long as
// it keeps its peg. So tether is compared with the other large dollar coin, USDC: where the two differ by more than 1 %,
// either of them may have lost its peg, and there are no prices and no candles at all.

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
  /** When it begins, ms; the time of a candle of CoinGecko is its end. */
  readonly opensAt: number
  /** Its last millisecond; in the future for the newest candle, which is still open. */
  readonly closesAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export type KlineInterval = "30m" | "4h" | "1d"

/** The exchange whose prices of large coins are used when the market data provider fails. */
export class Binance extends Context.Tag("providers/Binance")<
  Binance,
  {
    /** Whether it trades this coin against the dollar. */
    readonly trades: (id: CoinId) => boolean
    /** The coins that it trades and has a usable price of. */
    readonly tickers: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Ticker>, UpstreamError>
    /** The newest candles, in ascending order; fails for a coin that it does not trade. */
    readonly klines: (
      id: CoinId,
      interval: KlineInterval,
      count: number
    ) => Effect.Effect<ReadonlyArray<Kline>, UpstreamError>
    /** Its standing among other sources of the same data. */
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
      const market = BinanceMarket.make(api)

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
          const found = yield* market.readSymbol(symbol, request, BinanceWire.Klines)
          return Option.isSome(found) ? found.value.map(toKline) : yield* api.fault(notTraded)
        }, span("Binance.klines")),
        standing: api.standing
      }
    })
  )
}

const notTraded: Fault = { reason: "upstream_error", detail: "does not trade this coin", final: true }
const notPegged: Fault = { reason: "no_price", detail: "its dollar coins differ from each other", final: true }

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

/** The exchange's names of large coins, by CoinGecko's ids. No dollar coins: their price here is circular. */
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
