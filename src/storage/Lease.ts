import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { logOnChange } from "../kernel/logOnChange.ts"
import { inStoreTime, Store } from "./Store.ts"

/** A lease on work that only one of several processes does. */
export interface Lease {
  /**
   * Takes or renews the lease, and returns whether this process has it. Run it before each step of the work. Cannot
   * fail: without a store every process has the lease, because duplicate work is better than missing work.
   */
  readonly claim: Effect.Effect<boolean>
}

/** The lease of this name. It is released when the scope ends, and expires if it is not claimed for this time. */
export const make = (name: string, time: Duration.DurationInput): Effect.Effect<Lease, never, Store | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* Store
    const owner = yield* Effect.sync(() => crypto.randomUUID())
    let wasClaimed = false
    const changed = logOnChange()

    const claim = Effect.suspend(() => {
      wasClaimed = true
      return inStoreTime(store.claim(name, owner, time))
    }).pipe(
      Effect.tap(() => changed(false, Effect.logInfo(`${name}: the lease is in effect again`))),
      Effect.catchAll((cause) =>
        Effect.as(
          changed(true, Effect.logWarning(`${name}: continuing without a lease, as the store fails`, cause)),
          true
        )
      )
    )

    const release = Effect.suspend(() => (wasClaimed ? inStoreTime(store.release(name, owner)) : Effect.void)).pipe(
      Effect.catchAll((cause) => Effect.logWarning(`${name}: the lease was not released`, cause))
    )
    // Runs in an interruptible fiber, unlike the finalizer, so that shutdown does not wait for a hanging store.
    yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(release)))

    return { claim }
  })
