import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import * as Coalescer from "../../../src/chains/evm/scanner/Coalescer.ts"
import { atEachOperation } from "../../support/interruptions.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const options = { busy: 2, maxBatchSize: 5, maxWait: "25 millis" } as const

/** Upstream whose calls wait for `end`. It records the items of each call, and if the call was interrupted. */
const upstream = () => {
  const calls: Array<{ readonly items: ReadonlyArray<number>; readonly end: Deferred.Deferred<void>; left: boolean }> =
    []
  const ask = Effect.fnUntraced(function* (items: ReadonlyArray<number>) {
    const call = { items, end: yield* Deferred.make<void>(), left: false }
    calls.push(call)
    yield* Effect.onInterrupt(Deferred.await(call.end), () => Effect.sync(() => Object.assign(call, { left: true })))
    return items.map((value) => value * 10)
  })
  const end = (index: number) =>
    Effect.flatMap(Effect.fromNullable(calls[index]), (call) => Deferred.succeed(call.end, undefined))
  return { calls, ask, end, asked: () => calls.map(({ items }) => items) }
}

const settle = Effect.repeatN(Effect.yieldNow(), 20)

const start = <A>(effect: Effect.Effect<A>) => Effect.zipLeft(Effect.fork(effect), settle)

describe("calls that are coalesced", () => {
  it("are sent at once while few calls are in flight, and are batched after that, with each item once", function* () {
    const { ask, asked, end } = upstream()
    const coalesced = yield* Coalescer.make(ask, options)
    const fibers = []
    for (const items of [[1], [2], [3, 4], [4, 5]]) fibers.push(yield* start(coalesced(items)))
    assert.deepStrictEqual(asked(), [[1], [2]])
    yield* end(0)
    yield* settle
    assert.deepStrictEqual(asked(), [[1], [2], [3, 4, 5]])
    yield* end(1)
    yield* end(2)
    assert.deepStrictEqual(yield* Effect.forEach(fibers, Fiber.join), [[10], [20], [30, 40], [40, 50]])
  })

  it("are no longer counted as in flight after an interruption at any operation", function* () {
    const read = (items: ReadonlyArray<number>) => Effect.as(Effect.yieldNow(), items)
    const operations = yield* atEachOperation(
      Effect.map(Coalescer.make(read, { ...options, busy: 1 }), (coalesced) => [
        coalesced([1]),
        (operation) =>
          Effect.gen(function* () {
            const fiber = yield* start(coalesced([2]))
            assert.isTrue(Option.isSome(yield* Fiber.poll(fiber)), `operation ${operation}`)
          })
      ])
    )
    assert.isAbove(operations, 5)
  })

  it("are sent if a batch is full, and after `maxWait` at the latest", function* () {
    const { ask, asked } = upstream()
    const coalesced = yield* Coalescer.make(ask, options)
    for (const items of [[1], [2], [3, 4, 5], [6, 7, 8], [9], [10], [11], [1, 2, 3, 4, 5, 6]])
      yield* start(coalesced(items))
    assert.deepStrictEqual(asked(), [[1], [2], [3, 4, 5], [6, 7, 8, 9, 10], [1, 2, 3, 4, 5, 6]])
    yield* TestClock.adjust("25 millis")
    assert.deepStrictEqual(asked().at(-1), [11])
  })

  it("are cancelled only after all of their callers are interrupted", function* () {
    const { ask, calls, end } = upstream()
    const coalesced = yield* Coalescer.make(ask, options)
    yield* start(coalesced([1]))
    yield* start(coalesced([2]))
    const [left, stays] = [yield* start(coalesced([3])), yield* start(coalesced([4]))]
    yield* TestClock.adjust("25 millis")
    yield* Fiber.interrupt(left)
    assert.isFalse(calls[2]?.left)
    yield* end(2)
    assert.deepStrictEqual(yield* Fiber.join(stays), [40])
    const alone = yield* start(coalesced([5]))
    yield* TestClock.adjust("25 millis")
    yield* Fiber.interrupt(alone)
    yield* settle
    assert.isTrue(calls[3]?.left)
  })

  it("fail for the callers of the same batch and for no other caller", function* () {
    let count = 0
    const coalesced = yield* Coalescer.make(
      (items: ReadonlyArray<number>) =>
        Effect.suspend(() => (count++ === 2 ? Effect.die("broken") : Effect.as(Effect.sleep("1 second"), items))),
      options
    )
    const fibers = []
    for (const items of [[1], [2], [3], [4]]) fibers.push(yield* start(Effect.exit(coalesced(items))))
    yield* TestClock.adjust("2 seconds")
    const exits = yield* Effect.forEach(fibers, Fiber.join)
    assert.deepStrictEqual(exits.map(Exit.isSuccess), [true, true, false, false])
  })

  it.effect("return to each caller its own results, regardless of when callers start and stop", () =>
    Effect.promise(() =>
      FastCheck.assert(
        FastCheck.asyncProperty(
          FastCheck.array(
            FastCheck.record({
              items: FastCheck.array(FastCheck.nat(30), { minLength: 1, maxLength: 7 }),
              startsAt: FastCheck.nat(100),
              interruptedAfter: FastCheck.option(FastCheck.nat(100))
            }),
            { maxLength: 30 }
          ),
          (callers) =>
            Effect.gen(function* () {
              const coalesced = yield* Coalescer.make(
                (items: ReadonlyArray<number>) =>
                  Effect.as(
                    Effect.sleep(10 + (items.length % 3) * 20),
                    items.map((value) => value * 10)
                  ),
                options
              )
              const fibers = yield* Effect.forEach(callers, ({ startsAt, items, interruptedAfter }) =>
                Effect.fork(
                  Effect.delay(coalesced(items), startsAt).pipe(
                    Effect.timeoutOption(interruptedAfter === null ? "1 hour" : startsAt + interruptedAfter),
                    Effect.map((answer) => ({ answer, items }))
                  )
                )
              )
              yield* TestClock.adjust("10 seconds")
              for (const { answer, items } of yield* Effect.forEach(fibers, Fiber.join))
                if (answer._tag === "Some")
                  assert.deepStrictEqual(
                    answer.value,
                    items.map((value) => value * 10)
                  )
            }).pipe(Effect.scoped, Effect.provide(TestContext.TestContext), Effect.runPromise)
        ),
        { numRuns: 50 }
      )
    )
  )
})
