import * as Clock from "effect/Clock"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type { Budget, BudgetQueue, Limits } from "../../src/upstream/budget/Budget.ts"
import { CurrentPriority, type Priority } from "../../src/upstream/Priority.ts"

export const second = 1000
export const hour = 3600 * second
export const day = 24 * hour

/** Limits of a burst of 3 permits and then a permit per 1,000 s, without waiting. */
export const slowLimits: Limits = { source: "TESTER", perSecond: 0.001, burst: 3, maxWait: 0 }

/** The outcome of a call: "ok", or why it got no permit. */
export const call = ({ acquire: permit }: BudgetQueue, purpose?: Priority) =>
  permit.pipe(Effect.match({ onSuccess: () => "ok", onFailure: ({ detail }) => detail }), (outcome) =>
    purpose === undefined ? outcome : Effect.provideService(outcome, CurrentPriority, purpose)
  )

/** How many of these sequential calls got a permit. */
export const granted = (budget: BudgetQueue, calls: number, purpose?: Priority) =>
  Effect.map(
    Effect.replicateEffect(call(budget, purpose), calls),
    (outcomes) => outcomes.filter((outcome) => outcome === "ok").length
  )

export const usageNow = ({ usage }: Budget) => Effect.map(Clock.currentTimeMillis, usage)

interface Sleeper {
  readonly until: number
  readonly wake: () => void
}

/** A simulated clock on which months pass instantly. Sleeping fibers continue in the order of their time. */
export const simulated = () => {
  let now = 0
  const waiting = new Set<Sleeper>()
  const millis = () => Math.floor(now)
  const clock: Clock.Clock = {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    unsafeCurrentTimeMillis: millis,
    currentTimeMillis: Effect.sync(millis),
    unsafeCurrentTimeNanos: () => BigInt(millis()) * 1_000_000n,
    currentTimeNanos: Effect.sync(() => BigInt(millis()) * 1_000_000n),
    sleep: (duration) =>
      Effect.async<void>((resume) => {
        const sleeper = { until: now + Duration.toMillis(duration), wake: () => resume(Effect.void) }
        waiting.add(sleeper)
        return Effect.sync(() => void waiting.delete(sleeper))
      })
  }
  const settled = Effect.repeatN(Effect.yieldNow(), 20)
  const pass = Effect.fnUntraced(function* (time: number) {
    const end = now + time
    yield* settled
    while (true) {
      let next: Sleeper | undefined
      for (const sleeper of waiting)
        if (sleeper.until <= end && (next === undefined || sleeper.until < next.until)) next = sleeper
      if (next === undefined) break
      waiting.delete(next)
      now = Math.max(now, next.until)
      next.wake()
      yield* settled
    }
    now = end
  })
  return { clock, pass }
}
