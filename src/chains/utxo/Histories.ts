import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { HistoryPart, HistoryPosition, HistoryQuery } from "../../domain/Transaction.ts"
import { newestFirst } from "../../domain/Transaction.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { Unread } from "../Chain.ts"
import { concerns, partyNames, toTransaction, type UtxoTransaction } from "./history.ts"
import { ordered, withoutReplaced } from "./replacements.ts"
import type { HistoryPage, IndexerSource } from "./sources/Source.ts"
import type * as UtxoAddress from "./UtxoAddress.ts"

/** A source with histories. */
type HistorySource = IndexerSource & Required<Pick<IndexerSource, "history">>

/** A source that needs more calls than this is queried after those that do not. */
const fewCalls = 4

/** The time of a block may be this many seconds ahead of that of a later block. */
const disorder = 7_200

/** How far one source was read. */
interface Progress {
  readonly name: string
  transactions: ReadonlyArray<UtxoTransaction>
  /** The hashes of all that it returned, replaced transactions too, and of those in blocks. */
  readonly hashes: { readonly all: Set<string>; readonly mined: Set<string> }
  /**
   * The number of transactions by its own count on the first page, or by that of an earlier source, which returned
   * fewer.
   */
  stated: HistoryPage["stated"]
  /** Whether it has no more pages, but returned fewer than that number. */
  short: boolean
  readonly missing: Set<string>
  /** So many rows are not of the address, or name no transaction. */
  odd: number
  /** Why it was read no further: there is no more, the limit is reached, or all since the requested time is read. */
  ended: "bottom" | "limit" | "since" | undefined
  pages: number
}

const begun = ({ name }: HistorySource, stated: HistoryPage["stated"]): Progress => ({
  name,
  transactions: [],
  hashes: { all: new Set(), mined: new Set() },
  stated,
  short: false,
  missing: new Set(),
  odd: 0,
  ended: undefined,
  pages: 0
})

/** Whether all transactions since a time are above the last of these. */
const isPast = (seen: ReadonlyArray<UtxoTransaction>, since: number | undefined) => {
  const oldest = seen.findLast(({ block }) => block !== undefined)
  return since !== undefined && oldest?.time !== undefined && oldest.time < since - disorder
}

/**
 * Whether these are enough. Where a block is unordered, all of its transactions are read, within some further pages: the
 * newest of them may come last.
 */
const suffices = (
  { perPage, unordered }: HistorySource["history"],
  wanted: ReadonlyArray<UtxoTransaction>,
  limit: number
): boolean => {
  const block = wanted.at(-1)?.block
  const cut = unordered && block !== undefined && wanted[limit - 1]?.block === block && wanted.at(-2)?.block === block
  return wanted.length >= limit + (cut ? fewCalls * perPage : 0)
}

const isWanted =
  ({ before, since = 0 }: Pick<HistoryQuery, "before" | "since">) =>
  ({ block, time }: UtxoTransaction) =>
    before === undefined
      ? block === undefined || time === undefined || time >= since
      : block !== undefined && block <= before.height

const isScarce = ({ from }: IndexerSource) => from > 1

/** The sources with histories in the order of their use: those whose calls are too scarce for single addresses last. */
export const inPreference = (sources: ReadonlyArray<IndexerSource>): ReadonlyArray<HistorySource> => {
  const candidates = sources.filter((source): source is HistorySource => source.history !== undefined)
  return [...candidates.filter((source) => !isScarce(source)), ...candidates.filter(isScarce)]
}

/** Reads page after page until all is there; what was read by then stays in `progress`. */
const read = (
  { history, name }: HistorySource,
  isOwn: (utxoTransaction: UtxoTransaction) => boolean,
  query: HistoryQuery,
  progress: Progress
) =>
  Effect.gen(function* () {
    const { address, before, limit, since } = query
    let after: string | undefined
    while (progress.ended === undefined) {
      const response = yield* history.page({ address, limit, after, before })
      const page = { ...response, transactions: response.transactions.filter(isOwn) }
      const odd = response.transactions.length - page.transactions.length
      progress.odd += odd
      if (odd > 0 && page.transactions.length === 0)
        return yield* new UpstreamError({ upstream: name, ...foreignTransactions })
      const known = new Set(progress.transactions.map(({ hash }) => hash))
      if (page.next !== undefined && page.transactions.every(({ hash }) => known.has(hash)))
        return yield* new UpstreamError({
          upstream: name,
          reason: "bad_answer",
          detail: "returned the same page again"
        })
      if (before !== undefined && isBeyond(page, after, before))
        return yield* new UpstreamError({ upstream: name, ...notFound })
      // It counts all of the address, not those of the requested range.
      if (progress.pages++ === 0 && before === undefined) progress.stated = page.stated ?? progress.stated
      for (const { block, hash } of page.transactions) {
        progress.hashes.all.add(hash)
        if (block !== undefined) progress.hashes.mined.add(hash)
      }
      progress.transactions = withoutReplaced([...progress.transactions, ...page.transactions])
      if (page.missing !== undefined) progress.missing.add(page.missing)
      after = page.next
      if (after === undefined) {
        progress.short = countOfMissing(progress) > 0
        if (progress.short) return yield* new UpstreamError({ upstream: name, ...tooFew })
        progress.ended = "bottom"
      } else if (isPast(page.transactions, since)) progress.ended = "since"
      else if (suffices(history, progress.transactions.filter(isWanted(query)), limit)) progress.ended = "limit"
    }
  })

