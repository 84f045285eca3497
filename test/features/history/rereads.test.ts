import { assert, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { increases } from "../../support/samples.ts"
import { chain, clock, holder, network, over, part, transaction } from "./histories.ts"

const day = 86_400
const all = [2, 3, 4].map((days) => transaction(days * day))

it.scoped("stored histories that are requested as a whole again are counted by reason", () => {
  const source = network(
    "ethereum",
    chain(() => all)
  )
  return Effect.gen(function* () {
    yield* TestClock.setTime(clock)
    const history = yield* History
    const read = (limit = 2) =>
      increases("histories_reread_total", history.transactions({ ethereum: [holder] }, limit)).pipe(
        Effect.zipLeft(TestClock.adjust("10 seconds"))
      )
    const once = (reason: string) => ({ [`network="ethereum",reason="${reason}"`]: 1 })
    assert.deepStrictEqual(yield* read(), {}, "the first read is not counted")
    assert.deepStrictEqual(yield* read(), {})
    assert.deepStrictEqual(yield* read(3), once("limit"))
    assert.deepStrictEqual(yield* read(), {})
    yield* history.doubt(source.service as never, holder)
    assert.deepStrictEqual(yield* read(), once("sum"))
    assert.deepStrictEqual(yield* read(), {})
    yield* TestClock.adjust("1 day")
    assert.deepStrictEqual(yield* read(), once("day"))
    assert.deepStrictEqual(yield* read(), {})
    source.state.answer = () => Effect.succeed(part(all, { stated: 4 }))
    assert.deepStrictEqual(yield* read(), once("count"))
    assert.deepStrictEqual(yield* read(), {}, "the same contradiction is settled for an hour")
  }).pipe(Effect.provide(Layer.provide(over(source), Layer.fresh(Memory.layer()))))
})
