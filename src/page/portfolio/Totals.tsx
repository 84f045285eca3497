import { counted, money, moneyChange, percent } from "../text/format.ts"
import type { Totals as TotalsOf } from "./holdings.ts"
import type { Loading } from "./Loading.ts"

const direction = (value: number) => (value > 0 ? "up" : value < 0 ? "down" : "")

/** What all holdings are worth, and what is not in that number. */
export const Totals = ({
  loading: { accounts, currency, isDone },
  totals
}: {
  readonly totals: TotalsOf
  readonly loading: Loading
}) => {
  const { change, unknown, value } = totals
  const unread = accounts.filter(({ rows, state }) => state === "failed" && rows.length === 0).length
  return (
    <section class="totals" aria-label="Total">
      <p class="total">
        <span class="label">{isDone ? "Total" : "Total so far"}</span>{" "}
        <strong>{value === null ? (isDone ? "not known" : "…") : money(value, currency)}</strong>
      </p>
      {change !== undefined && (
        <p>
          <span class="label">24 hours</span>{" "}
          <span class={direction(change.value)}>
            {moneyChange(change.value, currency)} ({percent(change.percent)})
          </span>
        </p>
      )}
      {unknown > 0 && (
        <p class="label">
          without {counted(unknown, "value")} that {unknown === 1 ? "is" : "are"} not known
        </p>
      )}
      {unread > 0 && <p class="label">without {counted(unread, "address", "addresses")} that could not be read</p>}
    </section>
  )
}
