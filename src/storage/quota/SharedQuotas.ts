import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schedule from "effect/Schedule"
import type * as Scope from "effect/Scope"
import { processes } from "../../settings/variables.ts"
import { Store } from "../Store.ts"
import type { Bucket, Level } from "./Quota.ts"
import * as QuotaStore from "./QuotaStore.ts"
import * as SharedQuota from "./SharedQuota.ts"
import type { Want } from "./WaitingCallers.ts"

/** A quota of which all processes that share the store take. */
export interface Quota extends Pick<SharedQuota.SharedQuota, "spend" | "spendUnleased"> {
  /**
   * Asks the store for units. Cannot fail. The time until they may be used (ms), or undefined where none are granted: then
   * the store has reported the levels, or is away.
   */
  readonly ask: (want: Want) => Effect.Effect<number | undefined>
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
    const store = QuotaStore.make(take, share)

    yield* store.tryAgain.pipe(
      Effect.zipRight(store.settle(false)),
      Effect.repeat(Schedule.spaced(period)),
      Effect.forkScoped
    )
    // In an interruptible fiber, which that of a finalizer is not: a store that hangs is not waited for.
    yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(store.settle(true))))

    return {
      isAway: store.isAway,
      of: (buckets, levels) => {
        const quota = SharedQuota.make(buckets, levels)
        const member = store.member(quota)
        let serving = false
        const serve: Effect.Effect<void> = Effect.suspend(() => {
          if (serving || !quota.isWaiting()) return Effect.void
          serving = true
          const over = Effect.sync(() => {
            serving = false
          })
          return Effect.zipRight(Effect.ensuring(member.serve, over), serve)
        })
        return {
          spend: quota.spend,
          spendUnleased: (units) => {
            quota.spendUnleased(units)
            store.addUnsettled(member)
          },
          ask: (want) =>
            Effect.suspend(() =>
              store.isAway()
                ? Effect.succeed(undefined)
                : // The callers of this moment are in the same request to the store.
                  Effect.zipRight(Effect.forkIn(Effect.zipRight(Effect.yieldNow(), serve), scope), quota.granted(want))
            )
        }
      }
    }
  })
