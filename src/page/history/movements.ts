import type { components } from "../../client/Client.ts"
import { type KnownNetworks, networkOf } from "../state/knownNetworks.ts"
import { multiplied, scaled } from "../text/decimal.ts"
import { sanitized } from "../text/format.ts"
import { type TextKey, t } from "../text/language.ts"
import type { TimelineEntry } from "./histories.ts"

export type Party = components["schemas"]["Party"]

/** An amount of a coin or token: `text` is a decimal in coins, or in base units if the decimals are unknown. */
export interface Movement {
  readonly text: string
  readonly isScaled: boolean
  readonly symbol: string
  /** Absent if the coin is in no list. */
  readonly coinId?: string | undefined
}

interface Unit {
  readonly key: string
  readonly symbol: string
  readonly decimals: number | undefined
  /** Base units that wallets display for each base unit; 1 if absent. */
  readonly multiplier?: string
  readonly coinId?: string | undefined
}

const unitOf = (known: KnownNetworks, network: string, { currency }: Party): Unit => {
  if (typeof currency === "string") return { key: currency, symbol: sanitized(currency, 60), decimals: undefined }
  if (currency !== undefined) {
    const { address, coinId, decimals, multiplier } = currency
    const unit = { key: address, symbol: sanitized(currency.symbol, 16).toUpperCase() || t("noSymbol") }
    if (multiplier === undefined) return { ...unit, decimals, coinId }
    // Earlier prices of its coin may be for the other unit.
    return multiplier === null ? { ...unit, decimals: undefined } : { ...unit, decimals, multiplier }
  }
  const native = networkOf(known, network)?.nativeCoin
  return { key: "", symbol: native?.symbol ?? "", decimals: native?.decimals, coinId: native?.coinId }
}

const movement = (units: string, { coinId, decimals, multiplier, symbol }: Unit): Movement => {
  const displayed = multiplier === undefined ? units : multiplied(units, multiplier)
  const text = decimals === undefined || displayed === undefined ? undefined : scaled(displayed, decimals)
  return { text: text ?? units, isScaled: text !== undefined, symbol, ...(coinId === undefined ? {} : { coinId }) }
}

/** The amount that a party sends or receives. */
export const amountOf = (known: KnownNetworks, network: string, party: Party): Movement =>
  movement(party.amount, unitOf(known, network, party))

/** The fee, which is always in the native coin. */
export const feeOf = (known: KnownNetworks, network: string, fee: string): Movement =>
  movement(fee, unitOf(known, network, { address: "", amount: fee }))

/** Hexadecimal addresses are case-insensitive. */
const spelled = (address: string) => (/^0x[0-9a-f]+$/i.test(address) ? address.toLowerCase() : address)

/** True if a party is the address whose history contains the entry. */
export const isHolder = ({ history: { address, match } }: TimelineEntry, party: Party): boolean =>
  spelled(party.address) === spelled(address) || spelled(party.address) === spelled(match.canonical)

/**
 * The balance changes of the address in a transaction, one per coin, without the fee. Undefined if its part cannot be
 * separated from that of other addresses, as with the addresses of an extended key.
 */
export const changesOf = (known: KnownNetworks, item: TimelineEntry): ReadonlyArray<Movement> | undefined => {
  const { from, to } = item.entry
  const sides = [
    { parties: from, sign: -1n },
    { parties: to, sign: 1n }
  ]
  const sums = new Map<string, { readonly unit: Unit; readonly sum: bigint }>()
  for (const { parties, sign } of sides)
    for (const party of parties) {
      if (!isHolder(item, party)) continue
      if (!/^\d{1,100}$/.test(party.amount)) return undefined
      const unit = unitOf(known, item.history.network, party)
      const before = sums.get(unit.key)?.sum ?? 0n
      sums.set(unit.key, { unit, sum: before + sign * BigInt(party.amount) })
    }
  return sums.size === 0 ? undefined : [...sums.values()].map(({ sum, unit }) => movement(String(sum), unit))
}

/** The kind of an entry, for its icon and the filter. */
export type EntryKind = "received" | "sent" | "swapped" | "other"

/** The address from which tokens are minted, and to which they are burnt. */
const zero = /^0x0{40}$/

