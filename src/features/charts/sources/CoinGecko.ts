import * as Effect from "effect/Effect"
import { CoinId } from "../../../domain/CoinId.ts"
import { CoinGecko } from "../../../providers/CoinGecko.ts"
import type { ChartSource } from "../ChartSource.ts"

/** Tells the time at which a candle ends by itself; that of the newest, which is still running, lies ahead. */
export const source = Effect.map(
  CoinGecko,
  ({ candles, standing }): ChartSource => ({
    name: "coingecko",
    standing,
    series: ({ coin, period }) => candles(CoinId.make(coin), Number(period))
  })
)
