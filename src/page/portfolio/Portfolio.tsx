import { useEffect, useMemo, useState } from "preact/hooks"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { WalletLine } from "../addresses/WalletLine.tsx"
import { Choices } from "../parts/Choices.tsx"
import { lazy, Pending, Skeleton } from "../parts/lazy.tsx"
import { announce } from "../state/notices.ts"
import { preferences } from "../state/preferences.ts"
import { ownHoldings, remember } from "../state/recent.ts"
import { networkName, type Service, service } from "../state/service.ts"
import { useLate, useLoader } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import {
  abbreviated,
  clock,
  counted,
  direction,
  listed,
  money,
  moneyChange,
  percent,
  sanitized
} from "../text/format.ts"
import { type TextKey, t } from "../text/language.ts"
import { ValueChart } from "../value/ValueChart.tsx"
import type { ViewProps } from "../views.tsx"
import { emptyText, isHolding } from "./empty.ts"
import { GroupList } from "./GroupList.tsx"
import {
  type GroupedBy,
  groupsOf,
  type HoldingGroup,
  isSmallGroup,
  type SortedBy,
  shareOf,
  sortedGroups
} from "./groups.ts"
import {
  goneNetworks,
  holdingsOf,
  isGone,
  isPartial,
  type Loading,
  matching,
  nothing,
  type Totals as TotalsOf,
  totalsOf
} from "./holdings.ts"
import { canRetry, type Loader, makeLoader } from "./load.ts"
import { Ring } from "./Ring.tsx"

const maxListed = 8

interface LoadingProps {
  readonly loading: Loading
}

/** The causes of missing values, each with the affected networks. */
const causesOf = ({ accounts, failures }: Loading): ReadonlyMap<string, ReadonlySet<string>> => {
  const causes = new Map<string, Set<string>>()
  const add = (cause: string, network: string) => causes.set(cause, (causes.get(cause) ?? new Set()).add(network))
  for (const { network, problem, rows, state } of accounts) {
    if (state === "failed") add(problem ?? "", network)
    for (const row of rows) if (row.balance === null && !isGone(row)) add(sanitized(row.error ?? "", 300), network)
  }
  for (const failure of failures) if (!isGone(failure)) add(sanitized(failure.message, 300), failure.network)
  return causes
}

/** Why values are missing, opened by one tap, and a retry button in sight. */
const Problems = ({
  loading,
  retry,
  unknown
}: LoadingProps & { readonly retry: () => void; readonly unknown: number }) => {
  const known = useStore(service)
  const { accounts, failures, isDone, lookups } = loading
  const again =
    lookups.filter(({ state }) => state === "failed").length +
    accounts.filter((account) => canRetry(account, failures)).length
  const causes = [...causesOf(loading)]
  if (!isDone || (again === 0 && unknown === 0)) return null
  return (
    <>
      <details class="problems">
        <summary>{unknown > 0 ? counted(unknown, "unknownValues") : t("partMissing")}</summary>
        <ul>
          {causes.slice(0, maxListed).map(([cause, networks]) => (
            <li key={cause}>
              {[...networks].map((network) => networkName(known, network)).join(", ")}: {cause}
            </li>
          ))}
        </ul>
      </details>
      {again > 0 && (
        <button type="button" onClick={retry}>
          {t("retryAddresses", { count: again })}
        </button>
      )}
    </>
  )
}

/** Which networks have not responded yet; the time of the values when all have. */
const Progress = ({ loading: { accounts, at, isDone, lookups } }: LoadingProps) => {
  const known = useStore(service)
  if (isDone) return <p class="progress label">{at > 0 && t("updatedAt", { time: clock(at / 1000) })}</p>
  const networks = Map.groupBy(accounts, ({ network }) => network)
  const waiting = [...networks].flatMap(([network, group]) =>
    group.some(({ state }) => state === "waiting") ? [networkName(known, network)] : []
  )
  return (
    <p class="progress label">
      <progress
        max={Math.max(1, accounts.length || lookups.length)}
        value={accounts.filter(({ state }) => state !== "waiting").length}
        aria-label={t("loading")}
      />{" "}
      {waiting.length === 0 ? t("findingNetworks") : t("waitingFor", { networks: listed(waiting, 1) })}
    </p>
  )
}

