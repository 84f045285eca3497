import { referenceRates, workingDays } from "../world/rates.ts"
import { json, type Simulated } from "../world/wire.ts"

const dateOf = (at: number) => new Date(at).toISOString().slice(0, 10)

/** Frankfurter's API v1: reference rates of the last working day, and of all working days since a date. */
export const frankfurter: Simulated = ({ now, path, query }) => {
  if (query.get("base") !== "USD") return json({ message: "not found" }, 404)
  if (path.endsWith("/latest")) {
    const last = workingDays(now - 4 * 86_400_000, now).at(-1) ?? now
    return json({ amount: 1, base: "USD", date: dateOf(last), rates: referenceRates(last) })
  }
  const [, from] = /\/(\d{4}-\d\d-\d\d)\.\.$/.exec(path) ?? []
  if (from === undefined) return json({ message: "not found" }, 404)
  const only = query.get("symbols") ?? undefined
  const days = workingDays(Date.parse(from), now)
  const rates = days.map((at) => [dateOf(at), referenceRates(at, only)] as const)
  return Object.keys(rates[0]?.[1] ?? {}).length === 0
    ? json({ message: "not found" }, 404)
    : json({ amount: 1, base: "USD", start_date: from, end_date: dateOf(now), rates: Object.fromEntries(rates) })
}
