import { useState } from "preact/hooks"
import { type PastPrices, valueThen } from "../coin/prices.ts"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { Fact } from "../parts/Fact.tsx"
import { Icon } from "../parts/Icon.tsx"
import { memo } from "../parts/lazy.tsx"
import { NetworkMark } from "../parts/NetworkMark.tsx"
import { blockTitle, networkOf } from "../state/knownNetworks.ts"
import { networkName, type Service } from "../state/service.ts"
import {
  abbreviated,
  amount,
  clock,
  count,
  money,
  sanitized,
  shortened,
  signedAmount,
  time,
  wordText
} from "../text/format.ts"
import { t } from "../text/language.ts"
import { type Activity, amountOf, feeOf, isHolder, type Movement, type Party } from "./movements.ts"
import { flagText } from "./words.ts"

interface RowProps {
  readonly activity: Activity
  readonly service: Service
  readonly currency: string
  readonly prices: PastPrices | undefined
}

type PartProps = Pick<RowProps, "activity" | "service">

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

/** A party and its amount. The address has no copy button if the entry has flags: it may be a lookalike. */
const PartyLine = ({ activity: { item }, party, service }: PartProps & { readonly party: Party }) => {
  const short = shortened(party.address)
  return (
    <li>
      {isHolder(item, party) ? (
        <span title={sanitized(party.address, 300)}>{t("thisAddress")}</span>
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
      <span class="label">
        <Amount of={amountOf(service, item.history.network, party)} />
      </span>
    </li>
  )
}

const Side = ({
  activity,
  parties,
  service,
  title
}: PartProps & { readonly parties: ReadonlyArray<Party>; readonly title: string }) =>
  parties.length === 0 ? null : (
    <Fact title={title}>
      <ul class="parties">
        {parties.slice(0, maxParties).map((party, index) => (
          <PartyLine key={index} activity={activity} party={party} service={service} />
        ))}
        {parties.length > maxParties && <li>{t("andMore", { count: parties.length - maxParties })}</li>}
      </ul>
    </Fact>
  )

const Details = ({ activity, service }: PartProps) => {
  const { entry, history } = activity.item
  const network = networkName(service, history.network)
  return (
    <div class="inside">
      {entry.flags?.map((flag) => (
        <p key={flag} class="missing">
          {flagText(flag)}
        </p>
      ))}
      <dl class="facts">
        <Side activity={activity} parties={entry.from} service={service} title={t("from")} />
        <Side activity={activity} parties={entry.to} service={service} title={t("to")} />
        <Fact title={t("fee")}>
          {entry.fee === null ? (
            <span class="missing">{t("unknown")}</span>
          ) : (
            <Amount of={feeOf(service, history.network, entry.fee)} />
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
        <Fact title={t("address")}>
          {network}, <bdi class="code">{shortened(history.address)}</bdi>
        </Fact>
        <Fact title={t("transaction")}>
          <bdi class="code">{shortened(entry.hash)}</bdi>{" "}
          <Explorer url={entry.explorer} name={t("atExplorer", { address: shortened(entry.hash), network })}>
            {t("explorer")}
          </Explorer>
        </Fact>
      </dl>
    </div>
  )
}

const Title = ({ activity: { counterparty, item, kind }, service }: PartProps) => {
  const { entry, history } = item
  const short = counterparty === undefined ? undefined : abbreviated(counterparty)
  return (
    <span class="title">
      <span class="symbol">
        {kind === "other" ? <bdi>{sanitized(entry.type, 24) || t("contractCall")}</bdi> : t(kind)}
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

/** `≈ $5`; a limit such as `< $0.01` is not marked. */
const approximately = (text: string) => (text.startsWith("<") ? text : `≈ ${text}`)

/** The changes of an entry and their value at the time; a change that cannot be separated is not shown as a number. */
const Changes = ({ activity: { changes, item }, currency, prices }: Omit<RowProps, "service">) => {
  const shown = changes ?? []
  return (
    <span class="changes">
      {changes === undefined && <span class="label">{t("seeDetails")}</span>}
      {shown.slice(0, 2).map((change) => {
        const value = valueThen(change, item.entry.timestamp, prices)
        return (
          <span key={change.symbol}>
            <span class={`number ${change.text.startsWith("-") ? "" : /[1-9]/.test(change.text) ? "up" : ""}`}>
              <Amount of={change} isSigned />
            </span>
            {shown.length === 1 && (
              <span class="detail number">
                {value === undefined ? "\u00a0" : approximately(money(value, currency))}
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
      {isOpen && <Details activity={activity} service={service} />}
    </details>
  )
})
