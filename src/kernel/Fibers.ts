import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { globalValue } from "effect/GlobalValue"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Ring from "./collections/Ring.ts"

/** Starts an effect in a fiber of its own. */
export type Fork<R = never> = <A, E>(effect: Effect.Effect<A, E, R>) => Fiber.RuntimeFiber<A, E>

/** Starts effects with the context of this runtime; only they end themselves. */
export const forking = <R>(runtime: Runtime.Runtime<R>): Fork<R> => Runtime.runFork(runtime)

/**
 * Fibers that end with the scope at the latest, which waits for them. Does what `FiberSet.makeRuntime` does without its `Set`:
 * see {@link Ring.Ring}.
 */
export const make = <R = never>(): Effect.Effect<Fork<R>, never, R | Scope.Scope> =>
  Effect.gen(function* () {
    const fork = Runtime.runFork(yield* Effect.runtime<R>())
    const running = Ring.make<Fiber.RuntimeFiber<unknown, unknown>>()
    let isClosed = false
    yield* Effect.addFinalizer(() =>
      Effect.suspend(() => {
        isClosed = true
        return Fiber.interruptAll(running.values())
      })
    )
    return <A, E>(effect: Effect.Effect<A, E, R>) => {
      const fiber = fork(isClosed ? Effect.interrupt : effect)
      const ticket = running.add(fiber)
      fiber.addObserver(() => running.remove(ticket))
      return fiber
    }
  })

/** The parent of all fibers that are started outside of any other (effect 3.22, `internal/fiberScope.ts`). */
const rootScope = globalValue(Symbol.for("effect/FiberScope/Global"), (): object => ({}))

/**
 * Meanwhile Effect keeps no list of the fibers that are started outside of any other: nothing but `Fiber.roots` reads it, and its
 * `Set` would keep all that the fibers of ended requests refer to until the next collection of the whole heap ({@link Ring.Ring}).
 */
export const withoutRoots = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Object.assign(rootScope, { add: () => {} })),
    () => self,
    // The method of its class is in force again.
    (scope) => Effect.sync(() => Reflect.deleteProperty(scope, "add"))
  )
