import type { WalletData } from "../../client/Client.ts"
import { problemOf } from "../text/reasons.ts"
import { type AddressOn, accountKey, addressesOf, type Lookup } from "./accounts.ts"
import { inParallel } from "./inParallel.ts"

/** Texts that are looked up at once: browsers have six connections to a server. */
const lookupsAtOnce = 6

/** The networks that a text fits; never fails. `failed` sees every error. */
const lookUp = async (
  client: WalletData,
  text: string,
  signal: AbortSignal,
  failed: (error: unknown) => void
): Promise<Lookup> => {
  try {
    const { matches } = await client.addressMatches(text, { signal })
    return { state: "found", text, matches }
  } catch (error) {
    failed(error)
    return { state: "failed", text, problem: problemOf(error) }
  }
}

/** The ids of the networks, in the order of the service; empty where they cannot be read. */
export const readNetworkOrder = async (client: WalletData, signal: AbortSignal): Promise<ReadonlyArray<string>> => {
  try {
    return (await client.networks({ signal })).map(({ id }) => id)
  } catch {
    return []
  }
}

/** The texts that were entered, and what the service says of them. `failed` sees every error. */
export const makeLookups = (
  client: WalletData,
  texts: ReadonlyArray<string>,
  signal: AbortSignal,
  failed: (error: unknown) => void
) => {
  const lookups = new Map<string, Lookup>(texts.map((text) => [text, { state: "waiting", text }]))
  /** Canonical addresses by their networks. */
  const known = new Set<string>()

  return {
    all: (): ReadonlyArray<Lookup> => [...lookups.values()],
    /** The texts of which the service has said nothing yet. */
    unknown: (): ReadonlyArray<string> =>
      [...lookups.values()].filter(({ state }) => state !== "found").map(({ text }) => text),
    /** Looks some of the texts up; `changed` is called after each. */
    lookUp: (some: ReadonlyArray<string>, changed: () => void): Promise<void> =>
      inParallel(some, lookupsAtOnce, async (text) => {
        lookups.set(text, await lookUp(client, text, signal, failed))
        changed()
      }),
    /** The addresses found that this has not returned before: another spelling of one that it has is the same. */
    newAddresses: (networkOrder: ReadonlyArray<string>): ReadonlyArray<AddressOn> =>
      addressesOf(lookups.values(), networkOrder).filter(({ match, network }) => {
        const key = accountKey(network, match.canonical)
        const isNew = !known.has(key)
        known.add(key)
        return isNew
      })
  }
}
