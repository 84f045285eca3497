import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Stream from "effect/Stream"
import * as Supervisor from "effect/Supervisor"
import { streamEach } from "../../src/features/reading.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** The number of fibers that an effect starts. */
const fibersOf = (effect: Effect.Effect<void>) =>
  Effect.suspend(() => {
    let started = 0
    class Counting extends Supervisor.AbstractSupervisor<void> {
      override value = Effect.void
      override onStart() {
        started++
      }
    }
    return Effect.map(Effect.supervised(effect, new Counting()), () => started)
  })

describe("a stream of an effect for each item", () => {
  it("has the results, fastest first, with one fiber per item", function* () {
    const gates = new Map<string, Deferred.Deferred<void>>()
    for (const name of ["a", "b", "c"]) gates.set(name, yield* Deferred.make<void>())
    const order = ["c", "a", "b"]
    const results: Array<string> = []
    const open = (index: number) => {
      const gate = gates.get(order[index] ?? "")
      return gate === undefined ? Effect.void : Deferred.succeed(gate, undefined)
    }
    yield* open(0)
    yield* streamEach(Effect.succeed([...gates]), ([name, gate]) => Effect.as(Deferred.await(gate), name)).pipe(
      Stream.runForEach((name) => Effect.suspend(() => open(results.push(name))))
    )
    assert.deepStrictEqual(results, order)
    const all = (items: ReadonlyArray<number>) =>
      fibersOf(Stream.runDrain(streamEach(Effect.succeed(items), Effect.succeed)))
    assert.strictEqual((yield* all([1, 2, 3, 4, 5])) - (yield* all([1, 2, 3])), 2)
  })

  it("ends with a defect of an item, and interrupts the others when its reader stops", function* () {
    const broken = streamEach(Effect.succeed([1, 2]), (value) => (value === 2 ? Effect.die("broken") : Effect.never))
    assert.deepStrictEqual(yield* Effect.exit(Stream.runDrain(broken)), Exit.die("broken"))
    const interrupted = yield* Deferred.make<void>()
    const hangs = Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined))
    const first = streamEach(Effect.succeed([1, 2]), (value) => (value === 1 ? Effect.succeed(value) : hangs))
    assert.deepStrictEqual([...(yield* Stream.runCollect(Stream.take(first, 1)))], [1])
    yield* Deferred.await(interrupted)
  })
})
