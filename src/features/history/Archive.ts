import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { Gap, isOpen, textsOf, union } from "../../domain/history/Gap.ts"
import { type HistoryPart, type HistoryQuery, newestFirst, Transaction, tokensOf } from "../../domain/Transaction.ts"
import { distance, least, now, numberOf, Seconds, seconds, shift, toSeconds } from "../../domain/units.ts"
import * as Store from "../../storage/Store.ts"

/** Maximum number of final transactions stored per address, the newest: the maximum limit of a request. */
export const maxTransactions = 500

/** Final transactions never change, but addresses that are no longer requested expire. */
const retention = "90 days"

/** The final transactions of an address, newest first, without gaps except for transactions that were pending. */
export const ArchivedHistory = Schema.Struct({
  transactions: Schema.Array(Transaction),
  /** The next read starts at this time: not after the newest transaction and all pending transactions. */
  from: Seconds,
  /** Whether older transactions exist. */
  more: Schema.Boolean,
  sources: Schema.Array(Schema.String),
  /** Those from which they were last read as a whole. */
  listedBy: Schema.optionalWith(Schema.Array(Schema.String), { default: () => [] }),
  /** Parts that no later read returns. */
  gaps: Schema.Array(Gap),
  /** Other accounts of the address, through which older transactions are found. */
  accounts: Schema.Array(Schema.String),
  /** When the newest of them were last read again. */
  readAt: Schema.optionalWith(Seconds, { default: () => seconds(0) })
})
export type ArchivedHistory = typeof ArchivedHistory.Type

/** Archive of the final transactions read so far, so that the next read requests only new transactions. Cannot fail. */
export const make = Effect.gen(function* () {
  const stored = yield* Store.dated("history", 7, ArchivedHistory)
  const scope = yield* Effect.scope
  return {
    read: (keys: ReadonlyArray<string>): Effect.Effect<ReadonlyMap<string, ArchivedHistory>> =>
      Effect.map(stored.getMany(keys), (found) => new Map([...found].map(([key, { value }]) => [key, value]))),
    /**
     * Stores the final transactions of a history in the background if they differ from the archive. Does not store an
     * incomplete or provisional history, or a short history that does not reach the archived transactions. `isWhole`
     * if the archived transactions were read again, from the sources `readFrom`.
     */
    write: (
      key: string,
      history: HistoryPart,
      finality: number,
      archived: ArchivedHistory | undefined,
      isWhole: boolean,
      readFrom = history.sources
    ) =>
      Effect.gen(function* () {
        if (isOpen(history.gaps) || history.provisional === true) return
        const at = yield* now
        const { from, rest, run } = finalRun(history.transactions, shift(toSeconds(at), -finality))
        if (run.length === 0) return
        const newest = archived?.transactions[0]?.hash
        const isApart = history.more && !run.some(({ hash }) => hash === newest)
        if (archived !== undefined && isApart && run.length < archived.transactions.length) return
        const value = {
          transactions: run.slice(0, maxTransactions),
          from,
          more: history.more || rest > 0 || run.length > maxTransactions,
          sources: history.sources,
          listedBy: isWhole || archived === undefined ? readFrom : archived.listedBy,
          gaps: history.gaps,
          accounts: history.accounts ?? [],
          readAt: isWhole || archived === undefined ? toSeconds(at) : archived.readAt
        }
        if (archived !== undefined && isSame(value, archived)) return
        yield* Effect.forkIn(stored.setMany(new Map([[key, { at: numberOf(at), value }]]), retention), scope)
      })
  }
})

const sameTransaction = Schema.equivalence(Transaction)

/** Does not compare sources: most reads return no new transactions, and writing a long list is expensive. */
const isSame = (history: ArchivedHistory, other: ArchivedHistory) =>
  history.more === other.more &&
  history.from === other.from &&
  history.readAt === other.readAt &&
  textsOf(history.gaps).join() === textsOf(other.gaps).join() &&
  history.accounts.join() === other.accounts.join() &&
  history.transactions.length === other.transactions.length &&
  history.transactions.every((transaction, index) => {
    const before = other.transactions[index]
    return transaction === before || (before !== undefined && sameTransaction(transaction, before))
  })

