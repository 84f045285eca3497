import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { type AnyNetwork, timedOut } from "../reading.ts"
import * as HistoryPages from "./HistoryPages.ts"

/** The part of a history to read. */
type ReadRange = Pick<HistoryQuery, "before" | "limit">

/** How long a history is served from memory, ms. */
const fresh = 5_000

/** Maximum number of cached histories. */
const capacity = 1_000

/** Maximum number of addresses whose last read time is stored. */
const maxReadTimes = 50_000

/** Reads histories, except archived transactions. Concurrent equal requests share a read. Cannot fail. */
export const make = (within: number) =>
  Effect.gen(function* () {
    const { archived, newest, older } = yield* HistoryPages.make(within)
    const scope = yield* Effect.scope
    const recent = BoundedMap.sized<HistoryPages.HistoryRead>(capacity)
    const singleFlight = SingleFlight.make<string, HistoryPages.HistoryRead>(scope)
    const readAt = BoundedMap.sized<number>(maxReadTimes)

    const forget = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => void recent.get(key, now))

    /**
     * Time of the last read of an address's history, 0 if never. With more addresses than allowed calls, the least
     * recently read addresses come first; otherwise they would never be read.
     */
    const lastRead = (network: AnyNetwork, address: string) => readAt.get(HistoryPages.keyOf(network, address)) ?? 0

    /**
     * The newest transactions of an address, at least `limit` if it has that many; with `before`, those up to its
     * height. If `within` (ms) passes first, returns the archived transactions, and the read continues.
     */
    const read = (
      network: AnyNetwork,
      address: string,
      range: ReadRange,
      within?: number
    ): Effect.Effect<HistoryPages.HistoryRead> => {
      if (within === undefined) return readShared(network, address, range)
      const onTimeout = () =>
        range.before === undefined
          ? archived(network, address)
          : Effect.succeed({ history: undefined, failure: timedOut })
      return timeoutTo(readShared(network, address, range), { duration: within, onTimeout })
    }

    const readShared = (
      network: AnyNetwork,
      address: string,
      { before, limit }: ReadRange
    ): Effect.Effect<HistoryPages.HistoryRead> =>
      Effect.gen(function* () {
        const key = `${network.facts.id} ${limit} ${address} ${before === undefined ? "" : JSON.stringify(before)}`
        const cached = recent.get(key, yield* Clock.currentTimeMillis)
        if (cached !== undefined) return cached
        const page = before === undefined ? newest(network, address, limit) : older(network, address, limit, before)
        const reading = Effect.tap(page, (read) =>
          Effect.flatMap(Clock.currentTimeMillis, (at) => {
            if (read.failure !== undefined) return Effect.void
            recent.set(key, read, at + fresh)
            readAt.set(HistoryPages.keyOf(network, address), at)
            // Histories can be large: they are removed as soon as they expire.
            return Effect.forkIn(Effect.delay(forget(key), fresh), scope)
          })
        )
        return yield* singleFlight.join(key, reading)
      })

    return { lastRead, read }
  })
