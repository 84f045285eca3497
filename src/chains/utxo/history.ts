import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { HistoryPart, HistoryPosition, HistoryQuery } from "../../domain/Transaction.ts"
import { isRequested, newestFirst } from "../../domain/Transaction.ts"
import { type Height, now, type Seconds, seconds, shift, toSeconds } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { byBlock, positioned } from "../kit/history/heights.ts"
import { byKey, contradictory } from "../kit/holdings/amounts.ts"
import type { HistoryPage, UtxoProvider } from "./Provider.ts"
import { heightOf, ordered, withoutReplaced } from "./replacements.ts"
import { concerns, partyNames, toTransaction, type UtxoTransaction } from "./toTransaction.ts"

/** A source with histories. */
type HistorySource = UtxoProvider & Required<Pick<UtxoProvider, "history">>

/** Sources that need more calls than this are queried after those that need fewer. */
const fewCalls = 4

/** The time of a block may be up to this many seconds after the time of a later block. */
const disorder = 7_200

/** The progress of reading one source. */
interface Progress {
  readonly name: string
  transactions: ReadonlyArray<UtxoTransaction>
  /** The hashes of all returned transactions, including replaced ones, and of those in blocks. */
  readonly hashes: { readonly all: Set<string>; readonly mined: Set<string> }
  /** The number of transactions that its first page states, or that an earlier source stated but did not return. */
  statedCount: HistoryPage["stated"]
  /** True if it has no more pages, but returned fewer transactions than stated. */
  short: boolean
  readonly missing: Set<string>
  /** The number of rows that do not involve the address, or are not valid transactions. */
  rejected: number
  /** The hashes of transactions whose rows differ. */
  readonly contradictory: Set<string>
  /** Why reading ended: no more pages, limit reached, or `since` reached; undefined if it did not end regularly. */
  ended: "bottom" | "limit" | "since" | undefined
  pages: number
}

const begun = ({ name }: HistorySource, statedCount: HistoryPage["stated"]): Progress => ({
  name,
  transactions: [],
  hashes: { all: new Set(), mined: new Set() },
  statedCount,
  short: false,
  missing: new Set(),
  rejected: 0,
  contradictory: new Set(),
  ended: undefined,
  pages: 0
})

/** Whether these transactions, newest first, go back beyond `since` by more than {@link disorder}. */
const isPast = (seen: ReadonlyArray<UtxoTransaction>, since: Seconds | undefined) => {
  const oldest = seen.findLast(({ block }) => block !== undefined)
  return since !== undefined && oldest?.time !== undefined && oldest.time < shift(since, -disorder)
}

/**
 * Whether these transactions are enough. If the source does not order the transactions of a block, and the limit cuts a
 * block, some further pages are read to get the whole block: its newest transaction may come last.
 */
const isEnough = (
  { perPage, unordered }: HistorySource["history"],
  wanted: ReadonlyArray<UtxoTransaction>,
  limit: number
): boolean => {
  const block = wanted.at(-1)?.block
  const cut = unordered && block !== undefined && wanted[limit - 1]?.block === block && wanted.at(-2)?.block === block
  return wanted.length >= limit + (cut ? fewCalls * perPage : 0)
}

const isWanted =
  ({ before, since = seconds(0) }: Pick<HistoryQuery<Height>, "before" | "since">) =>
  ({ block, time }: UtxoTransaction) =>
    before === undefined
      ? block === undefined || time === undefined || time >= since
      : block !== undefined && block <= before.height

const isScarce = ({ minAddresses: from }: UtxoProvider) => from > 1

/** The sources with histories, in order of use: those that allow too few calls for single addresses are last. */
export const withHistories = (sources: ReadonlyArray<UtxoProvider>): ReadonlyArray<HistorySource> => {
  const candidates = sources.filter((source): source is HistorySource => source.history !== undefined)
  return [...candidates.filter((source) => !isScarce(source)), ...candidates.filter(isScarce)]
}

