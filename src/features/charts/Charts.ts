import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import { type Candles, type ChartPeriod, candleFault } from "../../domain/charts/Ohlc.ts"
import { counters } from "../../kernel/counters.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail, timeoutOption } from "../../kernel/timeout.ts"
import { CoinGecko } from "../../providers/CoinGecko.ts"
import * as declare from "../../settings/declare.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Lease from "../../storage/Lease.ts"
import { dated } from "../../storage/Store.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type LogFailure, Upstreams } from "../../upstream/Upstreams.ts"
import { binance, type ChartSource, coinGecko } from "./ChartSource.ts"
import {
  day,
  dueAt,
  everySeries,
  failSlot,
  isNewer,
  keyOf,
  nextSlot,
  notYet,
  type Series,
  type SeriesId,
  type SeriesSlot,
  Stored,
  shapes,
  slotOf,
  takeSeries
} from "./Series.ts"

/** Allowed difference between clocks, ms. */
const slack = 5 * 60_000

const newestOf = (candles: Candles): number => candles.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY

/** Returns why these candles cannot be the series of this period, or undefined. One invalid candle rejects all. */
export const unusable = (candles: Candles, period: ChartPeriod, now: number): string | undefined => {
  const { candle, span } = shapes[period]
  const fault = candleFault(candles)
  if (fault !== undefined) return fault
  const newest = newestOf(candles)
  if (newest > now + candle + slack) return "returned candles in the future"
  if (newest < now - 3 * candle - Math.min(day, span / 4)) return "returned outdated candles"
  const reach = newest - (candles[0]?.[0] ?? newest)
  if (reach < span / 2 - candle) return "returned candles for only a part of the period"
  return reach > 1.1 * span + candle ? "returned candles for a longer period" : undefined
}

/**
 * Whether the candles cover the period. The number of fixed-length candles in a moving window varies by one, and
 * CoinGecko's months differ in length: 5 % of the candles may be missing.
 */
const coversPeriod = (candles: Candles, period: ChartPeriod): boolean => {
  const { candle, span } = shapes[period]
  return candles.length * candle >= 0.95 * span
}

/**
 * Returns why usable candles do not replace the current series, or undefined if they do. A shorter series never
 * replaces a longer series that is still good, that is, until two refreshes and a candle were missed. After that, half
 * the length is enough: a shorter chart is better than an outdated chart.
 */
export const reasonToKeep = (
  { candles, source }: Pick<Series, "candles" | "source">,
  current: Series,
  every: number,
  now: number
): string | undefined => {
  const { candle } = shapes[current.period]
  const [newest, before] = [newestOf(candles), newestOf(current.candles)]
  // The current series is from before the clock was set back.
  if (before > now + candle + slack) return undefined
  // Sources split the year at different days: the running candle of one source may end before that of another.
  if (newest <= before - (source === current.source ? 1 : candle)) return "returned older candles than before"
  if (coversPeriod(candles, current.period) || candles.length >= current.candles.length) return undefined
  const good = now - before <= 2 * every + candle
  return !good && newest > before && 2 * candles.length >= current.candles.length
    ? undefined
    : "returned fewer candles than before"
}

interface RefreshOptions {
  /** In order of preference. */
  readonly sources: readonly [ChartSource, ChartSource]
  readonly save: (series: Series) => Effect.Effect<void>
  readonly logFailure: LogFailure
}

const unrefreshed = "a chart is not refreshed"

/** Timeout of an attempt; longer than a call waits for its permit and its response. */
const longest = "70 seconds"

/**
 * Fetches one series into its slot. Cannot fail: keeps the series if no source has a better one. Prefers the second
 * source while the circuit of the first is open or its budget is used up.
 */
