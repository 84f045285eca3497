import * as BigDecimal from "effect/BigDecimal"
import * as Option from "effect/Option"
import * as Amount from "../../domain/Amount.ts"
import type { Point } from "../../domain/MarketSeries.ts"

/** A price of then may be older than the time by this, ms, or newer where there is no older one. */
const tolerance = { least: 2 * 3_600_000, steps: 2 } as const

/**
 * The price at each of some times (ms, ascending): the newest that is not later, or else the first that is a little later.
 * Null where there is none near.
 */
export const pricesAt = (
  points: ReadonlyArray<Point>,
  times: ReadonlyArray<number>,
  step: number
): ReadonlyArray<BigDecimal.BigDecimal | null> => {
  const max = Math.max(tolerance.least, tolerance.steps * step)
  let next = 0
  return times.map((time) => {
    while (next < points.length && (points[next]?.[0] ?? 0) <= time) next++
    const [before, after] = [points[next - 1], points[next]]
    const near = [before, after].find((point) => point !== undefined && Math.abs(time - point[0]) <= max)
    return near === undefined ? null : Option.getOrNull(Amount.price(near[1]))
  })
}

/** What balances are worth at each time, exact; null where there is no balance, or no price for one that is not zero. */
export const valuesOf = (
  balances: ReadonlyArray<bigint | null>,
  decimals: number,
  prices: ReadonlyArray<BigDecimal.BigDecimal | null>
): ReadonlyArray<BigDecimal.BigDecimal | null> =>
  balances.map((balance, index) => {
    if (balance === null) return null
    if (balance === 0n) return zero
    const price = prices[index]
    return price == null ? null : Amount.value(balance, decimals, price)
  })

const zero = BigDecimal.make(0n, 0)

/** Adds amounts time by time; a time at which one of them is missing has the sum of the others. */
export const summed = (all: Iterable<ReadonlyArray<bigint | null>>, length: number): ReadonlyArray<bigint | null> => {
  const sums = new Array<bigint | null>(length).fill(null)
  for (const column of all)
    for (const [index, amount] of column.entries()) if (amount !== null) sums[index] = (sums[index] ?? 0n) + amount
  return sums
}
