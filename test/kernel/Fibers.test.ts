import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as Fibers from "../../src/kernel/Fibers.ts"

describe("fibers of a scope", () => {
  it.effect("run in the background, and are interrupted and awaited when it closes", () =>
    Effect.gen(function* () {
      const scope = yield* Scope.make()
      const fork = yield* Scope.extend(Fibers.make(), scope)
      const ended: Array<string> = []
      const stopping = yield* Deferred.make<void>()
      const done = fork(Effect.succeed(1))
      fork(
        Effect.onInterrupt(Effect.never, () =>
          Effect.zipRight(
            Deferred.await(stopping),
            Effect.sync(() => ended.push("slow"))
          )
        )
      )
      fork(Effect.onInterrupt(Effect.never, () => Effect.sync(() => ended.push("fast"))))
      assert.strictEqual(yield* Fiber.join(done), 1)
      const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
      yield* Effect.repeatN(Effect.yieldNow(), 10)
      assert.deepStrictEqual(ended, ["fast"])
      assert.isNull(closing.unsafePoll())
      yield* Deferred.succeed(stopping, undefined)
      yield* Fiber.join(closing)
      assert.deepStrictEqual(ended, ["fast", "slow"])
    })
  )

  it.effect("are interrupted before they start if it is closed", () =>
    Effect.gen(function* () {
      const fork = yield* Effect.scoped(Fibers.make())
      let hasRun = false
      const exit = yield* Fiber.await(
        fork(
          Effect.sync(() => {
            hasRun = true
          })
        )
      )
      assert.isTrue(Exit.isInterrupted(exit))
      assert.isFalse(hasRun)
    })
  )

  it.effect("have the context in which `Fibers.make` ran", () =>
    Effect.gen(function* () {
      const fork = yield* Effect.provideService(Fibers.make<Scope.Scope>(), Scope.Scope, yield* Effect.scope)
      const scope = yield* Fiber.join(fork(Effect.scope))
      assert.strictEqual(scope, yield* Effect.scope)
    }).pipe(Effect.scoped)
  )

  it.effect("without a parent are not listed as roots inside of `withoutRoots`", () =>
    Effect.gen(function* () {
      const start = Effect.sync(() => Effect.runFork(Effect.never))
      const isListed = (fiber: Fiber.RuntimeFiber<never>) => Effect.map(Fiber.roots, (roots) => roots.includes(fiber))
      const [unlisted, wasListed] = yield* Fibers.withoutRoots(
        Effect.flatMap(start, (fiber) => Effect.map(isListed(fiber), (found) => [fiber, found] as const))
      )
      assert.isFalse(wasListed)
      const listed = yield* start
      assert.isTrue(yield* isListed(listed))
      yield* Fiber.interruptAll([unlisted, listed])
      assert.isFalse(yield* isListed(listed))
    })
  )
})
