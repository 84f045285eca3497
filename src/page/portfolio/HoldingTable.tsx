import { useEffect, useState } from "preact/hooks"
import { count } from "../text/format.ts"
import { HoldingRow } from "./HoldingRow.tsx"
import type { PortfolioRow, SortedBy, Sorting } from "./holdings.ts"

/** More rows are drawn when somebody wants to see them. */
const rowsAtOnce = 250

interface Column {
  readonly title: string
  readonly sortedBy?: SortedBy
  readonly isNumber?: boolean
}

const columns: ReadonlyArray<Column> = [
  { title: "Asset", sortedBy: "asset" },
  { title: "Network", sortedBy: "network" },
  { title: "Price, 24 h", sortedBy: "change", isNumber: true },
  { title: "Balance", isNumber: true },
  { title: "Value", sortedBy: "value", isNumber: true }
]

interface TableProps {
  readonly holdings: ReadonlyArray<PortfolioRow>
  readonly sorting: Sorting
  readonly setSorting: (sorting: Sorting) => void
  readonly isDone: boolean
}

const Head = ({
  column,
  setSorting,
  sorting
}: Pick<TableProps, "sorting" | "setSorting"> & { readonly column: Column }) => {
  const { isNumber = false, sortedBy, title } = column
  const isCurrent = sortedBy === sorting.by
  const order = isCurrent ? (sorting.descending ? "descending" : "ascending") : "none"
  const sort = () => {
    if (sortedBy !== undefined) setSorting({ by: sortedBy, descending: isCurrent ? !sorting.descending : isNumber })
  }
  return (
    <th scope="col" role="columnheader" class={isNumber ? "number" : ""} aria-sort={sortedBy && order}>
      {sortedBy === undefined ? (
        title
      ) : (
        <button type="button" onClick={sort}>
          {title}
          <span aria-hidden="true">{isCurrent ? (sorting.descending ? " ↓" : " ↑") : ""}</span>
        </button>
      )}
    </th>
  )
}

// The roles are said again because narrow screens show the table as blocks, which would take them away.

/** The holdings, in the order in which they are given. */
export const HoldingTable = ({ holdings, isDone, setSorting, sorting }: TableProps) => {
  const [limit, setLimit] = useState(rowsAtOnce)
  // Another order begins with its first rows again.
  useEffect(() => setLimit(rowsAtOnce), [sorting])
  const rest = holdings.length - limit
  return (
    <>
      <table class="holdings" role="table" aria-busy={!isDone}>
        <caption class="only-read">Holdings, {count(holdings.length)}</caption>
        <thead role="rowgroup">
          <tr role="row">
            {columns.map((column) => (
              <Head key={column.title} column={column} sorting={sorting} setSorting={setSorting} />
            ))}
          </tr>
        </thead>
        <tbody role="rowgroup">
          {holdings.slice(0, limit).map((holding) => (
            <HoldingRow key={holding.key} holding={holding} />
          ))}
        </tbody>
      </table>
      {isDone && holdings.length === 0 && <p>No holding to show.</p>}
      {rest > 0 && (
        <button type="button" onClick={() => setLimit(limit + rowsAtOnce)}>
          Show {count(Math.min(rest, rowsAtOnce))} more of {count(rest)}
        </button>
      )}
    </>
  )
}
