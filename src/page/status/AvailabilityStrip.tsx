import { share } from "../text/format.ts"
import { t } from "../text/language.ts"
import { type AvailabilityReport, type Day, daysOf, successOf } from "./reports.ts"

const shownDays = 90

/** Classes of a day by the share of calls that succeeded. */
const classes = [
  ["good", 0.99],
  ["fair", 0.9],
  ["poor", 0]
] as const

const classOf = (day: Day | undefined) => {
  const success = day == null ? undefined : successOf([day])
  return success === undefined ? "none" : (classes.find(([, least]) => success >= least)?.[0] ?? "poor")
}

interface StripProps {
  readonly report: AvailabilityReport | undefined
  /** The names of the sources. */
  readonly names: ReadonlyArray<string>
}

/** The last 90 days as bars, today at the right, and the share of calls that succeeded. Days without calls are empty. */
export const AvailabilityStrip = ({ names, report }: StripProps) => {
  if (report === undefined) return <span class="strip" />
  const days = daysOf(report, names)
  const success = days === null ? undefined : successOf(days)
  if (days === null || success === undefined) return <span class="strip label">{t("neverCalled")}</span>
  const slots = Array.from({ length: shownDays }, (_, index) => days[index - shownDays + days.length])
  const pathOf = (name: string) =>
    slots.map((day, index) => (classOf(day) === name ? `M${4 * index} 0h3v20h-3z` : "")).join("")
  return (
    <span class="strip">
      <svg viewBox={`0 0 ${4 * shownDays} 20`} preserveAspectRatio="none" aria-hidden="true">
        {["none", "good", "fair", "poor"].map((name) => (
          <path key={name} class={name} d={pathOf(name)} />
        ))}
      </svg>
      <span class="number">
        {share(success)} <span class="only-read">{t("callsSucceeded")}</span>
      </span>
    </span>
  )
}
