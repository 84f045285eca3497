import type * as Effect from "effect/Effect"
import type { LevelName } from "../../domain/fees/Fees.ts"
import type { HistoryPosition } from "../../domain/Transaction.ts"
import type { Height } from "../../domain/units.ts"
import type * as Sources from "../../upstream/Sources.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../Chain.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type { StatusProvider } from "../kit/status/readStatuses.ts"
import type { ParsedTransaction } from "./rawTransactions/UtxoTransaction.ts"
import type { UtxoTransaction } from "./toTransaction.ts"

/** The state of an address at an indexer. */
export interface AddressSummary {
  /** Confirmed and unconfirmed, base units. */
  readonly balance: bigint
  /** The amount received in the mempool; absent if the indexer does not separate it from spending there. */
  readonly unconfirmed?: bigint
  /** The number of its transactions, if the indexer returns it. */
  readonly transactions: number | undefined
  /** The addresses of an extended key, in canonical form; absent if a used one may be missing. */
  readonly derived?: ReadonlySet<string> | undefined
}

/** The response of an indexer, by canonical address; addresses that it omitted are absent. */
export type AddressSummaries = ReadonlyMap<string, AddressSummary>

/** The requested part of a history. */
export interface PageRequest {
  /** In canonical form. */
  readonly address: string
  /** The number of transactions wanted over all pages. */
  readonly limit: number
  /** `next` of the previous page. */
  readonly after: string | undefined
  /**
   * The start of the first page: the block of this height, or a higher one if the indexer cannot start there. Absent to
   * start at the newest transactions.
   */
  readonly before?: HistoryPosition<Height> | undefined
}

/** A page of a history, newest first. */
export interface HistoryPage {
  readonly transactions: ReadonlyArray<UtxoTransaction>
  /** The number of rows that cannot be read. */
  readonly unread: number
  /** The cursor of the next page; undefined for the last page. */
  readonly next: string | undefined
  /** Description of transactions that the indexer is known to omit. */
  readonly missing?: string
  /** The indexer's count of the address's transactions; absent if it returns none. */
  readonly stated?: { readonly count: number; readonly withPool: boolean }
}

/**
 * What made an output: a coinbase transaction, the transaction that moves coins out of an extension block (MWEB), or any
 * other. The outputs of the first two can be spent only after a number of blocks.
 */
export type Origin = "coinbase" | "pegOut" | "other"

/** An unspent output, as an indexer returns it. */
export interface Unspent {
  readonly txid: string
  readonly vout: number
  readonly value: bigint
  /** 0 while its transaction is in the mempool. */
  readonly confirmations: number
  /** Undefined if the indexer does not report it. */
  readonly origin: Origin | undefined
  /** The address that it pays; absent if it is the requested address. */
  readonly address?: string
  /** For an extended key: the derivation path of the address. */
  readonly path?: string
  /** Its script in hex; null if it is unknown, absent if it is the script of the address. */
  readonly script?: string | null
}

/** The unspent outputs of an address, largest first. */
export interface UnspentReading {
  readonly outputs: ReadonlyArray<Unspent>
  /** The height of the newest block. */
  readonly height: Height
  /** The total number of outputs; undefined if there are more than were returned and the source does not report it. */
  readonly count: number | undefined
  /** Why origins and scripts of outputs could not be looked up. */
  readonly failures?: Readonly<Partial<Record<"origin" | "script", UpstreamError | undefined>>>
}

export type ReadHead = Effect.Effect<Head, UpstreamError>

/** Reads the newest block of an endpoint, once for all addresses of a request. */
export type Heads = (endpoint: Endpoint, read: ReadHead) => ReadHead

/** A source of statuses: one address of an indexer. */
export interface StatusSource extends StatusProvider {
  readonly host: string
  /** The upstream of the address. */
  readonly name: string
  /** The newest block, which fits the clock. */
  readonly head: Effect.Effect<Head, UpstreamError>
  /** Reads a transaction, in a block or in the mempool; undefined if the indexer does not have it. */
  readonly transaction: (hash: string) => Effect.Effect<UtxoTransaction | undefined, UpstreamError>
  /** The confirmed transaction that spends an output (`hash:index`). Absent if the indexer does not return it. */
  readonly spender?: ((output: string) => Effect.Effect<string | undefined, UpstreamError>) | undefined
  /** All transactions that spend its outputs, also in the mempool. Absent if the indexer does not return them. */
  readonly spenders?:
    | ((transaction: UtxoTransaction) => Effect.Effect<ReadonlyArray<string>, UpstreamError>)
    | undefined
  readonly fault: (fault: Fault) => UpstreamError
}

/** An upstream that accepts raw transactions and looks them up. */
export interface Relay extends Sources.Source {
  readonly name: string
  readonly rank: number
  /** Sends to one address at a time, and to no other after one that may have accepted it. */
  readonly send: (transaction: ParsedTransaction) => Effect.Effect<SendOutcome, UpstreamError>
  readonly find: (hash: string) => Effect.Effect<NodeResponse, UpstreamError>
}

/** Base units per 1,000 virtual bytes, by level; undefined if the upstream has no estimate. */
export type FeeRates = Readonly<Record<LevelName, bigint | undefined>>

/** An upstream that estimates fees. */
export interface FeeEstimator extends Sources.Source {
  readonly name: string
  readonly fault: Upstream["fault"]
  readonly rank: number
  readonly rates: Effect.Effect<FeeRates, UpstreamError>
}

/** An indexer of a network. */
export interface UtxoProvider extends Sources.Source {
  readonly name: string
  readonly supports: (address: string) => boolean
  readonly perCall: number
  readonly minAddresses: number
  /** One call, for at most `perCall` addresses. */
  readonly summaries: (addresses: ReadonlyArray<string>) => Effect.Effect<AddressSummaries, UpstreamError>
  /** Histories; absent if it has none. */
  readonly history?: {
    /** Maximum transactions per call. */
    readonly perPage: number
    /** Whether the transactions of a block may be in a different order than in the chain. */
    readonly unordered: boolean
    /** Reads a page in one call. */
    readonly page: (pageRequest: PageRequest) => Effect.Effect<HistoryPage, UpstreamError>
  }
  /** Reads the unspent outputs of an address; absent if it does not list them. */
  readonly unspent?: (address: string, heads: Heads) => Effect.Effect<UnspentReading, UpstreamError>
  /** An error of this source, for a fault in a response that only the caller can detect. */
  readonly badResponse: (detail: string) => UpstreamError
  /** Absent if it does not accept raw transactions, or has no URL. */
  readonly relay?: Relay
  /** Its addresses as sources of statuses. */
  readonly statuses: ReadonlyArray<StatusSource>
  /** Absent if it does not estimate fees, or has no URL. */
  readonly fees?: FeeEstimator
}
