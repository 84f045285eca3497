import { Cell } from "../parts/Cell.tsx"
import { Copy } from "../parts/Copy.tsx"
import { Explorer } from "../parts/Explorer.tsx"
import { memo } from "../parts/memo.ts"
import { networkName, type Service } from "../state/service.ts"
import { amount, sanitized, shortened, signedAmount, time } from "../text/format.ts"
import type { TimelineEntry } from "./histories.ts"
import { amountOf, changesOf, feeOf, isHolder, type Movement, type Party } from "./movements.ts"
import { flagText } from "./words.ts"

interface RowProps {
  readonly item: TimelineEntry
  readonly service: Service
}

/** Further parties of one side are only counted. */
const maxParties = 4

const Amount = ({ isSigned = false, of }: { readonly of: Movement; readonly isSigned?: boolean }) => (
  <data value={of.text}>
    {isSigned ? signedAmount(of.text) : amount(of.text)} {of.isScaled ? "" : "base units of "}
    <bdi>{of.symbol.length > 30 ? shortened(of.symbol) : of.symbol || "the native coin"}</bdi>
  </data>
)

/** A party and its amount. The address has no copy button if the entry has flags: it may be a lookalike. */
const PartyLine = ({ item, party, service }: RowProps & { readonly party: Party }) => {
  const short = shortened(sanitized(party.address, 300))
  return (
    <li>
      {isHolder(item, party) ? (
        <span title={sanitized(party.address, 300)}>this address</span>
      ) : (
        <>
          <bdi class="code" title={sanitized(party.address, 300)}>
            {short || "(unknown)"}
          </bdi>{" "}
          {item.entry.flags === undefined && party.address !== "" && (
            <Copy text={party.address} what={`the address ${short}`} />
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
  item,
  parties,
  service,
  title
}: RowProps & { readonly parties: ReadonlyArray<Party>; readonly title: string }) =>
  parties.length === 0 ? null : (
    <div class="side">
      <span class="label">{title}</span>
      <ul>
        {parties.slice(0, maxParties).map((party, index) => (
          <PartyLine key={index} item={item} party={party} service={service} />
        ))}
        {parties.length > maxParties && <li class="label">and {parties.length - maxParties} more</li>}
      </ul>
    </div>
  )

const What = ({ item: { entry, history }, service }: RowProps) => {
  const network = networkName(service, history.network)
  return (
    <th scope="row" role="rowheader">
      <time class="symbol" dateTime={new Date(entry.timestamp * 1000).toISOString()}>
        {time(entry.timestamp)}
      </time>
      <span class="detail">
        <bdi>{sanitized(entry.type)}</bdi>
        {entry.status !== "Success" && <strong class={`status ${entry.status.toLowerCase()}`}> {entry.status}</strong>}
      </span>
      <span class="detail">
        {network}, <bdi class="code">{shortened(sanitized(history.address, 300))}</bdi>{" "}
        <Explorer url={entry.explorer} name={`Transaction ${shortened(entry.hash)} at an explorer of ${network}`}>
          Explorer
        </Explorer>
      </span>
    </th>
  )
}

const Change = ({ item, service }: RowProps) => {
  const changes = changesOf(service, item)
  return (
    <Cell title="Change" isNumber>
      {changes === undefined ? (
        <span class="label">see the parties</span>
      ) : (
        changes.map((change) => (
          <div key={change.symbol} class={change.text.startsWith("-") ? "down" : change.text === "0" ? "" : "up"}>
            <Amount of={change} isSigned />
          </div>
        ))
      )}
    </Cell>
  )
}

/** A transaction of an address; rendered again only when it changes. */
export const EntryRow = memo<RowProps>(({ item, service }) => {
  const { entry, history } = item
  return (
    <tr role="row" class={entry.flags === undefined ? "" : "flagged"}>
      <What item={item} service={service} />
      <Cell title="">
        <Side item={item} parties={entry.from} service={service} title="From" />
        <Side item={item} parties={entry.to} service={service} title="To" />
        {entry.flags?.map((flag) => (
          <p key={flag} class="warning">
            {flagText(flag)}
          </p>
        ))}
      </Cell>
      <Change item={item} service={service} />
      <Cell title="Fee" isNumber>
        {entry.fee === null ? (
          <span class="missing">not certain</span>
        ) : (
          <Amount of={feeOf(service, history.network, entry.fee)} />
        )}
      </Cell>
    </tr>
  )
})
