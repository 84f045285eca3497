import type * as Effect from "effect/Effect"
import type * as Either from "effect/Either"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type { CardanoOutput } from "../../domain/TransactionContext.ts"
import type { Height, Seconds } from "../../domain/units.ts"
import type * as Sources from "../../upstream/Sources.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { EpochJson, NodeResponse, ReadFailure, SendOutcome } from "../Chain.ts"
import type { Head } from "../kit/status/currentHead.ts"
import type { Submission } from "./CardanoTransaction.ts"
import type { CardanoLedgerTransaction } from "./ledger.ts"

/** A native asset in a balance. */
export interface AssetBalance {
  readonly unit: string
  readonly quantity: bigint
  /** Undefined if this response does not contain them; null if none are registered. */
  readonly decimals: number | null | undefined
}

/** The balances of an address; for an account, those of all its addresses, including withdrawable rewards. */
export interface CardanoBalances {
  readonly lovelace: bigint
  /** The withdrawable rewards in it; absent for an address, and if the source does not return them. */
  readonly rewards?: bigint
  readonly assets: ReadonlyArray<AssetBalance>
  /** Why `assets` is empty, if they were not read. */
  readonly unreadAssets?: UpstreamError
}

/** Metadata of an asset, from the token registry (CIP-26) or the asset itself (CIP-68). */
export interface Metadata {
  readonly decimals: number | undefined
  readonly name: string
  readonly symbol: string
  /** Absent if the source does not return it. */
  readonly supply?: bigint
}

/** Unspent outputs, and whether the source has more than it returned. */
export interface CardanoUnspent {
  readonly outputs: ReadonlyArray<CardanoOutput>
  readonly more: boolean
}

/** Decimals by asset, or why they are not known; undefined for assets that declare none. */
export type AssetDecimals = ReadonlyMap<string, Either.Either<number | undefined, ReadFailure>>

/** A history, with the decimals of its assets that the source returned. */
export interface CardanoHistory extends HistoryPart {
  readonly decimals?: AssetDecimals
}

/** A transaction in a block. */
export interface IncludedTransaction {
  /** Null in the first block of an epoch boundary. */
  readonly height: Height | null
  readonly timestamp: Seconds
  /** Lovelace; of a failed transaction, its collateral is paid instead. */
  readonly fee: bigint
  /** Whether its scripts succeeded. */
  readonly valid: boolean
}

/** The state of a transaction at a source; undefined if the source does not have it. */
export type LookedUp = IncludedTransaction | "mempool" | undefined

/** An upstream with an index of the ledger. */
export interface CardanoProvider extends Sources.Source {
  readonly name: string
  /** Reports the result of each address immediately. Cannot fail as a whole. */
  readonly balances: (
    addresses: ReadonlyArray<string>,
    withAssets: boolean,
    report: Sources.Report<string, CardanoBalances, UpstreamError>
  ) => Effect.Effect<void>
  /** Undefined for an asset that was never minted. */
  readonly metadata: (unit: string) => Effect.Effect<Metadata | undefined, UpstreamError>
  /** The unspent outputs of an address, or of all addresses of an account. */
  readonly unspent: (address: string) => Effect.Effect<CardanoUnspent, UpstreamError>
  /** The history as far as it can be read until a deadline (clock time, ms). */
  readonly history: (query: HistoryQuery<Height>, until: number) => Effect.Effect<CardanoHistory, UpstreamError>
  /** Looks up a transaction in a block; undefined if the source does not have it. */
  readonly transaction: (id: string) => Effect.Effect<CardanoLedgerTransaction | undefined, UpstreamError>
  /** Sends to one address at a time, and to no other after one that may have accepted it. */
  readonly send: (transaction: Submission) => Effect.Effect<SendOutcome, UpstreamError>
  /** Looks up a transaction by its id. */
  readonly find: (id: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** Looks up the states of transactions by their ids, in their order. */
  readonly lookUp: (
    ids: ReadonlyArray<string>
  ) => Effect.Effect<ReadonlyArray<Either.Either<LookedUp, UpstreamError>>, UpstreamError>
  /** An error of this source, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /** In Blockfrost's format. */
  readonly parameters: Effect.Effect<EpochJson, UpstreamError>
  /** The newest block, in Blockfrost's format. */
  readonly block: Effect.Effect<EpochJson, UpstreamError>
  /** The height and the time of the newest block, in one call. */
  readonly head: Effect.Effect<Head, UpstreamError>
}

/** The fault for listed transactions that were not returned, or in an unexpected format. */
export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned no readable data for them" }

/** The error if no source responded in time. */
export const unanswered = new UpstreamError({ upstream: "cardano", reason: "timeout", detail: "timed out" })

/** The balances of an unused address. */
export const nothing: CardanoBalances = { lovelace: 0n, assets: [] }
