import * as Effect from "effect/Effect"
import type * as Scope from "effect/Scope"
import * as SingleFlight from "./SingleFlight.ts"

/**
 * Makes a value at its first use and caches it, for all users of the scope. Interrupting a user stops only its wait, and
 * the next use after a failure tries again. `Effect.cached` would return the interruption of its first user to all.
 */
export const madeOnce = <A, E, R>(
  make: Effect.Effect<A, E, R>
): Effect.Effect<Effect.Effect<A, E>, never, R | Scope.Scope> =>
  Effect.map(Effect.zip(Effect.scope, Effect.context<R>()), ([scope, context]) => {
    const { join } = SingleFlight.make<"value", A, E>(scope)
    let made: Effect.Effect<A> | undefined
    const making = Effect.tap(make, (value) =>
      Effect.sync(() => {
        made = Effect.succeed(value)
      })
    ).pipe(Effect.provide(context))
    return Effect.suspend(() => made ?? join("value", making))
  })
