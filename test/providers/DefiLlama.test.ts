import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../src/domain/CoinId.ts"
import { DefiLlama } from "../../src/providers/DefiLlama.ts"
import { isAvailable } from "../../src/upstream/Sources.ts"
import { json, type Reply, simulatedClient, text } from "../support/http.ts"
import { run, upstreamDependencies } from "../support/upstream.ts"
import { assert, describe, it } from "../support/vitest.ts"

const bitcoin = CoinId.make("bitcoin")
const now = 1_800_000_000_000

const over = (reply: Reply) => {
  const outside = simulatedClient(() => reply)
  return {
    requests: outside.requests,
    upstream: <A, E>(use: (defillama: typeof DefiLlama.Service) => Effect.Effect<A, E>) =>
      Effect.zipRight(
        TestClock.setTime(now),
        Effect.flatMap(DefiLlama, (defillama) => run(use(defillama)))
      ).pipe(Effect.provide(Layer.provide(DefiLlama.layer, upstreamDependencies(outside))))
  }
}

const chart = (coin: unknown) => json({ coins: { "coingecko:bitcoin": coin } })

describe("the chart of DefiLlama", () => {
  for (const [days, period, seconds, points] of [
    [1, "5m", 300, 289],
    [7, "1h", 3_600, 169],
    [30, "2h", 7_200, 361],
    [365, "1d", 86_400, 366]
  ] as const)
    it(`of ${days} days requests ${points} points, the last one at the current time`, function* () {
      const { requests, upstream } = over(json({ coins: {} }))
      yield* upstream(({ chart }) => chart(bitcoin, days))
      assert.deepStrictEqual(
        requests.map(({ url }) => [url.pathname, Object.fromEntries(url.searchParams)]),
        [
          [
            "/chart/coingecko:bitcoin",
            {
              start: String(now / 1000 - days * 86_400),
              span: String(points),
              period,
              searchWidth: String(seconds / 2)
            }
          ]
        ]
      )
    })

  it("has times in ms, in ascending order and without duplicates", function* () {
    const prices = [
      { timestamp: 300, price: 3 },
      { timestamp: 100, price: 1 },
      { timestamp: 200, price: 2 },
      { timestamp: 300, price: 3 }
    ]
    const outcome = yield* over(chart({ prices, confidence: 0.99 })).upstream((api) => api.chart(bitcoin, 1))
    assert.deepStrictEqual(
      Option.getOrThrow(Either.getOrThrow(outcome)),
      [1, 2, 3].map((price) => ({ at: price * 100_000, price }))
    )
  })

  for (const [name, point] of Object.entries({
    "no price": { timestamp: 1 },
    "a price of null": { timestamp: 1, price: null },
    "a price of zero": { timestamp: 1, price: 0 },
    "a negative price": { timestamp: 1, price: -1 },
    "a price as text": { timestamp: 1, price: "1" },
    "no time": { price: 1 },
    "a negative time": { timestamp: -1, price: 1 },
    "a pair": [1, 1],
    nothing: null
  }))
    it(`leaves out a point with ${name}`, function* () {
      const prices = [point, { timestamp: 2, price: 5 }]
      const outcome = yield* over(chart({ prices })).upstream((api) => api.chart(bitcoin, 1))
      assert.deepStrictEqual(outcome, Either.right(Option.some([{ at: 2_000, price: 5 }])))
    })

  it("returns none for a coin that is unknown or has a low confidence", function* () {
    for (const reply of [json({ coins: {} }), chart({ prices: [{ timestamp: 1, price: 1 }], confidence: 0.2 })]) {
      const outcome = yield* over(reply).upstream((api) => api.chart(bitcoin, 1))
      assert.deepStrictEqual(outcome, Either.right(Option.none()))
    }
  })

  for (const [name, reply, reason] of [
    ["a chart without prices", chart({}), "bad_answer"],
    ["a coin that is null", chart(null), "bad_answer"],
    ["a body in another format", json([]), "bad_answer"],
    ["an HTML page", text("<html></html>"), "bad_answer"],
    ["HTTP 429", text("", { status: 429 }), "rate_limited"]
  ] as const)
    it(`fails with ${name}`, function* () {
      const outcome = yield* over(reply).upstream((api) => api.chart(bitcoin, 1))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, reason)
    })
})

describe("DefiLlama", () => {
  it("is not called without keys, and gets a repeated key once", function* () {
    const { requests, upstream } = over(json({ coins: {} }))
    yield* upstream(({ current }) => Effect.zipRight(current([]), current(["base:0x01", "base:0x01"])))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.href),
      ["https://coins.llama.fi/prices/current/base:0x01"]
    )
  })

  it("is not available during a requested pause", function* () {
    const { upstream } = over(text("", { status: 429, headers: { "retry-after": "60" } }))
    const outcome = yield* upstream((api) =>
      Effect.gen(function* () {
        const before = isAvailable(yield* api.standing)
        yield* Effect.either(api.current(["base:0x01"]))
        const then = isAvailable(yield* api.standing)
        yield* TestClock.adjust("61 seconds")
        return [before, then, isAvailable(yield* api.standing)]
      })
    )
    assert.deepStrictEqual(outcome, Either.right([true, false, true]))
  })
})
