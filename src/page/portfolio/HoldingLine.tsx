import { useState } from "preact/hooks"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Missing } from "../parts/Failed.tsx"
import { CoinIcon } from "../parts/Icon.tsx"
import { memo, Skeleton } from "../parts/lazy.tsx"
import { fragmentOf } from "../state/route.ts"
import { networkName, type Service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { age, amount, money, price, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { BalanceRow, PortfolioRow } from "./holdings.ts"
import { lastValue, missingValue, partsOf } from "./worth.ts"

/** The parts of a native balance: first those already read, then all parts that the network has. */
const Parts = ({ row }: { readonly row: BalanceRow }) => {
  const { blockchain: networkId, holderAddress: address } = row
  const { reading, retry } = useReading(`${networkId} ${address}`, (client, signal) =>
    client.balances.token({ networkId, address, detail: true }, { signal })
  )
  const current = reading.state === "read" ? reading.data : row
  const { breakdown } = current
  const parts = partsOf(breakdown)
  return (
    <>
      <dl class="facts">
        {parts.map((part) => (
          <div key={part.title}>
            <dt title={part.meaning}>
              {part.title}
              <span class="only-read">, {part.meaning}</span>
            </dt>
            <dd>
              {part.amount === null ? (
                <Missing code={breakdown?.errorCode} detail={breakdown?.error} />
              ) : (
                <data value={part.amount}>{amount(part.amount)}</data>
              )}
            </dd>
          </div>
        ))}
      </dl>
      {reading.state === "waiting" && <Skeleton kind="word" />}
      {reading.state === "read" && current.balance === null && (
        <Missing code={current.errorCode} detail={current.error} />
      )}
      {reading.state === "read" && current.balance !== null && parts.length === 0 && (
        <p class="label">{t("noParts")}</p>
      )}
      {reading.state === "failed" && (
        <p class="problem" role="alert">
          {reading.problem}{" "}
          <button type="button" class="quiet" onClick={retry}>
            {t("retry")}
          </button>
        </p>
      )}
    </>
  )
}

/** The spendable and other parts of a native balance; read in full when it is opened. */
const BreakdownOf = ({ row }: { readonly row: BalanceRow }) => {
  const [isOpen, setIsOpen] = useState(false)
  return (
    <details class="breakdown" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary aria-label={t("breakdownOf", { symbol: sanitized(row.tokenSymbol, 16) })}>{t("breakdown")}</summary>
      {isOpen && <Parts row={row} />}
    </details>
  )
}

interface LineProps {
  readonly holding: PortfolioRow
  readonly service: Service
}

/** The amount and its value, or the reason why one of them is unknown with the last known values. */
const Numbers = ({ holding: { currency, price: current, row, value } }: Pick<LineProps, "holding">) => {
  const { balance, lastKnown } = row
  const last = lastValue(row)
  if (balance === null)
    return (
      <span class="numbers">
        <Missing code={row.errorCode} detail={row.error}>
          {lastKnown !== undefined && (
            <span class="detail last-known">
              {amount(lastKnown.balance)}
              {last.value !== null && ` (${money(last.value, last.currency)})`} {age(lastKnown.at, Date.now())}
            </span>
          )}
        </Missing>
      </span>
    )
  return (
    <span class="numbers">
      {value === null ? <Missing {...missingValue(row)} /> : <span class="number">{money(value, currency)}</span>}
      <span class="detail">
        <data class="number" value={balance}>
          {amount(balance)}
        </data>
        {current !== null && ` × ${price(current, currency)}`}
      </span>
      {row.error !== undefined && value !== null && <Missing code={row.errorCode} detail={row.error} />}
    </span>
  )
}

/** Links and buttons for the address of a holding. */
const Links = ({ holding: { account, price: current, row }, service }: LineProps) => {
  const name = networkName(service, row.blockchain)
  const short = shortened(row.holderAddress)
  const symbol = sanitized(row.tokenSymbol, 16)
  return (
    <span class="line links">
      <bdi class="code">{short}</bdi>
      <Copy text={row.holderAddress} what={t("theAddress", { address: short })} />
      <Explorer url={account.match.explorer} name={t("atExplorer", { address: short, network: name })}>
        {t("explorer")}
      </Explorer>
      <a
        href={fragmentOf({ view: "history", items: [account.address] })}
        aria-label={t("activityOf", { address: short })}
      >
        {t("activity")}
      </a>
      <a
        href={fragmentOf({ view: "network", items: [row.blockchain, account.address] })}
        aria-label={t("signLabel", { address: short, network: name })}
      >
        {t("fees")}
      </a>
      {row.coinId !== "" && current !== null && (
        <a href={fragmentOf({ view: "coin", items: [row.coinId] })} aria-label={t("chartOf", { symbol })}>
          {t("chart")}
        </a>
      )}
      {row.contractAddress !== null && (
        <span>
          {t("contract")} <bdi class="code">{shortened(row.contractAddress)}</bdi>
          <Copy text={row.contractAddress} what={t("theContract", { symbol })} />
        </span>
      )}
    </span>
  )
}

/** A holding within a group: one asset of one address on one network. Rendered again only when it changes. */
export const HoldingLine = memo<LineProps>(({ holding, service }) => {
  const { row } = holding
  return (
    <li class="holding">
      <CoinIcon coinId={row.coinId} symbol={row.tokenSymbol} size="small" />
      <span>
        <bdi class="symbol">{sanitized(row.tokenSymbol, 16) || t("noSymbol")}</bdi>{" "}
        <span class="label">{t("onNetwork", { network: networkName(service, row.blockchain) })}</span>
      </span>
      <Numbers holding={holding} />
      <Links holding={holding} service={service} />
      {row.balance !== null && row.tokenType === "NATIVE" && <BreakdownOf row={row} />}
    </li>
  )
})
