import type { components } from "../../client/Client.ts"
import type { PageClient } from "../state/client.ts"
import { problemOf } from "../text/reasons.ts"
import { inParallel } from "./batches.ts"
import { pastedOf } from "./pasted.ts"

export type AddressMatch = components["schemas"]["AddressMatch"]

/** The lookup of an entered text, as the service reports it. */
export type Lookup =
  | { readonly state: "waiting"; readonly text: string }
  | {
      readonly state: "found"
      readonly text: string
      readonly matches: ReadonlyArray<AddressMatch>
      /** Why the text matches no network, if the service knows. */
      readonly reason?: string | undefined
    }
  | { readonly state: "failed"; readonly text: string; readonly problem: string }

/** An address on a network. */
export interface NetworkAddress {
  readonly network: string
  /** The address as entered. */
  readonly address: string
  readonly match: AddressMatch
}

export const accountKey = (network: string, address: string) => `${network} ${address}`

/** The networks with an extended key or a stake address among the addresses: it may include the others. */
const sharedNetworks = (addresses: ReadonlyArray<NetworkAddress>): ReadonlySet<string> =>
  new Set(addresses.flatMap(({ match: { kind }, network }) => (kind === "xpub" || kind === "stake" ? [network] : [])))

/** The addresses that one request must contain so that each balance is counted once: those of shared networks of some of them. */
export const sharedWith = <A extends NetworkAddress>(
  some: ReadonlyArray<NetworkAddress>,
  all: ReadonlyArray<A>
): ReadonlyArray<A> => {
  const shared = sharedNetworks(all)
  return all.filter(({ network }) => shared.has(network) && some.some((other) => other.network === network))
}

/** Sorts the addresses of each shared network together, and before the others, so that a request has as many as possible. */
export const sharedFirst = <A extends NetworkAddress>(addresses: ReadonlyArray<A>): ReadonlyArray<A> => {
  const shared = sharedNetworks(addresses)
  return [
    ...[...shared].flatMap((id) => addresses.filter(({ network }) => network === id)),
    ...addresses.filter(({ network }) => !shared.has(network))
  ]
}

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

/** The maximum number of addresses that the page accepts at once. */
export const maxTexts = 500

/** The addresses in a pasted text: split at white space, commas and semicolons, without quotes or duplicates. */
export const addressTexts = (text: string): ReadonlyArray<string> => [
  ...new Set(
    text
      .split(/[\s,;]+/)
      .map((part) => part.replace(/^["'`<[(]+|["'`>\])]+$/g, ""))
      .filter((part) => part !== "")
  )
]

/** Lookups at once: browsers open at most six connections per server. */
const lookupsAtOnce = 6

/** Looks up the networks that a text matches. Never fails: `failed` receives every error. */
const lookUp = async (
  client: PageClient,
  text: string,
  signal: AbortSignal,
  failed: (error: unknown) => void
): Promise<Lookup> => {
  // Names, and links without an address, are not sent.
  if (pastedOf(text).kind !== "address") return { state: "found", text, matches: [] }
  try {
    const { matches, reason } = await client.addresses.lookUp(text, { signal })
    return { state: "found", text, matches, reason }
  } catch (error) {
    failed(error)
    return { state: "failed", text, problem: problemOf(error) }
  }
}

/** The entered texts and their lookups. `failed` receives every error. */
export const makeLookups = (
  client: PageClient,
  texts: ReadonlyArray<string>,
  signal: AbortSignal,
  failed: (error: unknown) => void
) => {
  const lookups = new Map<string, Lookup>(texts.map((text) => [text, { state: "waiting", text }]))
  /** Keys of the networks and canonical addresses that were returned. */
  const known = new Set<string>()

  return {
    all: (): ReadonlyArray<Lookup> => [...lookups.values()],
    /** The texts without a successful lookup. */
    unknown: (): ReadonlyArray<string> =>
      [...lookups.values()].filter(({ state }) => state !== "found").map(({ text }) => text),
    /** Looks up some of the texts. Calls `changed` after each. */
    lookUp: (some: ReadonlyArray<string>, changed: () => void): Promise<void> =>
      inParallel(some, lookupsAtOnce, async (text) => {
        lookups.set(text, await lookUp(client, text, signal, failed))
        changed()
      }),
    /** Returns the found addresses that were not returned before. Spellings of one address count as the same. */
    newAddresses: (): ReadonlyArray<NetworkAddress> =>
      addressesOf(lookups.values()).filter(({ match, network }) => {
        const key = accountKey(network, match.canonical)
        const isNew = !known.has(key)
        known.add(key)
        return isNew
      })
  }
}
