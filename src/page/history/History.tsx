import { useEffect, useMemo, useState } from "preact/hooks"
import { AddressForm } from "../addresses/AddressForm.tsx"
import { Inputs } from "../addresses/Inputs.tsx"
import { announce } from "../state/announcement.ts"
import { fragmentOf } from "../state/route.ts"
import { service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { count, counted, day } from "../text/format.ts"
import type { ViewProps } from "../views.tsx"
import { Coverage } from "./Coverage.tsx"
import { EntryRow } from "./EntryRow.tsx"
import { Exports } from "./Exports.tsx"
import { type AddressHistories, horizonOf, type TimelineEntry, timelineOf } from "./histories.ts"
import { useHistories } from "./useHistories.ts"
import { emptyWords } from "./words.ts"

/** So many rows are drawn at first, and more of them at each time. */
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
      <caption class="only-read">Transactions, {count(total)}, the newest first</caption>
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
      {isDone && timeline.length === 0 && !hasMore && <p>{emptyWords(current.histories)}</p>}
      {isDone && hasMore && (
        <p class="line">
          <button type="button" onClick={showMore}>
            Load more
          </button>
          {horizon !== undefined && timeline.length <= limit && (
            <span class="label">Shown back to {day(horizon)}; there is more.</span>
          )}
        </p>
      )}
    </>
  )
}

/** The transactions of addresses on all networks that they fit, in one list. */
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
          <Inputs lookups={current.lookups} />
          {current.lookups.every(({ state }) => state !== "waiting") && <Exports histories={current.histories} />}
          <Coverage current={current} retry={retry} />
          {current.histories.length > 0 && <Timeline key={items.join(",")} current={current} more={more} />}
        </>
      )}
    </>
  )
}