/** Reads pages until the query is satisfied; `progress` retains the pages that were read if a later one fails. */
const read = (
  { history, name }: HistorySource,
  isOwn: (utxoTransaction: UtxoTransaction) => boolean,
  query: HistoryQuery<Height>,
  progress: Progress
) =>
  Effect.gen(function* () {
    const { address, before, limit, since } = query
    let after: string | undefined
    while (progress.ended === undefined) {
      const response = yield* history.page({ address, limit, after, before })
      const page = { ...response, transactions: response.transactions.filter(isOwn) }
      const foreign = response.transactions.length - page.transactions.length
      progress.rejected += foreign + response.unread
      if (foreign > 0 && page.transactions.length === 0)
        return yield* new UpstreamError({ upstream: name, ...foreignTransactions })
      const rows = [...progress.transactions, ...page.transactions]
      for (const hash of contradictoryIn(rows)) progress.contradictory.add(hash)
      const all = rows.filter(({ hash }) => !progress.contradictory.has(hash))
      if (all.length < rows.length && all.length === 0)
        return yield* new UpstreamError({ upstream: name, ...contradictory })
      const known = new Set(progress.transactions.map(({ hash }) => hash))
      if (page.next !== undefined && page.transactions.every(({ hash }) => known.has(hash)))
        return yield* new UpstreamError({ upstream: name, ...samePage })
      // The count covers the whole address, not the requested range.
      if (progress.pages++ === 0 && before === undefined) progress.statedCount = page.stated ?? progress.statedCount
      for (const { block, hash } of page.transactions) {
        progress.hashes.all.add(hash)
        if (block !== undefined) progress.hashes.mined.add(hash)
      }
      progress.transactions = withoutReplaced(all)
      if (page.missing !== undefined) progress.missing.add(page.missing)
      after = page.next
      const isFound = isContinued(progress, before)
      const isDecided = isFound || (before !== undefined && isBelow(page, before))
      const isEnd =
        after === undefined || (isDecided && isEnough(history, progress.transactions.filter(isWanted(query)), limit))
      if (!isFound && (isDecided || isEnd)) return yield* new UpstreamError({ upstream: name, ...positionNotFound })
      if (after === undefined) {
        progress.short = countOfMissing(progress) > 0
        if (progress.short) return yield* new UpstreamError({ upstream: name, ...missingTransactions })
        progress.ended = "bottom"
      } else if (isPast(page.transactions, since)) progress.ended = "since"
      else if (isEnd) progress.ended = "limit"
    }
    // Another source may have the rows that this one garbled.
    if (rejectedIn(progress) > 0) return yield* new UpstreamError({ upstream: name, ...unreadable })
  })

/** The transactions whose rows differ. One may be in the mempool first, and then in a block. */
const contradictoryIn = (all: ReadonlyArray<UtxoTransaction>): ReadonlyArray<string> => {
  const parts = byKey(all.map(({ hash, inputs, outputs }) => [hash, { inputs, outputs }]))
  const blocks = byKey(
    all.flatMap(({ block, hash, time }) => (block === undefined ? [] : [[hash, { block, time }] as const]))
  )
  return [...parts, ...blocks].flatMap(([hash, row]) => (row === undefined ? hash : []))
}

/** Without the last transaction of the page before, a source may also lack others around it. */
const isContinued = ({ hashes }: Progress, before: HistoryPosition<Height> | undefined): boolean =>
  before === undefined || hashes.all.has(before.last)

/** Whether the pages that follow cannot have a transaction at the requested block. */
const isBelow = ({ transactions }: HistoryPage, { height }: HistoryPosition<Height>): boolean =>
  transactions.every(({ block }) => block !== undefined && block < height)

const samePage = { reason: "bad_answer", detail: "returned the same page again" } as const

const positionNotFound = {
  reason: "bad_answer",
  detail: "does not have the last transaction of the previous page"
} as const

/** The number of stated transactions that are missing. */
const countOfMissing = ({ hashes, rejected, statedCount }: Progress): number =>
  statedCount === undefined ? 0 : statedCount.count - rejected - (statedCount.withPool ? hashes.all : hashes.mined).size

const foreignTransactions = {
  reason: "bad_answer",
  detail: "returned transactions that do not involve the address"
} as const

const rejectedIn = ({ contradictory, rejected }: Progress): number => rejected + contradictory.size

const unreadable = { reason: "bad_answer", detail: "returned transactions in an unexpected format" } as const

const missingTransactions = { reason: "bad_answer", detail: "returned fewer transactions than it counts" } as const

/**
 * Reads histories from sources of different kinds: first from a source that needs few calls, then from the next one if
 * it fails (even between two pages) or returns fewer transactions than it counts. Ends within `within` ms. If no source
 * was read to the end, returns the result of the source that was read furthest, marked as incomplete. Also returns the
 * heights that separate pages.
 */
