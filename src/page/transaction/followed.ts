import type { components } from "../../client/Client.ts"
import type { PageClient } from "../state/client.ts"

export type FoundTransaction = components["schemas"]["TransactionByHash"]

/** A transaction, and its exact status if it has no parties. */
export interface Followed {
  readonly found: FoundTransaction
  readonly status?: string | undefined
}

/** Reads a transaction. One without parties may be replaced or expired: its status says so. */
export const readFollowed = async (
  client: PageClient,
  network: string,
  hash: string,
  signal: AbortSignal
): Promise<Followed> => {
  const found = await client.transactions.byHash(network, hash, { signal })
  if (found.status !== "Failed" || found.from.length + found.to.length > 0) return { found }
  const statuses = await client.transactions
    .status({ networks: { [network]: [hash] } }, { signal })
    .catch((): Record<string, never> => ({}))
  return { found, status: statuses[network]?.[hash]?.status ?? undefined }
}

export type FollowedState = "pending" | "confirmed" | "final" | "failed" | "replaced" | "expired" | "unknown"

export const stateOf = ({ found, status }: Followed): FollowedState => {
  if (status === "replaced" || found.replacedBy !== null) return "replaced"
  if (status === "expired") return "expired"
  if (found.status === "Success") return found.final === true ? "final" : "confirmed"
  return found.status === "Pending" ? "pending" : found.status === "Failed" ? "failed" : "unknown"
}

/** Times between two reads, ms. */
const [soon, later, rarely] = [4_000, 15_000, 60_000]

/** The time until a transaction is read again, ms; undefined if it cannot change. Without one, its read has failed. */
export const nextRead = (followed: Followed | undefined): number | undefined => {
  if (followed === undefined) return later
  const state = stateOf(followed)
  const { final } = followed.found
  if (state === "pending") return soon
  if (state === "final" || state === "expired" || final === true) return undefined
  return final === null ? rarely : later
}
