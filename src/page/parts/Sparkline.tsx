import type { Trend } from "../coin/prices.ts"
import { direction } from "../text/format.ts"
import { sparkPath, sparkSize } from "./sparkPath.ts"

interface SparkProps {
  readonly trend: Trend | undefined
  /** The change in percent, which is beside the line: it has the same colour. */
  readonly change: number | null | undefined
}

/** A small line of the last day, without axes. Screen readers skip it. */
export const Sparkline = ({ change, trend = [] }: SparkProps) => {
  const path = sparkPath(trend)
  return (
    <svg class={`spark ${direction(change)}`} viewBox={`0 0 ${sparkSize.width} ${sparkSize.height}`} aria-hidden="true">
      {path !== "" && <path d={path} />}
    </svg>
  )
}
