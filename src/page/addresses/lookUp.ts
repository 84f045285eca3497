import type { WalletData } from "../../client/Client.ts"
import { problemOf } from "../text/reasons.ts"
import { accountKey, addressesOf, type Lookup, type NetworkAddress } from "./accounts.ts"
import { inParallel } from "./inParallel.ts"

/** Lookups at once: browsers open at most six connections per server. */
const lookupsAtOnce = 6

/** Looks up the networks that a text matches. Never fails: `failed` receives every error. */
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

/** The entered texts and their lookups. `failed` receives every error. */
export const makeLookups = (
  client: WalletData,
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
