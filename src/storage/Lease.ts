import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onChange } from "../kernel/onChange.ts"
import { bounded, Store } from "./Store.ts"

/** Work that only one of several processes does. */
export interface Lease {
  /**
   * Takes or renews the lease, and returns whether this process has it. To be run before each step of the work. Cannot fail:
   * without a store every process has it, as work done twice is better than work not done.
   */
  readonly claim: Effect.Effect<boolean>
}

/** The lease of this name; released when the scope ends, and free for others when it is not claimed for this time. */
export const make = (name: string, time: Duration.DurationInput): Effect.Effect<Lease, never, Store | Scope.Scope> =>
  Effect.gen(function* () {
    const store = yield* Store
    const owner = yield* Effect.sync(() => crypto.randomUUID())
    let wasClaimed = false
    const changed = onChange()

    const claim = Effect.suspend(() => {
      wasClaimed = true
      return bounded(store.claim(name, owner, time))
    }).pipe(
      Effect.tap(() => changed(false, Effect.logInfo(`${name}: the store holds the lease again`))),
      Effect.catchAll((cause) =>
        Effect.as(
          changed(true, Effect.logWarning(`${name}: continuing without a lease, as the store fails`, cause)),
          true
        )
      )
    )

    const release = Effect.suspend(() => (wasClaimed ? bounded(store.release(name, owner)) : Effect.void)).pipe(
      Effect.catchAll((cause) => Effect.logWarning(`${name}: the lease was not released`, cause))
    )
    // In an interruptible fiber, which that of a finalizer is not: a store that hangs is not waited for.
    yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(release)))

    return { claim }
  })
