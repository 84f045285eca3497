import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CoinId } from "../domain/CoinId.ts"
import type { UpstreamError } from "./UpstreamError.ts"

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
  /** Its last millisecond. */
  readonly closesAt: number
  readonly open: number
  readonly high: number
  readonly low: number
  readonly close: number
}

export type KlineInterval = "30m" | "4h" | "1d"

/** The exchange whose prices of large coins stand in when the market data provider is away. */
export class Binance extends Context.Tag("upstreams/Binance")<
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
    /** Whether a call would go out now. */
    readonly ready: Effect.Effect<boolean>
  }
>() {}
