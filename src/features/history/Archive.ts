import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type HistoryPart, newestFirst, Transaction } from "../../domain/Transaction.ts"
import * as Store from "../../storage/Store.ts"

/** So many of the newest final transactions of an address are kept: as many as anybody can ask for. */
const most = 500

/** Final transactions never change, but an address that nobody asks for need not be kept for ever. */
const keptFor = "90 days"

/** The final transactions of an address, without a gap from the newest to the oldest but for those that were pending. */
const ArchivedHistory = Schema.Struct({
  transactions: Schema.Array(Transaction),
  /** From when on all has to be asked for anew, UNIX seconds: the newest of them, and all that was pending, is not below. */
  from: Schema.Int,
  /** Whether there are older ones. */
  more: Schema.Boolean,
  sources: Schema.Array(Schema.String),
  /** What no source lists. */
  unavailable: Schema.Array(Schema.String)
})
export type ArchivedHistory = typeof ArchivedHistory.Type

/** What is final of the histories asked for so far, so that the next request asks only for what is new. Cannot fail. */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("history", 2, ArchivedHistory)
  const scope = yield* Effect.scope
  return {
    read: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, ArchivedHistory>> =>
      Effect.map(stored.getMany(keys), (found) => new Map([...found].map(([key, { value }]) => [key, value]))),
    /**
     * Keeps what is final of a history, behind the answer, where that is not what is kept already. What is known to lack
     * something is not kept.
     */
    write: (key: string, history: HistoryPart, finality: number, kept: ArchivedHistory | undefined) =>
      Effect.gen(function* () {
        if (history.missing.length > 0) return
        const at = yield* Clock.currentTimeMillis
        const { from, rest, run } = finalRun(history.transactions, at / 1000 - finality)
        if (run.length === 0) return
        const value = {
          transactions: run.slice(0, most),
          from,
          more: history.more || rest > 0 || run.length > most,
          sources: history.sources,
          unavailable: history.unavailable ?? []
        }
        if (kept !== undefined && isSame(value, kept)) return
        yield* Effect.forkIn(stored.setMany(new Map([[key, { at, value }]]), keptFor), scope)
      })
  }
})

const sameTransaction = Schema.equivalence(Transaction)

/** Who told it does not matter: most requests bring nothing new, and a long list is much to write. */
const isSame = (item: ArchivedHistory, other: ArchivedHistory) =>
  item.more === other.more &&
  item.from === other.from &&
  item.unavailable.join() === other.unavailable.join() &&
  item.transactions.length === other.transactions.length &&
  item.transactions.every((transaction, index) => {
    const before = other.transactions[index]
    return transaction === before || (before !== undefined && sameTransaction(transaction, before))
  })

/**
 * The newest transactions that will never be told in another way, up to one that may be, and how many there are from that
 * one on. What is asked for next begins with the first of them, so that nothing below it may be left out, or with what is
 * pending below that: it may keep its time when it is confirmed.
 */
const finalRun = (all: ReadonlyArray<Transaction>, before: number) => {
  const settled = all.filter(({ status }) => status !== "Pending")
  const isFinal = ({ status, timestamp }: Transaction) => timestamp < before && status !== "Unknown"
  const begin = settled.findIndex(isFinal)
  const final = begin < 0 ? [] : settled.slice(begin)
  const end = final.findIndex((item) => !isFinal(item))
  const run = end < 0 ? final : final.slice(0, end)
  const waiting = all.flatMap(({ status, timestamp }) => (status === "Pending" ? [timestamp - 1] : []))
  const from = Math.min(...run.slice(0, 1).map(({ timestamp }) => timestamp), ...waiting)
  return { from, run, rest: final.length - run.length }
}

/** From when on transactions have to be asked for, where so many are wanted: none where what is kept does not suffice. */
export const since = (kept: ArchivedHistory | undefined, limit: number): number | undefined =>
  kept !== undefined && (!kept.more || kept.transactions.length >= limit) ? kept.from : undefined

/**
 * What is new and what is kept as one history. A hash that both have is told as the new one tells it, unless that lacks
 * something: what is kept lacks nothing.
 */
export const joined = (fresh: HistoryPart, kept: ArchivedHistory): HistoryPart => {
  const lacks = fresh.missing.length > 0
  const oldest = fresh.transactions.at(-1)
  const reaches =
    !fresh.more ||
    (oldest !== undefined &&
      oldest.timestamp <= kept.from &&
      kept.transactions.some(({ hash }) => hash === oldest.hash))
  // So much is new that it does not reach back to what is kept. A gap that is told is another matter.
  if (!reaches && !lacks) return fresh
  const [first, second] = lacks ? [kept, fresh] : [fresh, kept]
  const hashes = new Set(first.transactions.map(({ hash }) => hash))
  return {
    transactions: [...first.transactions, ...second.transactions.filter(({ hash }) => !hashes.has(hash))].sort(
      newestFirst
    ),
    more: kept.more,
    sources: [...new Set([...fresh.sources, ...kept.sources])],
    missing: fresh.missing,
    unavailable: [...new Set([...(fresh.unavailable ?? []), ...kept.unavailable])]
  }
}
