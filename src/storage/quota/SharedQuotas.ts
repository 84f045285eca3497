import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { counters, measured } from "../../kernel/counters.ts"
import { logOnChange } from "../../kernel/logOnChange.ts"
import * as SingleFlight from "../../kernel/SingleFlight.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { processes } from "../../settings/variables.ts"
import { inStoreTime, Store } from "../Store.ts"
import * as LiveProcesses from "./LiveProcesses.ts"
import type { QuotaRequest, QuotaResult } from "./Quota.ts"

/** Limits that apply across all processes that share the store. */
export interface SharedQuotas {
  /** True while the store fails: it is then not called, and each process applies its share of every limit. */
  readonly isFailing: () => boolean
  /** Takes units atomically. Cannot fail; undefined while the store fails. */
  readonly take: (taking: QuotaRequest) => Effect.Effect<QuotaResult | undefined>
}

/** How the processes of the service share its limits. Without the layer this process is the only one. */
export class LimitSharing extends Context.Reference<LimitSharing>()("storage/quota/LimitSharing", {
  defaultValue: (): {
    /** How many processes share every limit: those that live, or the set number if that is larger. */
    readonly processes: () => number
    /** How many live, as far as this process knows. */
    readonly live: () => number
    /** Absent if each process applies its fixed share of every limit. */
    readonly quotas?: SharedQuotas
  } => ({ processes: () => 1, live: () => 1 })
}) {}

/** Shares limits through the store if the store supports it. */
export const layer = Layer.scoped(
  LimitSharing,
  Effect.gen(function* () {
    const count = yield* processes
    const quotas = yield* make(count)
    if (quotas === undefined) return { processes: () => count, live: () => count }
    const live = yield* LiveProcesses.make(count)
    return { processes: () => Math.max(count, live()), live, quotas }
  })
)

const state = Metric.gauge("limits_shared", {
  description: "1: limits apply across all processes of the store; 0: it fails, and this process applies its share"
})

const requests = "Requests to the store for units of shared limits, by outcome"

/**
 * Timeout for the store. Longer than for a cached value: without the store, counts are not exact, and responses are
 * late if CPU time is short.
 */
const maxWait = "2 seconds"

/** How often a failing store is retried. */
const period = "1 second"

/** A request that takes nothing, to find out whether the store counts. */
const probe: QuotaRequest = {
  buckets: [{ name: "probe", capacity: 1, interval: 1_000, localLevel: { filled: 0, since: 0 } }],
  units: 0,
  minUnits: 0,
  wait: 0,
  reserve: 0
}

/** How long a reader of the metrics waits for a probe. */
const maxProbe = "200 millis"

/** Undefined if the store does not support it. `share` is the number of processes that share the limits. */
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
    const changed = logOnChange()
    /** The request at which the store failed; undefined while the store works. */
    let failed: QuotaRequest | undefined
    const count = counters("limits_store_requests_total", requests, { outcome: ["ok", "failed"] })
    state.unsafeUpdate(1, [])

    const noted = (failure: QuotaRequest | undefined) =>
      Effect.suspend(() => {
        failed = failure
        const works = failure === undefined
        count(1, works ? "ok" : "failed")
        state.unsafeUpdate(works ? 1 : 0, [])
        const part = share === 1 ? "with all of each limit" : `with 1/${share} of each limit`
        return changed(
          !works,
          works
            ? Effect.logInfo("limits: they apply across all processes again")
            : Effect.logWarning(`limits: the store fails; this process continues ${part}`)
        )
      })
    // After a timeout it is unknown whether the store has counted the units, so the request is not repeated.
    const request = (taking: QuotaRequest): Effect.Effect<QuotaResult | undefined> =>
      Effect.matchCauseEffect(inStoreTime(take(taking), maxWait), {
        onFailure: () => Effect.as(noted(taking), undefined),
        onSuccess: (taken) => Effect.as(noted(undefined), taken)
      })

    yield* Effect.suspend(() => (failed === undefined ? Effect.void : request({ ...failed, units: 0 }))).pipe(
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )
    const probed = SingleFlight.make<string, unknown>(yield* Effect.scope).join("probe", request(probe))
    yield* measured(
      Effect.suspend(() => (failed === undefined ? Effect.asVoid(timeoutOption(probed, maxProbe)) : Effect.void))
    )
    return {
      isFailing: () => failed !== undefined,
      take: (taking) => Effect.suspend(() => (failed === undefined ? request(taking) : Effect.succeed(undefined)))
    }
  })
