import { useState } from "preact/hooks"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Missing } from "../parts/Failed.tsx"
import { CoinIcon } from "../parts/Icon.tsx"
import { memo, Skeleton } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { fragmentOf } from "../state/route.ts"
import { networkName, type Service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { abbreviated, age, amount, listedMoney, money, price, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import type { GroupedBy } from "./groups.ts"
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
  readonly by: GroupedBy
  readonly holding: PortfolioRow
  /** The balance, aligned with the others of its group. */
  readonly amount: string
  /** True if its group has several addresses. */
  readonly isOfSeveral: boolean
  /** True if its group has no other holding: then its details are open. */
  readonly isAlone: boolean
  readonly service: Service
}

/** The amount and its value, or the reason why one of them is unknown with the last known values. */
const Numbers = ({ amount: shown, holding: { currency, row, value } }: Pick<LineProps, "amount" | "holding">) => {
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
      <data class="number label" value={balance}>
        {shown}
      </data>
      {value === null ? (
        <Missing {...missingValue(row)} />
      ) : (
        <span class="number worth">{listedMoney(value, currency)}</span>
      )}
      {row.error !== undefined && value !== null && <Missing code={row.errorCode} detail={row.error} />}
    </span>
  )
}

/** What distinguishes a holding from the others of its group: its network, its asset or both; its address if there are several. */
const Name = ({
  by,
  holding: { row },
  isOfSeveral,
  service
}: Pick<LineProps, "by" | "holding" | "isOfSeveral" | "service">) => {
  const network = networkName(service, row.blockchain)
  return (
    <>
      {by === "asset" ? (
        <NetworkMark network={row.blockchain} size="small" />
      ) : (
        <CoinIcon coinId={row.coinId} symbol={row.tokenSymbol} size="small" />
      )}
      <span class="title">
        {by === "asset" ? network : <bdi class="symbol">{sanitized(row.tokenSymbol, 16) || t("noSymbol")}</bdi>}
        {by === "address" && <span class="label"> {t("onNetwork", { network })}</span>}
        {by !== "address" && isOfSeveral && (
          <>
            {" "}
            <bdi class="code label">{abbreviated(row.holderAddress)}</bdi>
          </>
        )}
      </span>
    </>
  )
}

/** Links and buttons for the address of a holding, its exact amount and its price. */
const Links = ({
  holding: { account, currency, price: current, row },
  service
}: Pick<LineProps, "holding" | "service">) => {
  const name = networkName(service, row.blockchain)
  const short = shortened(row.holderAddress)
  const symbol = sanitized(row.tokenSymbol, 16)
  return (
    <span class="line links">
      {row.balance !== null && (
        <span>
          <data value={row.balance}>
            {amount(row.balance)} <bdi>{symbol}</bdi>
          </data>
          {current !== null && ` × ${price(current, currency)}`}
        </span>
      )}
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

/**
 * A holding within a group: one asset of one address on one network, in one line that opens its details. Rendered again
 * only when it changes.
 */
export const HoldingLine = memo<LineProps>(({ amount: shown, by, holding, isAlone, isOfSeveral, service }) => {
  const { row } = holding
  const [isOpen, setIsOpen] = useState(isAlone)
  return (
    <li class="holding">
      <details open={isOpen} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
        <summary class="opens">
          <Name by={by} holding={holding} isOfSeveral={isOfSeveral} service={service} />
          <Numbers amount={shown} holding={holding} />
        </summary>
        {isOpen && (
          <>
            <Links holding={holding} service={service} />
            {row.balance !== null && row.tokenType === "NATIVE" && <BreakdownOf row={row} />}
          </>
        )}
      </details>
    </li>
  )
})
