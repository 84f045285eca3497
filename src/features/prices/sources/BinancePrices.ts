import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Price } from "../../../domain/Price.ts"
import { span } from "../../../kernel/span.ts"
import { Binance, type Ticker } from "../../../providers/Binance.ts"
import { PriceSource } from "../PriceSource.ts"

/** The exchange's 24-hour tickers: price and change of the large coins. Coins that it does not trade are not requested. */
export const layer = Layer.effect(
  PriceSource,
  Effect.map(Binance, (binance) => ({
    name: "binance",
    batchSize: 20,
    prices: Effect.fnUntraced(function* (ids) {
      const traded = ids.filter(binance.trades)
      if (traded.length === 0) return []
      return (yield* binance.tickers(traded)).flatMap((ticker) => Option.toArray(toPrice(ticker)))
    }, span("Binance.prices")),
    standing: binance.standing
  }))
)

const decode = Schema.decodeUnknownOption(Price)

const toPrice = ({ at, change, changePercent, id, price }: Ticker): Option.Option<Price> =>
  decode({
    coinId: id,
    usd: price,
    updatedAt: at,
    source: "binance",
    change24h: change,
    changePercent24h: changePercent
  })