export const histories = (
  facts: UtxoFacts,
  sources: ReadonlyArray<UtxoProvider>,
  within: number,
  noSource: ReadFailure
) => {
  const candidates = withHistories(sources)

  const inOrder = ({ address, limit, since }: HistoryQuery<Height>) => {
    // The transactions since a given time fit into one page of every source.
    const far = ({ history }: HistorySource) => since === undefined && limit > fewCalls * history.perPage
    const rank = (historySource: HistorySource) => (isScarce(historySource) ? 2 : 0) + (far(historySource) ? 1 : 0)
    return candidates.filter(({ supports }) => supports(address)).sort((a, b) => rank(a) - rank(b))
  }

  const history = (query: HistoryQuery<Height>): Effect.Effect<HistoryPart, ReadFailure> =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const ordered = inOrder(query)
      const [preferred] = ordered
      if (preferred === undefined) return yield* Effect.fail(noSource)
      const isOwn = concerns(query.address, partyNames(facts))
      let best: Progress | undefined
      let current = preferred
      const readFrom = (source: HistorySource, others: ReadonlyArray<HistorySource>) =>
        Effect.gen(function* () {
          current = source
          const progress = begun(source, best?.short === true ? best.statedCount : undefined)
          const left = start + within - (yield* Clock.currentTimeMillis)
          const reading = Effect.ensuring(
            read(source, isOwn, query, progress),
            Effect.sync(() => {
              const isFurther =
                best === undefined ||
                (best.ended === undefined &&
                  (progress.ended !== undefined || progress.transactions.length > best.transactions.length))
              const isClearer =
                progress.ended !== undefined && best !== undefined && rejectedIn(progress) < rejectedIn(best)
              if (progress.pages > 0 && (isFurther || isClearer) && isContinued(progress, query.before)) best = progress
            })
          )
          // A source with slow pages must leave time for the others.
          return yield* others.length === 0
            ? reading
            : Effect.timeoutFail(reading, { duration: left / 2, onTimeout: () => timedOut(source.name) })
        })
      const all = Effect.either(Sources.first(ordered, readFrom, { none: timedOut(preferred.name) }))
      const ended = yield* Effect.timeoutOption(all, within)
      const error = Option.match(ended, {
        onNone: () => timedOut(current.name),
        onSome: Either.match({ onLeft: (failure) => failure, onRight: () => undefined })
      })
      if (best !== undefined) return toPart(facts, query, best, error, toSeconds(yield* now))
      const { message, reason } = error ?? timedOut(current.name)
      return yield* Effect.fail({ reason, message })
    }).pipe(span("Utxo.history", { attributes: { network: facts.id, limit: query.limit } }))

  return positioned({ ...byBlock(facts, heightOf), disorder }, history)
}

/** The part of a history that was read; `error` is why reading ended before its end. */
const toPart = (
  facts: UtxoFacts,
  query: HistoryQuery<Height>,
  best: Progress,
  error: UpstreamError | undefined,
  clock: Seconds
) => {
  const { address, limit } = query
  const isNew = isWanted(query)
  const isLate = isRequested(query)
  const all = ordered(best.transactions)
  const late = query.since === undefined ? [] : all.filter(([row]) => !isNew(row) && isLate(row.hash, row.time))
  const rows = all.filter(([row]) => isNew(row))
  const transaction = toTransaction(address, partyNames(facts), clock)
  // Sources order the transactions of a block differently: any of the block of the previous page may be its last.
  const ofPosition = rows.filter(([{ block }]) => query.before !== undefined && block === query.before.height).length
  const count = Math.max(limit, ofPosition)
  const broken = best.ended === undefined
  const { statedCount: stated } = best
  return {
    ...(query.since === undefined || stated === undefined || stated.withPool ? {} : { stated: stated.count }),
    transactions: [...rows, ...late]
      .slice(0, count)
      .map(([row, order]) => transaction(row, order))
      .sort(newestFirst),
    more: rows.length > count || broken || best.ended === "limit",
    sources: [best.name],
    gaps: [
      ...[...best.missing].map((text) => gap("transactions", text)),
      ...(rejectedIn(best) > 0
        ? [gap("transactions", `${rejectedIn(best)} transactions: ${best.name} returned them in an unexpected format`)]
        : []),
      ...(broken ? [gapOf(best, error ?? timedOut(best.name))] : [])
    ]
  }
}

/** Why a list is incomplete. */
const gapOf = (best: Progress, { message }: UpstreamError) =>
  best.short
    ? gap(
        "transactions",
        `${countOfMissing(best)} of ${best.statedCount?.count} transactions: ${best.name} returns no more`
      )
    : gap("older", `older transactions: ${message}`)

const timedOut = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })
