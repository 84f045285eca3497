import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type { ReadFailure } from "../../chains/Chain.ts"
import { heightsOf } from "../../chains/kit/history/heights.ts"
import { isPossibleTime, maxHeightOf } from "../../chains/kit/status/currentHead.ts"
import { gap } from "../../domain/history/Gap.ts"
import type { HistoryPart, HistoryPosition, HistoryQuery, Movement, Transaction } from "../../domain/Transaction.ts"
import { distance, type Millis, now, position, shift, toSeconds } from "../../domain/units.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import { type AnyNetwork, guarded, sharedReads, timedOut } from "../reading.ts"
import * as Archive from "./Archive.ts"
import { rereadCounter } from "./historyCounter.ts"
import { digest } from "./pages/PageCursor.ts"
import { hasHeight } from "./pages/selectPage.ts"

/** The history of one address, or why it could not be read. Has both if an archived history could not be updated. */
export interface HistoryRead {
  readonly history: HistoryPart | undefined
  readonly failure: ReadFailure | undefined
}

/** Key of an address across all networks. */
export const keyOf = ({ facts: info }: AnyNetwork, address: string) => `${storedAs(info)} ${address}`

/** Reads pages of histories and merges archived transactions. Cannot fail; a read ends within this time, ms. */
export const make = (within: number, networks: ReadonlyArray<{ readonly id: string }>) =>
  Effect.gen(function* () {
    const archive = yield* Archive.make
    const countAgain = rereadCounter(networks)
    const repeats = yield* repeatsOf

    const query = (network: AnyNetwork, historyQuery: HistoryQuery) =>
      network.history === undefined
        ? Effect.fail(noSource(network))
        : guarded(network, within, possible(network, network.history, historyQuery)).pipe(
            Effect.provideService(CurrentPriority, priorities.history)
          )

    /** The newest transactions. Reads only those that the archive does not have. */
    const newest = (network: AnyNetwork, address: string, limit: number): Effect.Effect<HistoryRead> =>
      Effect.gen(function* () {
        const key = keyOf(network, address)
        const archived = (yield* archive.read([key])).get(key)
        const clock = yield* now
        const doubt = repeats.open(key)
        const reason = doubt ?? Archive.whyAll(archived, limit, toSeconds(clock))
        if (archived !== undefined) countAgain(network.facts.id, reason)
        const { disorder } = heightsOf(network)
        const newer = archived === undefined || reason !== undefined ? undefined : Archive.newer(archived, disorder)
        const isWhole = newer === undefined
        const stored = archived?.transactions.length ?? 0
        // Reading stored transactions again with a small page would leave most of them unread for another day.
        const most = isWhole && repeats.begin(key, clock) ? Math.max(limit, withSpare(stored, reason)) : limit
        const result = yield* Effect.either(query(network, { address, limit: most, ...newer }))
        if (Either.isLeft(result)) return failed(archived, result.left)
        if (doubt !== undefined) repeats.close(key)
        const fetched = Archive.compared(result.right, archived, newer?.since)
        const lost = isWhole && archived !== undefined ? Archive.lostIn(fetched, archived) : []
        const added = archived === undefined ? [] : Archive.addedIn(fetched, archived)
        const changed = [...lost, ...added]
        const isBelieved =
          isWhole && most >= stored && (changed.length === 0 || repeats.isRepeated(key, digest(changed.join()), clock))
        const read = isBelieved ? fetched : withGaps(fetched, lost.length, added)
        const history = archived === undefined ? read : Archive.joined(read, archived, isBelieved)
        const isContradicted =
          !isWhole && (added.length > 0 || isShort(history, fetched) || Archive.isBetween(fetched, archived))
        if (isContradicted && repeats.doubt(key, clock, "count")) return yield* newest(network, address, limit)
        yield* archive.write(key, history, network.facts.finality, archived, isBelieved, fetched.sources)
        return { history, failure: undefined }
      })

    /** A later page. Has no rows of the archive, because its end differs from the cursor's position. */
    const older = (network: AnyNetwork, address: string, limit: number, before: HistoryPosition) =>
      Effect.gen(function* () {
        const result = yield* Effect.either(query(network, { address, limit, before }))
        if (Either.isLeft(result)) return { history: undefined, failure: result.left }
        const { of, tolerance = 0 } = heightsOf(network)
        const transactions = result.right.transactions.filter(
          (transaction) => of(transaction) <= shift(before.height, tolerance)
        )
        // Without it, this source may also lack others between the pages.
        const isContinued = before.mayMove === true || transactions.some(({ hash }) => hash === before.last)
        const read: HistoryRead = isContinued
          ? { history: { ...result.right, transactions }, failure: undefined }
          : { history: undefined, failure: notContinued }
        return read
      })

    /** The archived history of an address, for a caller whose time for a read is over. */
    const archived = (network: AnyNetwork, address: string) => {
      const key = keyOf(network, address)
      return Effect.map(archive.read([key]), (found) => failed(found.get(key), timedOut))
    }

    /** Reads the newest transactions of an address as a whole the next time: the archive contradicts its balance. */
    const doubt = (network: AnyNetwork, text: string): Effect.Effect<void> =>
      Effect.map(now, (clock) =>
        Either.match(network.address(text), {
          onLeft: () => undefined,
          onRight: (address) => void repeats.doubt(keyOf(network, address), clock, "sum")
        })
      )

    return { archived, doubt, newest, older }
  })

