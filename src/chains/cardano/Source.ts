import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type { CardanoOutput } from "../../domain/TransactionContext.ts"
import type { Height } from "../../domain/units.ts"
import type * as Sources from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { type Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { EpochJson, NodeResponse, SendOutcome } from "../Chain.ts"
import type { Head } from "../currentHead.ts"
import type { Submission } from "./CardanoTransaction.ts"
import type { Decimals as ReportedDecimals } from "./Holdings.ts"
import type { CardanoLedgerTransaction } from "./history.ts"
import type { LookUp } from "./TransactionStatus.ts"

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
}

/** Unspent outputs, and whether the source has more than it returned. */
export interface CardanoUnspent {
  readonly outputs: ReadonlyArray<CardanoOutput>
  readonly more: boolean
}

/** A history, with the decimals of its assets that the source returned. */
export interface CardanoHistory extends HistoryPart {
  readonly decimals?: ReportedDecimals
}

/** An upstream with an index of the ledger. */
export interface CardanoSource extends Sources.Source {
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
  /** Sends to one address at a time, and to no other after one that may have accepted it. */
  readonly send: (transaction: Submission) => Effect.Effect<SendOutcome, UpstreamError>
  /** Looks up a transaction by its id. */
  readonly find: (id: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** Looks up the states of transactions. */
  readonly lookUp: LookUp
  /** An error of this source, for a fault that only the caller can detect. */
  readonly fault: (fault: Fault) => UpstreamError
  /** Looks up a transaction in a block; undefined if the source does not have it. */
  readonly transaction: (id: string) => Effect.Effect<CardanoLedgerTransaction | undefined, UpstreamError>
  /** In Blockfrost's format. */
  readonly parameters: Effect.Effect<EpochJson, UpstreamError>
  /** The newest block, in Blockfrost's format. */
  readonly block: Effect.Effect<EpochJson, UpstreamError>
  /** The height and the time of the newest block, in one call. */
  readonly head: Effect.Effect<Head, UpstreamError>
}

/** The error if no source responded in time. */
export const unanswered = new UpstreamError({ upstream: "cardano", reason: "timeout", detail: "timed out" })

/** The balances of an unused address. */
export const nothing: CardanoBalances = { lovelace: 0n, assets: [] }

/** Quantities reach 2^63 and are strings or numbers; all digits of numbers must be preserved. */
export const Quantity = Schema.transform(
  Schema.Union(
    Schema.String.pipe(Schema.pattern(/^\d{1,40}$/)),
    Schema.Int.pipe(Schema.between(0, Number.MAX_SAFE_INTEGER)),
    Schema.NonNegativeBigIntFromSelf
  ),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: String }
)

/** An amount of ADA. */
export const Lovelace = Quantity.pipe(Schema.filter((amount) => amount <= cardano.supply))

/** Whether amounts of Blockfrost contain the coins, at most the total supply. */
export const hasCoins = (amounts: ReadonlyArray<{ readonly unit: string; readonly quantity: bigint }>): boolean => {
  const coins = amounts.filter(({ unit }) => unit === "lovelace")
  return coins.length > 0 && coins.every(({ quantity }) => quantity <= cardano.supply)
}

/** A deposit: paid with a registration, and returned when the registration ends. */
export const Deposit = Schema.transform(
  Schema.Union(Schema.String.pipe(Schema.pattern(/^-?\d{1,20}$/)), Schema.Int),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: String }
)

/** The id of a transaction. */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

/** Asset names and policies. */
export const Hex = Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/))

export const Decimals = Schema.Int.pipe(Schema.between(0, 255))

/** The body limit of Koios' public tier. */
export const bodyBytes = 1000

/** The fault for listed transactions that were not returned, or in an unexpected format. */
export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned no readable data for them" }

/** The list changed between two pages, or all pages are equal: rows may be missing. */
export const pagesDiffer: Fault = { reason: "bad_answer", detail: "returned the same row on two pages" }

/** Maximum outputs read per address, of which the largest are returned. */
export const maxOutputs = 2_000

/** The size of a script; null if it is not plausible: a transaction may use at most 200 kB of them. */
export const scriptSize = (size: unknown): number | null =>
  typeof size === "number" && Number.isInteger(size) && size > 0 && size <= 204_800 ? size : null

/** The index of an output in its transaction. */
export const Index = Schema.Int.pipe(Schema.between(0, 65_535))

/**
 * Reads rows page by page, up to `maxRows`; a page that is not full is the last one. Fails if a row is on two pages,
 * because others may be missing then.
 */
export const readPages = <Row>(
  { fault }: Pick<Upstream, "fault">,
  pageSize: number,
  read: (page: number) => Effect.Effect<ReadonlyArray<Row>, UpstreamError>,
  keyOf: (row: Row) => string,
  maxRows = Number.POSITIVE_INFINITY
) =>
  Effect.gen(function* () {
    const all = new Map<string, Row>()
    for (let page = 0; page < maxRows / pageSize; page++) {
      const rows = yield* read(page)
      for (const row of rows) {
        if (all.has(keyOf(row))) return yield* fault(pagesDiffer)
        all.set(keyOf(row), row)
      }
      if (rows.length < pageSize) return { rows: [...all.values()], more: false }
    }
    return { rows: [...all.values()], more: true }
  })
