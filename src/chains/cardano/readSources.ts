import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { HistoryPart, HistoryQuery } from "../../domain/Transaction.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type CardanoBalances, type CardanoSource, unanswered } from "./Source.ts"

/** The first complete history; otherwise the longest. Each source leaves time for the next one. */
export const historyFrom = (sources: ReadonlyArray<CardanoSource>, maxWait: number, query: HistoryQuery) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const read = (source: CardanoSource, others: ReadonlyArray<CardanoSource>) =>
      source.history(query, start + (maxWait * (sources.length - others.length)) / sources.length)
    return yield* Sources.firstOf(sources, read, {
      none: unanswered,
      isWhole: ({ missing }: HistoryPart) => missing.length === 0,
      isBetter: (part, best) => part.transactions.length > best.transactions.length,
      reason: ([first]) => first
    })
  })

/** The balances of each address, in their order. Addresses that fail at one source are read from the next. */
export const balancesOf = (
  sources: ReadonlyArray<CardanoSource>,
  addresses: ReadonlyArray<string>,
  withAssets: boolean
): Effect.Effect<ReadonlyArray<Either.Either<CardanoBalances, UpstreamError>>> =>
  Effect.map(
    Sources.each<CardanoSource, string, CardanoBalances, UpstreamError>(sources, addresses, (source, open, report) =>
      source.balances(open, withAssets, report)
    ),
    (found) => addresses.map((address) => found.get(address) ?? Either.left(unanswered))
  )
