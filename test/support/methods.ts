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
 * What @effect/vitest gives each test, and each run of a property, by building a dozen layers in 4 ms: longer than most
 * tests take. Of these services only the clock has a state, so that alone is made anew.
 */
const withTestServices = (self: Effect.Effect<unknown, unknown, unknown>) =>
  Effect.scopedWith((scope) =>
    Effect.flatMap(Layer.buildWithScope(TestClock.defaultTestClock, scope), (clock) => Effect.provide(self, clock))
  ).pipe(Effect.provide(services), Effect.locallyWith(FiberRef.currentLoggers, HashSet.remove(Logger.defaultLogger)))

type Arguments = Array<unknown>
type Body = (...given: Arguments) => Effect.Effect<unknown, unknown, unknown>
type Declare = (...given: Arguments) => unknown

/** A declaration whose body, wherever it stands among the arguments, runs with the services of a test. */
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

/** The methods of a tester of live tests, for tests with the test services. */
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

/** Gives `it` the methods of @effect/vitest: those of its `layer` write themselves over them, and files share a worker. */
export const resetMethods = () => {
  const methods = makeMethods(it)
  Object.assign(methods, {
    effect: tester(methods.live, withTestServices),
    scoped: tester(methods.live, (self) => withTestServices(Effect.scoped(self as Effect.Effect<unknown>)))
  })
}
