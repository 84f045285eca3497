import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import { type HistoryPart, type HistoryQuery, newestFirst, type Transaction } from "../../domain/Transaction.ts"
import type { TonContext } from "../../domain/transactionContext/TonContext.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../Chain.ts"
import type { TonPrices } from "./Fees.ts"

/** The contract that elects the validators: it exists on every chain of TON and always has coins. */
export const elector = `-1:${"3".repeat(64)}`

/** An owner's balance of a jetton. */
export interface Jetton {
  readonly amount: bigint
  /** As the jetton itself declares them; undefined if it does not, or the indexer has not indexed it yet. */
  readonly decimals: number | undefined
}

/** The balances of an address. All addresses are canonical. */
export interface TonReading {
  readonly native: bigint
  /** By master, including zero balances. */
  readonly jettons: ReadonlyMap<string, Jetton>
}

type TonResult = Either.Either<TonReading, UpstreamError>

/** The history of an address at one indexer. */
export interface TonHistory {
  readonly part: HistoryPart
  /** Whether it includes the transactions, and not only the lists that complement them. */
  readonly isComplete: boolean
}

/** Almost all messages of a trace arrive within this time. */
export const traceSeconds = 60

/**
 * The transactions in the requested range, newest first. More are read, for traces that began earlier: what is older
 * than the range does not count as more.
 */
export const asWanted = (
  all: ReadonlyArray<Transaction>,
  more: boolean,
  since = 0
): Pick<HistoryPart, "transactions" | "more"> => {
  const transactions = all.filter(({ timestamp }) => timestamp >= since).sort(newestFirst)
  return { transactions, more: more && transactions.length === all.length }
}

/** By canonical address. */
export type TonContexts = ReadonlyMap<string, TonContext>

/** An indexer of TON. */
export interface Client extends Sources.Source {
  readonly name: string
  /** Reports each address as soon as it is read, completely or not at all. Cannot fail. */
  readonly read: (
    addresses: ReadonlyArray<string>,
    withJettons: boolean,
    report: Sources.Report<string, TonReading, UpstreamError>
  ) => Effect.Effect<void>
  /** An owner's balance of a jetton; zero if it never had any. */
  readonly jetton: (owner: string, master: string) => Effect.Effect<Jetton, UpstreamError>
  /** None if there is no such jetton, or if its decimals are not available. */
  readonly decimals: (master: string) => Effect.Effect<Option.Option<number>, UpstreamError>
  /** Ends after `within` ms, with what was read by then. */
  readonly history: (query: HistoryQuery, within: number) => Effect.Effect<TonHistory, UpstreamError>
  /** What messages of some wallets are built from, by address; those that it could not read are left out. */
  readonly contexts: (addresses: ReadonlyArray<string>) => Effect.Effect<TonContexts, UpstreamError>
  /** By its hash in hexadecimal digits. */
  readonly transaction: (hash: string) => Effect.Effect<NodeResponse, UpstreamError>
  /** From the network's configuration. */
  readonly prices: Effect.Effect<TonPrices, UpstreamError>
}

/** The indexers in order of preference. They are independent: one may return what another rejects. */
export type Clients = readonly [Client, ...ReadonlyArray<Client>]

/** Reads every address; each further indexer reads only the addresses that failed at the previous ones. */
export const read = (
  clients: Clients,
  addresses: ReadonlyArray<string>,
  withJettons: boolean
): Effect.Effect<ReadonlyArray<TonResult>> =>
  Effect.map(
    Sources.each<Client, string, TonReading, UpstreamError>(clients, addresses, (client, open, report) =>
      client.read(open, withJettons, report)
    ),
    (found) => addresses.map((address) => found.get(address) ?? Either.left(unanswered))
  )

/** The first success, or the last failure. */
export const firstSuccess = <A>(
  clients: Clients,
  request: (client: Client) => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> => Sources.first(clients, request, { none: unanswered })

/** The history from the first indexer that has its transactions, otherwise the first incomplete one. */
export const history = (
  clients: Clients,
  query: HistoryQuery,
  within: number
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + within
    let partial: HistoryPart | undefined
    const request = (client: Client) =>
      Effect.gen(function* () {
        const left = end - (yield* Clock.currentTimeMillis)
        if (left <= 0) return yield* unanswered
        const { part, isComplete } = yield* client.history(query, left)
        if (isComplete) return part
        partial ??= part
        return yield* unanswered
      })
    return yield* Effect.catchAll(firstSuccess(clients, request), (failure) =>
      partial === undefined ? Effect.fail(failure) : Effect.succeed(partial)
    )
  })

/** The context of an address among those that an indexer returned. */
export const contextOf = (address: string, contexts: TonContexts): Effect.Effect<TonContext, UpstreamError> => {
  const found = contexts.get(address)
  return found === undefined ? unanswered : Effect.succeed(found)
}

const unanswered = new UpstreamError({ upstream: "ton", reason: "timeout", detail: "timed out" })
