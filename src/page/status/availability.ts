import type { components } from "../../client/Client.ts"

export type AvailabilityReport = components["schemas"]["AvailabilityReport"]

/** The calls of a day; null for a day without a call. */
export type Day = { readonly calls: number; readonly failed: number } | null

/** The calls of several sources by day; null if none of them was ever called. */
export const daysOf = (
  { days, sources }: AvailabilityReport,
  names: ReadonlyArray<string>
): ReadonlyArray<Day> | null => {
  const lists = names.flatMap((name) => (Object.hasOwn(sources, name) ? [sources[name] ?? []] : []))
  if (lists.every((list) => list.length === 0)) return null
  return days.map((_, index) => {
    const counts = lists.flatMap((list) => list[index] ?? [])
    if (counts.length === 0) return null
    return {
      calls: counts.reduce((sum, { calls }) => sum + calls, 0),
      failed: counts.reduce((sum, { failed }) => sum + failed, 0)
    }
  })
}

/** The share of calls that succeeded; undefined without a call. */
export const successOf = (days: ReadonlyArray<Day>): number | undefined => {
  const calls = days.reduce((sum, day) => sum + (day?.calls ?? 0), 0)
  const failed = days.reduce((sum, day) => sum + (day?.failed ?? 0), 0)
  return calls > 0 ? (calls - failed) / calls : undefined
}
