import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
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

/**
 * Reads a value at its first use, for the parts of one request, which all get its outcome. Runs in its own fiber: the
 * part that needs the value first may time out while others wait for it.
 */
export const readOnce = <A, E, R>(read: Effect.Effect<A, E, R>): Effect.Effect<Effect.Effect<A, E, R>> =>
  Effect.map(Effect.cached(Effect.forkDaemon(read)), (fiber) => Effect.flatMap(fiber, Fiber.join))
