import type * as Effect from "effect/Effect"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import { variablePrefix } from "../../domain/NetworkId.ts"
import type { ListedRow } from "../../upstream/response/rows.ts"
import type { Source } from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import type { ExplorerQuery, Internal, Own, Token } from "./providers/etherscan/calls.ts"

/** The lists of an explorer: transactions of an address, value that contracts moved for it, token transfers. */
export interface ExplorerRows {
  readonly txlist: Own
  readonly txlistinternal: Internal
  readonly tokentx: Token
}
export type Kind = keyof ExplorerRows

/** Rows of all lists; the last two are like `tokentx` for NFTs, where that has none. */
export interface ListRows extends ExplorerRows {
  readonly tokennfttx: Token
  readonly token1155tx: Token
}

/** The rows of a response. */
export interface ExplorerList<A> {
  /** "2" if a part of the range is not processed yet; "0" also for an empty list. */
  readonly status: string
  readonly result: ReadonlyArray<ListedRow<A>> | null
}

/** The tokens that an address may own, by an explorer. */
export interface IndexedTokens {
  /** In lower case. */
  readonly contracts: ReadonlyArray<string>
  /** Whether there are no others. */
  readonly isWhole: boolean
  /** Those that the explorer marks as a scam. */
  readonly scams: ReadonlySet<string>
}

/** An explorer of one network: an indexer of transactions by address. */
export interface Explorer extends Source {
  readonly name: string
  readonly fault: Upstream["fault"]
  /** Each reads a page of a list. */
  readonly lists: {
    readonly [K in keyof ListRows]: (page: ExplorerQuery) => Effect.Effect<ExplorerList<ListRows[K]>, UpstreamError>
  }
  /** The fungible tokens that an address has or had. */
  readonly tokensOf: (address: string) => Effect.Effect<IndexedTokens, UpstreamError>
  /** Whether its list has all tokens of an address; others know those of the newest transfers. */
  readonly listsTokens?: true
  /** The value that contracts moved in a transaction. */
  readonly internalsOf: (hash: string) => Effect.Effect<ExplorerList<Internal>, UpstreamError>
  /**
   * Whether its gas is that of the receipt; other explorers sometimes list the bid, or a block that was reorganised
   * away.
   */
  readonly exactFees?: true
  /** Whether its list contains allocations of the first block, as transactions of that block. */
  readonly listsGenesis?: boolean
  /** The names of its lists for NFTs. */
  readonly nfts?: ReadonlyArray<Exclude<keyof ListRows, Kind>>
}

/** Why a network has no explorer; undefined if it has. */
export const unserved = (
  { explorers, id, name, sunset }: EvmFacts,
  served: ReadonlyArray<Explorer>
): ReadFailure | undefined => {
  if (served.length > 0) return undefined
  if (sunset !== undefined) return { reason: "sunset", message: `${name} was shut down on ${sunset}` }
  const key = explorers?.etherscan === true ? "ETHERSCAN_API_KEY or " : ""
  return {
    reason: "not_configured",
    message: `${name} has no source of transactions: set ${key}${variablePrefix(id)}_BLOCKSCOUT_URL`
  }
}
