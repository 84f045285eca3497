import type { Price } from "../../domain/Price.ts"

/** How long the change over 24 hours and the valuation are used after the price that came with them, ms. */
const marketAge = 900_000

const marketAt = (price: Price): number => price.marketAt ?? price.updatedAt

/** The price with the newest change and valuation of both, which few sources return. */
export const withMarket = (price: Price, other: Price, now: number): Price => {
  const { change24h: _, changePercent24h: __, fdv: ___, marketAt: ____, ...bare } = price
  const lasting = [price, other]
    .filter((from) => Math.abs(now - marketAt(from)) <= marketAge)
    .sort((a, b) => marketAt(b) - marketAt(a))
  const change = lasting.find(({ change24h, changePercent24h }) => (change24h ?? changePercent24h) !== undefined)
  const valuation = lasting.find(({ fdv }) => fdv !== undefined)
  const at = Math.min(...[change, valuation].flatMap((from) => (from === undefined ? [] : [marketAt(from)])))
  return {
    ...bare,
    ...(change?.change24h === undefined ? {} : { change24h: change.change24h }),
    ...(change?.changePercent24h === undefined ? {} : { changePercent24h: change.changePercent24h }),
    ...(valuation?.fdv === undefined ? {} : { fdv: valuation.fdv }),
    ...(at < price.updatedAt ? { marketAt: at } : {})
  }
}