/** The keys of the titles of entries that have none of their kind, by the service's word for their type. */
const typeKeys: Readonly<Record<string, TextKey>> = {
  Send: "sent",
  Receive: "received",
  "Contract Call": "contractCall"
}

/** The title of an entry: `Sent`, `Minted`, or its type. */
export const titleOf = ({ counterparty = "", item: { entry }, kind }: Activity): string => {
  if (zero.test(counterparty) && kind === "received") return t("minted")
  if (zero.test(counterparty) && kind === "sent") return t("burnt")
  if (kind !== "other") return t(kind)
  const key = Object.hasOwn(typeKeys, entry.type) ? typeKeys[entry.type] : undefined
  return key === undefined ? sanitized(entry.type, 24) || t("contractCall") : t(key)
}

/** Whether an address has no owner, because tokens are minted or burnt. */
export const isNobody = (address: string): boolean => zero.test(address)

/** An entry as the list shows it. */
export interface Activity {
  readonly item: TimelineEntry
  readonly kind: EntryKind
  /** The other side of a transfer; undefined without another side, or if it is unclear. */
  readonly counterparty: string | undefined
  /** As of `changesOf`. */
  readonly changes: ReadonlyArray<Movement> | undefined
  /** The price of the received token in US dollars, if the service knows it. */
  readonly tokenPrice: number | undefined
  readonly searched: string
}

const kindOf = (changes: ReadonlyArray<Movement> | undefined): EntryKind => {
  const signs = new Set((changes ?? []).flatMap(({ text }) => (/[1-9]/.test(text) ? [text.startsWith("-")] : [])))
  if (signs.size === 2) return "swapped"
  return signs.has(true) ? "sent" : signs.has(false) ? "received" : "other"
}

/** Less than this is dust, US dollars. */
const dust = 0.01

/** Prices in US dollars by coin id; coins without one are absent. */
export type NativePrices = ReadonlyMap<string, number>

const isNative = ({ item: { entry } }: Activity) =>
  [...entry.from, ...entry.to].every(({ currency }) => currency === undefined)

/** The amount, if the address gets nothing else and gives nothing. */
const gift = ({ changes, item: { entry }, kind }: Activity): Movement | undefined => {
  const [change, ...others] = changes ?? []
  return kind === "received" && entry.status !== "Pending" && others.length === 0 && change?.isScaled
    ? change
    : undefined
}

/** The ids of native coins whose prices {@link isDust} needs, sorted. */
export const dustCoins = (activities: ReadonlyArray<Activity>): ReadonlyArray<string> =>
  [...new Set(activities.flatMap((activity) => (isNative(activity) ? (gift(activity)?.coinId ?? []) : [])))].sort()

/** Whether somebody sent next to nothing: a fold loses no money, but hides what is sent to be seen. False without a price. */
export const isDust = (activity: Activity, prices: NativePrices): boolean => {
  const change = gift(activity)
  if (change === undefined) return false
  const price = isNative(activity) ? prices.get(change.coinId ?? "") : activity.tokenPrice
  return price !== undefined && price > 0 && Number(change.text) * price < dust
}

const priceOf = (item: TimelineEntry): number | undefined => {
  const prices = item.entry.to.flatMap((party) =>
    isHolder(item, party) && typeof party.currency === "object" ? (party.currency.price ?? []) : []
  )
  return typeof prices[0] === "number" ? prices[0] : undefined
}

/** The kind, the counterparty and the changes of an entry. */
export const activityOf = (known: KnownNetworks, item: TimelineEntry): Activity => {
  const { entry, history } = item
  const changes = changesOf(known, item)
  const kind = kindOf(changes)
  const others = (kind === "received" ? entry.from : entry.to).filter((party) => !isHolder(item, party))
  const symbols = (changes ?? []).map(({ symbol }) => symbol).join(" ")
  return {
    item,
    kind,
    counterparty: others[0]?.address || undefined,
    changes,
    tokenPrice: priceOf(item),
    searched:
      `${history.network} ${entry.hash} ${entry.type} ${symbols} ${[...entry.from, ...entry.to].map(({ address }) => address).join(" ")}`
        .slice(0, 2000)
        .toLowerCase()
  }
}
