import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import { ton } from "../../catalogue/ton.ts"
import type { Multiplier } from "../../domain/Multiplier.ts"
import {
  type HistoryPart,
  type HistoryQuery,
  isRequested,
  newestFirst,
  requestedFrom,
  type Transaction
} from "../../domain/Transaction.ts"
import type { TonContext } from "../../domain/TransactionContext.ts"
import { type Seconds, seconds, shift } from "../../domain/units.ts"
import { lookups } from "../../kernel/collections/lookups.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, ReadFailure } from "../Chain.ts"
import { type Head, headCheck, requireCurrent } from "../currentHead.ts"
import type { TonPrices } from "./Fees.ts"

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

/** Jettons by canonical address of the master, including zero balances. */
export type Jettons = ReadonlyMap<string, Jetton>

/** The jettons of an owner at an indexer. */
export interface OwnedJettons {
  readonly byMaster: Jettons
  /** Why it may have others; undefined if it has no others. */
  readonly unread: UpstreamError | undefined
}

/** The balances that were read for an address. */
export interface TonReading {
  readonly native: Either.Either<bigint, UpstreamError>
  /** Undefined if they were not requested, or if none could be read. */
  readonly jettons: Jettons | undefined
  /** Why jettons are missing. */
  readonly unread: UpstreamError | undefined
}

/** Reads several canonical addresses and reports each result immediately. Cannot fail. */
export type Reading<A> = (
  addresses: ReadonlyArray<string>,
  report: Sources.Report<string, A, UpstreamError>
) => Effect.Effect<void>

/** The maximum of addresses per call: they must fit into a query of 8 kB. */
const addressesPerCall = 100

/** Reads many addresses per call. */
export const inChunks =
  <A>(
    read: (
      addresses: ReadonlyArray<string>
    ) => Effect.Effect<(address: string) => Either.Either<A, UpstreamError>, UpstreamError>
  ): Reading<A> =>
  (addresses, report) =>
    Effect.forEach(
      Arr.chunksOf(addresses, addressesPerCall),
      (some) =>
        Effect.map(Effect.either(read(some)), (result) => {
          for (const address of some)
            report(
              address,
              Either.flatMap(result, (of) => of(address))
            )
        }),
      { concurrency: "unbounded", discard: true }
    )

/**
 * The newest block of an indexer, read once per minute. Fails if it is not current, because a stalled indexer still
 * responds to every call.
 */
export const currentHead = (source: Pick<Upstream, "fault">, head: Effect.Effect<Head, UpstreamError>) =>
  Effect.map(
    lookups({
      capacity: 1,
      timeToLive: (exit) => (Exit.isSuccess(exit) ? "1 minute" : 0),
      lookup: (_: "head") => Effect.tap(head, ({ time }) => requireCurrent(source, ton, time))
    }),
    (newest) => newest("head")
  )

/** Wraps a reading so that it fails if the indexer is not current. */
export const requireCurrentHead =
  (current: Effect.Effect<unknown, UpstreamError>) =>
  <A>(reading: Reading<A>): Reading<A> =>
  (addresses, report) =>
    Effect.matchEffect(current, {
      onFailure: (error) =>
        Effect.sync(() => {
          for (const address of addresses) report(address, Either.left(error))
        }),
      onSuccess: () => reading(addresses, report)
    })

/** Returns an effect that fails if the indexer is behind; a newest block that cannot be read does not matter. */
export const behindCheck = (source: Pick<Upstream, "fault">, head: Effect.Effect<Head, UpstreamError>) =>
  Effect.map(headCheck(ton), (check) => check(source, head))

/** The history of an address at one indexer. */
export interface TonHistory {
  readonly part: HistoryPart
  /** True if it includes the list of transactions, not only the lists that complement it. */
  readonly isComplete: boolean
  /** The decimals of jettons that came with it, by master. */
  readonly decimals: ReadonlyMap<string, number>
}

/** The messages of a trace arrive within this time, also while shards are congested. */
const traceSeconds = 900

/** The times of a transaction at two indexers differ by at most this, except for long traces that others began. */
export const tolerance = 60

/**
 * The times between which rows are requested: a trace may begin before the range, and end after it. Traces that begin
 * after `newest` are not of the page.
 */
export const requestedTimes = (query: HistoryQuery<Seconds>) => {
  const { before, since } = query
  const newest = before === undefined ? undefined : shift(before.height, tolerance)
  const from = requestedFrom(query)
  return {
    start: from === undefined ? undefined : shift(from, -traceSeconds),
    end: newest === undefined ? undefined : shift(newest, traceSeconds),
    merge: { spread: traceSeconds, since, ...(newest === undefined ? {} : { newest }) }
  }
}

/**
 * Returns the requested transactions, newest first. Reads start before the range, for traces that began
 * earlier: if they return a transaction older than the range, the range is complete and `more` is false. Of a trace
 * before the times that were requested, only a part may have been read.
 */
export const inRange = (
  all: ReadonlyArray<Transaction>,
  more: boolean,
  query: HistoryQuery<Seconds>
): Pick<HistoryPart, "transactions" | "more"> => {
  const { since = seconds(0) } = query
  const from = requestedFrom(query) ?? seconds(0)
  const isWanted = isRequested(query)
  return {
    transactions: all.filter(({ hash, timestamp }) => timestamp >= from && isWanted(hash, timestamp)).sort(newestFirst),
    more: more && all.every(({ timestamp }) => timestamp >= since)
  }
}

