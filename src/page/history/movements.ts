import type { components } from "../../client/Client.ts"
import { type KnownNetworks, networkOf } from "../state/knownNetworks.ts"
import { scaled } from "../text/decimal.ts"
import { sanitized } from "../text/format.ts"
import type { TimelineEntry } from "./histories.ts"

export type Party = components["schemas"]["Party"]

/** An amount of a coin or token: `text` is a decimal in coins, or in base units if the decimals are unknown. */
export interface Movement {
  readonly text: string
  readonly isScaled: boolean
  readonly symbol: string
}

interface Unit {
  readonly key: string
  readonly symbol: string
  readonly decimals: number | undefined
}

const unitOf = (known: KnownNetworks, network: string, { currency }: Party): Unit => {
  if (typeof currency === "string") return { key: currency, symbol: sanitized(currency, 60), decimals: undefined }
  if (currency !== undefined)
    return {
      key: currency.address,
      symbol: sanitized(currency.symbol, 16).toUpperCase() || "(no symbol)",
      decimals: currency.decimals
    }
  const native = networkOf(known, network)?.nativeCoin
  return { key: "", symbol: native?.symbol ?? "", decimals: native?.decimals }
}

const movement = (units: string, { decimals, symbol }: Unit): Movement => {
  const text = decimals === undefined ? undefined : scaled(units, decimals)
  return { text: text ?? units, isScaled: text !== undefined, symbol }
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
