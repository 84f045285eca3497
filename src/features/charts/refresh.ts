import * as Cause from "effect/Cause"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { span } from "../../kernel/span.ts"
import { timeoutFail } from "../../kernel/timeout.ts"
import type { LogFailure } from "../../upstream/FailureLog.ts"
import * as Sources from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ChartSource } from "./ChartSource.ts"
import { inferior, unusable } from "./checks.ts"
import type { Series } from "./Series.ts"
import * as SeriesSlot from "./SeriesSlot.ts"

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
