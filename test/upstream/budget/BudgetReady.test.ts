import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import type { Granted } from "../../../src/upstream/budget/Budget.ts"
import { CurrentPriority, priorities } from "../../../src/upstream/Priority.ts"
import { isAvailable } from "../../../src/upstream/Sources.ts"
import type { Upstream } from "../../../src/upstream/Upstream.ts"
import { byHost, json, refused, repliesInOrder, simulatedClient, text } from "../../support/http.ts"
import { firstUrl, make, run, secondUrl, test } from "../../support/upstream.ts"

const ok = json({ value: 1 })
const lookup = HttpClientRequest.get("/question")
const query = (upstream: Upstream) => run(upstream.read(lookup, Schema.Struct({ value: Schema.Number })))
const ready = ({ standing }: Upstream) => Effect.map(standing, isAvailable)
const always = () => simulatedClient(() => ok)
const rate = (burst: number): Granted => ({ source: "TESTER", keyless: { perSecond: 0.1, burst, maxWait: 0 } })

describe("an upstream is ready", () => {
  test("before its first call and between successful calls, but not without an address", always, function* () {
    const upstream = yield* make()
    assert.isTrue(yield* ready(upstream))
    yield* query(upstream)
    assert.isTrue(yield* ready(upstream))
    assert.isFalse(yield* ready(yield* make([])))
  })

  test(
    "after a failure once its open interval is over, and immediately if another address works",
    () => simulatedClient(byHost({ "one.example": () => refused, "two.example": () => ok })),
    function* () {
      const upstream = yield* make([firstUrl])
      yield* query(upstream)
      assert.isFalse(yield* ready(upstream))
      yield* TestClock.adjust("10 seconds")
      assert.isTrue(yield* ready(upstream))
      const both = yield* make([firstUrl, secondUrl])
      yield* query(both)
      assert.isTrue(yield* ready(both))
    }
  )

  test(
    "once its Retry-After is over",
    () => simulatedClient(repliesInOrder(text("", { status: 429, headers: { "retry-after": "60" } }), ok)),
    function* () {
      const upstream = yield* make()
      yield* query(upstream)
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(yield* ready(upstream))
      yield* TestClock.adjust("1 second")
      assert.isTrue(yield* ready(upstream))
    }
  )

  test("as long as its budget has permits for the priority", always, function* ({ requests }) {
    const upstream = yield* make([firstUrl], { rate: rate(4) })
    const state = Effect.forEach([priorities.price, priorities.chart, priorities.chartRefresh], (purpose) =>
      Effect.provideService(ready(upstream), CurrentPriority, { reserve: purpose.reserve })
    )
    const states: Array<ReadonlyArray<boolean>> = [yield* state, yield* state]
    for (let call = 0; call < 4; call++) {
      yield* query(upstream)
      states.push(yield* state)
    }
    assert.deepStrictEqual(states, [
      [true, true, true],
      [true, true, true],
      [true, true, true],
      [true, true, false],
      [true, false, false],
      [false, false, false]
    ])
    assert.strictEqual(requests.length, 4)
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(yield* state, [true, false, false])
  })

  test("if its next permit is within the maximum wait of the priority", always, function* () {
    const upstream = yield* make([firstUrl], { rate: rate(1) })
    const within = (maxWait: number) =>
      Effect.provideService(ready(upstream), CurrentPriority, { reserve: 0.25, maxWait })
    yield* query(upstream)
    assert.isFalse(yield* ready(upstream))
    assert.isFalse(yield* within(9_999))
    assert.isTrue(yield* within(10_000))
  })

  test("if the budget of another address has permits left", always, function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl], { rate: rate(1) })
    yield* query(upstream)
    assert.isTrue(yield* ready(upstream))
    yield* query(upstream)
    assert.isFalse(yield* ready(upstream))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.host),
      ["one.example", "two.example"]
    )
  })
})
