import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { onChange } from "../../kernel/onChange.ts"
import { processes } from "../../settings/variables.ts"
import { bounded, Store } from "../Store.ts"
import type { Taken, Taking } from "./Quota.ts"

/** Limits that hold over all processes which share the store. */
export interface SharedQuotas {
  /** While the store fails it is not asked, and each process goes on with its share of every limit. */
  readonly isAway: () => boolean
  /** Takes units in one step. Cannot fail; undefined while the store is away. */
  readonly take: (taking: Taking) => Effect.Effect<Taken | undefined>
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

const state = Metric.gauge("limits_shared", {
  description: "1: limits hold over all processes of the store; 0: it fails, and this process has its share of them"
})

const requests = Metric.counter("limits_store_requests_total", {
  description: "Requests to the store for units of limits that all processes share, by outcome",
  incremental: true
})

/**
 * How long the store may take. Longer than for a cached value: what is counted without it is exact no more, and a store or a
 * process that has too little of the processor answers late.
 */
const maxWait = "2 seconds"

/** How often a store that fails is tried again. */
const period = "1 second"

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
    const changed = onChange()
    /** What the store has failed to grant; undefined while it works. */
    let failed: Taking | undefined
    const count = (outcome: "ok" | "failed", requested: number) =>
      requests.unsafeUpdate(requested, [MetricLabel.make("outcome", outcome)])
    state.unsafeUpdate(1, [])
    count("ok", 0)
    count("failed", 0)

    const noted = (failure: Taking | undefined) =>
      Effect.suspend(() => {
        failed = failure
        const works = failure === undefined
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
    // Whether a late store has counted is not known, so nothing is taken twice.
    const ask = (taking: Taking): Effect.Effect<Taken | undefined> =>
      Effect.matchCauseEffect(bounded(take(taking), maxWait), {
        onFailure: () => Effect.as(noted(taking), undefined),
        onSuccess: (taken) => Effect.as(noted(undefined), taken)
      })

    yield* Effect.suspend(() => (failed === undefined ? Effect.void : ask({ ...failed, units: 0 }))).pipe(
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )
    return {
      isAway: () => failed !== undefined,
      take: (taking) => Effect.suspend(() => (failed === undefined ? ask(taking) : Effect.succeed(undefined)))
    }
  })
