import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { onChange } from "../../kernel/onChange.ts"
import { processes } from "../../settings/Processes.ts"
import { bounded, Store } from "../Store.ts"
import type { Bucket, Level } from "./Quota.ts"
import * as SharedQuota from "./SharedQuota.ts"

/** A quota of which all processes that share the store take. */
export interface Quota extends Pick<SharedQuota.SharedQuota, "spend" | "spendUnleased"> {
  /**
   * Asks the store for units. Cannot fail. The time until they may be used (ms), or undefined where none are granted: then
   * the store has reported the levels, or is away.
   */
  readonly ask: (want: SharedQuota.Want) => Effect.Effect<number | undefined>
}

/** Limits that hold over all processes which share the store. */
export interface SharedQuotas {
  /** While the store fails it is not asked, and each process goes on with its share of every limit. */
  readonly isAway: () => boolean
  /** See {@link SharedQuota.make}. */
  readonly of: (
    buckets: (now: number) => ReadonlyArray<Bucket>,
    changed: (levels: ReadonlyArray<Level>) => void
  ) => Quota
}

/** How the processes of the service share its limits. Without the layer this process is the only one. */
export class LimitSharing extends Context.Reference<LimitSharing>()("storage/quota/LimitSharing", {
  defaultValue: (): {
    /** How many processes share every limit. */
    readonly processes: number
    /** Absent where each process has its share of every limit, whatever the others do. */
    readonly quotas?: SharedQuotas
  } => ({ processes: 1 })
}) {}

/** Through the store, where it can do that. */
export const layer = Layer.scoped(
  LimitSharing,
  Effect.flatMap(processes, (count) =>
    Effect.map(make(count), (quotas) => (quotas === undefined ? { processes: count } : { processes: count, quotas }))
  )
)

/** How often units are given back, and a store that fails is tried again. */
const period = "1 second"

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

/** What a quota does with the store. */
interface Member {
  readonly quota: SharedQuota.SharedQuota
  /** Asks until no caller waits. */
  readonly serve: Effect.Effect<void>
  /** Gives back what is idle, or all, and reports what was used. */
  readonly settle: (all: boolean) => Effect.Effect<void>
}

/** Undefined where the store is not shared, or cannot do it. `share` is how many processes share the limits. */
const make = (share: number): Effect.Effect<SharedQuotas | undefined, never, Store | Scope.Scope> =>
  Effect.gen(function* () {
    const { take } = yield* Store
    if (take === undefined) {
      if (share > 1)
        yield* Effect.logWarning(
          `limits: the store is not shared, so each of ${share} processes has 1/${share} of every limit`
        )
      return undefined
    }
    const scope = yield* Effect.scope
    const changed = onChange()
    const unsettled = new Set<Member>()
    let away = false
    /** It is asked first whether the store works again. */
    let failed: Member | undefined

    const noted = (member: Member, works: boolean) =>
      Effect.suspend(() => {
        away = !works
        if (!works) failed = member
        requests.unsafeUpdate(1, [MetricLabel.make("outcome", works ? "ok" : "failed")])
        state.unsafeUpdate(works ? 1 : 0, [])
        const part = share === 1 ? "with all of each limit" : `with 1/${share} of each limit`
        return changed(
          !works,
          works
            ? Effect.logInfo("limits: they hold over all processes again")
            : Effect.logWarning(`limits: the store fails; this process goes on ${part}`)
        )
      })

    const member = (quota: SharedQuota.SharedQuota): Member => {
      const delay = pacing()
      const ask = (all: boolean) =>
        Effect.flatMap(Clock.currentTimeMillis, (now) => {
          const round = quota.next(now, all)
          return Effect.matchCauseEffect(bounded(take(round.taking)), {
            onFailure: () => Effect.ensuring(noted(self, false), Effect.sync(round.fail)),
            onSuccess: (taken) =>
              Effect.ensuring(
                noted(self, true),
                Effect.sync(() => {
                  round.succeed(taken)
                  if (quota.isUnsettled()) unsettled.add(self)
                  else unsettled.delete(self)
                })
              )
          }).pipe(Effect.onInterrupt(() => Effect.sync(round.fail)))
        })
      const paced = Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const wait = delay(now)
        return wait > 0 ? Effect.zipRight(Effect.sleep(wait), ask(false)) : ask(false)
      })
      const self: Member = {
        quota,
        serve: Effect.whileLoop({ while: quota.isWaiting, body: () => paced, step: () => {} }),
        settle: ask
      }
      return self
    }

    const settleAll = (all: boolean) =>
      Effect.forEach([...unsettled], ({ settle }) => settle(all), { concurrency: 8, discard: true })

    yield* Effect.suspend(() => (away ? (failed?.settle(false) ?? Effect.void) : Effect.void)).pipe(
      Effect.zipRight(Effect.suspend(() => (away ? Effect.void : settleAll(false)))),
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )
    // In an interruptible fiber, which that of a finalizer is not: a store that hangs is not waited for.
    yield* Effect.addFinalizer(() =>
      Effect.disconnect(Effect.interruptible(Effect.suspend(() => (away ? Effect.void : settleAll(true)))))
    )
    state.unsafeUpdate(1, [])

    return {
      isAway: () => away,
      of: (buckets, levels) => {
        const quota = SharedQuota.make(buckets, levels)
        const self = member(quota)
        let serving = false
        const serve: Effect.Effect<void> = Effect.suspend(() => {
          if (serving || !quota.isWaiting()) return Effect.void
          serving = true
          const over = Effect.sync(() => {
            serving = false
          })
          return Effect.zipRight(Effect.ensuring(self.serve, over), serve)
        })
        return {
          spend: quota.spend,
          spendUnleased: (units) => {
            quota.spendUnleased(units)
            unsettled.add(self)
          },
          ask: (want) =>
            Effect.suspend(() =>
              away
                ? Effect.succeed(undefined)
                : // The callers of this moment are in the same request to the store.
                  Effect.zipRight(Effect.forkIn(Effect.zipRight(Effect.yieldNow(), serve), scope), quota.granted(want))
            )
        }
      }
    }
  })
