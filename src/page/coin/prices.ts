import type { components } from "../../client/Client.ts"
import type { Movement } from "../history/movements.ts"
import type { PageClient } from "../state/client.ts"
import { isDecimal, plain } from "../text/decimal.ts"

export type CoinPrice = components["schemas"]["CoinPrice"]

/** Coin ids per request; the service accepts up to 100. */
const maxCoins = 100

/** Prices of the last days, oldest first; times are UNIX seconds. */
export type Trend = ReadonlyArray<readonly [at: number, price: number]>

/** By coin id. Coins without prices are absent. */
export type PastPrices = ReadonlyMap<string, Trend>

/** Reads the prices of the last 7 days, or the daily prices of the last year. */
export const readPastPrices = async (
  client: PageClient,
  ids: ReadonlyArray<string>,
  days: 7 | 365,
  currency: string,
  signal: AbortSignal
): Promise<PastPrices> => {
  if (ids.length === 0) return new Map()
  const options = { currency: currency.toLowerCase(), signal }
  const charts = await client.prices.marketChart(ids.slice(0, maxCoins), days, options)
  return new Map(
    Object.entries(charts).map(([id, { prices }]) => [
      id,
      prices.flatMap(([at = Number.NaN, price = Number.NaN]) =>
        Number.isFinite(at) && Number.isFinite(price) ? [[at / 1000, price] as const] : []
      )
    ])
  )
}

/** Reads current prices in US dollars, by coin id. Coins without a price are absent. */
export const readPrices = async (
  client: PageClient,
  ids: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<ReadonlyMap<string, number>> => {
  if (ids.length === 0) return new Map()
  const prices = await client.prices.coin(ids.slice(0, maxCoins), { signal })
  return new Map(ids.flatMap((id) => (typeof prices[id]?.price === "number" ? [[id, prices[id].price] as const] : [])))
}

/** Current prices and their last days. The prices are shown even if the last days cannot be read. */
export interface Market {
  readonly prices: Readonly<Record<string, CoinPrice>>
  readonly trends: PastPrices
}

export const readMarket = async (
  client: PageClient,
  ids: ReadonlyArray<string>,
  currency: string,
  signal: AbortSignal
): Promise<Market> => {
  const [prices, trends] = await Promise.all([
    client.prices.coin(ids, { currency: currency.toLowerCase(), signal }),
    readPastPrices(client, ids, 7, "USD", signal).catch((): PastPrices => new Map())
  ])
  return { prices, trends }
}

/** A price is valid for a time if it is at most this much older or newer, in seconds. */
const maxDistance = 86_400

/** The value of a movement at the nearest daily price; undefined if no price is within a day of it. */
export const valueThen = (
  { coinId, isScaled, text }: Movement,
  at: number,
  prices: PastPrices | undefined
): string | undefined => {
  const nearest = prices
    ?.get(coinId ?? "")
    ?.reduce<readonly [number, number] | undefined>(
      (best, point) =>
        Math.abs(point[0] - at) <= Math.min(maxDistance, best === undefined ? maxDistance : Math.abs(best[0] - at))
          ? point
          : best,
      undefined
    )
  return nearest === undefined || !isScaled || !isDecimal(text) ? undefined : plain(Math.abs(Number(text)) * nearest[1])
}
