import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { textsOf } from "../../../src/domain/history/Gap.ts"
import { shift } from "../../../src/domain/units.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { increases } from "../../support/samples.ts"
import { clock, holder, network, over, part, second, transaction } from "./histories.ts"

const all = [transaction(100_000), transaction(200_000)]

it.scoped("data that no source lists is reported as missing and does not prevent archiving", () => {
  // Only a full read reports the coins of the first block.
  const source = network("ethereum", ({ since }) =>
    Effect.succeed(
      since === undefined
        ? part(all, { unavailable: ["coins of the first block", "withdrawals"] })
        : part(all.slice(0, 1), { unavailable: ["withdrawals"] })
    )
  )
  return Effect.gen(function* () {
    yield* TestClock.setTime(clock)
    const history = yield* History
    const query = Effect.map(history.transactions({ ethereum: [holder] }, 50), ([read]) => read?.histories[0])
    for (const _ of [1, 2, 3]) {
      assert.deepStrictEqual(yield* increases("histories_incomplete_total", query), {})
      const returned = yield* query
      assert.lengthOf(returned?.transactions ?? [], 2)
      assert.deepStrictEqual(
        new Set(textsOf(returned?.gaps ?? [])),
        new Set(["coins of the first block", "withdrawals"])
      )
      yield* TestClock.adjust("10 seconds")
    }
    assert.deepStrictEqual(
      source.queries.map(({ since }) => since),
      [undefined, shift(second, -107_200), shift(second, -107_200)]
    )
    source.state.answer = () => Effect.fail({ reason: "timeout", message: "late" })
    const returned = yield* query
    assert.lengthOf(returned?.transactions ?? [], 2)
    assert.lengthOf(returned?.gaps ?? [], 3)
    assert.deepStrictEqual(yield* increases("histories_incomplete_total", query), {
      'network="ethereum",code="timeout"': 1
    })
    source.state.answer = () => Effect.succeed(part(all, { missing: ["a list"] }))
    assert.deepStrictEqual(yield* increases("histories_total", query), { 'network="ethereum"': 1 })
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* increases("histories_incomplete_total", query), {
      'network="ethereum",code="partial"': 1
    })
    const malformed = history.transactions({ ethereum: ["malformed"] }, 50)
    assert.deepStrictEqual(yield* increases("histories_total", malformed), {})
  }).pipe(Effect.provide(Layer.provide(over(source), Layer.fresh(Memory.layer()))))
})