interface TotalsProps extends LoadingProps {
  readonly totals: TotalsOf
}

/** The total value, at least the known part, and its change over a day. A placeholder until a value is known. */
const Totals = ({ loading, totals: { change, unknown, value } }: TotalsProps) => {
  const { currency, isDone } = loading
  return (
    <section class="totals" aria-label={t("total")}>
      <p class="total">
        {value === null ? (
          isDone ? (
            t("unknown")
          ) : (
            <Pending />
          )
        ) : unknown > 0 || isPartial(loading) ? (
          <>
            <small>{t("atLeast", { value: "" })}</small> <span class="number">{money(value, currency)}</span>
          </>
        ) : (
          money(value, currency)
        )}
      </p>
      <p class={`number day ${direction(change?.percent)}`}>
        {change !== undefined ? (
          <>
            {moneyChange(change.value, currency)} ({percent(change.percent)}) <span class="label">{t("today")}</span>
          </>
        ) : (
          !isDone && <Pending />
        )}
      </p>
    </section>
  )
}

/** The holdings of these addresses as they arrive, and a function that retries failures. */
const useLoading = (texts: ReadonlyArray<string>) => {
  const { currency } = useStore(preferences)
  const { loader, state: loading } = useLoader<Loading, Loader>(
    currency,
    () => ({ ...nothing(currency), isDone: false }),
    (client, changed, failed, signal) => makeLoader(client, texts, changed, failed, signal, currency)
  )
  return { loading, retry: () => void loader.current?.run() }
}

const summary = ({ accounts }: Loading, holdings: number) => {
  const failed = accounts.filter(({ state }) => state === "failed").length
  const networks = new Set(accounts.map(({ network }) => network)).size
  const text = t("doneHoldings", {
    holdings: counted(holdings, "holdingsCount"),
    networks: counted(networks, "networksCount")
  })
  return failed === 0 ? text : `${text} ${t("addressesFailed", { count: failed })}`
}

const groupings: ReadonlyArray<readonly [GroupedBy, TextKey]> = [
  ["asset", "assets"],
  ["network", "networks"],
  ["address", "addresses"]
]

const sortings: ReadonlyArray<readonly [SortedBy, TextKey]> = [
  ["value", "byValue"],
  ["change", "byChange"],
  ["name", "byName"]
]

const nameOf = (by: GroupedBy, { holdings: [first] }: HoldingGroup, known: Service): string => {
  if (first === undefined) return ""
  if (by === "network") return networkName(known, first.row.blockchain)
  return by === "address" ? abbreviated(first.account.address) : sanitized(first.row.tokenSymbol, 12)
}

