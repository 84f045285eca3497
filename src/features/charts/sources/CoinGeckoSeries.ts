import * as Effect from "effect/Effect"
import { CoinId } from "../../../domain/CoinId.ts"
import { CoinGecko } from "../../../providers/CoinGecko.ts"
import type { ChartSource } from "../ChartSource.ts"

/** CoinGecko also dates a candle by its end. The newest candle is still running, so its end is in the future. */
export const source = Effect.map(
  CoinGecko,
  ({ candles, standing }): ChartSource => ({
    name: "coingecko",
    standing,
    series: ({ coin, period }) => candles(CoinId.make(coin), Number(period))
  })
)
