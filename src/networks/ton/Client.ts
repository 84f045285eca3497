import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type * as Option from "effect/Option"
import { type HistoryPart, type HistoryQuestion, newestFirst, type Transaction } from "../../domain/Transaction.ts"
import type { UpstreamError } from "../../upstreams/UpstreamError.ts"
import type { NodeAnswer } from "../Network.ts"

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
export interface Reading {
  readonly native: bigint
  /** By master, those of zero included. */
  readonly jettons: ReadonlyMap<string, Jetton>
}

type Result = Either.Either<Reading, UpstreamError>

/** What an indexer has of the history of an address. */
export interface Chronicle {
  readonly part: HistoryPart
  /** Whether it has the transactions, and not only what complements them. */
  readonly whole: boolean
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
export interface Client {
  readonly name: string
  /** In the order of the addresses. An address is told whole or not at all. */
  readonly read: (addresses: ReadonlyArray<string>, withJettons: boolean) => Effect.Effect<ReadonlyArray<Result>>
  /** What an owner has of the jetton of a master; zero where it never had any. */
  readonly jetton: (owner: string, master: string) => Effect.Effect<Jetton, UpstreamError>
  /** None where there is no such jetton, or where its decimals cannot be known. */
  readonly decimals: (master: string) => Effect.Effect<Option.Option<number>, UpstreamError>
  /** Ends after so many ms, with what is there by then. */
  readonly history: (question: HistoryQuestion, within: number) => Effect.Effect<Chronicle, UpstreamError>
  /** By its hash in hexadecimal digits. */
  readonly transaction: (hash: string) => Effect.Effect<NodeAnswer, UpstreamError>
}

/** The indexers in the order in which they are asked. They are independent: what one refuses, another may tell. */
export type Clients = readonly [Client, ...ReadonlyArray<Client>]

/** Reads every address; each next indexer is asked for those alone that the ones before did not tell. */
export const read = (
  [first, ...others]: Clients,
  addresses: ReadonlyArray<string>,
  withJettons: boolean
): Effect.Effect<ReadonlyArray<Result>> =>
  Effect.gen(function* () {
    let results = yield* first.read(addresses, withJettons)
    for (const next of others) {
      const open = addresses.filter((_, index) => results[index]?._tag === "Left")
      if (open.length === 0) break
      const more = yield* next.read(open, withJettons)
      let taken = 0
      results = results.map((result) => (Either.isLeft(result) ? (more[taken++] ?? result) : result))
    }
    return results
  })

/** What was read, or was not, of several addresses at once: a result for each. */
export const spread = (
  result: Either.Either<ReadonlyArray<Reading>, UpstreamError>,
  count: number
): ReadonlyArray<Result> =>
  Either.match(result, {
    onLeft: (error) => Array.from({ length: count }, () => Either.left(error)),
    onRight: (readings) => readings.map((reading) => Either.right(reading))
  })

/** The first answer that there is, or the last failure. */
export const firstAnswer = <A>(
  [first, ...others]: Clients,
  ask: (client: Client) => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> =>
  others.reduce((tried, next) => Effect.catchAll(tried, () => ask(next)), ask(first))

/** The history of an address from the first indexer that has its transactions, or else what any of them has. */
export const history = (
  clients: Clients,
  question: HistoryQuestion,
  within: number
): Effect.Effect<HistoryPart, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + within
    let told: HistoryPart | undefined
    let failure: UpstreamError | undefined
    for (const client of clients) {
      const left = end - (yield* Clock.currentTimeMillis)
      if (left <= 0 && failure !== undefined) break
      const read = yield* Effect.either(client.history(question, left))
      if (Either.isLeft(read)) failure = read.left
      else if (read.right.whole) return read.right.part
      else told = told ?? read.right.part
    }
    return told ?? (yield* failure ?? Effect.dieMessage("no indexer was asked"))
  })
