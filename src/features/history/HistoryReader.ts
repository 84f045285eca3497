import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { Chain, Unread } from "../../chains/Chain.ts"
import { type HistoryPart, type HistoryPosition, type HistoryQuery, newestFirst } from "../../domain/Transaction.ts"
import * as BoundedMap from "../../kernel/BoundedMap.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import * as Archive from "./Archive.ts"
import { byTime } from "./pages/selectPage.ts"

type AnyNetwork = Context.Tag.Service<Chain>

/** The history of one address, or why there is none; both for an archived history and the reason why there is nothing newer. */
export interface HistoryRead {
  readonly history: HistoryPart | undefined
  readonly failure: Unread | undefined
}

/** What to read of a history. */
type ReadRange = Pick<HistoryQuery, "before" | "limit">

/** How long a history is served again without a read, ms. */
const fresh = 5_000

/** Histories cached for that time. */
const capacity = 1_000

/** Addresses whose last read is remembered. */
const maxReadTimes = 50_000

/** Reads histories: concurrent requests for the same share one read, and archived transactions are not read again. Cannot fail. */
export const make = (within: number) =>
  Effect.gen(function* () {
    const archive = yield* Archive.make
    const scope = yield* Effect.scope
    const recent = BoundedMap.sized<HistoryRead>(capacity)
    const singleFlight = SingleFlight.make<string, HistoryRead>(scope)
    const readAt = BoundedMap.sized<number>(maxReadTimes)

    const query = (network: AnyNetwork, historyQuery: HistoryQuery) =>
      network.history === undefined
        ? Effect.fail(noSource(network))
        : network.history(historyQuery).pipe(
            timeoutFail({ duration: within, onTimeout: () => timedOut }),
            Effect.catchAllDefect((defect) =>
              Effect.zipRight(
                Effect.logError(`${network.facts.id}: internal error`, defect),
                Effect.fail(internalError)
              )
            ),
            Effect.provideService(CurrentPriority, priorities.history)
          )

    const readNew = (network: AnyNetwork, address: string, limit: number) =>
      Effect.gen(function* () {
        const key = keyOf(network, address)
        const archived = (yield* archive.read([key])).get(key)
        const since = Archive.since(archived, limit)
        const result = yield* Effect.either(
          query(network, { address, limit, ...(since === undefined ? {} : { since }) })
        )
        if (Either.isLeft(result))
          return archived === undefined
            ? { history: undefined, failure: result.left }
            : { history: withUnavailable(outdated(archived, result.left)), failure: result.left }
        const fetched = { ...result.right, transactions: [...result.right.transactions].sort(newestFirst) }
        const history = since === undefined || archived === undefined ? fetched : Archive.joined(fetched, archived)
        yield* archive.write(key, history, network.facts.finality, archived)
        return { history: withUnavailable(history), failure: undefined }
      })

    /** A later page. Not from the archive: a page ends where its cursor says, and the archive where it says. */
    const readOlder = (network: AnyNetwork, address: string, limit: number, before: HistoryPosition) =>
      Effect.map(Effect.either(query(network, { address, limit, before })), (result): HistoryRead => {
        if (Either.isLeft(result)) return { history: undefined, failure: result.left }
        const { of, tolerance = 0 } = network.heights ?? byTime
        const transactions = result.right.transactions.filter(
          (transaction) => of(transaction) <= before.height + tolerance
        )
        // The last one of the page before is among them, so that an empty list is no end.
        return transactions.length === 0
          ? { history: undefined, failure: notContinued }
          : { history: withUnavailable({ ...result.right, transactions }), failure: undefined }
      })

    const forget = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => void recent.get(key, now))

    /**
     * When the history of an address was last read, 0 where never: where there are more addresses than calls, those that
     * have waited longest come first, or they would never be read.
     */
    const lastRead = (network: AnyNetwork, address: string) => readAt.get(keyOf(network, address)) ?? 0

    /**
     * The newest transactions of an address, at least `limit` where it has that many; those up to a height where the page
     * before has ended.
     */
    const read = (network: AnyNetwork, address: string, { before, limit }: ReadRange): Effect.Effect<HistoryRead> =>
      Effect.gen(function* () {
        const key = `${network.facts.id} ${limit} ${address} ${before === undefined ? "" : JSON.stringify(before)}`
        const cached = recent.get(key, yield* Clock.currentTimeMillis)
        if (cached !== undefined) return cached
        const page =
          before === undefined ? readNew(network, address, limit) : readOlder(network, address, limit, before)
        const reading = Effect.tap(page, (read) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            if (read.failure !== undefined) return Effect.void
            recent.set(key, read, at + fresh)
            readAt.set(keyOf(network, address), at)
            // Histories can be large: none is cached for longer than it may be served.
            return Effect.forkIn(Effect.delay(forget(key), fresh), scope)
          })
        )
        return yield* singleFlight.join(key, reading)
      })

    return { lastRead, read }
  })

const keyOf = ({ facts: info }: AnyNetwork, address: string) => `${info.id} ${address}`

/** Clients need not know whether a part is missing for now or can never be read. */
const withUnavailable = (history: HistoryPart): HistoryPart => ({
  ...history,
  missing: [...history.missing, ...(history.unavailable ?? [])]
})

const outdated = (archived: Archive.ArchivedHistory, { message }: Unread): HistoryPart => ({
  ...archived,
  missing: [`what is newer than the first transaction: ${message}`]
})

const timedOut: Unread = { reason: "timeout", message: "timed out" }
const notContinued: Unread = {
  reason: "bad_answer",
  message: "its source does not have the transaction at which the page before ended"
}
const internalError: Unread = { reason: "upstream_error", message: "internal error" }

const noSource = ({ facts: info }: AnyNetwork): Unread => ({
  reason: "not_configured",
  message: `no history source for ${info.name}`
})
