import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as declare from "../../settings/declare.ts"
import * as Lease from "../../storage/Lease.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import { metrics } from "./metrics.ts"
import { refreshing } from "./refresh.ts"
import { everySeries, keyOf, type Series, type SeriesId } from "./Series.ts"
import * as SeriesSlot from "./SeriesSlot.ts"
import * as Binance from "./sources/Binance.ts"
import * as CoinGeckoSource from "./sources/CoinGecko.ts"
import { stored } from "./storedSeries.ts"

/** A series that could not be had so far. */
export interface MissingSeries extends SeriesId {
  /** Why, for the client. */
  readonly message: string
  /** When it is worth asking again, seconds. */
  readonly retryAfter: number
}

/** The series of candles of a few large coins, fetched before anybody asks. */
export class Charts extends Context.Tag("features/charts/Charts")<
  Charts,
  {
    /** Those of these series that are there now, in this order. A series is replaced as a whole, by another object. */
    readonly held: (wanted: ReadonlyArray<SeriesId>) => ReadonlyArray<Series>
    /**
     * Cannot fail: each of these series is in one of the two, in this order. Waits for the first attempt at a series that
     * is not there yet, for less time than a request has.
     */
    readonly read: (
      wanted: ReadonlyArray<SeriesId>
    ) => Effect.Effect<{ readonly held: ReadonlyArray<Series>; readonly missing: ReadonlyArray<MissingSeries> }>
    /**
     * Fetches what is due, one series at a time, as long as it runs; or takes what another process has fetched. With the
     * setting's default for keyless and demo calls (a 1-day series every 2 hours, a 30-day one every 8, a 365-day one every
     * 24) that is 84 + 21 + 7 = 112 calls a day, about a third of the 10,000 that a demo key has in a month.
     */
    readonly keepFresh: Effect.Effect<never>
  }
>() {
  static readonly layer = Layer.scoped(
    Charts,
    Effect.suspend(() => make)
  )
}

const minute = 60_000

/** How often a process looks whether another one has fetched something: while series are missing, else, and while it fetches. */
const pauses = { missing: 5_000, else: minute, leading: 5 * minute }

/** In a month a keyless or demo caller has a tenth of the calls of the smallest plan with a pro key. */
const defaults = { keyless: 7_200_000, demo: 7_200_000, pro: 1_800_000 }

const make = Effect.gen(function* () {
  const { plan } = yield* CoinGecko
  const base = yield* declare.integer({
    name: "OHLC_REFRESH_MS",
    default: defaults[plan],
    min: 0,
    max: 86_400_000,
    meaning:
      "How often the 1-day charts are fetched, in milliseconds; those of 30 days a quarter as often, those of 365 days a twelfth; 0: never"
  })
  const readingTime = Deadline.make(yield* requestDeadline).share("write")
  const store = yield* stored
  // Longer than two attempts take, so that nobody else begins the same series meanwhile.
  const lease = yield* Lease.make("charts", "150 seconds")
  const places = everySeries.map((id) => SeriesSlot.make(id, base))
  const byKey = new Map(places.map((place) => [place.key, place]))
  const placesOf = (wanted: ReadonlyArray<SeriesId>) => wanted.flatMap((id) => byKey.get(keyOf(id)) ?? [])
  const { age, count } = yield* metrics

  /** Takes what the store has of these and is newer; cannot fail. */
  const follow = Effect.fnUntraced(function* (some: ReadonlyArray<SeriesSlot.SeriesSlot>) {
    const newest = yield* store.load(some.map(({ id }) => id))
    const now = yield* Clock.currentTimeMillis
    for (const place of some) {
      const found = newest.get(place.key)
      if (found !== undefined && SeriesSlot.isNewer(found, place, now)) SeriesSlot.take(place, found)
    }
    age(places, now)
  })

  const refresh = refreshing({
    sources: [yield* CoinGeckoSource.source, yield* Binance.source],
    count,
    keep: store.keep
  })

  /** Whoever waits for the first attempt at one of these waits no longer. */
  const giveUp = (some: ReadonlyArray<SeriesSlot.SeriesSlot>) => {
    for (const { tried } of some) Deferred.unsafeDone(tried, Exit.void)
  }

  const watch = Effect.sleep(minute).pipe(Effect.zipRight(follow(places)), Effect.forever)

  const keepFresh = Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    let leading = false
    while (true) {
      const now = yield* Clock.currentTimeMillis
      age(places, now)
      const next = SeriesSlot.next(places, now)
      if (SeriesSlot.dueAt(next, now) > now) {
        yield* Effect.sleep(Math.min(SeriesSlot.dueAt(next, now) - now, leading ? pauses.leading : pauses.else))
        yield* follow(places)
        continue
      }
      leading = yield* lease.claim
      // Another process may have fetched it since.
      yield* follow(leading ? [next] : places)
      if (leading) {
        const due = SeriesSlot.dueAt(next, now) <= now
        if (due) yield* Effect.provideService(refresh(next), CurrentPriority, priorities.chartRefresh)
        continue
      }
      const missing = places.filter(({ held }) => held === undefined)
      if (now - started >= minute) giveUp(missing)
      yield* Effect.sleep(missing.length > 0 ? pauses.missing : pauses.else)
    }
  })

  yield* follow(places)
  if (base === 0) giveUp(places)

  const held = (wanted: ReadonlyArray<SeriesId>) => placesOf(wanted).flatMap((place) => place.held ?? [])

  return Charts.of({
    held,
    read: Effect.fnUntraced(function* (wanted) {
      const missing = () => placesOf(wanted).filter((place) => place.held === undefined)
      if (missing().length > 0)
        yield* Effect.forEach(missing(), ({ tried }) => Deferred.await(tried), { discard: true }).pipe(
          timeoutOption(readingTime)
        )
      const now = yield* Clock.currentTimeMillis
      return {
        held: held(wanted),
        missing: missing().map((place) => ({
          ...place.id,
          message: base === 0 && place.message === SeriesSlot.notYet ? "fetching is switched off" : place.message,
          retryAfter: Math.max(Math.ceil((SeriesSlot.dueAt(place, now) - now) / 1000), 5)
        }))
      }
    }, span("Charts.read")),
    keepFresh: base === 0 ? watch : keepFresh
  })
})
