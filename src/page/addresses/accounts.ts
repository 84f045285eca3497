import type { components } from "../../client/Client.ts"

export type AddressMatch = components["schemas"]["AddressMatch"]

/** What the service says of a text that was entered. */
export type Lookup =
  | { readonly state: "waiting"; readonly text: string }
  | { readonly state: "found"; readonly text: string; readonly matches: ReadonlyArray<AddressMatch> }
  | { readonly state: "failed"; readonly text: string; readonly problem: string }

/** An address on a network. */
export interface AddressOn {
  readonly network: string
  /** As it was entered. */
  readonly address: string
  readonly match: AddressMatch
}

export const accountKey = (network: string, address: string) => `${network} ${address}`

/** Some addresses, as the service takes them. */
export const networksOf = (
  accounts: ReadonlyArray<Pick<AddressOn, "network" | "address">>
): Readonly<Record<string, ReadonlyArray<string>>> =>
  Object.fromEntries(
    [...Map.groupBy(accounts, ({ network }) => network)].map(([network, group]) => [
      network,
      group.map(({ address }) => address)
    ])
  )

/** The addresses of what was found: each once, however often and in whatever spelling it was entered. */
export const addressesOf = (
  lookups: Iterable<Lookup>,
  networkOrder: ReadonlyArray<string>
): ReadonlyArray<AddressOn> => {
  const found = new Map<string, AddressOn>()
  for (const lookup of lookups) {
    if (lookup.state !== "found") continue
    for (const match of lookup.matches) {
      const key = accountKey(match.network, match.canonical)
      if (!found.has(key)) found.set(key, { network: match.network, address: lookup.text, match })
    }
  }
  const place = (network: string) => networkOrder.indexOf(network)
  return [...found.values()].sort((a, b) => place(a.network) - place(b.network))
}

export const chunked = <A>(items: ReadonlyArray<A>, size: number): ReadonlyArray<ReadonlyArray<A>> =>
  Array.from({ length: Math.ceil(items.length / size) }, (_, index) => items.slice(index * size, (index + 1) * size))
