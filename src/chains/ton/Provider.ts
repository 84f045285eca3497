import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import type { Multiplier } from "../../domain/Multiplier.ts"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import type { TonContext } from "../../domain/TransactionContext.ts"
import type { Seconds } from "../../domain/units.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure } from "../Chain.ts"
import type { Head } from "../kit/status/currentHead.ts"

/** The contract that elects the validators: it exists on every chain of TON and always has coins. */
export const elector = `-1:${"3".repeat(64)}`

/** An owner's balance of a jetton. */
export interface Jetton {
  /** Undefined if it is impossible: the jetton's contract returns it, and may return anything. */
  readonly amount: bigint | undefined
  /** As declared by the jetton; undefined if it declares none, or if the indexer has not indexed it yet. */
  readonly decimals: number | undefined
  /** Absent if the indexer does not return multipliers with balances. */
  readonly multiplier?: Either.Either<Multiplier | undefined, ReadFailure>
}

/** Declarations of the master of a jetton about its amounts. */
export interface JettonInfo {
  /** Undefined if it has none. */
  readonly multiplier: Multiplier | undefined
  /** Undefined if the indexer does not return them together. */
  readonly decimals: number | undefined
}

/** The declarations of a jetton's contract and metadata; undefined if the indexer does not return them. */
export interface JettonMaster {
  readonly name: string | undefined
  readonly symbol: string | undefined
  readonly decimals: number | undefined
  /** Base units. */
  readonly supply: bigint | undefined
  readonly isMintable: boolean | undefined
  readonly hasAdmin: boolean | undefined
}

/** Jettons by canonical address of the master, including zero balances. */
export type Jettons = ReadonlyMap<string, Jetton>

/** The jettons of an owner at an indexer. */
export interface OwnedJettons {
  readonly byMaster: Jettons
  /** Why it may have others; undefined if it has no others. */
  readonly unread: UpstreamError | undefined
}

/** Reads several canonical addresses and reports each result immediately. Cannot fail. */
export type Reading<A> = (
  addresses: ReadonlyArray<string>,
  report: Sources.Report<string, A, UpstreamError>
) => Effect.Effect<void>

/** The history of an address at one indexer. */
export interface TonHistory {
  readonly part: HistoryPart
  /** True if it includes the list of transactions, not only the lists that complement it. */
  readonly isComplete: boolean
  /** The decimals of jettons that came with it, by master. */
  readonly decimals: ReadonlyMap<string, number>
}

/** Rows of several transactions. */
export interface TransactionRows {
  readonly rows: ReadonlyMap<string, unknown>
  /** Whether the transactions without a row do not exist. */
  readonly isWhole: boolean
}

/** Prices of gas and messages; `price`, `bit` and `cell` are in 1/65536 nanoton. */
export interface TonPrices {
  readonly gas: { readonly flatLimit: bigint; readonly flatPrice: bigint; readonly price: bigint }
  readonly message: { readonly lump: bigint; readonly bit: bigint; readonly cell: bigint }
}

/** An indexer of TON. */
export interface TonProvider extends Sources.Source {
  readonly name: string
  readonly fault: Upstream["fault"]
  /** The newest block of the masterchain. */
  readonly head: Effect.Effect<Head, UpstreamError>
  /** Its newest block of the last minute; fails if that is not current. */
  readonly current: Effect.Effect<Head, UpstreamError>
  /** Fails if the indexer is behind, as {@link behindCheck} does. */
  readonly notBehind: Effect.Effect<void, UpstreamError>
  readonly balances: Reading<bigint>
  readonly jettons: Reading<OwnedJettons>
  /** An owner's balance of a jetton; zero if it never had any. */
  readonly jetton: (owner: string, master: string) => Effect.Effect<Jetton, UpstreamError>
  /** None if there is no such jetton, or if its decimals are not available. */
  readonly decimals: (master: string) => Effect.Effect<Option.Option<number>, UpstreamError>
  /** The master of a jetton; none if the indexer has no such jetton. */
  readonly master: (address: string) => Effect.Effect<Option.Option<JettonMaster>, UpstreamError>
  /** The current declarations of the masters of jettons. */
  readonly infos: Reading<JettonInfo>
  /** Returns after at most `within` ms, with the part that was read by then. */
  readonly history: (query: HistoryQuery<Seconds>, within: number) => Effect.Effect<TonHistory, UpstreamError>
  /** Reads the data needed to build a wallet message. */
  readonly contexts: Reading<TonContext>
  /** Looks up a transaction by its hash in hexadecimal digits. */
  readonly transaction: (hash: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** Looks up the transaction that a message caused, by the normalized hash of the message in hexadecimal digits. */
  readonly transactionOfMessage: (hash: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** Looks up the rows of several transactions in one call, by either hash. Absent if each needs its own call. */
  readonly transactions?: (hashes: ReadonlyArray<string>) => Effect.Effect<TransactionRows, UpstreamError>
  /** Reads the prices from the network's configuration. */
  readonly prices: Effect.Effect<TonPrices, UpstreamError>
}

/** The indexers in order of preference. They are independent: one may return what another rejects. */
export type TonProviders = readonly [TonProvider, ...ReadonlyArray<TonProvider>]

/** Reads every address; each further indexer reads only the addresses that failed at the previous ones. */
export const each = <A>(
  providers: TonProviders,
  addresses: ReadonlyArray<string>,
  reading: (provider: TonProvider) => Reading<A>
): Effect.Effect<ReadonlyArray<Either.Either<A, UpstreamError>>> =>
  Effect.map(
    Sources.each<TonProvider, string, A, UpstreamError>(providers, addresses, (provider, open, report) =>
      reading(provider)(open, report)
    ),
    (found) => addresses.map((address) => found.get(address) ?? Either.left(timedOut))
  )

/** The first success, or the last failure. */
export const firstSuccess = <A>(
  providers: TonProviders,
  request: (provider: TonProvider) => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> => Sources.first(providers, request, { none: timedOut })

export const timedOut = new UpstreamError({ upstream: "ton", reason: "timeout", detail: "timed out" })
