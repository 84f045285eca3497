import { useEffect, useState } from "preact/hooks"
import { readPastPrices, type Trend } from "../coin/prices.ts"
import { AddressMark, CoinIcon, Icon } from "../parts/Icon.tsx"
import { memo } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { Sparkline } from "../parts/Sparkline.tsx"
import { networkName, type Service, service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import { useStore } from "../state/useStore.ts"
import {
  abbreviated,
  age,
  alignedAmounts,
  counted,
  direction,
  listedMoney,
  percent,
  roughAmount,
  sanitized,
  share
} from "../text/format.ts"
import { t } from "../text/language.ts"
import { type GroupedBy, type HoldingGroup, shareOf } from "./groups.ts"
import { HoldingLine } from "./HoldingLine.tsx"

/** Lines that are rendered initially and added per click, of the list and inside of a group. */
const linesAtOnce = 100

/** The limit of a list, and a button that raises it. */
const useLimit = (all: number, name: string) => {
  const [limit, setLimit] = useState(linesAtOnce)
  // Another list starts with its first lines.
  useEffect(() => setLimit(linesAtOnce), [name])
  const rest = all - limit
  const more =
    rest > 0 ? (
      <button type="button" onClick={() => setLimit(limit + linesAtOnce)}>
        {t("showMore", { count: Math.min(rest, linesAtOnce), rest })}
      </button>
    ) : null
  return { limit, more }
}

interface GroupRowProps {
  readonly by: GroupedBy
  readonly group: HoldingGroup
  readonly currency: string
  readonly total: string | null
  readonly trend: Trend | undefined
  readonly service: Service
}

const Title = ({ by, group: { holdings }, service: known }: Pick<GroupRowProps, "by" | "group" | "service">) => {
  const [first] = holdings
  if (first === undefined) return null
  const { account, row } = first
  const networks = new Set(holdings.map((holding) => holding.row.blockchain))
  if (by === "address")
    return (
      <>
        <AddressMark address={account.address} />
        <span class="title">
          <bdi class="code">{abbreviated(account.address)}</bdi>
          <span class="detail">{counted(networks.size, "networksCount")}</span>
        </span>
      </>
    )
  if (by === "network") {
    return (
      <>
        <NetworkMark network={row.blockchain} />
        <span class="title">
          <span class="symbol">{networkName(known, row.blockchain)}</span>
          <span class="detail">{counted(holdings.length, "assetsCount")}</span>
        </span>
      </>
    )
  }
  return (
    <>
      <CoinIcon coinId={row.coinId} symbol={row.tokenSymbol} />
      <span class="title">
        <bdi class="symbol">{sanitized(row.tokenName, 28) || t("noName")}</bdi>
        <span class="detail networks">
          {networks.size === 1 ? networkName(known, row.blockchain) : counted(networks.size, "networksCount")}
        </span>
      </span>
    </>
  )
}

const AtLeast = () => (
  <>
    <span aria-hidden="true">≥ </span>
    <span class="only-read">{t("atLeast", { value: "" })}</span>
  </>
)

/** The value of a group: at least the known part, or the last known value. */
const Value = ({ currency, group: { last, unknown, value } }: Pick<GroupRowProps, "group" | "currency">) => {
  if (value === null)
    return (
      <span class="number value missing">
        <Icon name="alert" /> {last?.isPart && <AtLeast />}
        {last === undefined ? t("unknown") : listedMoney(last.value, "USD")}
      </span>
    )
  return (
    <span class="number value">
      {unknown > 0 && <AtLeast />}
      {listedMoney(value, currency)}
    </span>
  )
}

/** A line of the list, which opens its holdings; rendered again only when it changes. */
const GroupRow = memo<GroupRowProps>(({ by, currency, group, service: known, total, trend }) => {
  const [isOpen, setIsOpen] = useState(false)
  const { amount: units, change, holdings, key, last, value } = group
  const { limit, more } = useLimit(holdings.length, key)
  const part = shareOf(group, total)
  const balances = holdings.map(({ row }) => row.balance ?? "")
  const amounts = by === "asset" ? alignedAmounts(balances) : balances.map(roughAmount)
  const isOfSeveral = new Set(holdings.map(({ account }) => account.address)).size > 1
  return (
    <details class={`row group by-${by}`} onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <Title by={by} group={group} service={known} />
        <span class="number amount">
          {units !== null && (
            <>
              {holdings.some(({ row }) => row.balance === null) && <AtLeast />}
              <span class="number">{roughAmount(units)}</span>{" "}
              <bdi>{sanitized(holdings[0]?.row.tokenSymbol ?? "", 10)}</bdi>
            </>
          )}
        </span>
        <Sparkline trend={trend} change={change?.percent} />
        <Value group={group} currency={currency} />
        <span class={`number change ${direction(change?.percent)}`}>
          {value === null && last !== undefined
            ? age(last.at, Date.now())
            : change !== undefined && percent(change.percent)}
        </span>
        <span class="number share">
          <span class="only-read">{t("shareOfTotal")} </span>
          {part !== undefined && share(part)}
        </span>
        {part !== undefined && <span class="bar" style={{ width: `${100 * part}%` }} />}
      </summary>
      {isOpen && (
        <div class="inside">
          <ul class="holdings">
            {holdings.slice(0, limit).map((holding, index) => (
              <HoldingLine
                key={holding.key}
                by={by}
                holding={holding}
                amount={amounts[index] ?? ""}
                isOfSeveral={isOfSeveral}
                isAlone={holdings.length === 1}
                service={known}
              />
            ))}
          </ul>
          {more}
        </div>
      )}
    </details>
  )
})

/** The most valuable coins have a line of their last days. */
const maxTrends = 60

interface ListProps {
  readonly by: GroupedBy
  readonly groups: ReadonlyArray<HoldingGroup>
  readonly currency: string
  readonly total: string | null
  readonly isDone: boolean
}

/** The groups as lines, in the given order. */
export const GroupList = ({ by, currency, groups, isDone, total }: ListProps) => {
  const known = useStore(service)
  const { limit, more } = useLimit(groups.length, by)
  const ids =
    by === "asset" && isDone
      ? groups.slice(0, maxTrends).flatMap(({ holdings: [first] }) => (first?.price ? first.row.coinId || [] : []))
      : []
  const names = [...new Set(ids)].sort()
  const { reading } = useReading(`trends ${names.join()}`, (client, signal) =>
    readPastPrices(client, names, 7, "USD", signal)
  )
  return (
    <>
      <p class="label period">{t("period")}</p>
      <div class="rows" aria-busy={!isDone}>
        {groups.slice(0, limit).map((group) => (
          <GroupRow
            key={`${by} ${group.key}`}
            by={by}
            group={group}
            currency={currency}
            total={total}
            service={known}
            trend={reading.state === "read" ? reading.data.get(group.holdings[0]?.row.coinId ?? "") : undefined}
          />
        ))}
      </div>
      {more}
    </>
  )
}
