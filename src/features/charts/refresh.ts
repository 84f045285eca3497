import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { type Candles, type ChartPeriod, faultOf } from "../../domain/Ohlc.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { LogFailure } from "../../upstream/FailureLog.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ChartSource } from "./ChartSource.ts"
import { day, type Series, shapes } from "./Series.ts"
import * as SeriesSlot from "./SeriesSlot.ts"

/** Allowed difference between clocks, ms. */
const slack = 5 * 60_000

const newestOf = (candles: Candles): number => candles.at(-1)?.[0] ?? Number.NEGATIVE_INFINITY

/** Why these candles cannot be the series of this period; undefined where they can. One bad candle refuses all. */
export const unusable = (candles: Candles, period: ChartPeriod, now: number): string | undefined => {
  const { candle, span } = shapes[period]
  const fault = faultOf(candles)
  if (fault !== undefined) return fault
  const newest = newestOf(candles)
  if (newest > now + candle + slack) return "returned candles of the future"
  if (newest < now - 3 * candle - Math.min(day, span / 4)) return "returned outdated candles"
  const reach = newest - (candles[0]?.[0] ?? newest)
  if (reach < span / 2 - candle) return "returned candles of only a part of the period"
  return reach > 1.1 * span + candle ? "returned candles of a longer period" : undefined
}

/**
 * Whether the candles cover the period. A moving window over candles of a fixed length contains one more or one less from
 * time to time, and CoinGecko's months differ in length: one candle in twenty may be missing.
 */
const whole = (candles: Candles, period: ChartPeriod): boolean => {
  const { candle, span } = shapes[period]
  return candles.length * candle >= 0.95 * span
}

/**
 * Why usable candles do not replace the current series; undefined where they do. A shorter series never replaces a longer
 * one that is still good, which it is until two refreshes and a candle were missed. After that half the length is enough:
 * a shorter chart is better than an outdated one.
 */
export const inferior = (
  { candles, source }: Pick<Series, "candles" | "source">,
  current: Series,
  every: number,
  now: number
): string | undefined => {
  const { candle } = shapes[current.period]
  const [newest, before] = [newestOf(candles), newestOf(current.candles)]
  // Left from a clock that was set back.
  if (before > now + candle + slack) return undefined
  // Sources divide the year at different days: the running candle of one may end before that of another.
  if (newest <= before - (source === current.source ? 1 : candle)) return "returned older candles than before"
  if (whole(candles, current.period) || candles.length >= current.candles.length) return undefined
  const good = now - before <= 2 * every + candle
  return !good && newest > before && 2 * candles.length >= current.candles.length
    ? undefined
    : "returned fewer candles than before"
}

interface RefreshOptions {
  /** In order of preference. */
  readonly sources: readonly [ChartSource, ChartSource]
  readonly count: (source: string, outcome: string) => void
  readonly save: (series: Series) => Effect.Effect<void>
  readonly logFailure: LogFailure
}

const unrefreshed = "a chart is not refreshed"

/** Longer than a call waits for its permit and its response. */
const longest = "70 seconds"

/**
 * Fetches one series into its slot. Cannot fail: the series stays as it is where no source has a better one. The second
 * source is preferred while the circuit of the first is open or its budget used up.
 */
export const refreshing = ({ count, logFailure, save, sources: [first, second] }: RefreshOptions) => {
  const fetched = Effect.fnUntraced(function* (
    source: ChartSource,
    { every, id, series: current }: SeriesSlot.SeriesSlot
  ) {
    const candles = yield* timeoutFail(source.series(id), {
      duration: longest,
      onTimeout: () => new UpstreamError({ upstream: source.name, reason: "timeout", detail: "timed out" })
    })
    const at = yield* Clock.currentTimeMillis
    const fault =
      unusable(candles, id.period, at) ??
      (current === undefined ? undefined : inferior({ candles, source: source.name }, current, every, at))
    if (fault !== undefined)
      return yield* new UpstreamError({ upstream: source.name, reason: "bad_answer", detail: fault })
    return { ...id, candles, source: source.name, at }
  })

  /** A defect counts as a failed attempt. */
  const attempt = (source: ChartSource, slot: SeriesSlot.SeriesSlot) =>
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
        count(source.name, reason)
        return Effect.annotateLogs(log, { coin: slot.id.coin, period: slot.id.period, reason })
      })
    )

  return Effect.fnUntraced(function* (slot: SeriesSlot.SeriesSlot) {
    const [preferred, other] = Sources.isAvailable(yield* first.standing) ? [first, second] : [second, first]
    const result = yield* Effect.either(Effect.orElse(attempt(preferred, slot), () => attempt(other, slot)))
    if (Either.isLeft(result)) return SeriesSlot.fail(slot, result.left.message, yield* Clock.currentTimeMillis)
    count(result.right.source, "ok")
    SeriesSlot.take(slot, result.right)
    yield* save(result.right)
  }, span("Charts.refresh"))
}
