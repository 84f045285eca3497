import { useState } from "preact/hooks"
import { Copy } from "../parts/Copy.tsx"
import { Icon } from "../parts/Icon.tsx"
import { lazy } from "../parts/lazy.tsx"
import { notesOf, receivingOf } from "../receive/options.ts"
import type { ViewName } from "../state/route.ts"
import { networkName, service } from "../state/service.ts"
import { useStore } from "../state/useStore.ts"
import { counted, listed, sanitized, shortened } from "../text/format.ts"
import { t } from "../text/language.ts"
import { AddressField } from "./AddressField.tsx"
import type { Lookup } from "./accounts.ts"
import { unfitText } from "./unfit.ts"

const maxListed = 20

const remarkOf = (
  lookup: Lookup,
  gone: ReadonlyArray<string>,
  nameOf: (network: string) => string
): string | undefined => {
  if (lookup.state === "waiting") return undefined
  if (lookup.state === "failed") return lookup.problem
  if (lookup.matches.length === 0) return unfitText(lookup.text, lookup.reason)
  const texts = notesOf(lookup.matches, gone, nameOf)
  return texts.length === 0 ? undefined : texts.join(" ")
}

interface LineProps {
  readonly items: ReadonlyArray<string>
  readonly lookups: ReadonlyArray<Lookup>
  readonly view: ViewName
  /** The networks that were shut down: the view shows nothing of them. */
  readonly gone?: ReadonlyArray<string>
}

/** Remarks about the entered texts: texts that match no network, and notes on texts that match. */
const Remarks = ({ gone, lookups }: Required<Pick<LineProps, "gone" | "lookups">>) => {
  const known = useStore(service)
  const nameOf = (network: string) => networkName(known, network)
  const groups = Map.groupBy(lookups, (lookup) => remarkOf(lookup, gone, nameOf))
  const remarks = [...groups].flatMap(([remark, group]) =>
    remark === undefined ? [] : [{ remark, addresses: group.map(({ text }) => shortened(text)) }]
  )
  const all = remarks.length + (gone.length > 0 ? 1 : 0)
  if (all === 0) return null
  const unfit = lookups.filter((lookup) => lookup.state === "found" && lookup.matches.length === 0).length
  const failed = lookups.filter(({ state }) => state === "failed").length
  return (
    <details class="remarks" open={unfit + failed === lookups.length}>
      <summary class={unfit + failed > 0 ? "missing" : ""}>
        {unfit > 0 ? `${unfit} ${t("notRecognised", { count: unfit })}` : counted(all, "remarks")}
      </summary>
      <ul>
        {remarks.slice(0, maxListed).map(({ addresses, remark }) => (
          <li key={remark}>
            <bdi class="code">{listed(addresses, maxListed)}</bdi> {sanitized(remark, 300)}
          </li>
        ))}
        {remarks.length > maxListed && <li>{t("andMore", { count: remarks.length - maxListed })}</li>}
        {gone.length > 0 && (
          <li>{t("goneNetworks", { count: gone.length, networks: listed(gone.map(nameOf), maxListed) })}</li>
        )}
      </ul>
    </details>
  )
}

/** The code of own addresses; its code is loaded when it is opened. */
const Receive = lazy(() => import("../receive/Receive.tsx").then(({ Receive: found }) => found))

/** The shown addresses in one line, which opens the field for addresses, and remarks about them. */
export const WalletLine = ({ gone = [], items, lookups, view }: LineProps) => {
  const [isOpen, setIsOpen] = useState(false)
  const [isReceiving, setIsReceiving] = useState(false)
  const { networks } = useStore(service)
  const closed = networks.flatMap(({ id, sunset }) => (sunset === undefined ? [] : id))
  const receiving = receivingOf(lookups, [...gone, ...closed])
  const [first = ""] = items
  const name = shortened(first)
  if (isOpen) return <AddressField items={items} view={view} close={() => setIsOpen(false)} />
  return (
    <div class="wallet-line">
      <Icon name="portfolio" />
      <span class="what">
        <bdi class="code">{name}</bdi>
        {items.length > 1 && ` ${t("andMore", { count: items.length - 1 })}`}
      </span>
      {items.length === 1 && <Copy text={first} what={t("theAddress", { address: name })} />}
      <button type="button" class="quiet" onClick={() => setIsOpen(true)}>
        <Icon name="edit" /> {t("edit")}
      </button>
      {receiving.length > 0 && (
        <button type="button" class="quiet" aria-expanded={isReceiving} onClick={() => setIsReceiving(!isReceiving)}>
          <Icon name="received" /> {t("receive")}
        </button>
      )}
      <Remarks lookups={lookups} gone={gone} />
      {isReceiving && <Receive addresses={receiving} />}
    </div>
  )
}