/** Transactions since the last reading push as many stored ones out of a reading of all stored ones. */
const spare = 50

/** The number of transactions to request so that all stored ones are read again. */
const withSpare = (stored: number, reason: string | undefined): number =>
  reason === "limit" || stored === 0 ? stored : Math.max(stored, Math.min(stored + spare, Archive.maxTransactions))

/** An archived history is read as a whole for a contradiction at most this often, ms. */
const repeatInterval = 3_600_000

/** What contradicts an archived history: the balance of its address, or its source's number of transactions. */
type Doubt = "sum" | "count"

/** The archived histories to read as a whole, because something contradicts them. */
const repeatsOf = Effect.map(
  Effect.all([
    BoundedMap.sized<{ readonly at: Millis; readonly reason: Doubt; readonly isOpen: boolean }>(
      "doubted histories",
      10_000
    ),
    BoundedMap.sized<Millis>("whole reads of histories", 10_000),
    BoundedMap.sized<{ readonly at: Millis; readonly change: string }>("changed histories", 10_000)
  ]),
  ([doubts, begun, changes]) => ({
    /** False if the history was doubted before, within the interval. */
    doubt: (key: string, at: Millis, reason: Doubt): boolean => {
      const before = doubts.get(key)
      const isNew = before === undefined || Math.abs(distance(before.at, at)) >= repeatInterval
      if (isNew) doubts.set(key, { at, reason, isOpen: true })
      return isNew
    },
    /** Why to read a history as a whole, until it was read. */
    open: (key: string): Doubt | undefined => {
      const found = doubts.get(key)
      return found?.isOpen === true ? found.reason : undefined
    },
    close: (key: string): void => {
      const found = doubts.get(key)
      if (found !== undefined) doubts.set(key, { ...found, isOpen: false })
    },
    /** Whether a list differed from the stored transactions by the same ones before, at least the interval earlier. */
    isRepeated: (key: string, change: string, at: Millis): boolean => {
      const before = changes.get(key)
      if (before?.change !== change) changes.set(key, { at, change })
      return before?.change === change && Math.abs(distance(before.at, at)) >= repeatInterval
    },
    /** False if all stored transactions were requested before, within the interval: an incomplete read is not stored. */
    begin: (key: string, at: Millis): boolean => {
      const before = begun.get(key)
      const isDue = before === undefined || Math.abs(distance(before, at)) >= repeatInterval
      if (isDue) begun.set(key, at)
      return isDue
    }
  })
)

/** A part of a source that does not list as many transactions as before, or others among them, which it then lacks. */
const withGaps = (part: HistoryPart, lost: number, added: ReadonlyArray<string>): HistoryPart => {
  if (lost === 0 && added.length === 0) return part
  const sources = part.sources.join(", ")
  const gaps = [
    ...(lost > 0 ? [`${sources} does not list ${lost} transactions that were listed before`] : []),
    ...(added.length > 0 ? [`${sources} lists ${added.length} old transactions that it did not list before`] : [])
  ]
  return {
    ...part,
    transactions: part.transactions.filter(({ hash }) => !added.includes(hash)),
    gaps: [...part.gaps, ...gaps.map((text) => gap("transactions", text))]
  }
}

/** Whether the source states more transactions than are known. */
const isShort = ({ more, transactions }: HistoryPart, { stated = 0 }: HistoryPart): boolean =>
  !more && transactions.filter(({ status }) => status !== "Pending").length < stated

/** Reads as many more as are impossible, so that those do not hide the others. */
const possible = (
  network: AnyNetwork,
  history: NonNullable<AnyNetwork["history"]>,
  historyQuery: HistoryQuery,
  extra = 0
): Effect.Effect<HistoryPart, ReadFailure> =>
  Effect.flatMap(Effect.zip(history({ ...historyQuery, limit: historyQuery.limit + extra }), now), ([part, clock]) => {
    const { history: read, impossible } = withoutImpossible(network, part, clock)
    return part.more && impossible > extra && extra < maxExtra
      ? possible(network, history, historyQuery, Math.min(2 * impossible, maxExtra))
      : Effect.succeed(read)
  })

/** Maximum number of impossible transactions that are skipped. */
const maxExtra = 100

