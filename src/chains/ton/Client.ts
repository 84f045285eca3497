import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import { type HistoryPart, type HistoryQuery, newestFirst, type Transaction } from "../../domain/Transaction.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../Chain.ts"

/** The contract that elects the validators: it exists on every chain of TON, and holds coins at any time. */
export const elector = `-1:${"3".repeat(64)}`

/** TEP-64: a jetton that says nothing of its decimals has nine. */
export const standardDecimals = 9

/** What an owner has of one jetton. */
export interface Jetton {
  readonly amount: bigint
  /** As the jetton itself declares them; undefined where it does not, or the indexer has not seen it yet. */
  readonly decimals: number | undefined
}

/** What is known of one address. All addresses are canonical. */
export interface TonReading {
  readonly native: bigint
  /** By master, those of zero included. */
  readonly jettons: ReadonlyMap<string, Jetton>
}

type TonResult = Either.Either<TonReading, UpstreamError>

/** What an indexer has of the history of an address. */
export interface TonHistory {
  readonly part: HistoryPart
  /** Whether it has the transactions, and not only what complements them. */
  readonly isComplete: boolean
}

/** All messages that follow from one come within so many seconds, or so nearly always. */
export const traceSeconds = 60

/**
 * Of all that was read, what is as new as wanted, the newest first. More is read than that, for the traces that began
 * before: whatever lies behind them is known, and is not more.
 */
export const asWanted = (
  all: ReadonlyArray<Transaction>,
  more: boolean,
  since = 0
): Pick<HistoryPart, "transactions" | "more"> => {
  const transactions = all.filter(({ timestamp }) => timestamp >= since).sort(newestFirst)
  return { transactions, more: more && transactions.length === all.length }
}

/** What each indexer of TON can tell, in its own way. */
export interface Client extends Sources.Source {
  readonly name: string
  /** Writes down each address as soon as it is read: whole or not at all. Cannot fail. */
  readonly read: (
    addresses: ReadonlyArray<string>,
    withJettons: boolean,
    report: Sources.Report<string, TonReading, UpstreamError>
  ) => Effect.Effect<void>
  /** What an owner has of the jetton of a master; zero where it never had any. */
  readonly jetton: (owner: string, master: string) => Effect.Effect<Jetton, UpstreamError>
  /** None where there is no such jetton, or where its decimals cannot be known. */
  readonly decimals: (master: string) => Effect.Effect<Option.Option<number>, UpstreamError>
  /** Ends after so many ms, with what is there by then. */
  readonly history: (query: HistoryQuery, within: number) => Effect.Effect<TonHistory, UpstreamError>
  /** By its hash in hexadecimal digits. */
  readonly transaction: (hash: string) => Effect.Effect<NodeResponse, UpstreamError>
}

/** The indexers in the order in which they are asked. They are independent: what one refuses, another may tell. */
export type Clients = readonly [Client, ...ReadonlyArray<Client>]

/** Reads every address; each next indexer is asked for those alone that the ones before did not tell. */
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

/** The first answer that there is, or the last failure. */
export const firstSuccess = <A>(
  clients: Clients,
  request: (client: Client) => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> => Sources.first(clients, request, { none: unanswered })

/** The history of an address from the first indexer that has its transactions, or else what any of them has. */
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

const unanswered = new UpstreamError({ upstream: "ton", reason: "timeout", detail: "timed out" })
