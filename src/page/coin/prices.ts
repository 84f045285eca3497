import type { components, WalletData } from "../../client/Client.ts"

export type CoinPrice = components["schemas"]["CoinPrice"]

/** Coin ids per request; the service accepts up to 100. */
const maxCoins = 100

/** Prices of the last days by coin id, oldest first. Coins without prices are absent. */
export type Trends = ReadonlyMap<string, ReadonlyArray<number>>

/** Reads the prices of the last seven days, for small lines. */
export const readTrends = async (
  client: WalletData,
  ids: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<Trends> => {
  if (ids.length === 0) return new Map()
  const charts = await client.prices.marketChart(ids.slice(0, maxCoins), 7, { signal })
  return new Map(
    Object.entries(charts).map(([id, { prices }]) => [
      id,
      prices.flatMap(([, value = Number.NaN]) => (Number.isFinite(value) ? [value] : []))
    ])
  )
}

/** Current prices and their last days. The prices are shown even if the last days cannot be read. */
export interface Market {
  readonly prices: Readonly<Record<string, CoinPrice>>
  readonly trends: Trends
}

export const readMarket = async (
  client: WalletData,
  ids: ReadonlyArray<string>,
  currency: string,
  signal: AbortSignal
): Promise<Market> => {
  const [prices, trends] = await Promise.all([
    client.prices.coin(ids, { currency: currency.toLowerCase(), signal }),
    readTrends(client, ids, signal).catch((): Trends => new Map())
  ])
  return { prices, trends }
}
