import { useEffect, useState } from "preact/hooks"
import { Cell } from "../parts/Cell.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { lazy } from "../parts/lazy.tsx"
import { Missing } from "../parts/Missing.tsx"
import { memo } from "../parts/memo.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { age, amount, count, money, percent, price, sanitized, shortened } from "../text/format.ts"
import type { PortfolioRow, SortedBy, Sorting } from "./holdings.ts"
import type { BalanceRow } from "./Loading.ts"
import { lastValue, missingValue } from "./worth.ts"

const Parts = lazy(() => import("./Parts.tsx").then(({ Parts: found }) => found))

/** The spendable and other parts of a native balance; read in full when it is opened. */
const BreakdownOf = ({ row }: { readonly row: BalanceRow }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="breakdown" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary aria-label={`Breakdown of the balance of ${sanitized(row.tokenSymbol, 16)}`}>Breakdown</summary>
      {isOpen && <Parts row={row} />}
    </details>
  )
}

const hues = 12

/** A colour by name, so that a coin has the same colour everywhere. */
const hueOf = (name: string) => {
  let hash = 0
  for (const letter of name) hash = (hash * 31 + (letter.codePointAt(0) ?? 0)) >>> 0
  return hash % hues
}

/** The initials of a coin. Icons are not loaded, since requests for them would disclose the holdings. */
const CoinMark = ({ symbol }: { readonly symbol: string }) => (
  <span class={`mark hue-${hueOf(symbol)}`} aria-hidden="true">
    {[...sanitized(symbol, 8).toUpperCase()].slice(0, 3).join("") || "?"}
  </span>
)

interface RowProps {
  readonly holding: PortfolioRow
}

const Asset = ({ holding: { price: current, row } }: RowProps) => (
  <th scope="row" role="rowheader">
    <span class="asset">
      <CoinMark symbol={row.tokenSymbol} />
      <span>
        <bdi class="symbol">{sanitized(row.tokenSymbol, 16) || "(no symbol)"}</bdi>
        <bdi class="detail">{sanitized(row.tokenName)}</bdi>
        {row.coinId !== "" && current !== null && (
          <a
            class="detail"
            href={fragmentOf({ view: "coin", items: [row.coinId] })}
            aria-label={`Chart of ${sanitized(row.tokenSymbol, 16)}`}
          >
            Chart
          </a>
        )}
        {row.contractAddress !== null && (
          <span class="detail">
            <bdi class="code">{shortened(sanitized(row.contractAddress, 300))}</bdi>{" "}
            <Copy text={row.contractAddress} what={`the contract of ${sanitized(row.tokenSymbol, 16)}`} />
          </span>
        )}
      </span>
    </span>
  </th>
)

const Holder = ({ holding: { account, row } }: RowProps) => {
  const name = networkName(useStore(service), row.blockchain)
  const short = shortened(row.holderAddress)
  return (
    <Cell title="Network">
      {name}
      <span class="detail">
        <bdi class="code">{short}</bdi> <Copy text={row.holderAddress} what={`the address ${short}`} />{" "}
        <Explorer url={account.match.explorer} name={`${short} at an explorer of ${name}`}>
          Explorer
        </Explorer>{" "}
        <a href={fragmentOf({ view: "history", items: [account.address] })} aria-label={`History of ${short}`}>
          History
        </a>{" "}
        <a
          href={fragmentOf({ view: "network", items: [row.blockchain, account.address] })}
          aria-label={`Fees, and data that ${short} needs to sign on ${name}`}
        >
          Fees
        </a>
      </span>
    </Cell>
  )
}

const Price = ({ holding }: RowProps) => {
  const change = holding.row.priceChangePercent24h
  return (
    <Cell title="Price" isNumber>
      {holding.price === null ? <Missing code="no_price" /> : price(holding.price, holding.currency)}
      {change !== undefined && (
        <span class={`detail ${change > 0 ? "up" : change < 0 ? "down" : ""}`}>{percent(change)}</span>
      )}
    </Cell>
  )
}

const Balance = ({ holding: { row, value } }: RowProps) => {
  const { lastKnown } = row
  const lastWorth = lastValue(row)
  return (
    <Cell title="Balance" isNumber>
      {row.balance === null ? (
        <Missing code={row.errorCode} detail={row.error}>
          {lastKnown !== undefined && (
            <span class="detail last-known">
              {amount(lastKnown.balance)}
              {lastWorth.value !== null && ` (${money(lastWorth.value, lastWorth.currency)})`}{" "}
              {age(lastKnown.at, Date.now())}
            </span>
          )}
        </Missing>
      ) : (
        <>
          <data value={row.balance}>{amount(row.balance)}</data>
          {row.error !== undefined && value !== null && <Missing code={row.errorCode} detail={row.error} />}
          {row.tokenType === "NATIVE" && <BreakdownOf row={row} />}
        </>
      )}
    </Cell>
  )
}

const Value = ({ holding: { currency, row, value } }: RowProps) => {
  return (
    <Cell title="Value" isNumber>
      {value === null ? <Missing {...missingValue(row)} /> : money(value, currency)}
    </Cell>
  )
}

/** A row of the table; rendered again only when its holding changes. */
const HoldingRow = memo<RowProps>(({ holding }) => (
  <tr role="row">
    <Asset holding={holding} />
    <Holder holding={holding} />
    <Price holding={holding} />
    <Balance holding={holding} />
    <Value holding={holding} />
  </tr>
))

/** Rows that are rendered initially and added per click. */
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

// Explicit roles: narrow screens show the table as blocks, which removes the implicit roles.

/** Table of the holdings, in the given order. */
export const HoldingTable = ({ holdings, isDone, setSorting, sorting }: TableProps) => {
  const [limit, setLimit] = useState(rowsAtOnce)
  // A new sort order starts with its first rows.
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
