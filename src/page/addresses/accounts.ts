import type { components } from "../../client/Client.ts"

export type AddressMatch = components["schemas"]["AddressMatch"]

/** The lookup of an entered text, as the service reports it. */
export type Lookup =
  | { readonly state: "waiting"; readonly text: string }
  | { readonly state: "found"; readonly text: string; readonly matches: ReadonlyArray<AddressMatch> }
  | { readonly state: "failed"; readonly text: string; readonly problem: string }

/** An address on a network. */
export interface NetworkAddress {
  readonly network: string
  /** The address as entered. */
  readonly address: string
  readonly match: AddressMatch
}

export const accountKey = (network: string, address: string) => `${network} ${address}`

/** Addresses in the form of a request. */
export const networksOf = (
  accounts: ReadonlyArray<Pick<NetworkAddress, "network" | "address">>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    [...Map.groupBy(accounts, ({ network }) => network)].map(([network, group]) => [
      network,
      group.map(({ address }) => address)
    ])
  )

/** The addresses found, in the order of the texts. Repeated addresses and other spellings are removed. */
export const addressesOf = (lookups: Iterable<Lookup>): ReadonlyArray<NetworkAddress> => {
  const found = new Map<string, NetworkAddress>()
  for (const lookup of lookups) {
    if (lookup.state !== "found") continue
    for (const match of lookup.matches) {
      const key = accountKey(match.network, match.canonical)
      if (!found.has(key)) found.set(key, { network: match.network, address: lookup.text, match })
    }
  }
  return [...found.values()]
}

export const chunked = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
