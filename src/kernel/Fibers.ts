import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { globalValue } from "effect/GlobalValue"
import * as Runtime from "effect/Runtime"
import type * as Scope from "effect/Scope"
import * as Ring from "./collections/Ring.ts"

/** Starts an effect in a new fiber. */
export type Fork<R = never> = <A, E>(effect: Effect.Effect<A, E, R>) => Fiber.RuntimeFiber<A, E>

/** Starts effects with the context of this runtime, in fibers that no scope interrupts. */
export const forking = <R>(runtime: Runtime.Runtime<R>): Fork<R> => Runtime.runFork(runtime)

/**
 * Starts fibers that end with the scope, which interrupts them and waits. Like `FiberSet.makeRuntime`, but without its
 * `Set`: see {@link Ring.Ring}.
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

/** Parent of all root fibers, which have no parent fiber (effect 3.22, `internal/fiberScope.ts`). */
const rootScope = globalValue(Symbol.for("effect/FiberScope/Global"), (): object => ({}))

/**
 * Turns off Effect's list of root fibers while the effect runs. Only `Fiber.roots` reads the list, and its `Set` would
 * retain everything that the fibers of completed requests refer to until the next full collection ({@link Ring.Ring}).
 */
export const withoutRoots = <A, E, R>(self: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
  Effect.acquireUseRelease(
    Effect.sync(() => Object.assign(rootScope, { add: () => {} })),
    () => self,
    // Restores the method of its class.
    (scope) => Effect.sync(() => Reflect.deleteProperty(scope, "add"))
  )
