import * as Effect from "effect/Effect"
import { Background, forkBackground } from "../../src/kernel/Background.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Work that counts how often it has started. */
const work = () => {
  const state = { begun: 0 }
  return { state, run: forkBackground(Effect.sync(() => state.begun++)) }
}

const others = Effect.repeatN(Effect.yieldNow(), 10)

describe("background work", () => {
  it("starts immediately if it is not delayed", function* () {
    const { run, state } = work()
    yield* run
    yield* others
    assert.strictEqual(state.begun, 1)
  })

  it.scoped("waits while it is delayed, and then starts once", () =>
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

  it.effect("never starts if its scope closes first", () =>
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
