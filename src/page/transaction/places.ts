import type { PageClient } from "../state/client.ts"
import { t } from "../text/language.ts"
import { type ErrorCode, reasonOf } from "../text/reasons.ts"

/** Where a transaction exists, by network id. */
export interface Places {
  readonly found: ReadonlyArray<string>
  /** The sources responded and do not have it. */
  readonly absent: ReadonlyArray<string>
  /** It could not be looked up. */
  readonly unread: ReadonlyArray<{ readonly network: string; readonly reason: string }>
}

/** Looks up a hash on these networks, with one request. */
export const readPlaces = async (
  client: PageClient,
  hash: string,
  ids: ReadonlyArray<string>,
  signal: AbortSignal
): Promise<Places> => {
  if (ids.length === 0) return { found: [], absent: [], unread: [] }
  const networks = Object.fromEntries(ids.map((id) => [id, [hash]]))
  const answer = await client.transactions.status({ networks }, { signal })
  const statuses = ids.map((network) => ({ network, of: answer[network]?.[hash] }))
  return {
    found: statuses.flatMap(({ network, of }) => (of?.status == null || of.status === "not_found" ? [] : [network])),
    absent: statuses.flatMap(({ network, of }) => (of?.status === "not_found" ? [network] : [])),
    unread: statuses.flatMap(({ network, of }) =>
      of?.status == null
        ? [{ network, reason: of === undefined ? t("unknown") : (of.error ?? reasonOf(of.errorCode as ErrorCode)) }]
        : []
    )
  }
}
