import { useEffect, useMemo, useState } from "preact/hooks"
import { AddressForm } from "../addresses/AddressForm.tsx"
import { Inputs } from "../addresses/Inputs.tsx"
import { announce } from "../state/announcement.ts"
import { preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { useStore } from "../state/store.ts"
import { counted } from "../text/format.ts"
import { ValueOverTime } from "../value/ValueOverTime.tsx"
import type { ViewProps } from "../views.tsx"
import { Controls } from "./Controls.tsx"
import { HoldingTable } from "./HoldingTable.tsx"
import { holdingsOf, isSmall, matching, type Sorting, sorted, totalsOf } from "./holdings.ts"
import type { Loading } from "./Loading.ts"
import { Problems } from "./Problems.tsx"
import { Progress } from "./Progress.tsx"
import { Totals } from "./Totals.tsx"
import { useLoading } from "./useLoading.ts"

const summary = ({ accounts }: Loading, holdings: number) => {
  const failed = accounts.filter(({ state }) => state === "failed").length
  const networks = new Set(accounts.map(({ network }) => network)).size
  return `Done: ${counted(holdings, "holding")} on ${counted(networks, "network")}${failed === 0 ? "" : `, ${counted(failed, "address", "addresses")} failed`}.`
}

/** What addresses hold on all networks that they fit. */
export const Portfolio = ({ items }: ViewProps) => {
  const { loading, retry } = useLoading(items)
  const { hidesSmall } = useStore(preferences)
  const [sorting, setSorting] = useState<Sorting>({ by: "value", descending: true })
  const [filter, setFilter] = useState("")

  const holdings = useMemo(() => holdingsOf(loading), [loading])
  const totals = useMemo(() => totalsOf(holdings, loading.currency), [holdings, loading.currency])
  const matches = useMemo(() => matching(holdings, filter), [holdings, filter])
  const shown = useMemo(
    () => sorted(hidesSmall ? matches.filter((holding) => !isSmall(holding)) : matches, sorting),
    [matches, hidesSmall, sorting]
  )

  useEffect(() => {
    if (items.length > 0 && loading.isDone && loading.lookups.length > 0) announce(summary(loading, holdings.length))
  }, [items.length, loading, holdings.length])

  return (
    <>
      <h1>Portfolio</h1>
      <AddressForm items={items} view="portfolio" />
      {items.length > 0 && (
        <>
          <Inputs lookups={loading.lookups} />
          <p>
            <a href={fragmentOf({ view: "history", items })}>History of {items.length === 1 ? "it" : "all of them"}</a>
          </p>
          {loading.accounts.length > 0 && <Totals totals={totals} loading={loading} />}
          <Progress loading={loading} />
          <Problems loading={loading} retry={retry} />
          {loading.accounts.length > 0 && (
            <ValueOverTime
              addresses={loading.accounts}
              isComplete={loading.lookups.every(({ state }) => state !== "waiting")}
            />
          )}
          {loading.accounts.length > 0 && (
            <>
              <Controls filter={filter} setFilter={setFilter} hidden={matches.length - shown.length} />
              <HoldingTable holdings={shown} sorting={sorting} setSorting={setSorting} isDone={loading.isDone} />
            </>
          )}
        </>
      )}
    </>
  )
}
