import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { AddressForm } from "../addresses/AddressForm.tsx"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { LookupRemarks } from "../addresses/Inputs.tsx"
import { throttled } from "../addresses/throttled.ts"
import { lazy } from "../parts/lazy.tsx"
import { announce } from "../state/announcement.ts"
import { preferences } from "../state/preferences.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { count, counted, money, moneyChange, percent, sanitized } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { HoldingTable } from "./HoldingTable.tsx"
import { holdingsOf, isSmall, matching, type Sorting, sorted, type Totals as TotalsOf, totalsOf } from "./holdings.ts"
import { type Loading, nothing } from "./Loading.ts"
import { canRetry, type Loader, makeLoader } from "./load.ts"

const ValueChart = lazy(() => import("../value/ValueChart.tsx").then(({ ValueChart: found }) => found))

interface ValueProps {
  readonly addresses: ReadonlyArray<NetworkAddress>
  /** True when all lookups are complete. */
  readonly isComplete: boolean
}

/** The total value of addresses over time; read when it is opened. */
const ValueOverTime = ({ addresses, isComplete }: ValueProps) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="panel value" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>Value over time</summary>
      {isOpen && (isComplete ? <ValueChart addresses={addresses} /> : <p>Finding the networks …</p>)}
    </details>
  )
}

const maxListed = 8

interface ProblemsProps {
  readonly loading: Loading
  readonly retry: () => void
}

/** The causes of failures, each with the affected networks. */
const causesOf = ({ accounts, failures }: Loading): ReadonlyMap<string, ReadonlySet<string>> => {
  const causes = new Map<string, Set<string>>()
  const add = (cause: string, network: string) => causes.set(cause, (causes.get(cause) ?? new Set()).add(network))
  for (const { network, problem, state } of accounts) if (state === "failed") add(problem ?? "", network)
  for (const { message, network } of failures) add(sanitized(message, 300), network)
  return causes
}

/** The failures, and a retry button. */
const Problems = ({ loading, retry }: ProblemsProps) => {
  const known = useStore(service)
  const { accounts, failures, isDone, lookups } = loading
  const again =
    lookups.filter(({ state }) => state === "failed").length +
    accounts.filter((account) => canRetry(account, failures)).length
  if (!isDone || again === 0) return null
  const causes = [...causesOf(loading)]
  return (
    <section class="panel problems" aria-label="Failed requests">
      {causes.length > 0 && (
        <ul>
          {causes.slice(0, maxListed).map(([cause, networks]) => (
            <li key={cause}>
              {[...networks].map((network) => networkName(known, network)).join(", ")}: {cause}
            </li>
          ))}
        </ul>
      )}
      <button type="button" onClick={retry}>
        Retry {counted(again, "address", "addresses")} with missing values
      </button>
    </section>
  )
}

interface ControlsProps {
  readonly filter: string
  readonly setFilter: (text: string) => void
  /** Number of holdings that are hidden as small. */
  readonly hidden: number
}

/** Selects the holdings that the table shows. */
const Controls = ({ filter, hidden, setFilter }: ControlsProps) => {
  const chosen = useStore(preferences)
  return (
    <fieldset class="controls">
      <legend class="only-read">Filters of the table</legend>
      <div class="line">
        <label for="filter">Filter</label>
        <input
          id="filter"
          type="search"
          autocomplete="off"
          placeholder="coin, network or address"
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
      </div>
      <label class="line">
        <input
          type="checkbox"
          checked={chosen.hidesSmall}
          onChange={({ currentTarget }) => preferences.set({ ...chosen, hidesSmall: currentTarget.checked })}
        />
        Hide what is worth less than 1 USD
        {hidden > 0 && <span class="label"> ({counted(hidden, "holding")} hidden, included in the total)</span>}
      </label>
    </fieldset>
  )
}

const direction = (value: number) => (value > 0 ? "up" : value < 0 ? "down" : "")

/** The total value of all holdings, and the number of values that it lacks. */
const Totals = ({
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

const maxNamed = 4

/** The number of networks that have responded, and the names of the others. Renders nothing when all are done. */
const Progress = ({ loading: { accounts, isDone, lookups } }: { readonly loading: Loading }) => {
  const known = useStore(service)
  if (isDone) return null
  if (accounts.length === 0) {
    const found = lookups.filter(({ state }) => state !== "waiting").length
    return (
      <p class="progress">
        <progress max={lookups.length} value={found} aria-label="Addresses looked up" /> Finding the networks of{" "}
        {count(lookups.length)} {lookups.length === 1 ? "address" : "addresses"} …
      </p>
    )
  }
  const networks = Map.groupBy(accounts, ({ network }) => network)
  const waiting = [...networks].flatMap(([network, group]) =>
    group.some(({ state }) => state === "waiting") ? [networkName(known, network)] : []
  )
  const more = waiting.length > maxNamed ? ` and ${waiting.length - maxNamed} more` : ""
  return (
    <p class="progress">
      <progress
        max={accounts.length}
        value={accounts.filter(({ state }) => state !== "waiting").length}
        aria-label="Addresses read"
      />{" "}
      {networks.size - waiting.length} of {networks.size} networks have responded
      {waiting.length > 0 && `; waiting for ${waiting.slice(0, maxNamed).join(", ")}${more}`}
    </p>
  )
}

/** The holdings of these addresses as they arrive, and a function that retries failures. */
const useLoading = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const { currency } = useStore(preferences)
  const [loading, setLoading] = useState<Loading>(() => nothing(currency))
  const loader = useRef<Loader>(undefined)
  const name = texts.join(",")
  // The array is a new object in each rendering, so the effect depends on the joined texts.
  useEffect(() => {
    if (texts.length === 0) {
      setLoading(nothing(currency))
      return
    }
    const started = makeLoader(client, texts, throttled(setLoading), promptForKey(client), currency)
    loader.current = started
    void started.run()
    return started.stop
  }, [client, name, currency])
  return { loading, retry: () => void loader.current?.run() }
}

const summary = ({ accounts }: Loading, holdings: number) => {
  const failed = accounts.filter(({ state }) => state === "failed").length
  const networks = new Set(accounts.map(({ network }) => network)).size
  return `Done: ${counted(holdings, "holding")} on ${counted(networks, "network")}${failed === 0 ? "" : `, ${counted(failed, "address", "addresses")} failed`}.`
}

/** The holdings of addresses on all networks that they match. */
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
          <LookupRemarks lookups={loading.lookups} />
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
