import type { components } from "../../client/Client.ts"
import type { NetworkAddress } from "../addresses/accounts.ts"
import { networksOf } from "../addresses/accounts.ts"
import type { PageClient } from "../state/client.ts"
import { sanitized } from "../text/format.ts"

/** A row of balances with `unlisted`. */
export type UnlistedRow = components["schemas"]["Balance"]

/** The tokens of addresses that no list has. */
export interface UnlistedTokens {
  /** The others before the suspicious ones, as the service returns them. */
  readonly tokens: ReadonlyArray<UnlistedRow>
  readonly suspicious: ReadonlyArray<UnlistedRow>
  /** Why tokens may be missing, each reason once, with its networks. */
  readonly gaps: ReadonlyMap<string, ReadonlySet<string>>
  /** The number of tokens that are left out: too many, or without decimals. */
  readonly omitted: number
}

/** Networks without tokens in any source are no gap of a wallet. */
const isGap = ({ unlisted }: UnlistedRow): boolean =>
  unlisted?.error !== undefined && unlisted.errorCode !== "not_listed" && unlisted.errorCode !== "sunset"

/** The unlisted tokens in rows of balances. */
export const unlistedIn = (rows: ReadonlyArray<UnlistedRow>): UnlistedTokens => {
  const found = Map.groupBy(
    rows.filter(({ listed }) => listed === false),
    ({ verdict }) => verdict === "suspicious"
  )
  const gaps = new Map<string, Set<string>>()
  let omitted = 0
  for (const row of rows) {
    const { truncated = 0, withoutDecimals = 0 } = row.unlisted ?? {}
    omitted += truncated + withoutDecimals
    const reason = sanitized(row.unlisted?.error ?? "", 300)
    if (isGap(row)) gaps.set(reason, (gaps.get(reason) ?? new Set()).add(row.blockchain))
  }
  return { tokens: found.get(false) ?? [], suspicious: found.get(true) ?? [], gaps, omitted }
}

/** Addresses that are read at most: the default limit of the service for one request. */
const maxAddresses = 500

/** Reads the unlisted tokens of addresses. */
export const readUnlisted = async (
  client: PageClient,
  addresses: ReadonlyArray<NetworkAddress>,
  signal: AbortSignal
): Promise<UnlistedTokens> => {
  const stream = client.balances.stream(
    { networks: networksOf(addresses.slice(0, maxAddresses)), unlisted: true },
    { signal }
  )
  const rows: Array<UnlistedRow> = []
  for await (const row of stream) rows.push(row)
  return unlistedIn(rows)
}