/**
 * Returns the newest final transactions (`run`), up to the first that may still change, and the number of final
 * transactions after it (`rest`). The next read starts at the first transaction of the run, so that none before it is
 * missed, or at an earlier pending transaction, which may keep its time when it is confirmed.
 */
const finalRun = (all: ReadonlyArray<Transaction>, before: Seconds) => {
  const settled = all.filter(({ status }) => status !== "Pending")
  const isFinal = ({ status, timestamp }: Transaction) => timestamp < before && status !== "Unknown"
  const begin = settled.findIndex(isFinal)
  const final = begin < 0 ? [] : settled.slice(begin)
  const end = final.findIndex((transaction) => !isFinal(transaction))
  const run = end < 0 ? final : final.slice(0, end)
  const waiting = all.flatMap(({ status, timestamp }) => (status === "Pending" ? [shift(timestamp, -1)] : []))
  const from = least(...run.slice(0, 1).map(({ timestamp }) => timestamp), ...waiting)
  return { from, run, rest: final.length - run.length }
}

/** A source may list a transaction this much later than those after it, seconds. */
const lateness = 7_200

/** After this time archived transactions are read again, seconds: a source may have added others among them. */
const validity = 24 * 60 * 60

/**
 * Why all transactions must be requested for this limit: none or too few are archived, or they were not read again for a
 * day. Undefined if only the new ones must be.
 */
export const whyAll = (
  archived: ArchivedHistory | undefined,
  limit: number,
  clock: Seconds
): "first" | "limit" | "day" | undefined => {
  if (archived === undefined) return "first"
  if (archived.more && archived.transactions.length < limit) return "limit"
  return Math.abs(distance(archived.readAt, clock)) < validity ? undefined : "day"
}

/**
 * The range of a query for new transactions, and those that are known before it. Times are no order of the pages by more
 * than `disorder` seconds: that close to the oldest archived one, a late transaction may be older.
 */
export const newer = (
  { from, more, transactions }: ArchivedHistory,
  disorder = 0
): Pick<HistoryQuery, "after" | "late" | "tokens"> & { readonly since: Seconds } => {
  const since = shift(from, -lateness)
  const before = transactions.find(({ timestamp }) => timestamp < since)
  const oldest = more ? transactions.at(-1) : undefined
  const moved = new Set(tokensOf(transactions))
  return {
    since,
    late: {
      after: oldest === undefined ? seconds(0) : shift(oldest.timestamp, disorder),
      known: new Set(transactions.map(({ hash }) => hash))
    },
    ...(before === undefined ? {} : { after: before.hash }),
    ...(moved.size === 0 ? {} : { tokens: [...moved] })
  }
}

/**
 * Returns a part that was read, newest first, without late transactions of another source than that of the last whole
 * reading: it may list more than theirs does, and a later read from theirs would lack them. Nor has it late ones of
 * unknown result, after which no archived one would be final.
 */
export const compared = (part: HistoryPart, archived: ArchivedHistory | undefined, since: Seconds | undefined) => {
  const isOfSame = archived === undefined || part.sources.every((source) => archived.listedBy.includes(source))
  const isNew = ({ status, timestamp }: Transaction) =>
    (isOfSame && status !== "Unknown") || since === undefined || timestamp >= since || status === "Pending"
  return { ...part, transactions: part.transactions.filter(isNew).sort(newestFirst) }
}

/** Whether a transaction has all movements of an archived one, and more, or a fee that was unknown. */
const isRicher = (transaction: Transaction, archived: Transaction): boolean => {
  const sides = ["from", "to"] as const
  const textsOf = (row: Transaction) =>
    sides.flatMap((side) => row[side].map(({ address, amount, token }) => `${side} ${address} ${amount} ${token}`))
  const [texts, before] = [textsOf(transaction), textsOf(archived)]
  const hasAll = transaction.status === archived.status && before.every((text) => texts.includes(text))
  return hasAll && (texts.length > before.length || (archived.fee === null && transaction.fee !== null))
}

