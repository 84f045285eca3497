import * as Option from "effect/Option"
import { price as exact, plain } from "../../domain/Amount.ts"
import { type Coin, coins } from "../world/coins.ts"
import { candles } from "../world/series.ts"
import * as World from "../world/World.ts"
import { json, type Simulated } from "../world/wire.ts"

const minute = 60_000
const day = 24 * 60 * minute

const intervals: Readonly<Record<string, number>> = { "30m": 30 * minute, "4h": 240 * minute, "1d": day }

/** Writes a number like the exchange: without an exponent. */
const text = (value: number): string => {
  const digits = Option.match(exact(Math.abs(value)), { onNone: () => "0.00000000", onSome: plain })
  return value < 0 ? `-${digits}` : digits
}

const coinOf = (symbol: string): Coin | undefined =>
  coins.find(({ odd, symbol: base }) => odd === undefined && `${base.toUpperCase()}USDT` === symbol)

/** Tether is always worth a dollar here, so USDC is always 1 as well. */
const pricesOf = (coin: Coin, now: number) =>
  coin.id === "usd-coin"
    ? { price: 1, before: 1 }
    : { price: World.priceOf(coin, now), before: World.priceOf(coin, now - day) }

const ticker = (symbol: string, coin: Coin, now: number) => {
  const { before, price } = pricesOf(coin, now)
  return {
    symbol,
    priceChange: text(price - before),
    priceChangePercent: (((price - before) / before) * 100).toFixed(3),
    lastPrice: text(price),
    openPrice: text(before),
    volume: "129.21293000",
    openTime: now - day,
    closeTime: now,
    count: 18_090
  }
}

const invalidSymbol = () => json({ code: -1121, msg: "Invalid symbol." }, 400)

/** Binance's spot API: tickers of symbols, and candles. */
export const binance: Simulated = ({ now, path, query }) => {
  if (path.endsWith("/api/v3/time")) return json({ serverTime: now })
  if (path.endsWith("/api/v3/ticker/24hr")) {
    const symbols = (query.get("symbols") ?? "").match(/[A-Z0-9]+/g) ?? []
    const found = symbols.map((symbol) => ({ symbol, coin: coinOf(symbol) }))
    return found.length === 0 || found.some(({ coin }) => coin === undefined)
      ? invalidSymbol()
      : json(found.flatMap(({ coin, symbol }) => (coin === undefined ? [] : [ticker(symbol, coin, now)])))
  }
  if (path.endsWith("/api/v3/klines")) {
    const coin = coinOf(query.get("symbol") ?? "")
    const step = intervals[query.get("interval") ?? ""]
    if (coin === undefined) return invalidSymbol()
    if (step === undefined) return json({ code: -1120, msg: "Invalid interval." }, 400)
    const count = Math.min(1_000, Number(query.get("limit") ?? 500))
    return json(
      candles(coin, now, step, count).map(({ close, endsAt, high, low, open, opensAt }) => [
        opensAt,
        ...[open, high, low, close].map(text),
        "129.21293000",
        endsAt - 1,
        "9254480.36011840",
        55,
        "64.48049000",
        "4629894.54310000",
        "0"
      ])
    )
  }
  return json({ code: -1000, msg: "Not found." }, 404)
}
