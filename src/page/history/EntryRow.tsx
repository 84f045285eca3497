import { useState } from "preact/hooks"
import { type PastPrices, readPastPrices, valueThen } from "../coin/prices.ts"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Fact } from "../parts/Fact.tsx"
import { Icon } from "../parts/Icon.tsx"
import { memo } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { blockTitle, networkOf } from "../state/knownNetworks.ts"
import { fragmentOf } from "../state/route.ts"
import { networkName, type Service } from "../state/service.ts"
import { useReading } from "../state/useReading.ts"
import {
  abbreviated,
  amount,
  clock,
  count,
  listedMoney,
  money,
  sanitized,
  shortened,
  signedAmount,
  time,
  wordText
} from "../text/format.ts"
import { t } from "../text/language.ts"
import { rememberFlags } from "../transaction/flagged.ts"
import { type Activity, amountOf, feeOf, isHolder, isNobody, type Movement, type Party, titleOf } from "./movements.ts"
import { flagText } from "./words.ts"

interface RowProps {
  readonly activity: Activity
  readonly service: Service
  readonly currency: string
  readonly prices: PastPrices | undefined
}

type PartProps = Pick<RowProps, "activity" | "service">

/** `≈ $5`; a limit such as `< $0.01` is not marked. */
const approximately = (text: string) => (text.startsWith("<") ? text : `≈ ${text}`)

/** Further parties of one side are only counted. */
const maxParties = 4

const symbolOf = ({ isScaled, symbol }: Movement) => {
  const name = symbol.length > 12 ? shortened(symbol) : symbol || t("nativeCoin")
  return isScaled ? name : t("baseUnitsOf", { symbol: name })
}

const Amount = ({ isSigned = false, of }: { readonly of: Movement; readonly isSigned?: boolean }) => (
  <data value={of.text}>
    {isSigned ? signedAmount(of.text) : amount(of.text)} <bdi>{symbolOf(of)}</bdi>
  </data>
)

interface PartyProps extends PartProps {
  readonly party: Party
  /** False if the other side has the same amount. */
  readonly hasAmount: boolean
}

/** A party and its amount. The address has no copy button if the entry has flags: it may be a lookalike. */
const PartyLine = ({ activity: { item }, hasAmount, party, service }: PartyProps) => {
  const short = shortened(party.address)
  return (
    <li>
      {isHolder(item, party) ? (
        <span title={sanitized(party.address, 300)}>{t("thisAddress")}</span>
      ) : isNobody(party.address) ? (
        <span title={party.address}>{t("nobody")}</span>
      ) : (
        <>
          <bdi class="code" title={sanitized(party.address, 300)}>
            {short || t("unknown")}
          </bdi>
          {item.entry.flags === undefined && party.address !== "" && (
            <Copy text={party.address} what={t("theAddress", { address: short })} />
          )}
        </>
      )}{" "}
      {hasAmount && (
        <span class="label">
          <Amount of={amountOf(service, item.history.network, party)} />
        </span>
      )}
    </li>
  )
}

interface SideProps extends PartProps, Pick<PartyProps, "hasAmount"> {
  readonly parties: ReadonlyArray<Party>
  readonly title: string
}

const Side = ({ activity, hasAmount, parties, service, title }: SideProps) =>
  parties.length === 0 ? null : (
    <Fact title={title}>
      <ul class="parties">
        {parties.slice(0, maxParties).map((party, index) => (
          <PartyLine key={index} activity={activity} hasAmount={hasAmount} party={party} service={service} />
        ))}
        {parties.length > maxParties && <li>{t("andMore", { count: parties.length - maxParties })}</li>}
      </ul>
    </Fact>
  )

/** Whether both sides are one party each, with the same amount: it is shown once. */
const isPlain = ({ from, to }: Activity["item"]["entry"]): boolean => {
  const [sender, recipient] = [from[0], to[0]]
  return (
    from.length === 1 &&
    to.length === 1 &&
    sender?.amount === recipient?.amount &&
    JSON.stringify(sender?.currency) === JSON.stringify(recipient?.currency)
  )
}

/** A fee and its value at the time. */
const Fee = ({ activity: { item }, currency, fee, service }: DetailsProps & { readonly fee: string }) => {
  const cost = feeOf(service, item.history.network, fee)
  const ids = cost.coinId === undefined ? [] : [cost.coinId]
  const { reading } = useReading(`past ${currency} ${ids.join()}`, (client, signal) =>
    readPastPrices(client, ids, 365, currency, signal)
  )
  const value = reading.state === "read" ? valueThen(cost, item.entry.timestamp, reading.data) : undefined
  return (
    <>
      <Amount of={cost} />{" "}
      {value !== undefined && <span class="label number">{approximately(money(value, currency))}</span>}
    </>
  )
}

type DetailsProps = Pick<RowProps, "activity" | "service" | "currency">

