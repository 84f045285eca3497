import type { WalletData } from "../../client/Client.ts"
import { problemOf } from "../text/reasons.ts"
import type { Lookup } from "./accounts.ts"

/** Texts that are looked up at once: browsers have six connections to a server. */
export const lookupsAtOnce = 6

/** The networks that a text fits; never fails. `failed` sees every error. */
export const lookUp = async (
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
