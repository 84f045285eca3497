import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { ton } from "../../catalogue/ton.ts"
import {
  type HistoryPart,
  type HistoryQuery,
  isRequested,
  newestFirst,
  requestedFrom,
  type Transaction
} from "../../domain/Transaction.ts"
import { type Seconds, seconds, shift } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { byTime, positioned } from "../kit/history/heights.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import type { Declarations } from "./declarations.ts"
import { firstSuccess, type TonHistory, type TonProvider, type TonProviders, timedOut } from "./Provider.ts"

/** Reads a page of a history. */
export type HistoryReader = (query: HistoryQuery<Seconds>) => Effect.Effect<HistoryPart, ReadFailure>

/** Reads histories, at most for `maxWait` (ms). */
export const historyReader =
  (providers: TonProviders, { confirm }: Declarations, maxWait: number): HistoryReader =>
  (query) =>
    historyOf(providers, query, maxWait).pipe(
      Effect.tap(({ decimals }) => confirm(decimals)),
      Effect.mapBoth({ onFailure: unread, onSuccess: ({ part }) => part }),
      span("Ton.history")
    )

/** Histories that wait for decimals, and the times that separate their pages. */
export const histories = (read: HistoryReader, { confirmAll, list }: Declarations) =>
  positioned({ ...byTime(ton), tolerance }, withDecimals(read, list, confirmAll))

/**
 * The history from the first indexer that has its transactions, otherwise the first incomplete one. An indexer that is
 * behind lacks the newest transactions.
 */
const historyOf = (
  providers: TonProviders,
  query: HistoryQuery<Seconds>,
  within: number
): Effect.Effect<TonHistory, UpstreamError> =>
  Effect.gen(function* () {
    const end = (yield* Clock.currentTimeMillis) + within
    let partial: TonHistory | undefined
    const request = (provider: TonProvider) =>
      Effect.gen(function* () {
        if (query.before === undefined) yield* provider.notBehind
        const left = end - (yield* Clock.currentTimeMillis)
        if (left <= 0) return yield* timedOut
        const read = yield* provider.history(query, left)
        if (read.isComplete) return read
        partial ??= read
        return yield* timedOut
      })
    return yield* Effect.catchAll(firstSuccess(providers, request), (failure) =>
      partial === undefined ? Effect.fail(failure) : Effect.succeed(partial)
    )
  })

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
