import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "../../src/kernel/Scheduler.ts"

describe("the scheduler", () => {
  it("runs fibers in the order in which they become ready", () =>
    Effect.gen(function* () {
      const returned: Array<string> = []
      const worker = (name: string) =>
        Effect.repeatN(
          Effect.zipRight(
            Effect.sync(() => returned.push(name)),
            Effect.yieldNow()
          ),
          2
        )
      yield* Effect.all([worker("a"), worker("b"), worker("c")], { concurrency: "unbounded" })
      assert.deepStrictEqual(returned, ["a", "b", "c", "a", "b", "c", "a", "b", "c"])
    }).pipe(Effect.withScheduler(Scheduler.make()), Effect.runPromise))

  it("yields to the event loop while fibers are always ready, and completes all of them", () =>
    Effect.gen(function* () {
      let turns = 0
      let going = true
      const count = () => {
        turns++
        if (going) setImmediate(count)
      }
      setImmediate(count)
      // They complete only after five turns of the event loop, and never without them.
      const busy = Effect.suspend(() => (turns < 5 ? Effect.yieldNow() : Effect.void)).pipe(
        Effect.repeat({ until: () => turns >= 5 })
      )
      const fibers = yield* Effect.forEach(Array.from({ length: 1_000 }), () => Effect.fork(busy))
      for (const fiber of fibers) yield* Fiber.join(fiber)
      going = false
      assert.isAtLeast(turns, 5)
    }).pipe(Effect.withScheduler(Scheduler.make()), Effect.runPromise))

  it("shares a slice among all events of a turn of the event loop", async () => {
    const scheduler = Scheduler.make()
    const microtasks = async () => {
      for (let round = 0; round < 5; round++) await Promise.resolve()
    }
    let done = 0
    const work = () => {
      for (const end = performance.now() + 1; performance.now() < end; );
      done++
    }
    // Each event starts a run, which ends before the next event.
    for (let event = 0; event < 20; event++) {
      scheduler.scheduleTask(work, 0)
      await microtasks()
    }
    assert.isAbove(done, 0)
    assert.isBelow(done, 20)
    const turn = () => new Promise((resolve) => setImmediate(resolve))
    while (done < 20) await turn()
    // The slice may have ended with the last event: it is renewed in the next turn.
    await turn()
    scheduler.scheduleTask(work, 0)
    await microtasks()
    assert.strictEqual(done, 21)
  })
})
