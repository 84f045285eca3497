import type { JSX } from "preact"
import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { WalletLine } from "../addresses/WalletLine.tsx"
import { readPastPrices, readPrices } from "../coin/prices.ts"
import { Start } from "../home/Home.tsx"
import { Skeleton } from "../parts/lazy.tsx"
import { announce } from "../state/notices.ts"
import { preferences } from "../state/preferences.ts"
import { networkName, service } from "../state/service.ts"
import { useLate, useLoader, useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import { counted, day, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { ViewProps } from "../views.tsx"
import { daysOf, dayTitle, type HistoryDay } from "./days.ts"
import { EntryRow } from "./EntryRow.tsx"
import { Exports } from "./Exports.tsx"
import { type AddressHistories, canRetry, horizonOf, nothing, timelineOf } from "./histories.ts"
import { type HistoryLoader, makeHistoryLoader } from "./load.ts"
import { type Activity, activityOf, dustCoins, type EntryKind, type NativePrices } from "./movements.ts"
import { completenessOf, emptyText, foldText } from "./words.ts"

interface CoverageProps {
  readonly current: AddressHistories
  readonly retry: () => void
}

/** Completeness of each history, reasons for failures, and a retry button. */
const Coverage = ({ current: { histories, isDone, lookups }, retry }: CoverageProps) => {
  const known = useStore(service)
  const again = histories.filter(canRetry).length + lookups.filter(({ state }) => state === "failed").length
  return (
    <>
      {histories.length > 0 && (
        <details class="coverage">
          <summary>{counted(histories.length, "completeness")}</summary>
          <ul>
            {histories.map((history) => (
              <li key={`${history.network} ${history.address}`}>
                {networkName(known, history.network)} <bdi class="code">{shortened(history.address)}</bdi>:{" "}
                {completenessOf(history)}
                {history.problem !== undefined && <span class="missing"> {history.problem}</span>}
              </li>
            ))}
          </ul>
        </details>
      )}
      {isDone && again > 0 && (
        <p class="problems" role="alert">
          {t("historiesFailed", { count: again })}{" "}
          <button type="button" class="quiet" onClick={retry}>
            {t("retry")}
          </button>
        </p>
      )}
    </>
  )
}

/** The histories of these addresses as they arrive, and functions that read older pages and retry failed histories. */
const useHistories = (texts: ReadonlyArray<string>) => {
  const { loader, state: current } = useLoader<AddressHistories, HistoryLoader>(
    "",
    () => ({ ...nothing, isDone: false }),
    (client, changed, failed, signal) => makeHistoryLoader(client, texts, changed, failed, signal)
  )
  return { current, retry: () => void loader.current?.run(), more: () => void loader.current?.more() }
}

interface Filter {
  readonly kind: EntryKind | ""
  readonly network: string
  readonly text: string
}

const kinds: ReadonlyArray<EntryKind> = ["received", "sent", "swapped", "other"]

interface FiltersProps {
  readonly filter: Filter
  readonly setFilter: (filter: Filter) => void
  readonly networks: ReadonlyArray<string>
}

const Filters = ({ filter, networks, setFilter }: FiltersProps) => {
  const known = useStore(service)
  const isKind = (text: string): text is EntryKind => kinds.some((kind) => kind === text)
  return (
    <div class="line controls">
      <select
        aria-label={t("kind")}
        value={filter.kind}
        onChange={({ currentTarget: { value } }) => setFilter({ ...filter, kind: isKind(value) ? value : "" })}
      >
        <option value="">{t("allKinds")}</option>
        {kinds.map((kind) => (
          <option key={kind} value={kind}>
            {t(kind)}
          </option>
        ))}
      </select>
      <select
        aria-label={t("network")}
        value={filter.network}
        onChange={({ currentTarget }) => setFilter({ ...filter, network: currentTarget.value })}
      >
        <option value="">{t("allNetworks")}</option>
        {networks.map((id) => (
          <option key={id} value={id}>
            {networkName(known, id)}
          </option>
        ))}
      </select>
      <input
        class="last"
        type="search"
        autocomplete="off"
        aria-label={t("filter")}
        placeholder={t("filterActivity")}
        value={filter.text}
        onInput={({ currentTarget }) => setFilter({ ...filter, text: currentTarget.value })}
      />
    </div>
  )
}

const fits = ({ item, kind, searched }: Activity, filter: Filter): boolean =>
  (filter.kind === "" || kind === filter.kind) &&
  (filter.network === "" || item.history.network === filter.network) &&
  filter.text
    .toLowerCase()
    .split(/\s+/)
    .every((word) => searched.includes(word))

/** The folded transactions of a stretch, by day if there are several. */
const Folded = ({
  folded,
  row
}: Pick<HistoryDay, "folded"> & { readonly row: (activity: Activity) => JSX.Element }) => {
  const days = [
    ...Map.groupBy(
      folded.map(({ activity }) => activity),
      dayTitle
    )
  ]
  return (
    <details class="row folded">
      <summary>{foldText(folded.map(({ reasons }) => reasons))}</summary>
      {days.map(([title, activities]) => (
        <div key={title}>
          {days.length > 1 && <p class="label">{title}</p>}
          {activities.map(row)}
        </div>
      ))}
    </details>
  )
}

/** The transactions of a day. Suspicious ones and dust are folded, with the reason. */
const Day = ({ activities, folded, title }: HistoryDay) => {
  const known = useStore(service)
  const { currency } = useStore(preferences)
  const all = [...activities, ...folded.map(({ activity }) => activity)]
  const ids = [...new Set(all.flatMap(({ changes = [] }) => changes.flatMap(({ coinId }) => coinId || [])))].sort()
  const { reading } = useReading(`past ${currency} ${ids.join()}`, (client, signal) =>
    readPastPrices(client, ids, 365, currency, signal)
  )
  const prices = reading.state === "read" ? reading.data : undefined
  const row = (activity: Activity) => (
    <EntryRow key={activity.item.key} activity={activity} service={known} currency={currency} prices={prices} />
  )
  return (
    <section class="day-group" aria-label={title}>
      <h2>{title}</h2>
      <div class="rows">
        {activities.map(row)}
        {folded.length > 0 && <Folded folded={folded} row={row} />}
      </div>
    </section>
  )
}

/** Rows that are rendered initially, and added at each step. */
const rowsAtOnce = 60

/** Calls `reached` when the element comes near to the visible part of the page. */
const useReached = (reached: () => void, isAuto: boolean) => {
  const element = useRef<HTMLParagraphElement>(null)
  const latest = useRef(reached)
  latest.current = reached
  useEffect(() => {
    if (element.current === null || !isAuto) return
    const observer = new IntersectionObserver(
      (entries) => entries.some(({ isIntersecting }) => isIntersecting) && latest.current(),
      { rootMargin: "400px" }
    )
    observer.observe(element.current)
    return () => observer.disconnect()
  })
  return element
}

interface MoreProps {
  readonly label: string
  readonly showMore: () => void
  /** True if scrolling to the end shows more. */
  readonly isAuto: boolean
}

const More = ({ isAuto, label, showMore }: MoreProps) => (
  <p class="line" ref={useReached(showMore, isAuto)}>
    <button type="button" onClick={showMore}>
      {t("loadMore")}
    </button>
    <span class="label">{label}</span>
  </p>
)

const unpriced: NativePrices = new Map()

/** The prices of the native coins that were received, also while those of more coins are read; undefined before. */
const useNativePrices = (timeline: ReadonlyArray<Activity>): NativePrices | undefined => {
  const ids = dustCoins(timeline)
  const { reading } = useReading(`native ${ids.join()}`, (client, signal) => readPrices(client, ids, signal))
  const latest = useRef<NativePrices>(undefined)
  if (reading.state === "read") latest.current = reading.data
  return latest.current ?? (reading.state === "failed" ? unpriced : undefined)
}

const Timeline = ({ current, more }: { readonly current: AddressHistories; readonly more: () => void }) => {
  const known = useStore(service)
  const [limit, setLimit] = useState(rowsAtOnce)
  const [filter, setFilter] = useState<Filter>({ kind: "", network: "", text: "" })
  const { histories, isDone } = current
  const timeline = useMemo(
    () => timelineOf(histories).map((entry) => activityOf(known, entry)),
    [histories, known.networks.length]
  )
  const prices = useNativePrices(timeline)
  // The networks have the decimals of amounts, and prices tell what is folded.
  const isReady = useLate(current.isDone && known.networks.length > 0 && prices !== undefined, current.histories)
  const matches = useMemo(() => timeline.filter((activity) => fits(activity, filter)), [timeline, filter])
  const horizon = horizonOf(histories)
  useEffect(() => {
    if (isDone && histories.length > 0) announce(t("doneTransactions", { count: timeline.length }))
  }, [isDone, histories.length, timeline.length])
  const isCut = matches.length > limit
  const showMore = () => {
    if (isCut) setLimit(limit + rowsAtOnce)
    else if (isDone && horizon !== undefined) more()
  }
  const networks = [...new Set(histories.filter(({ entries }) => entries.length > 0).map(({ network }) => network))]
  return (
    <section class="list" aria-label={t("activity")}>
      <Filters filter={filter} setFilter={setFilter} networks={networks} />
      <div class="timeline" aria-busy={!isDone}>
        {isReady &&
          daysOf(matches.slice(0, limit), prices ?? unpriced).map((days) => <Day key={days.title} {...days} />)}
      </div>
      {isReady && timeline.length > 0
        ? !isDone && <Skeleton key="more" kind="line" />
        : !(isDone && isReady) && <Skeleton kind="line" rows={8} />}
      {isDone && isReady && matches.length === 0 && (horizon === undefined || timeline.length > 0) && (
        <p class="empty">{timeline.length === 0 ? sanitized(emptyText(current), 400) : t("noMatch")}</p>
      )}
      {isDone && (isCut || horizon !== undefined) && (
        <More
          showMore={showMore}
          // A filter without matches would read the whole history.
          isAuto={matches.length === timeline.length}
          label={!isCut && horizon !== undefined ? t("shownBackTo", { day: day(horizon) }) : ""}
        />
      )}
    </section>
  )
}

const Content = ({ items }: ViewProps) => {
  const { current, more, retry } = useHistories(items)
  const known = useStore(service)
  // Below the list, so that they do not move while it grows.
  const isReady = useLate(current.isDone && known.networks.length > 0, current.histories)
  return (
    <>
      <h1 class="only-read">{t("activity")}</h1>
      <WalletLine items={items} lookups={current.lookups} view="history" />
      {(!current.isDone || current.histories.length > 0) && <Timeline current={current} more={more} />}
      {isReady && <Coverage current={current} retry={retry} />}
      {isReady && <Exports histories={current.histories} />}
    </>
  )
}

/** The transactions of addresses on all networks that they match, in one list. */
export const History = ({ items }: ViewProps) =>
  items.length === 0 ? <Start title={t("activity")} view="history" /> : <Content key={items.join(",")} items={items} />
