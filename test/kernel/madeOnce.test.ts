import * as Cause from "effect/Cause"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import { madeOnce, readOnce } from "../../src/kernel/madeOnce.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Work that waits for each outcome, and counts how often it started. */
const work = Effect.gen(function* () {
  const outcomes: Array<Deferred.Deferred<string, string>> = []
  const make = Effect.flatMap(Deferred.make<string, string>(), (outcome) => {
    outcomes.push(outcome)
    return Deferred.await(outcome)
  })
  return { make, outcomes }
})

/** Lets all fibers run until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 6)

describe("a value that is made once", () => {
  it("is made for later users if its first user is interrupted", function* () {
    const { make, outcomes } = yield* work
    const value = yield* madeOnce(make)
    const first = yield* Effect.fork(value)
    yield* settle
    const second = yield* Effect.fork(value)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(first)))
    for (const outcome of outcomes) yield* Deferred.succeed(outcome, "made")
    assert.strictEqual(yield* Fiber.join(second), "made")
    assert.strictEqual(yield* value, "made")
    assert.strictEqual(outcomes.length, 1)
  })

  it("is made again by the next user after a failure, which all users of that run get", function* () {
    const { make, outcomes } = yield* work
    const value = yield* madeOnce(make)
    const users = yield* Effect.fork(Effect.all([Effect.flip(value), Effect.flip(value)], { concurrency: 2 }))
    yield* settle
    for (const outcome of outcomes) yield* Deferred.fail(outcome, "failed")
    assert.deepStrictEqual(yield* Fiber.join(users), ["failed", "failed"])
    const again = yield* Effect.fork(value)
    yield* settle
    for (const outcome of outcomes) yield* Deferred.succeed(outcome, "made")
    assert.strictEqual(yield* Fiber.join(again), "made")
    assert.strictEqual(outcomes.length, 2)
  })

  it("ends with the scope, also for its users", function* () {
    const { make } = yield* work
    const scope = yield* Scope.make()
    const value = yield* Scope.extend(madeOnce(make), scope)
    const user = yield* Effect.fork(value)
    yield* settle
    yield* Scope.close(scope, Exit.void)
    const exit = yield* Fiber.await(user)
    assert.isTrue(Exit.isFailure(exit) && Cause.isInterruptedOnly(exit.cause))
  })
})

describe("a value that is read once for a request", () => {
  it("has one outcome for all of its parts, even if the first is interrupted", function* () {
    for (const outcome of [Exit.succeed("read"), Exit.fail("failed")]) {
      const { make, outcomes } = yield* work
      const value = yield* readOnce(make)
      const first = yield* Effect.fork(value)
      yield* settle
      yield* Fiber.interrupt(first)
      const second = yield* Effect.fork(value)
      yield* settle
      for (const waiting of outcomes) Deferred.unsafeDone(waiting, outcome)
      assert.deepStrictEqual(yield* Fiber.await(second), outcome)
      assert.deepStrictEqual(yield* Effect.exit(value), outcome)
      assert.strictEqual(outcomes.length, 1)
    }
  })
})
