import { Cell } from "../parts/Cell.tsx"
import { CoinMark } from "../parts/CoinMark.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Missing } from "../parts/Missing.tsx"
import { memo } from "../parts/memo.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/store.ts"
import { age, amount, foreign, money, percent, price, shortened } from "../text/format.ts"
import { BreakdownOf } from "./BreakdownOf.tsx"
import type { PortfolioRow } from "./holdings.ts"
import { lastWorthOf, missingWorthOf } from "./worth.ts"

interface RowProps {
  readonly holding: PortfolioRow
}

const Asset = ({ holding: { price: current, row } }: RowProps) => (
  <th scope="row" role="rowheader">
    <span class="asset">
      <CoinMark symbol={row.tokenSymbol} />
      <span>
        <bdi class="symbol">{foreign(row.tokenSymbol, 16) || "(no symbol)"}</bdi>
        <bdi class="detail">{foreign(row.tokenName)}</bdi>
        {row.coinId !== "" && current !== null && (
          <a
            class="detail"
            href={fragmentOf({ view: "coin", items: [row.coinId] })}
            aria-label={`Chart of ${foreign(row.tokenSymbol, 16)}`}
          >
            Chart
          </a>
        )}
        {row.contractAddress !== null && (
          <span class="detail">
            <bdi class="code">{shortened(foreign(row.contractAddress, 300))}</bdi>{" "}
            <Copy text={row.contractAddress} what={`the contract of ${foreign(row.tokenSymbol, 16)}`} />
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
          aria-label={`Fees, and what ${short} needs to sign on ${name}`}
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
  const lastWorth = lastWorthOf(row)
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
          {/* What the worth is missing for stands there. */}
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
      {value === null ? <Missing {...missingWorthOf(row)} /> : money(value, currency)}
    </Cell>
  )
}

/** A line of the table; drawn again when its holding is another one. */
export const HoldingRow = memo<RowProps>(({ holding }) => (
  <tr role="row">
    <Asset holding={holding} />
    <Holder holding={holding} />
    <Price holding={holding} />
    <Balance holding={holding} />
    <Value holding={holding} />
  </tr>
))
