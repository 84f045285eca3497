import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import { cardano } from "../../catalogue/cardano.ts"
import { isOpen, notListed } from "../../domain/history/Gap.ts"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import type { Height } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as Sources from "../../upstream/Sources.ts"
import { byBlock, positioned } from "../kit/history/heights.ts"
import { unread, withDecimals } from "../kit/holdings/tokenList.ts"
import type { CardanoAssets } from "./assets.ts"
import { isStake } from "./CardanoAddress.ts"
import { heightOf } from "./ledger.ts"
import { type CardanoHistory, type CardanoProvider, unanswered } from "./Provider.ts"

/** Koios returns thirteen transactions per call, Blockfrost needs two calls for each of them. */
export const byCalls = (sources: ReadonlyArray<CardanoProvider>) => sources.toReversed()

/** Reads histories, at most for `maxWait` (ms), and the heights that separate their pages. */
export const histories = (sources: ReadonlyArray<CardanoProvider>, assets: CardanoAssets, maxWait: number) => {
  const preferred = byCalls(sources)
  const history = (query: HistoryQuery<Height>) =>
    historyFrom(preferred, maxWait, query).pipe(
      Effect.flatMap(({ decimals = new Map(), ...part }) => Effect.as(assets.confirmReported(decimals), part)),
      Effect.mapError(unread),
      span("Cardano.history")
    )
  return positioned(byBlock(cardano, heightOf), withDecimals(history, assets.list, assets.confirmWithin(maxWait)))
}

/** Rewards are part of the balance of a stake address only. */
const unlisted = cardano.unlisted.map((text) => notListed(text))

/** The first complete history; otherwise the longest. Each source leaves time for the next one. */
const historyFrom = (sources: ReadonlyArray<CardanoProvider>, maxWait: number, query: HistoryQuery<Height>) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    const read = (source: CardanoProvider, others: ReadonlyArray<CardanoProvider>) =>
      source.history(query, start + (maxWait * (sources.length - others.length)) / sources.length)
    const part = yield* Sources.firstOf(sources, read, {
      none: unanswered,
      isWhole: ({ gaps }: CardanoHistory) => !isOpen(gaps),
      isBetter: (part, best) => part.transactions.length > best.transactions.length,
      reason: ([first]) => first
    })
    return isStake(query.address) ? { ...part, gaps: [...part.gaps, ...unlisted] } : part
  })
