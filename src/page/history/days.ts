import { day } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { Activity, NativePrices } from "./movements.ts"
import { type FoldReason, foldReason } from "./words.ts"

/** A transaction that is folded, and why. */
export interface FoldedActivity {
  readonly activity: Activity
  readonly reasons: ReadonlyArray<FoldReason>
}

/** The transactions of a day, and those that are folded: also of the days that follow, if these have no others. */
export interface HistoryDay {
  readonly title: string
  readonly activities: ReadonlyArray<Activity>
  readonly folded: ReadonlyArray<FoldedActivity>
}

/** Pending transactions come before all days. */
export const dayTitle = ({ item: { entry } }: Activity): string =>
  entry.status === "Pending" ? t("status_Pending") : day(entry.timestamp)

/**
 * The days of a list, the newest first. Suspicious transactions and dust are folded once for each stretch: a day
 * that has only these belongs to the day before in the list.
 */
export const daysOf = (list: ReadonlyArray<Activity>, prices: NativePrices): ReadonlyArray<HistoryDay> => {
  const days: Array<HistoryDay> = []
  for (const [title, all] of Map.groupBy(list, dayTitle)) {
    const sorted = all.map((activity) => ({ activity, reasons: foldReason(activity, prices) }))
    const activities = sorted.filter(({ reasons }) => reasons.length === 0).map(({ activity }) => activity)
    const folded = sorted.filter(({ reasons }) => reasons.length > 0)
    const last = days.at(-1)
    if (activities.length === 0 && last !== undefined)
      days[days.length - 1] = { ...last, folded: [...last.folded, ...folded] }
    else days.push({ title, activities, folded })
  }
  return days
}