/** The holdings in groups, with an allocation ring and filters. */
const Holdings = ({ loading, totals }: TotalsProps) => {
  const { currency, isDone } = loading
  const known = useStore(service)
  const chosen = useStore(preferences)
  const isReady = useLate(isDone, loading.accounts)
  const [by, setBy] = useState<GroupedBy>("asset")
  const [sorting, setSorting] = useState<SortedBy>("value")
  const [filter, setFilter] = useState("")
  const existing = useMemo(() => holdingsOf(loading).filter(isHolding), [loading])
  const matches = useMemo(() => matching(existing, filter), [existing, filter])
  const groups = useMemo(() => sortedGroups(groupsOf(matches, by, currency), sorting), [matches, by, currency, sorting])
  const shown = chosen.hidesSmall && by === "asset" ? groups.filter((group) => !isSmallGroup(group)) : groups
  const hidden = groups.length - shown.length
  const parts = groups.flatMap((group) => {
    const share = shareOf(group, totals.value)
    return share === undefined || share === 0 ? [] : [{ name: nameOf(by, group, known), share }]
  })
  const select = ({ currentTarget }: { readonly currentTarget: HTMLSelectElement }) =>
    setSorting(sortings.find(([value]) => value === currentTarget.value)?.[0] ?? "value")
  return (
    <section class="list" aria-label={t("holdings")}>
      <div class="line controls">
        <Choices
          label={t("groupBy")}
          options={groupings.map(([value, key]) => [value, t(key)])}
          chosen={by}
          choose={setBy}
        />
        <input
          class="last"
          type="search"
          autocomplete="off"
          aria-label={t("filter")}
          placeholder={t("filter")}
          value={filter}
          onInput={({ currentTarget }) => setFilter(currentTarget.value)}
        />
        <select aria-label={t("sort")} value={sorting} onChange={select}>
          {sortings.map(([value, key]) => (
            <option key={value} value={value}>
              {t(key)}
            </option>
          ))}
        </select>
      </div>
      {isReady && parts.length > 1 && filter === "" && <Ring label={t("allocation")} parts={parts} />}
      {!isReady || (groups.length === 0 && !isDone) ? (
        <Skeleton kind="line" rows={8} />
      ) : (
        shown.length > 0 && (
          <GroupList by={by} groups={shown} currency={currency} total={totals.value} isDone={isDone} />
        )
      )}
      {isDone && shown.length === 0 && (
        <p class="empty">
          {sanitized(emptyText(loading, { filter, existing: existing.length, matches: matches.length }), 400)}
        </p>
      )}
      {by === "asset" && (hidden > 0 || (groups.length > 0 && !chosen.hidesSmall)) && (
        <button
          type="button"
          class="quiet"
          onClick={() => preferences.set({ ...chosen, hidesSmall: !chosen.hidesSmall })}
        >
          {chosen.hidesSmall ? t("showSmall", { count: hidden }) : t("hideSmall")}
        </button>
      )}
    </section>
  )
}

/** The tokens that no list has: their code and their data are loaded when they are opened. */
const Unlisted = lazy(() => import("../unlisted/Unlisted.tsx").then(({ Unlisted: found }) => found))

const OtherTokens = ({ addresses }: { readonly addresses: ReadonlyArray<NetworkAddress> }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="list unlisted" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>{t("showUnlisted")}</summary>
      {isOpen && <Unlisted addresses={addresses} />}
    </details>
  )
}

/** The holdings of addresses on all networks that they match. */
export const Portfolio = ({ items }: ViewProps) => {
  const { loading, retry } = useLoading(items)
  const { accounts, currency, isDone, lookups } = loading
  const holdings = useMemo(() => holdingsOf(loading), [loading])
  const totals = useMemo(() => totalsOf(holdings, currency), [holdings, currency])
  const isFound = accounts.length > 0

  useEffect(() => {
    if (!isDone || lookups.length === 0) return
    announce(summary(loading, holdings.filter(isHolding).length))
    if (isFound) remember(items)
  }, [isDone, lookups.length, holdings.length])

  useEffect(() => {
    if (isDone && lookups.length > 0) ownHoldings.set(holdings)
  }, [isDone, holdings])

  return (
    <>
      <h1 class="only-read">{t("portfolio")}</h1>
      <WalletLine items={items} lookups={lookups} view="portfolio" gone={isDone ? goneNetworks(loading) : []} />
      {(isFound || !isDone) && (
        <>
          <div class="panel overview">
            <Totals totals={totals} loading={loading} />
            <div class="state">
              <Progress loading={loading} />
              <Problems loading={loading} retry={retry} unknown={totals.unknown} />
            </div>
            <div class="value-chart">{isDone ? <ValueChart addresses={accounts} /> : <Skeleton kind="tall" />}</div>
          </div>
          <Holdings loading={loading} totals={totals} />
          {isDone && <OtherTokens addresses={accounts} />}
        </>
      )}
      {!isFound && isDone && <Problems loading={loading} retry={retry} unknown={0} />}
    </>
  )
}
