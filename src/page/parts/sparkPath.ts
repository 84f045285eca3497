import type { Trend } from "../coin/prices.ts"

/** Points that are drawn: more than pixels are not visible. */
const maxPoints = 40
/** The size of a line, px. */
export const sparkSize = { width: 80, height: 28 }
const { height, width } = sparkSize

/** Thins a series out to a number of points, with the first and the last. */
const thinned = (values: ReadonlyArray<number>) => {
  if (values.length <= maxPoints) return values
  const step = (values.length - 1) / (maxPoints - 1)
  return Array.from({ length: maxPoints }, (_, index) => values[Math.round(index * step)] ?? 0)
}

/** The part of the price that the height of a line is at least: a line of a stable price is flat. */
const leastRange = 0.01

/** The period of lines and of changes, in seconds: a day. */
const period = 86_400

/** The path of the last day of a trend; empty for fewer than two points. */
export const sparkPath = (trend: Trend): string => {
  const since = (trend.at(-1)?.[0] ?? 0) - period
  const points = thinned(trend.flatMap(([at, price]) => (at >= since ? [price] : [])))
  if (points.length < 2) return ""
  const [low, high] = [Math.min(...points), Math.max(...points)]
  const middle = (low + high) / 2
  const range = Math.max(high - low, Math.abs(middle) * leastRange) || 1
  return points
    .map((value, index) => {
      const x = (index / (points.length - 1)) * width
      const y = height / 2 - ((value - middle) / range) * (height - 4)
      return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`
    })
    .join("")
}
