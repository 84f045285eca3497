import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import { labelled } from "../../kernel/counters.ts"
import { lazy } from "../../kernel/lazy.ts"
import * as Permits from "../../kernel/Permits.ts"
import * as declare from "../../settings/declare.ts"
import { maxRequests } from "../../settings/runtime.ts"

/** Calls of the runtime that are left to others: icons of third parties, and telemetry. */
const others = 16

/** The most calls in progress to all hosts, always below the number at which the runtime lets calls wait. */
export const total = Effect.map(
  declare.integer({
    name: "UPSTREAM_CONCURRENCY_TOTAL",
    default: 512,
    min: 1,
    max: 10_000,
    meaning:
      "The most calls in flight to all upstream hosts together, of which one host gets at most half; see Limits of the runtime"
  }),
  (wanted) => Math.max(1, Math.min(wanted, maxRequests() - others))
)

/** Limits the calls to one host, which has its share of the calls to all hosts. */
export interface CallLimit {
  /** Runs the call once it may start. `waiting` wraps the wait, and may end it with a failure. */
  readonly withPermit: <A, E, E2>(
    call: Effect.Effect<A, E>,
    waiting: (wait: Effect.Effect<void>) => Effect.Effect<void, E2>
  ) => Effect.Effect<A, E | E2>
  /** Starts a call now, if it need not wait. Returns the function that ends it. */
  readonly take: () => (() => void) | undefined
}

const waits = lazy(() =>
  labelled(
    MetricKey.histogram(
      "upstream_concurrency_wait_seconds",
      MetricBoundaries.fromIterable([0.01, 0.05, 0.1, 0.5, 1, 2.5, 5, 10]),
      "Time that calls waited for other calls to end, because UPSTREAM_CONCURRENCY_TOTAL calls were in flight"
    ),
    {}
  )
)

const measured = <E>(wait: Effect.Effect<void, E>) =>
  Effect.flatMap(Clock.currentTimeMillis, (began) =>
    Effect.ensuring(
      wait,
      Effect.map(Clock.currentTimeMillis, (now) => waits().unsafeUpdate((now - began) / 1000, []))
    )
  )

/** Returns a function that gives a host its share. A wait is never a part of a call's time. */
export const make = (total: number) => {
  const permits = Permits.make(total, true)
  return (): CallLimit => {
    const host = {}
    return {
      withPermit: (call, waiting) => permits.withPermit(call, host, (wait) => measured(waiting(wait))),
      take: () => permits.take(host)
    }
  }
}
