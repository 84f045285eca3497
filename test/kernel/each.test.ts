import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { each } from "../../src/kernel/each.ts"
import { assert, describe, it } from "../support/vitest.ts"

const slow = (ms: number) => Effect.as(Effect.sleep(ms), ms * 10)

describe("an effect for each item", () => {
  it("returns the results in the order of the items, with unlimited or limited concurrency", function* () {
    for (const [items, most, time] of [
      [[], undefined, 0],
      [[3], undefined, 3],
      [[3, 1, 2], undefined, 3],
      [[3, 1, 2], 3, 3],
      [[3, 1, 2], 1, 6]
    ] as const) {
      const requested = yield* Effect.fork(each(items, slow, most))
      if (time > 0) yield* TestClock.adjust(time - 1)
      if (time > 0) assert.isNull(requested.unsafePoll())
      yield* TestClock.adjust(1)
      assert.deepStrictEqual(
        yield* Fiber.join(requested),
        items.map((value) => value * 10)
      )
    }
  })

  it("fails with the first failure or defect, and interrupts the others", function* () {
    const interrupted = yield* Deferred.make<void>()
    const hangs = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    assert.strictEqual(yield* Effect.flip(each([hangs, Effect.fail("no")], (effect) => effect)), "no")
    yield* Deferred.await(interrupted)
    const defect = yield* Effect.exit(each([Effect.never, Effect.die("broken")], (effect) => effect))
    assert.deepStrictEqual(defect, Exit.die("broken"))
    // Items after an immediate failure are not started.
    const begun: Array<number> = []
    yield* Effect.flip(each([1, 2, 3], (value) => Effect.suspend(() => Effect.fail(begun.push(value)))))
    assert.deepStrictEqual(begun, [1])
  })

  it("is interrupted with its caller", function* () {
    let left = 0
    const hangs = () => Effect.onInterrupt(Effect.never, () => Effect.sync(() => left++))
    const requested = yield* Effect.fork(each([1, 2, 3], hangs))
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(requested)
    assert.strictEqual(left, 3)
  })

  it("starts the fibers in turns of the scheduler, not all at once", function* () {
    let started = 0
    const all = Effect.runFork(
      each([1, 2, 3], (value) =>
        Effect.sync(() => {
          started += value
          return started
        })
      )
    )
    assert.strictEqual(started, 0)
    assert.deepStrictEqual(yield* Fiber.join(all), [1, 3, 6])
  })
})
