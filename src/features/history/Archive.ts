import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { type HistoryPart, newestFirst, Transaction } from "../../domain/Transaction.ts"
import * as Store from "../../storage/Store.ts"

/** The number of final transactions stored for an address, the newest: as many as a request can ask for. */
const maxTransactions = 500

/** Final transactions never change, but an address that is no longer requested need not be stored for ever. */
const retention = "90 days"

/** The final transactions of an address, from the newest to the oldest without a gap, except for those that were pending. */
export const ArchivedHistory = Schema.Struct({
  transactions: Schema.Array(Transaction),
  /** From when on everything has to be requested again, UNIX seconds: not after the newest of them and all that was pending. */
  from: Schema.Int,
  /** Whether there are older ones. */
  more: Schema.Boolean,
  sources: Schema.Array(Schema.String),
  /** Kinds of transactions that no source lists. */
  unavailable: Schema.Array(Schema.String),
  /** Other accounts of the address, by which older transactions are found. */
  accounts: Schema.Array(Schema.String)
})
export type ArchivedHistory = typeof ArchivedHistory.Type

/** The final transactions of the histories read so far, so that the next read requests only new ones. Cannot fail. */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("history", 5, ArchivedHistory)
  const scope = yield* Effect.scope
  return {
    read: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, ArchivedHistory>> =>
      Effect.map(stored.getMany(keys), (found) => new Map([...found].map(([key, { value }]) => [key, value]))),
    /**
     * Stores the final transactions of a history in the background, where they differ from the archived ones. An incomplete
     * history is not stored, nor a short one that does not reach what is archived.
     */
    write: (key: string, history: HistoryPart, finality: number, archived: ArchivedHistory | undefined) =>
      Effect.gen(function* () {
        if (history.missing.length > 0) return
        const at = yield* Clock.currentTimeMillis
        const { from, rest, run } = finalRun(history.transactions, at / 1000 - finality)
        if (run.length === 0) return
        const newest = archived?.transactions[0]?.hash
        const isApart = history.more && !run.some(({ hash }) => hash === newest)
        if (archived !== undefined && isApart && run.length < archived.transactions.length) return
        const value = {
          transactions: run.slice(0, maxTransactions),
          from,
          more: history.more || rest > 0 || run.length > maxTransactions,
          sources: history.sources,
          unavailable: history.unavailable ?? [],
          accounts: history.accounts ?? []
        }
        if (archived !== undefined && isSame(value, archived)) return
        yield* Effect.forkIn(stored.setMany(new Map([[key, { at, value }]]), retention), scope)
      })
  }
})

const sameTransaction = Schema.equivalence(Transaction)

/** Sources are not compared: most reads bring nothing new, and writing a long list is expensive. */
const isSame = (item: ArchivedHistory, other: ArchivedHistory) =>
  item.more === other.more &&
  item.from === other.from &&
  item.unavailable.join() === other.unavailable.join() &&
  item.accounts.join() === other.accounts.join() &&
  item.transactions.length === other.transactions.length &&
  item.transactions.every((transaction, index) => {
    const before = other.transactions[index]
    return transaction === before || (before !== undefined && sameTransaction(transaction, before))
  })

/**
 * The newest transactions that will never change, up to one that may, and how many final ones follow after it. The next
 * read begins with the first of them, so that nothing before it is left out, or with an earlier pending transaction, which
 * may have the same time when it is confirmed.
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

/** From when on transactions have to be requested for this limit; none where the archived ones do not suffice. */
export const since = (archived: ArchivedHistory | undefined, limit: number): number | undefined =>
  archived !== undefined && (!archived.more || archived.transactions.length >= limit) ? archived.from : undefined

/**
 * New and archived transactions as one history. A transaction in both is taken from the new part, unless that is
 * incomplete: the archived part is complete.
 */
export const joined = (fresh: HistoryPart, archived: ArchivedHistory): HistoryPart => {
  const isIncomplete = fresh.missing.length > 0
  const oldest = fresh.transactions.at(-1)
  const reaches =
    !fresh.more ||
    (oldest !== undefined &&
      oldest.timestamp <= archived.from &&
      archived.transactions.some(({ hash }) => hash === oldest.hash))
  // The new part has so many transactions that it does not reach back to the archived ones. A reported gap is another case.
  if (!reaches && !isIncomplete) return fresh
  const [first, second] = isIncomplete ? [archived, fresh] : [fresh, archived]
  const hashes = new Set(first.transactions.map(({ hash }) => hash))
  return {
    transactions: [...first.transactions, ...second.transactions.filter(({ hash }) => !hashes.has(hash))].sort(
      newestFirst
    ),
    more: archived.more,
    sources: [...new Set([...fresh.sources, ...archived.sources])],
    missing: fresh.missing,
    unavailable: [...new Set([...(fresh.unavailable ?? []), ...archived.unavailable])],
    accounts: [...new Set([...(fresh.accounts ?? []), ...archived.accounts])]
  }
}
