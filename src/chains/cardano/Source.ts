import type * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { cardano } from "../../catalogue/cardano.ts"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type * as Sources from "../../upstream/Sources.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, OfEpoch } from "../Chain.ts"
import type { Submission } from "./CardanoTransaction.ts"

/** An asset as an upstream tells it. */
export interface AssetBalance {
  readonly unit: string
  readonly quantity: bigint
  /** Undefined where this answer does not tell; null where it tells that nobody has registered any. */
  readonly decimals: number | null | undefined
}

/** What one address holds: of an account, on all its addresses, with the rewards that it may withdraw. */
export interface CardanoBalances {
  readonly lovelace: bigint
  readonly assets: ReadonlyArray<AssetBalance>
}

/** What the token registry (CIP-26) or the asset itself (CIP-68) says of an asset. */
export interface Metadata {
  readonly decimals: number | undefined
  readonly name: string
  readonly symbol: string
}

/** An upstream that knows the ledger. */
export interface CardanoSource extends Sources.Source {
  readonly name: string
  /** Writes down each address as soon as it is read. Cannot fail as a whole. */
  readonly balances: (
    addresses: ReadonlyArray<string>,
    withAssets: boolean,
    report: Sources.Report<string, CardanoBalances, UpstreamError>
  ) => Effect.Effect<void>
  /** Undefined for an asset that was never minted. */
  readonly metadata: (unit: string) => Effect.Effect<Metadata | undefined, UpstreamError>
  /** What can be told until a time of the clock, ms. */
  readonly history: (query: HistoryQuery, until: number) => Effect.Effect<HistoryPart, UpstreamError>
  /** To one address at a time, and to none after one that may have taken it. */
  readonly send: (transaction: Submission) => Effect.Effect<NodeResponse, UpstreamError>
  /** By its id. */
  readonly find: (id: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** As Blockfrost writes them. */
  readonly parameters: Effect.Effect<OfEpoch, UpstreamError>
  /** The newest block, as Blockfrost writes it. */
  readonly block: Effect.Effect<OfEpoch, UpstreamError>
}

/** Nobody holds anything, and nobody has used the address. */
export const nothing: CardanoBalances = { lovelace: 0n, assets: [] }

/** Quantities reach 2^63 and come as texts; where they come as numbers, their digits must be whole. */
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

/** Whether amounts of Blockfrost tell the coins, and no more than there can be. */
export const hasCoins = (amounts: ReadonlyArray<{ readonly unit: string; readonly quantity: bigint }>): boolean => {
  const coins = amounts.filter(({ unit }) => unit === "lovelace")
  return coins.length > 0 && coins.every(({ quantity }) => quantity <= cardano.supply)
}

/** A registration takes one, its end gives it back. */
export const Deposit = Schema.transform(
  Schema.Union(Schema.String.pipe(Schema.pattern(/^-?\d{1,20}$/)), Schema.Int),
  Schema.BigIntFromSelf,
  { strict: true, decode: BigInt, encode: String }
)

/** Of a transaction. */
export const Hash = Schema.String.pipe(Schema.pattern(/^[0-9a-f]{64}$/))

/** As an asset's name and a policy come. */
export const Hex = Schema.String.pipe(Schema.pattern(/^([0-9a-f]{2})*$/))

export const Decimals = Schema.Int.pipe(Schema.between(0, 255))

/** The public tier of Koios refuses a body beyond 1 kB. */
export const bodyBytes = 1000

/** Transactions of the list that were not told, or in another form. */
export const notUnderstood: Fault = { reason: "bad_answer", detail: "returned nothing about them that can be read" }

/** A list that changed between two pages, or pages that are all the same: what is on none of them cannot be told. */
export const pagesDiffer: Fault = { reason: "bad_answer", detail: "returned the same row on two pages" }
