import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import { onChange } from "../kernel/onChange.ts"
import { bounded, Store } from "./Store.ts"

/** A piece of work that one process of several does. */
export interface Lease {
  /**
   * Takes or renews the lease, and says whether this process has it. To be run before each step of the work. Cannot fail:
   * without a store every process has it, for work done twice is better than work not done.
   */
  readonly claim: Effect.Effect<boolean>
}

/** The lease of this name; given back when the scope ends, and free for others when it is not claimed for that time. */
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
    // In a fiber that can be interrupted, as that of a finalizer cannot: a store that hangs is not waited for.
    yield* Effect.addFinalizer(() => Effect.disconnect(Effect.interruptible(release)))

    return { claim }
  })
