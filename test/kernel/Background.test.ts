import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { Background, forkBackground } from "../../src/kernel/Background.ts"

/** How often the work has begun. */
const work = () => {
  const state = { begun: 0 }
  return { state, run: forkBackground(Effect.sync(() => state.begun++)) }
}

const others = Effect.repeatN(Effect.yieldNow(), 10)

describe("work in the background", () => {
  it.scoped("begins at once where nothing delays it", () =>
    Effect.gen(function* () {
      const { run, state } = work()
      yield* run
      yield* others
      assert.strictEqual(state.begun, 1)
    })
  )

  it.scoped("waits where it is delayed, however much of it there is, and begins once", () =>
    Effect.gen(function* () {
      const all = [work(), work()]
      for (const { run } of all) yield* run
      yield* others
      assert.deepStrictEqual(
        all.map(({ state }) => state.begun),
        [0, 0]
      )
      const { begin } = yield* Background
      yield* begin
      yield* begin
      yield* others
      const late = work()
      yield* late.run
      yield* others
      assert.deepStrictEqual(
        [...all, late].map(({ state }) => state.begun),
        [1, 1, 1]
      )
    }).pipe(Effect.provide(Background.layerDelayed))
  )

  it.effect("never begins where the scope ends before", () =>
    Effect.gen(function* () {
      const { run, state } = work()
      yield* Effect.scoped(run)
      const { begin } = yield* Background
      yield* begin
      yield* others
      assert.strictEqual(state.begun, 0)
    }).pipe(Effect.provide(Background.layerDelayed))
  )
})
