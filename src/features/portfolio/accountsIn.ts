import * as Either from "effect/Either"
import { plainAddress } from "../../domain/AddressForm.ts"
import type { AddressPast, ChartAddress } from "./pastOf.ts"

const formOf = ({ network, text }: ChartAddress) => network.addressForm?.(text) ?? plainAddress

const canonicalOf = ({ network, text }: ChartAddress) => Either.getOrElse(network.address(text), () => text)

/**
 * Whether an address is one of those that are derived from an extended key: the key's history names itself in the place
 * of the address, in each transaction that both have.
 */
const isDerived = ({ address, transactions }: AddressPast, key: AddressPast): boolean => {
  const versions = new Map(key.transactions.map((transaction) => [transaction.hash, transaction]))
  const shared = transactions.flatMap(({ hash }) => versions.get(hash) ?? [])
  const names = new Set([address.text, canonicalOf(address)])
  return (
    shared.length > 0 && shared.every(({ from, to }) => ![...from, ...to].some((party) => names.has(party.address)))
  )
}

const includes = (account: AddressPast, part: AddressPast): boolean => {
  if (account === part || account.unread !== undefined || account.address.network !== part.address.network) return false
  // A malformed address has no form.
  if (part.address.key === undefined) return false
  const form = formOf(part.address)
  if (form.account !== undefined) return form.account === canonicalOf(account.address)
  return form.kind === "address" && formOf(account.address).kind === "xpub" && isDerived(part, account)
}

/**
 * The addresses whose balances are part of those of an account that is also among these, such as a payment address and
 * its stake address: they must not be added to those of the account.
 */
export const accountsIn = (pasts: ReadonlyArray<AddressPast>): ReadonlyMap<AddressPast, AddressPast> =>
  new Map(
    pasts.flatMap((part) => {
      const account = pasts.find((other) => includes(other, part))
      return account === undefined ? [] : [[part, account] as const]
    })
  )

/** Why the balances of accounts cannot be right: they are less than those of an included address. By account. */
export const contradictionsIn = (accounts: ReturnType<typeof accountsIn>): ReadonlyMap<AddressPast, string> =>
  new Map(
    [...accounts].flatMap(([part, account]) => {
      const isLess = [...part.balances].some(([asset, amount]) => (account.balances.get(asset) ?? 0n) < amount)
      return isLess ? [[account, `it includes ${part.address.text}, which has more`] as const] : []
    })
  )
