import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import type { HistoryQuery } from "../../domain/Transaction.ts"
import * as BoundedMap from "../../kernel/collections/BoundedMap.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { type AnyNetwork, timedOut } from "../reading.ts"
import * as HistoryPages from "./HistoryPages.ts"

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
    const { archived, newest, older } = yield* HistoryPages.make(within)
    const scope = yield* Effect.scope
    const recent = BoundedMap.sized<HistoryPages.HistoryRead>(capacity)
    const singleFlight = SingleFlight.make<string, HistoryPages.HistoryRead>(scope)
    const readAt = BoundedMap.sized<number>(maxReadTimes)

    const forget = (key: string) => Effect.map(Clock.currentTimeMillis, (now) => void recent.get(key, now))

    /**
     * When the history of an address was last read, 0 where never: where there are more addresses than calls, those that
     * have waited longest come first, or they would never be read.
     */
    const lastRead = (network: AnyNetwork, address: string) => readAt.get(HistoryPages.keyOf(network, address)) ?? 0

    /**
     * The newest transactions of an address, at least `limit` where it has that many; those up to a height where the page
     * before has ended. A caller with less time, ms, gets what is archived by then; the read goes on.
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
            // Histories can be large: none is cached for longer than it may be served.
            return Effect.forkIn(Effect.delay(forget(key), fresh), scope)
          })
        )
        return yield* singleFlight.join(key, reading)
      })

    return { lastRead, read }
  })
