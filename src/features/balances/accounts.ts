import * as Either from "effect/Either"
import type { Holding } from "../../chains/Chain.ts"
import { plainAddress } from "../../domain/AddressForm.ts"
import type { AddressRead } from "./readAddresses.ts"

/** The key of the native coin among the assets of an address; tokens have their addresses. */
export const native = ""

const keyOf = ({ asset }: Holding) => (asset === "native" ? native : asset.address)

const formOf = ({ network, text }: AddressRead) => network.addressForm?.(text) ?? plainAddress

const canonicalOf = ({ network, text }: AddressRead) => Either.getOrElse(network.address(text), () => text)

/** The accounts among these whose balances include those of other addresses, such as a stake address. */
const accountsOf = (reads: ReadonlyArray<AddressRead>) =>
  reads.flatMap((read) => {
    const { kind } = read.key === undefined ? plainAddress : formOf(read)
    return kind === "stake" || kind === "xpub" ? [{ read, kind, canonical: canonicalOf(read) }] : []
  })

/**
 * The accounts whose balances include those of other addresses among these, by address: its stake address, or the extended
 * key that it is derived from.
 */
export const accountsIn = (reads: ReadonlyArray<AddressRead>): ReadonlyMap<AddressRead, AddressRead> => {
  const accounts = accountsOf(reads)
  if (accounts.length === 0) return new Map()
  return new Map(
    reads.flatMap((part) => {
      if (part.key === undefined || accounts.every(({ read }) => read.network !== part.network)) return []
      const [canonical, form] = [canonicalOf(part), formOf(part)]
      const found = accounts.find(
        (account) =>
          account.read !== part &&
          account.read.network === part.network &&
          (form.account === account.canonical || account.read.holdings[0]?.derived?.has(canonical) === true)
      )
      return found === undefined ? [] : [[part, found.read] as const]
    })
  )
}

/** The read extended keys whose addresses are not known, and which may include other addresses among these. */
const unlistedKeys = (reads: ReadonlyArray<AddressRead>): ReadonlyArray<AddressRead> =>
  accountsOf(reads).flatMap(({ kind, read }) => {
    const [coin] = read.holdings
    if (kind !== "xpub" || coin === undefined || coin.derived !== undefined || Either.isLeft(coin.amount)) return []
    return reads.some(({ key, network }) => network === read.network && key !== read.key) ? [read] : []
  })

/** The balance of an asset, base units. Zero without a holding if all holdings were read; undefined if it is unknown. */
export const amountIn = ({ holdings, missing, whole }: AddressRead, asset: string): bigint | undefined => {
  const holding = holdings.find((other) => keyOf(other) === asset)
  if (holding !== undefined) return Either.getOrUndefined(holding.amount)
  return whole && missing === undefined ? 0n : undefined
}

/** An account, and the addresses that it includes, each once. */
interface Overlap {
  readonly account: AddressRead
  readonly parts: ReadonlyArray<AddressRead>
}

const overlapsIn = (accounts: ReturnType<typeof accountsIn>): ReadonlyArray<Overlap> =>
  [...Map.groupBy(accounts.keys(), (part) => accounts.get(part))].flatMap(([account, parts]) =>
    account === undefined ? [] : [{ account, parts }]
  )

/** The part that has the most of an asset if the parts have more than their account, which then cannot be right. */
const contradicting = ({ account, parts }: Overlap, asset: string): AddressRead | undefined => {
  const own = amountIn(account, asset)
  const amounts = new Map(parts.map((part) => [part.key, { part, amount: amountIn(part, asset) ?? 0n }]))
  const [largest, ...others] = [...amounts.values()].sort((a, b) => Number(b.amount - a.amount))
  if (own === undefined || largest === undefined) return
  const sum = others.reduce((total, { amount }) => total + amount, largest.amount)
  return sum > own ? largest.part : undefined
}

/** The assets that an account or its parts have. */
const assetsOf = ({ account, parts }: Overlap): ReadonlySet<string> =>
  new Set([account, ...parts].flatMap(({ holdings }) => holdings.map(keyOf)))

/**
 * The address in whose row each balance is already counted, by asset: a part is counted in its account. If the parts have
 * more than the account, they are counted, and the account is not. A balance is counted itself if its account's is unknown.
 */
export const countedIn = (reads: ReadonlyArray<AddressRead>): ReadonlyMap<AddressRead, ReadonlyMap<string, string>> => {
  const counted = new Map<AddressRead, Map<string, string>>()
  const count = (read: AddressRead, asset: string, text: string) =>
    counted.set(read, (counted.get(read) ?? new Map<string, string>()).set(asset, text))
  for (const overlap of overlapsIn(accountsIn(reads)))
    for (const asset of assetsOf(overlap)) {
      const part = contradicting(overlap, asset)
      if (part !== undefined) count(overlap.account, asset, part.text)
      else if (amountIn(overlap.account, asset) !== undefined)
        for (const included of overlap.parts) count(included, asset, overlap.account.text)
    }
  return counted
}

/** Why the balances of an account may be wrong beside those of other addresses among these, for people. By account. */
export const doubtsIn = (
  reads: ReadonlyArray<AddressRead>,
  accounts: ReturnType<typeof accountsIn>
): ReadonlyMap<AddressRead, string> => {
  const doubts = new Map(
    unlistedKeys(reads).map((key) => [
      key,
      "its indexer does not list its addresses: those that are requested too count twice"
    ])
  )
  for (const overlap of overlapsIn(accounts))
    for (const asset of assetsOf(overlap)) {
      const part = contradicting(overlap, asset)
      if (part !== undefined) doubts.set(overlap.account, `it includes ${part.text}, which has more`)
    }
  return doubts
}
