import { useEffect, useMemo, useRef, useState } from "preact/hooks"
import { AddressForm } from "../addresses/AddressForm.tsx"
import { LookupRemarks } from "../addresses/Inputs.tsx"
import { throttled } from "../addresses/throttled.ts"
import { announce } from "../state/announcement.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { promptForKey, session } from "../state/session.ts"
import { useStore } from "../state/store.ts"
import { count, counted, day, sanitized, shortened } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { EntryRow } from "./EntryRow.tsx"
import { Exports } from "./Exports.tsx"
import { type AddressHistories, canRetry, horizonOf, nothing, type TimelineEntry, timelineOf } from "./histories.ts"
import { type HistoryLoader, makeHistoryLoader } from "./load.ts"
import { completenessOf, emptyText } from "./words.ts"

/** The list is open initially if it has at most this number of addresses. */
const maxOpen = 6

interface CoverageProps {
  readonly current: AddressHistories
  readonly retry: () => void
}

/** Completeness of each history, reasons for failures, and a retry button. */
const Coverage = ({ current: { histories, isDone }, retry }: CoverageProps) => {
  const known = useStore(service)
  const again = histories.filter(canRetry).length
  if (histories.length === 0) return null
  return (
    <>
      <details class="panel coverage" open={histories.length <= maxOpen}>
        <summary>Completeness: {counted(histories.length, "history", "histories")}</summary>
        <ul>
          {histories.map((history) => (
            <li key={`${history.network} ${history.address}`}>
              {networkName(known, history.network)} <bdi class="code">{shortened(sanitized(history.address, 300))}</bdi>
              : {completenessOf(history)}
              {history.problem !== undefined && <span class="missing"> {history.problem}</span>}
            </li>
          ))}
        </ul>
      </details>
      {isDone && again > 0 && (
        <p>
          <button type="button" onClick={retry}>
            Retry {counted(again, "history", "histories")}
          </button>
        </p>
      )}
    </>
  )
}

/** The histories of these addresses as they arrive, and functions that read older pages and retry failed histories. */
const useHistories = (texts: ReadonlyArray<string>) => {
  const { client } = useStore(session)
  const [current, setCurrent] = useState<AddressHistories>(nothing)
  const loader = useRef<HistoryLoader>(undefined)
  const name = texts.join(",")
  // The array is a new object in each rendering, so the effect depends on the joined texts.
  useEffect(() => {
    setCurrent(nothing)
    if (texts.length === 0) return
    const started = makeHistoryLoader(client, texts, throttled(setCurrent), promptForKey(client))
    loader.current = started
    void started.run()
    return started.stop
  }, [client, name])
  return { current, retry: () => void loader.current?.run(), more: () => void loader.current?.more() }
}

/** Rows that are rendered initially, and added at each step. */
const rowsAtOnce = 100

const Table = ({
  isDone,
  rows,
  total
}: {
  readonly rows: ReadonlyArray<TimelineEntry>
  readonly total: number
  readonly isDone: boolean
}) => {
  const known = useStore(service)
  return (
    <table class="holdings history" role="table" aria-busy={!isDone}>
      <caption class="only-read">Transactions, {count(total)}, newest first</caption>
      <thead role="rowgroup">
        <tr role="row">
          <th scope="col" role="columnheader">
            Transaction
          </th>
          <th scope="col" role="columnheader">
            Parties
          </th>
          <th scope="col" role="columnheader" class="number">
            Change
          </th>
          <th scope="col" role="columnheader" class="number">
            Fee
          </th>
        </tr>
      </thead>
      <tbody role="rowgroup">
        {rows.map((item) => (
          <EntryRow key={item.key} item={item} service={known} />
        ))}
      </tbody>
    </table>
  )
}

const Reading = ({ histories }: AddressHistories) => {
  const answered = histories.filter(({ state }) => state !== "waiting").length
  return (
    <p class="progress">
      <progress max={Math.max(1, histories.length)} value={answered} aria-label="Histories read" /> {count(answered)} of{" "}
      {counted(histories.length, "history", "histories")} read
    </p>
  )
}

const Timeline = ({ current, more }: { readonly current: AddressHistories; readonly more: () => void }) => {
  const [limit, setLimit] = useState(rowsAtOnce)
  const timeline = useMemo(() => timelineOf(current.histories), [current.histories])
  const horizon = horizonOf(current.histories)
  const { isDone } = current
  useEffect(() => {
    if (isDone && current.histories.length > 0) announce(`Done: ${counted(timeline.length, "transaction")}.`)
  }, [isDone, current.histories.length, timeline.length])
  const showMore = () => {
    setLimit(limit + rowsAtOnce)
    if (timeline.length <= limit + rowsAtOnce && horizon !== undefined) more()
  }
  const hasMore = timeline.length > limit || horizon !== undefined
  return (
    <>
      <Table rows={timeline.slice(0, limit)} total={timeline.length} isDone={isDone} />
      {!isDone && <Reading {...current} />}
      {isDone && timeline.length === 0 && !hasMore && <p>{emptyText(current.histories)}</p>}
      {isDone && hasMore && (
        <p class="line">
          <button type="button" onClick={showMore}>
            Load more
          </button>
          {horizon !== undefined && timeline.length <= limit && (
            <span class="label">Shown back to {day(horizon)}; older transactions exist.</span>
          )}
        </p>
      )}
    </>
  )
}

/** The transactions of addresses on all networks that they match, in one list. */
export const History = ({ items }: ViewProps) => {
  const { current, more, retry } = useHistories(items)
  return (
    <>
      <h1>History</h1>
      <AddressForm items={items} view="history" />
      {items.length > 0 && (
        <>
          <p>
            <a href={fragmentOf({ view: "portfolio", items })}>What {items.length === 1 ? "it holds" : "they hold"}</a>
          </p>
          <LookupRemarks lookups={current.lookups} />
          {current.lookups.every(({ state }) => state !== "waiting") && <Exports histories={current.histories} />}
          <Coverage current={current} retry={retry} />
          {current.histories.length > 0 && <Timeline key={items.join(",")} current={current} more={more} />}
        </>
      )}
    </>
  )
}