/** The part of a history to read. */
type ReadRange = Pick<HistoryQuery, "before" | "limit">

/** How long a history is served from memory, ms. */
const fresh = 5_000

/** Maximum number of cached histories. */
const capacity = 1_000

/** Maximum number of addresses whose last read time is stored. */
const maxReadTimes = 50_000

/** Reads histories, except archived transactions. Concurrent equal requests share a read. Cannot fail. */
export const reader = (within: number, networks: ReadonlyArray<{ readonly id: string }>) =>
  Effect.gen(function* () {
    const { archived, doubt, newest, older } = yield* make(within, networks)
    const once = yield* sharedReads<HistoryRead>("histories", capacity)
    const readAt = yield* BoundedMap.sized<number>("times of history reads", maxReadTimes)

    /**
     * Time of the last read of an address's history, 0 if never. With more addresses than allowed calls, the least
     * recently read addresses come first; otherwise they would never be read.
     */
    const lastRead = (network: AnyNetwork, address: string) => readAt.get(keyOf(network, address)) ?? 0

    /**
     * The newest transactions of an address, at least `limit` if it has that many; with `before`, those up to its
     * height. If `within` (ms) passes first, returns the archived transactions, and the read continues.
     */
    const read = (
      network: AnyNetwork,
      address: string,
      range: ReadRange,
      within?: number
    ): Effect.Effect<HistoryRead> => {
      if (within === undefined) return readShared(network, address, range)
      const onTimeout = () =>
        range.before === undefined
          ? archived(network, address)
          : Effect.succeed({ history: undefined, failure: timedOut })
      return timeoutTo(readShared(network, address, range), { duration: within, onTimeout })
    }

    const readShared = (network: AnyNetwork, address: string, { before, limit }: ReadRange) => {
      const key = `${network.facts.id} ${limit} ${address} ${before === undefined ? "" : JSON.stringify(before)}`
      const page = before === undefined ? newest(network, address, limit) : older(network, address, limit, before)
      const reading = Effect.tap(page, ({ failure }) =>
        failure === undefined
          ? Effect.map(Clock.currentTimeMillis, (at) => readAt.set(keyOf(network, address), at))
          : Effect.void
      )
      return once(key, reading, ({ failure }, now) => (failure === undefined ? now + fresh : undefined))
    }

    return { doubt, lastRead, read }
  })

const failed = (archived: Archive.ArchivedHistory | undefined, failure: ReadFailure): HistoryRead => ({
  history: archived && outdated(archived, failure),
  failure
})

/** Characters that no address has: invalid UTF-8, and control or invisible characters that change the display. */
const invalidCharacters = /[\p{C}\ufffd]/u

/** Replaces garbled addresses of a transaction's parties by `Unknown`. */
const maskGarbledParties = (transaction: Transaction): Transaction => {
  const named = (side: ReadonlyArray<Movement>) =>
    side.map((movement) => (invalidCharacters.test(movement.address) ? { ...movement, address: "Unknown" } : movement))
  const { from, to } = transaction
  return [...from, ...to].some(({ address }) => invalidCharacters.test(address))
    ? { ...transaction, from: named(from), to: named(to) }
    : transaction
}

/**
 * Removes transactions whose time or height is impossible for the network, and reports their number in `gaps`. A
 * cursor with such a height would be refused.
 */
const withoutImpossible = (network: AnyNetwork, part: HistoryPart, clock: Millis) => {
  const { max, of } = heightsOf(network)
  const highest = max(clock)
  const highestBlock = maxHeightOf(network.facts, clock)
  const isPossible = (transaction: Transaction) => {
    const height = of(transaction)
    return (
      isPossibleTime(network.facts, transaction.timestamp, clock) &&
      (!hasHeight(height) || (height >= position(0) && height <= highest)) &&
      (transaction.block === undefined || transaction.block <= highestBlock)
    )
  }
  const transactions = part.transactions.filter(isPossible).map(maskGarbledParties)
  const impossible = part.transactions.length - transactions.length
  if (impossible === 0) return { history: { ...part, transactions }, impossible }
  const reason = `${impossible} ${impossible === 1 ? "transaction" : "transactions"}: returned with a time or height that is impossible for the network`
  return { history: { ...part, transactions, gaps: [...part.gaps, gap("transactions", reason)] }, impossible }
}

const outdated = (archived: Archive.ArchivedHistory, { message }: ReadFailure): HistoryPart => ({
  ...archived,
  gaps: [gap("newer", `transactions newer than the first: ${message}`), ...archived.gaps]
})

const notContinued: ReadFailure = {
  reason: "bad_answer",
  message: "its source does not have the last transaction of the previous page"
}
const noSource = ({ facts: info }: AnyNetwork): ReadFailure => ({
  reason: "not_configured",
  message: `no history source for ${info.name}`
})
