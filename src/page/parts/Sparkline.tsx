import type { Trend } from "../coin/prices.ts"

/** Points that are drawn: more than pixels are not visible. */
const maxPoints = 40
const width = 80
const height = 28

/** Thins a series out to a number of points, with the first and the last. */
const thinned = (values: ReadonlyArray<number>) => {
  if (values.length <= maxPoints) return values
  const step = (values.length - 1) / (maxPoints - 1)
  return Array.from({ length: maxPoints }, (_, index) => values[Math.round(index * step)] ?? 0)
}

/** A small line without axes. Its colour says whether the last value is above the first. Screen readers skip it. */
export const Sparkline = ({ trend = [] }: { readonly trend: Trend | undefined }) => {
  const points = thinned(trend.map(([, price]) => price))
  const [low, high] = [Math.min(...points), Math.max(...points)]
  const range = high - low || 1
  const path = points.map((value, index) => {
    const x = (index / (points.length - 1)) * width
    const y = height - 2 - ((value - low) / range) * (height - 4)
    return `${index === 0 ? "M" : "L"}${x.toFixed(1)} ${y.toFixed(1)}`
  })
  const [first = 0, last = 0] = [points[0], points.at(-1)]
  return (
    <svg class={`spark ${last < first ? "down" : "up"}`} viewBox={`0 0 ${width} ${height}`} aria-hidden="true">
      {points.length > 1 && <path d={path.join("")} />}
    </svg>
  )
}
