import * as Cause from "effect/Cause"
import * as Chunk from "effect/Chunk"
import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import { onChange } from "../../kernel/onChange.ts"
import { bounded, type Store } from "../Store.ts"
import type { SharedQuota } from "./SharedQuota.ts"

/** So many requests to the store go out at once; after them, one in each interval, ms. */
const burst = 4
const interval = 200

const state = Metric.gauge("limits_shared", {
  description: "1: limits hold over all processes of the store; 0: it fails, and this process has its share of them"
})

const requests = Metric.counter("limits_store_requests_total", {
  description: "Requests to the store for units of limits that all processes share, by outcome",
  incremental: true
})

/** How long the next request to the store has to wait, ms; to be called for each. */
const pacing = () => {
  let due = 0
  return (now: number): number => {
    // Only a clock that was set back leaves a later time.
    if (due > now + (burst + 1) * interval) due = now
    const start = Math.max(now, due - burst * interval)
    due = Math.max(due, now) + interval
    return start - now
  }
}

/**
 * How long the store may take. Longer than for a cached value: what is counted without it is exact no more, and a store or a
 * process that has too little of the processor answers late.
 */
const maxWait = "2 seconds"

/** What a quota does with the store. */
export interface Member {
  /** Asks until no caller waits. */
  readonly serve: Effect.Effect<void>
  /** Gives back what is idle, or all, and reports what was used. */
  readonly settle: (all: boolean) => Effect.Effect<void>
}

/** A store from which quotas take: how they ask it, and whether it works. `share` is how many processes share the limits. */
export const make = (take: NonNullable<Context.Tag.Service<Store>["take"]>, share: number) => {
  const changed = onChange()
  const unsettled = new Set<Member>()
  let away = false
  /** It is asked first whether the store works again. */
  let failed: Member | undefined
  const count = (outcome: "ok" | "failed", requested: number) =>
    requests.unsafeUpdate(requested, [MetricLabel.make("outcome", outcome)])
  state.unsafeUpdate(1, [])
  count("ok", 0)
  count("failed", 0)

  const noted = (member: Member, works: boolean) =>
    Effect.suspend(() => {
      away = !works
      if (!works) failed = member
      count(works ? "ok" : "failed", 1)
      state.unsafeUpdate(works ? 1 : 0, [])
      const part = share === 1 ? "with all of each limit" : `with 1/${share} of each limit`
      return changed(
        !works,
        works
          ? Effect.logInfo("limits: they hold over all processes again")
          : Effect.logWarning(`limits: the store fails; this process goes on ${part}`)
      )
    })

  const member = (quota: SharedQuota): Member => {
    const delay = pacing()
    const ask = (all: boolean) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const round = quota.next(now, all)
        return Effect.matchCauseEffect(bounded(take(round.taking), maxWait), {
          onFailure: (cause) => {
            const isLate = Chunk.some(Cause.failures(Cause.flatten(cause)), Cause.isTimeoutException)
            return Effect.ensuring(
              noted(self, false),
              Effect.sync(() => round.fail(isLate ? "unknown" : "no"))
            )
          },
          onSuccess: (taken) =>
            Effect.ensuring(
              noted(self, true),
              Effect.sync(() => {
                round.succeed(taken)
                if (quota.isUnsettled()) unsettled.add(self)
                else unsettled.delete(self)
              })
            )
        }).pipe(Effect.onInterrupt(() => Effect.sync(() => round.fail("unknown"))))
      })
    const paced = Effect.flatMap(Clock.currentTimeMillis, (now) => {
      const wait = delay(now)
      return wait > 0 ? Effect.zipRight(Effect.sleep(wait), ask(false)) : ask(false)
    })
    const self: Member = {
      serve: Effect.whileLoop({ while: quota.isWaiting, body: () => paced, step: () => {} }),
      settle: ask
    }
    return self
  }

  return {
    isAway: () => away,
    member,
    /** A member that has something to give back or to report. */
    addUnsettled: (member: Member) => void unsettled.add(member),
    /** Settles every member, unless the store fails. */
    settle: (all: boolean) =>
      Effect.suspend(() =>
        away
          ? Effect.void
          : Effect.forEach([...unsettled], ({ settle }) => settle(all), { concurrency: 8, discard: true })
      ),
    /** Asks a store that fails whether it works again. */
    tryAgain: Effect.suspend(() => (away ? (failed?.settle(false) ?? Effect.void) : Effect.void))
  }
}
