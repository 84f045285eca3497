import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Scope from "effect/Scope"
import * as SingleFlight from "../../src/kernel/SingleFlight.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Lets all fibers run until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 6)

interface Caller {
  readonly fiber: Fiber.RuntimeFiber<number, string>
  /** The run that it joined. */
  readonly run: number
}

interface Running {
  readonly id: number
  readonly end: Deferred.Deferred<number, string>
}

/** A caller joins, a waiting caller is interrupted, or a run completes. */
const step = FastCheck.record({
  what: FastCheck.constantFrom("join", "join", "join", "interrupt", "succeed", "fail", "die"),
  key: FastCheck.nat(2),
  which: FastCheck.nat(1000)
})

const exits: Readonly<Record<string, (id: number) => Exit.Exit<number, string>>> = {
  succeed: (id) => Exit.succeed(id),
  fail: (id) => Exit.fail(`failure ${id}`),
  die: (id) => Exit.die(`defect ${id}`)
}

describe("single flight", () => {
  it.scoped.prop(
    "has one run per key at a time, and gives its exit to all callers that were not interrupted",
    [FastCheck.array(step, { maxLength: 60 })],
    ([steps]) =>
      Effect.gen(function* () {
        const flights = SingleFlight.make<number, number, string>(yield* Effect.scope)
        const running = new Map<number, Running>()
        const callers: Array<Caller> = []
        const ended = new Map<number, Exit.Exit<number, string>>()
        const interrupted = new Set<Caller>()
        let begun = 0

        const work = (key: number) =>
          Effect.suspend(() => {
            assert.isFalse(running.has(key), "two runs of the same key")
            const id = begun++
            return Effect.flatMap(Deferred.make<number, string>(), (end) => {
              running.set(key, { id, end })
              return Deferred.await(end)
            })
          })

        for (const { key, what, which } of steps) {
          if (what === "join") {
            const isFirst = !running.has(key)
            const fiber = yield* Effect.fork(flights.join(key, work(key)))
            yield* settle
            assert.strictEqual(running.has(key), true)
            const run = running.get(key)?.id ?? -1
            if (isFirst) assert.strictEqual(run, begun - 1, "a new run")
            callers.push({ fiber, run })
          } else if (what === "interrupt") {
            const waiting = callers.filter(({ fiber }) => fiber.unsafePoll() === null)
            const caller = waiting[which % Math.max(waiting.length, 1)]
            if (caller === undefined) continue
            interrupted.add(caller)
            yield* Fiber.interrupt(caller.fiber)
          } else {
            const current = running.get(key)
            if (current === undefined) continue
            running.delete(key)
            const exit = exits[what]?.(current.id) ?? Exit.die("no such end")
            ended.set(current.id, exit)
            Deferred.unsafeDone(current.end, exit)
            yield* settle
          }
        }

        const live = new Set([...running.values()].map(({ id }) => id))
        for (const caller of callers) {
          const exit = caller.fiber.unsafePoll()
          if (interrupted.has(caller)) assert.isTrue(exit !== null && Exit.isInterrupted(exit))
          else if (live.has(caller.run)) assert.isNull(exit)
          else assert.deepStrictEqual(exit, ended.get(caller.run))
        }
      })
  )

  it("ends with its scope, and interrupts later callers instead of blocking them", function* () {
    const scope = yield* Scope.make()
    const flights = SingleFlight.make<string, number>(scope)
    const waiting = yield* Effect.fork(flights.join("a", Effect.never))
    yield* settle
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.await(waiting)))
    assert.isTrue(Exit.isInterrupted(yield* Effect.exit(flights.join("a", Effect.succeed(1)))))
  })

  it("ignores a second completion of a run, also while a new run of its key is in flight", function* () {
    const flights = SingleFlight.runs<string, number>()
    const first = flights.begin("a")
    first.complete(Exit.succeed(1))
    assert.isUndefined(flights.get("a"))
    const second = flights.begin("a")
    first.complete(Exit.succeed(2))
    assert.strictEqual(flights.get("a"), second)
    flights.completeAll(Exit.succeed(3))
    const results = [yield* SingleFlight.resultOf(first), yield* SingleFlight.resultOf(second)]
    assert.deepStrictEqual(results, [1, 3])
    assert.isUndefined(flights.get("a"))
  })
})

describe("a run", () => {
  it("completes for all callers, even if the callback of one caller throws", () => {
    const run = SingleFlight.single<number>()
    const served: Array<string> = []
    run.wait(() => {
      served.push("first")
      throw new Error("first caller")
    })
    run.wait(() => served.push("second"))
    assert.throws(() => run.complete(Exit.succeed(1)), "first caller")
    assert.deepStrictEqual(served, ["first", "second"])
  })
})