/** Rows of several transactions. */
export interface TransactionRows {
  readonly rows: ReadonlyMap<string, unknown>
  /** Whether the transactions without a row do not exist. */
  readonly isWhole: boolean
}

/** An indexer of TON. */
export interface Client extends Sources.Source {
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
export type Clients = readonly [Client, ...ReadonlyArray<Client>]

/** Reads every address; each further indexer reads only the addresses that failed at the previous ones. */
const each = <A>(
  clients: Clients,
  addresses: ReadonlyArray<string>,
  reading: (client: Client) => Reading<A>
): Effect.Effect<ReadonlyArray<Either.Either<A, UpstreamError>>> =>
  Effect.map(
    Sources.each<Client, string, A, UpstreamError>(clients, addresses, (client, open, report) =>
      reading(client)(open, report)
    ),
    (found) => addresses.map((address) => found.get(address) ?? Either.left(timedOut))
  )

/** The balance of every address. */
export const balances = (clients: Clients, addresses: ReadonlyArray<string>) =>
  each(clients, addresses, (client) => client.balances)

/**
 * The jettons of every owner. An indexer after the first one reads those of which a previous one may have returned a part,
 * which counts if no indexer returns all.
 */
const jettonsOf = (
  clients: Clients,
  owners: ReadonlyArray<string>,
  reading: (client: Client) => Reading<OwnedJettons>
): Effect.Effect<ReadonlyArray<Pick<TonReading, "jettons" | "unread">>> =>
  Effect.gen(function* () {
    const parts = new Map<string, Jettons>()
    const whole = (owner: string) => (owned: OwnedJettons) => {
      parts.set(owner, owned.byMaster)
      return owned.unread === undefined ? Either.right(owned.byMaster) : Either.left(owned.unread)
    }
    const found = yield* each(
      clients,
      owners,
      (client): Reading<Jettons> =>
        (open, report) =>
          reading(client)(open, (owner, result) => report(owner, Either.flatMap(result, whole(owner))))
    )
    return Arr.zipWith(owners, found, (owner, result) => ({
      jettons: Either.getOrElse(result, () => parts.get(owner)),
      unread: Option.getOrUndefined(Either.getLeft(result))
    }))
  })

/**
 * Reads the balances and the jettons of every address; a failure of one does not affect the other. With jettons, the
 * second indexer is preferred for the balances: the first may allow one call per second.
 */
export const read = (
  clients: Clients,
  addresses: ReadonlyArray<string>,
  withJettons: boolean
): Effect.Effect<ReadonlyArray<TonReading>> =>
  Effect.gen(function* () {
    const [first, ...others] = clients
    const [second = first] = others
    const native = yield* Effect.fork(balances(withJettons ? [second, first] : clients, addresses))
    // Other indexers need one call per address for jettons and may allow one per second: balances are read first.
    const jettons = withJettons
      ? yield* jettonsOf(
          clients,
          addresses,
          (client): Reading<OwnedJettons> =>
            client === first
              ? client.jettons
              : (open, report) => Effect.zipRight(Fiber.await(native), client.jettons(open, report))
        )
      : []
    const natives = yield* Fiber.join(native)
    return natives.map((native, index) => ({ native, ...(jettons[index] ?? notRequested) }))
  })

/** The declarations of the master of every jetton. The second indexer is preferred: one call reads many. */
export const infos = ([first, ...others]: Clients, masters: ReadonlyArray<string>) => {
  const [second = first] = others
  return each([second, first], masters, (client) => client.infos)
}

/** The first success, or the last failure. */
export const firstSuccess = <A>(
  clients: Clients,
  request: (client: Client) => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> => Sources.first(clients, request, { none: timedOut })

/** The decimals of a jetton. If an indexer has not indexed the jetton yet, the next indexer is used. */
export const decimals = (clients: Clients, master: string): Effect.Effect<number, UpstreamError> =>
  Sources.firstOf(clients, (client) => Effect.flatMap(client.decimals(master), Option.match(decimalsOrNone)), {
    none: timedOut,
    reason: (failures) => failures.find((failure) => failure !== noJetton)
  })

/**
 * The history from the first indexer that has its transactions, otherwise the first incomplete one. An indexer that is
 * behind lacks the newest transactions.
 */
export const history = (
  clients: Clients,
  query: HistoryQuery<Seconds>,
  within: number
): Effect.Effect<TonHistory, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + within
    let partial: TonHistory | undefined
    const request = (client: Client) =>
      Effect.gen(function* () {
        if (query.before === undefined) yield* client.notBehind
        const left = end - (yield* Clock.currentTimeMillis)
        if (left <= 0) return yield* timedOut
        const read = yield* client.history(query, left)
        if (read.isComplete) return read
        partial ??= read
        return yield* timedOut
      })
    return yield* Effect.catchAll(firstSuccess(clients, request), (failure) =>
      partial === undefined ? Effect.fail(failure) : Effect.succeed(partial)
    )
  })

/** The context of every address. */
export const contexts = (clients: Clients, addresses: ReadonlyArray<string>) =>
  each(clients, addresses, (client) => client.contexts)

const notRequested = { jettons: undefined, unread: undefined }

const noJetton = new UpstreamError({
  upstream: "ton",
  reason: "bad_answer",
  detail: "there is no jetton at this address, or its decimals are unknown"
})
const decimalsOrNone = { onNone: () => Effect.fail(noJetton), onSome: (found: number) => Effect.succeed(found) }

export const timedOut = new UpstreamError({ upstream: "ton", reason: "timeout", detail: "timed out" })
