import { it, makeMethods, type Vitest } from "@effect/vitest"
import * as Context from "effect/Context"
import * as DefaultServices from "effect/DefaultServices"
import * as Effect from "effect/Effect"
import * as FiberRef from "effect/FiberRef"
import * as HashSet from "effect/HashSet"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as TestServices from "effect/TestServices"

const services = Context.merge(DefaultServices.liveServices, TestServices.liveServices)

/**
 * Provides the test services. @effect/vitest builds a dozen layers for each test and each run of a property, which
 * takes 4 ms: longer than most tests. Only the clock has state, so only the clock is rebuilt.
 */
const withTestServices = (self: Effect.Effect<unknown, unknown, unknown>) =>
  Effect.scopedWith((scope) =>
    Effect.flatMap(Layer.buildWithScope(TestClock.defaultTestClock, scope), (clock) => Effect.provide(self, clock))
  ).pipe(Effect.provide(services), Effect.locallyWith(FiberRef.currentLoggers, HashSet.remove(Logger.defaultLogger)))

type Arguments = Array<unknown>
type Body = (...given: Arguments) => Effect.Effect<unknown, unknown, unknown>
type Declare = (...given: Arguments) => unknown

/** Declares a test whose body (any function among the arguments) runs with `wrap`. */
const wrapped =
  (declare: Declare, wrap: (self: ReturnType<Body>) => ReturnType<Body>): Declare =>
  (...given) =>
    declare(
      ...given.map((argument) =>
        typeof argument === "function"
          ? (...inner: Arguments) => wrap(Effect.suspend(() => (argument as Body)(...inner)))
          : argument
      )
    )

/** Wraps all methods of the tester for live tests. */
const tester = (live: Vitest.Tester<never>, wrap: (self: ReturnType<Body>) => ReturnType<Body>) => {
  const direct = (name: "skip" | "only" | "fails" | "prop") => [name, wrapped(live[name] as Declare, wrap)]
  const curried = (name: "skipIf" | "runIf" | "each") => [
    name,
    (given: unknown) => wrapped((live[name] as (given: unknown) => Declare)(given), wrap)
  ]
  return Object.assign(
    wrapped(live as Declare, wrap),
    Object.fromEntries([
      ...(["skip", "only", "fails", "prop"] as const).map(direct),
      ...(["skipIf", "runIf", "each"] as const).map(curried)
    ])
  ) as never
}

/** Restores the methods of `it`: `layer` of @effect/vitest overwrites them, and test files share a worker. */
export const resetMethods = () => {
  const methods = makeMethods(it)
  Object.assign(methods, {
    effect: tester(methods.live, withTestServices),
    scoped: tester(methods.live, (self) => withTestServices(Effect.scoped(self as Effect.Effect<unknown>)))
  })
}