const refreshing = ({ logFailure, save, sources: [first, second] }: RefreshOptions) => {
  const count = counters("chart_refreshes_total", "Attempts to fetch a series of candles, by source and outcome", {
    source: [first.name, second.name],
    outcome: ["ok", "timeout", "rate_limited", "upstream_error", "bad_answer"]
  })
  const fetched = Effect.fnUntraced(function* (source: ChartSource, { every, id, series: current }: SeriesSlot) {
    const candles = yield* timeoutFail(source.series(id), {
      duration: longest,
      onTimeout: () => new UpstreamError({ upstream: source.name, reason: "timeout", detail: "timed out" })
    })
    const at = yield* Clock.currentTimeMillis
    const fault =
      unusable(candles, id.period, at) ??
      (current === undefined ? undefined : reasonToKeep({ candles, source: source.name }, current, every, at))
    if (fault !== undefined)
      return yield* new UpstreamError({ upstream: source.name, reason: "bad_answer", detail: fault })
    return { ...id, candles, source: source.name, at }
  })

  /** A defect counts as a failed attempt. */
  const attempt = (source: ChartSource, slot: SeriesSlot) =>
    fetched(source, slot).pipe(
      Effect.sandbox,
      Effect.mapError((cause) =>
        Either.match(Cause.failureOrCause(cause), {
          onLeft: (error) => ({ reason: error.reason, message: error.message, log: logFailure(unrefreshed, error) }),
          onRight: (defect) => ({
            reason: "upstream_error",
            message: `${source.name}: returned no usable answer`,
            log: Effect.logWarning(`${unrefreshed}: ${source.name}: returned no usable answer`, defect)
          })
        })
      ),
      Effect.tapError(({ log, reason }) => {
        count(1, source.name, reason)
        return Effect.annotateLogs(log, { coin: slot.id.coin, period: slot.id.period, reason })
      })
    )

  return Effect.fnUntraced(function* (slot: SeriesSlot) {
    const [preferred, other] = Sources.isAvailable(yield* first.standing) ? [first, second] : [second, first]
    const result = yield* Effect.either(Effect.orElse(attempt(preferred, slot), () => attempt(other, slot)))
    if (Either.isLeft(result)) return failSlot(slot, result.left.message, yield* Clock.currentTimeMillis)
    count(1, result.right.source, "ok")
    takeSeries(slot, result.right)
    yield* save(result.right)
  }, span("Charts.refresh"))
}

/** Longer than the longest period: an old chart is better than no chart. */
const retention = "400 days"

/** Series in the store, one entry each, so that a reader never gets a part of a series. Cannot fail. */
export const stored = Effect.map(dated("charts", 1, Stored), (store) => ({
  /** Those of these series that are stored, by key. */
  load: (ids: ReadonlyArray<SeriesId>): Effect.Effect<ReadonlyMap<string, Series>> =>
    Effect.map(store.getMany(ids.map(keyOf)), (found) => {
      const series = new Map<string, Series>()
      for (const id of ids) {
        const entry = found.get(keyOf(id))
        if (entry !== undefined) series.set(keyOf(id), { ...entry.value, ...id, at: entry.at })
      }
      return series
    }),
  save: (series: Series): Effect.Effect<void> => {
    const { at, candles, source } = series
    return store.setMany(new Map([[keyOf(series), { at, value: { candles, source } }]]), retention)
  }
}))

const ages = Metric.gauge("chart_series_age_seconds", {
  description: "Time since each series of candles was fetched, as of the last minutes"
})

/** Reports the ages of series, whose coins and periods are from a fixed list. */
const age = (slots: ReadonlyArray<SeriesSlot>, now: number): void => {
  for (const { id, series } of slots) {
    if (series === undefined) continue
    const gauge = ages.pipe(Metric.tagged("coin", id.coin), Metric.tagged("period", id.period))
    gauge.unsafeUpdate(Math.max(now - series.at, 0) / 1000, [])
  }
}

export interface MissingSeries extends SeriesId {
  /** Why it is missing, for the client. */
  readonly message: string
  /** When to request it again, seconds. */
  readonly retryAfter: number
}

