import type { WalletData } from "../../client/Client.ts"
import { isDecimal, plain } from "../text/decimal.ts"
import type { Movement } from "./movements.ts"

/** Coins per request; the service accepts up to 100. */
const maxCoins = 100

/** A price is valid for a time if it is at most this much older or newer, in seconds. */
const maxDistance = 86_400

/** Daily prices of the last year by coin id: pairs of a time (UNIX seconds) and a price, oldest first. */
export type PastPrices = ReadonlyMap<string, ReadonlyArray<readonly [at: number, price: number]>>

/** Reads the daily prices of the last year. Coins without prices are absent. */
export const readPastPrices = async (
  client: WalletData,
  ids: ReadonlyArray<string>,
  currency: string,
  signal: AbortSignal
): Promise<PastPrices> => {
  if (ids.length === 0) return new Map()
  const options = { currency: currency.toLowerCase(), signal }
  const charts = await client.prices.marketChart(ids.slice(0, maxCoins), 365, options)
  return new Map(
    Object.entries(charts).map(([id, { prices }]) => [
      id,
      prices.flatMap(([at = Number.NaN, price = Number.NaN]) =>
        Number.isFinite(at) && Number.isFinite(price) ? [[at / 1000, price] as const] : []
      )
    ])
  )
}

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