/** The number of archived transactions, the newest, in the time of this part. */
const coveredBy = ({ more, transactions }: HistoryPart, archived: ArchivedHistory): number =>
  more
    ? 1 + archived.transactions.findIndex(({ hash }) => hash === transactions.at(-1)?.hash)
    : archived.transactions.length

/** The most late transactions that a source adds at once; more contradict its earlier lists. */
const maxLate = 20

/**
 * The hashes of transactions of a part that the archive lacks among its own, if they are more than a source adds late: a
 * single answer must not push out what several readings have confirmed.
 */
export const addedIn = (fresh: HistoryPart, archived: ArchivedHistory): ReadonlyArray<string> => {
  const since = shift(archived.from, -lateness)
  const oldest = archived.more ? (archived.transactions.at(-1)?.timestamp ?? since) : seconds(0)
  const known = new Set(archived.transactions.map(({ hash }) => hash))
  const added = fresh.transactions.flatMap(({ hash, status, timestamp }) =>
    status !== "Pending" && timestamp < since && timestamp >= oldest && !known.has(hash) ? [hash] : []
  )
  return added.length > maxLate ? added : []
}

const placeOf = ({ order, timestamp }: Transaction) => `${timestamp} ${order}`

/**
 * Whether a part has a transaction that the archive lacks, at the place of an archived one: places count from the newest
 * transaction of a block, so that those of the others have changed too.
 */
export const isBetween = (fresh: HistoryPart, archived: ArchivedHistory | undefined): boolean => {
  const stored = archived?.transactions ?? []
  const known = new Set(stored.map(({ hash }) => hash))
  const added = fresh.transactions.filter(({ hash, status }) => status !== "Pending" && !known.has(hash))
  const places = new Set(added.map(placeOf))
  return places.size > 0 && stored.some((transaction) => places.has(placeOf(transaction)))
}

/** The hashes of archived transactions that a part lacks although they are in its time. They are final. */
export const lostIn = (fresh: HistoryPart, archived: ArchivedHistory): ReadonlyArray<string> => {
  const hashes = new Set(fresh.transactions.map(({ hash }) => hash))
  return archived.transactions
    .slice(0, coveredBy(fresh, archived))
    .flatMap(({ hash }) => (hashes.has(hash) ? [] : hash))
}

/**
 * Merges new and archived transactions. Of a transaction in both, the archived one stays, unless the new one is richer:
 * its source may have returned a part of it. If the archived transactions were read again (`isWhole`), the new part
 * replaces those that it covers. A part that is incomplete or of a poorer source replaces none.
 */
export const joined = (fresh: HistoryPart, archived: ArchivedHistory, isWhole: boolean): HistoryPart => {
  const isIncomplete = isOpen(fresh.gaps)
  const isPoor = isIncomplete || fresh.provisional === true
  const oldest = fresh.transactions.at(-1)
  const reaches =
    !fresh.more ||
    (oldest !== undefined &&
      oldest.timestamp <= archived.from &&
      archived.transactions.some(({ hash }) => hash === oldest.hash))
  // Too many new transactions: the new part does not reach the archive. A reported gap is handled below.
  if (!isIncomplete && !reaches) return fresh
  if (isWhole && !isPoor && !fresh.more) return fresh
  const remaining = isWhole && !isPoor ? archived.transactions.slice(coveredBy(fresh, archived)) : archived.transactions
  const rows = new Map(remaining.map((transaction) => [transaction.hash, transaction]))
  for (const transaction of fresh.transactions) {
    const before = rows.get(transaction.hash)
    if (before === undefined || (!isPoor && isRicher(transaction, before))) rows.set(transaction.hash, transaction)
  }
  return {
    transactions: [...rows.values()].sort(newestFirst),
    more: archived.more,
    sources: [...new Set([...fresh.sources, ...archived.sources])],
    gaps: union(fresh.gaps, archived.gaps),
    provisional: fresh.provisional ?? false,
    accounts: [...new Set([...(fresh.accounts ?? []), ...archived.accounts])]
  }
}