/** The series of candles of a few large coins, fetched in the background. */
export class Charts extends Context.Tag("features/charts/Charts")<
  Charts,
  {
    /** The loaded series among the requested, in this order. A refresh replaces a series by a new object. */
    readonly loaded: (requested: ReadonlyArray<SeriesId>) => ReadonlyArray<Series>
    /**
     * Cannot fail: each requested series is in `series` or `missing`, in this order. Waits for the first attempt at a
     * series that is not loaded yet, within the deadline of a request.
     */
    readonly read: (
      requested: ReadonlyArray<SeriesId>
    ) => Effect.Effect<{ readonly series: ReadonlyArray<Series>; readonly missing: ReadonlyArray<MissingSeries> }>
    /**
     * Fetches due series one at a time while it runs, or loads series that another process has fetched. With the
     * default for keyless and demo calls (a 1-day series every 2 hours, a 30-day series every 8, a 365-day series every
     * 24) that is 84 + 21 + 7 = 112 calls per day, about a third of a demo key's 10,000 calls per month.
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

/** How often to read series stored by other processes: while series are missing, otherwise, and while leading. */
const pauses = { missing: 5_000, otherwise: minute, leading: 5 * minute }

/** A keyless or demo plan has a tenth of the monthly calls of the smallest pro plan. */
const defaults = { keyless: 7_200_000, demo: 7_200_000, pro: 1_800_000 }

interface FetchOptions {
  readonly slots: ReadonlyArray<SeriesSlot>
  readonly lease: Effect.Effect.Success<ReturnType<typeof Lease.make>>
  readonly follow: (slots: ReadonlyArray<SeriesSlot>) => Effect.Effect<void>
  readonly refresh: (slot: SeriesSlot) => Effect.Effect<void>
  readonly endWait: (slots: ReadonlyArray<SeriesSlot>) => void
}

/** Fetches due series while this process has the lease; otherwise loads series stored by the leading process. */
const fetching = ({ follow, endWait, lease, refresh, slots }: FetchOptions): Effect.Effect<never> =>
  Effect.gen(function* () {
    const started = yield* Clock.currentTimeMillis
    let leading = false
    while (true) {
      const now = yield* Clock.currentTimeMillis
      age(slots, now)
      const next = nextSlot(slots, now)
      if (dueAt(next, now) > now) {
        yield* Effect.sleep(Math.min(dueAt(next, now) - now, leading ? pauses.leading : pauses.otherwise))
        yield* follow(slots)
        continue
      }
      leading = yield* lease.claim
      // Another process may have fetched it in the meantime.
      yield* follow(leading ? [next] : slots)
      if (leading) {
        const due = dueAt(next, now) <= now
        if (due) yield* Effect.provideService(refresh(next), CurrentPriority, priorities.chartRefresh)
        continue
      }
      const missing = slots.filter(({ series }) => series === undefined)
      if (now - started >= minute) endWait(missing)
      yield* Effect.sleep(missing.length > 0 ? pauses.missing : pauses.otherwise)
    }
  })

const make = Effect.gen(function* () {
  const { plan } = yield* CoinGecko
  const base = yield* declare.integer({
    name: "OHLC_REFRESH_MS",
    default: defaults[plan],
    min: 0,
    max: 86_400_000,
    meaning:
      "Refresh interval of 1-day charts in milliseconds; 30-day charts: 4 times as long, 365-day charts: 12 times as long; 0: never"
  })
  const readingTime = Deadline.make(yield* requestDeadline).share("write")
  const store = yield* stored
  // Longer than two attempts take, so that no other process starts the same series meanwhile.
  const lease = yield* Lease.make("charts", "150 seconds")
  const slots = everySeries.map((id) => slotOf(id, base))
  const byKey = new Map(slots.map((slot) => [slot.key, slot]))
  const slotsOf = (requested: ReadonlyArray<SeriesId>) => requested.flatMap((id) => byKey.get(keyOf(id)) ?? [])

  /** Loads newer versions of these series from the store. Cannot fail. */
  const follow = Effect.fnUntraced(function* (selected: ReadonlyArray<SeriesSlot>) {
    const newest = yield* store.load(selected.map(({ id }) => id))
    const now = yield* Clock.currentTimeMillis
    for (const slot of selected) {
      const found = newest.get(slot.key)
      if (found !== undefined && isNewer(found, slot, now)) takeSeries(slot, found)
    }
    age(slots, now)
  })

  const refresh = refreshing({
    sources: [yield* coinGecko, yield* binance],
    save: store.save,
    logFailure: yield* Upstreams.logFailure
  })

  /** Ends the wait for the first attempt at these series. */
  const endWait = (selected: ReadonlyArray<SeriesSlot>) => {
    for (const { firstAttempt: tried } of selected) Deferred.unsafeDone(tried, Exit.void)
  }

  const watch = Effect.sleep(minute).pipe(Effect.zipRight(follow(slots)), Effect.forever)

  const keepFresh = fetching({ slots, lease, follow, refresh, endWait })

  yield* follow(slots)
  if (base === 0) endWait(slots)

  const loaded = (requested: ReadonlyArray<SeriesId>) => slotsOf(requested).flatMap((slot) => slot.series ?? [])

  return Charts.of({
    loaded,
    read: Effect.fnUntraced(function* (requested) {
      const missing = () => slotsOf(requested).filter((slot) => slot.series === undefined)
      if (missing().length > 0)
        yield* Effect.forEach(missing(), ({ firstAttempt: tried }) => Deferred.await(tried), { discard: true }).pipe(
          timeoutOption(readingTime)
        )
      const now = yield* Clock.currentTimeMillis
      return {
        series: loaded(requested),
        missing: missing().map((slot) => ({
          ...slot.id,
          message: base === 0 && slot.message === notYet ? "fetching is switched off" : slot.message,
          retryAfter: Math.max(Math.ceil((dueAt(slot, now) - now) / 1000), 5)
        }))
      }
    }, span("Charts.read")),
    keepFresh: base === 0 ? watch : keepFresh
  })
})
