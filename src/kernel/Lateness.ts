import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import { labelled } from "./counters.ts"

/** Time between two measurements, ms. */
const period = 20

/**
 * A longer delay is late, ms. A request for the balances of several networks has about 17 such waits one after another, so
 * that this delay makes it 1.3 s longer.
 */
export const tolerated = 75

/** Time after which the shortest of its delays decides, ms: a burst that is worked off meanwhile is no overload. */
const interval = 200

/** Called at the end of each interval; `isLate` is true if every task of the interval was late. */
type Observer = (isLate: boolean) => void

interface Meter {
  readonly isLate: () => boolean
  /** True if it is late, or was during the last milliseconds. */
  readonly wasLate: (milliseconds: number) => boolean
  /** The sum of all late delays so far, ms. */
  readonly total: () => number
  readonly observe: (observer: Observer) => void
}

/** Measures how late tasks start, as in "Controlling Queue Delay" (CoDel, RFC 8289): by the shortest delay of an interval. */
export const meter = (started: number) => {
  const observers: Array<Observer> = []
  let due = started + period
  let ends = started + interval
  let delay = 0
  let shortest = Number.POSITIVE_INFINITY
  let lateAt = Number.NEGATIVE_INFINITY
  let total = 0

  /** True if the last task was late, or the next is. */
  const isLate = (now: number): boolean => Math.max(delay, now - due) > tolerated

  return {
    /** Notes that the task which was due has started, and returns its delay, ms. The next task is due after the period. */
    measure: (now: number): number => {
      delay = Math.max(0, now - due)
      shortest = Math.min(shortest, delay)
      due = now + period
      if (delay > tolerated) {
        lateAt = now
        total += delay
      }
      if (now < ends) return delay
      for (const observe of observers) observe(shortest > tolerated)
      shortest = Number.POSITIVE_INFINITY
      ends = now + interval
      return delay
    },
    isLate,
    /** True if it is late now, or was after this time. */
    wasLate: (since: number, now: number): boolean => isLate(now) || lateAt >= since,
    total: (now: number): number => total + (now - due > tolerated ? now - due : 0),
    observe: (observer: Observer): void => void observers.push(observer)
  }
}

const delays = () =>
  labelled(
    MetricKey.histogram(
      "event_loop_delay_seconds",
      MetricBoundaries.fromIterable([0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5]),
      "Time by which a task starts late, measured every 20 ms: the event loop and the fibers before it"
    ),
    {}
  )

/** Whether this process is late: tasks wait, because it has more work than processor time. Never without the layer. */
export class Lateness extends Context.Reference<Lateness>()("kernel/Lateness", {
  defaultValue: (): Meter => ({ isLate: () => false, wasLate: () => false, total: () => 0, observe: () => {} })
}) {
  static readonly layer = Layer.scoped(
    Lateness,
    Effect.gen(function* () {
      const clock = yield* Effect.clock
      const now = () => Number(clock.unsafeCurrentTimeNanos()) / 1e6
      const { isLate, measure, observe, total, wasLate } = meter(now())
      const metric = delays()
      // The fiber waits for the event loop as timers do, and then for its turn among the fibers.
      yield* Effect.sleep(period).pipe(
        Effect.zipRight(Effect.sync(() => metric.unsafeUpdate(measure(now()) / 1000, []))),
        Effect.forever,
        Effect.forkScoped
      )
      return {
        isLate: () => isLate(now()),
        wasLate: (milliseconds) => {
          const at = now()
          return wasLate(at - milliseconds, at)
        },
        total: () => total(now()),
        observe
      }
    })
  )
}