const Details = ({ activity, currency, service }: DetailsProps) => {
  const { entry, history } = activity.item
  const network = networkName(service, history.network)
  const [hash, own] = [shortened(entry.hash), shortened(history.address)]
  return (
    <div class="inside">
      {entry.flags?.map((flag) => (
        <p key={flag} class="missing">
          {flagText(flag)}
        </p>
      ))}
      <dl class="facts">
        <Side
          activity={activity}
          hasAmount={!isPlain(entry)}
          parties={entry.from}
          service={service}
          title={t("from")}
        />
        <Side activity={activity} hasAmount parties={entry.to} service={service} title={t("to")} />
        <Fact title={t("fee")}>
          {entry.fee === null ? (
            <span class="missing">{t("unknown")}</span>
          ) : (
            <Fee activity={activity} currency={currency} fee={entry.fee} service={service} />
          )}
        </Fact>
        <Fact title={t("time")}>{time(entry.timestamp)}</Fact>
        {entry.block !== null && (
          <Fact title={t(blockTitle(networkOf(service, history.network)))}>
            {count(entry.block)}
            {entry.confirmations === null ? "" : `, ${t("confirmations", { count: entry.confirmations })}`}
          </Fact>
        )}
        {entry.nonce !== null && <Fact title={t("nonce")}>{count(entry.nonce)}</Fact>}
        <Fact title={t("network")}>{network}</Fact>
        <Fact title={t("address")}>
          <bdi class="code">{own}</bdi> <Copy text={history.address} what={t("theAddress", { address: own })} />
        </Fact>
        <Fact title={t("transaction")}>
          <a
            class="code"
            href={fragmentOf({ view: "tx", items: [history.network, entry.hash] })}
            onClick={() => rememberFlags(history.network, entry)}
          >
            <bdi>{hash}</bdi>
          </a>{" "}
          <Copy text={entry.hash} what={t("theHash", { hash })} />{" "}
          <Explorer url={entry.explorer} name={t("atExplorer", { address: hash, network })}>
            {t("explorer")}
          </Explorer>
        </Fact>
      </dl>
    </div>
  )
}

const Title = ({ activity, service }: PartProps) => {
  const { counterparty, item, kind } = activity
  const { entry, history } = item
  const short = counterparty === undefined || isNobody(counterparty) ? undefined : abbreviated(counterparty)
  return (
    <span class="title">
      <span class="symbol">
        <bdi>{titleOf(activity)}</bdi>
        {entry.status !== "Success" && <span class="tag warn">{wordText("status_", entry.status)}</span>}
      </span>
      <span class="detail">
        {short !== undefined && (
          <>
            {t(kind === "received" ? "from" : "to")} <bdi class="code">{short}</bdi>{" "}
          </>
        )}
        {networkName(service, history.network)}
        <span class="when"> · {clock(entry.timestamp)}</span>
      </span>
    </span>
  )
}

/** The changes of an entry and their value at the time; a change that cannot be separated is not shown as a number. */
const Changes = ({ activity: { changes, item }, currency, prices }: Omit<RowProps, "service">) => {
  const shown = changes ?? []
  return (
    <span class="changes">
      {changes === undefined && <span class="label">{t("seeDetails")}</span>}
      {shown.slice(0, 2).map((change) => {
        const value = /[1-9]/.test(change.text) ? valueThen(change, item.entry.timestamp, prices) : undefined
        return (
          <span key={change.symbol}>
            <span class={`number ${change.text.startsWith("-") ? "" : /[1-9]/.test(change.text) ? "up" : ""}`}>
              <Amount of={change} isSigned />
            </span>
            {shown.length === 1 && (
              <span class="detail number">
                {value === undefined ? "\u00a0" : approximately(listedMoney(value, currency))}
              </span>
            )}
          </span>
        )
      })}
      {shown.length > 2 && <span class="detail">{t("andMore", { count: shown.length - 2 })}</span>}
    </span>
  )
}

/** A transaction of an address in one line, which opens its details; rendered again only when it changes. */
export const EntryRow = memo<RowProps>(({ activity, currency, prices, service }) => {
  const [isOpen, setIsOpen] = useState(false)
  const { entry, history } = activity.item
  const icon = entry.status === "Pending" ? "pending" : entry.status === "Failed" ? "alert" : activity.kind
  return (
    <details class="row entry" onToggle={({ currentTarget }) => setIsOpen(currentTarget.open)}>
      <summary>
        <span class={`kind ${activity.kind}`}>
          <Icon name={icon} />
          <NetworkMark network={history.network} size="small" />
        </span>
        <Title activity={activity} service={service} />
        <Changes activity={activity} currency={currency} prices={prices} />
      </summary>
      {isOpen && <Details activity={activity} currency={currency} service={service} />}
    </details>
  )
})