/** Whether a first page begins below the block with which it has to begin: what is above may be missing. */
const isBeyond = ({ transactions }: HistoryPage, after: string | undefined, { height }: HistoryPosition): boolean =>
  after === undefined && transactions.every(({ block }) => block !== undefined && block < height)

const notFound = {
  reason: "bad_answer",
  detail: "does not have the transaction at which the page before ended"
} as const

/** How many of the counted transactions are missing. */
const countOfMissing = ({ hashes, stated }: Progress): number =>
  stated === undefined ? 0 : stated.count - (stated.withPool ? hashes.all : hashes.mined).size

const foreignTransactions = {
  reason: "bad_answer",
  detail: "returned transactions in which the address is not"
} as const

const tooFew = { reason: "bad_answer", detail: "returned fewer transactions than there are" } as const

/**
 * Reads histories from sources of different kinds: from the source that needs few calls, and from the next when that
 * one fails, also between two pages, or ends with fewer transactions than it counts. It ends within `within` ms; where
 * no source was read to the end, the result is that of the source that was read furthest, marked as incomplete.
 */
export const make = (
  facts: UtxoAddress.AddressFacts,
  sources: ReadonlyArray<IndexerSource>,
  within: number,
  nobody: Unread
) => {
  const candidates = inPreference(sources)

  const inOrder = ({ address, limit, since }: HistoryQuery) => {
    // What is new since the last time fits into a page of any of them.
    const far = ({ history }: HistorySource) => since === undefined && limit > fewCalls * history.perPage
    const rank = (historySource: HistorySource) => (isScarce(historySource) ? 2 : 0) + (far(historySource) ? 1 : 0)
    return candidates.filter(({ takes }) => takes(address)).sort((a, b) => rank(a) - rank(b))
  }

  const toPart = (query: HistoryQuery, best: Progress, error: UpstreamError | undefined, now: number) => {
    const { address, limit } = query
    const rows = ordered(best.transactions).filter(([utxoTransaction]) => isWanted(query)(utxoTransaction))
    const transaction = toTransaction(address, partyNames(facts), now)
    const broken = best.ended === undefined
    return {
      transactions: rows
        .slice(0, limit)
        .map(([row, order]) => transaction(row, order))
        .sort(newestFirst),
      more: rows.length > limit || broken || best.ended === "limit",
      sources: [best.name],
      missing: [
        ...best.missing,
        ...(best.odd > 0 ? [`${best.odd} transactions: ${best.name} returned them in an unexpected format`] : []),
        ...(broken ? [reason(best, error ?? timedOut(best.name))] : [])
      ]
    }
  }

  return (query: HistoryQuery): Effect.Effect<HistoryPart, Unread> =>
    Effect.gen(function* () {
      const start = yield* Clock.currentTimeMillis
      const ordered = inOrder(query)
      const [preferred] = ordered
      if (preferred === undefined) return yield* Effect.fail(nobody)
      const isOwn = concerns(query.address, partyNames(facts))
      let best: Progress | undefined
      let current = preferred
      const ask = (source: HistorySource, others: ReadonlyArray<HistorySource>) =>
        Effect.gen(function* () {
          current = source
          const progress = begun(source, best?.short === true ? best.stated : undefined)
          const left = start + within - (yield* Clock.currentTimeMillis)
          const reading = Effect.ensuring(
            read(source, isOwn, query, progress),
            Effect.sync(() => {
              const further =
                best === undefined ||
                (best.ended === undefined &&
                  (progress.ended !== undefined || progress.transactions.length > best.transactions.length))
              if (progress.pages > 0 && further) best = progress
            })
          )
          // A source that is slow page by page must leave time for the others.
          return yield* others.length === 0
            ? reading
            : Effect.timeoutFail(reading, { duration: left / 2, onTimeout: () => timedOut(source.name) })
        })
      const all = Effect.either(Sources.first(ordered, ask, { none: timedOut(preferred.name) }))
      const ended = yield* Effect.timeoutOption(all, within)
      const error = Option.match(ended, {
        onNone: () => timedOut(current.name),
        onSome: Either.match({ onLeft: (failure) => failure, onRight: () => undefined })
      })
      const now = Math.floor((yield* Clock.currentTimeMillis) / 1000)
      if (best !== undefined) return toPart(query, best, error, now)
      const { message, reason } = error ?? timedOut(current.name)
      return yield* Effect.fail({ reason, message })
    })
}

/** Why a list is not all. */
const reason = (best: Progress, { message }: UpstreamError) =>
  best.short
    ? `${countOfMissing(best)} of ${best.stated?.count} transactions: ${best.name} returns no more`
    : `older transactions: ${message}`

const timedOut = (upstream: string) => new UpstreamError({ upstream, reason: "timeout", detail: "timed out" })
