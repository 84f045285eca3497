import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { ExchangeRates } from "../../../src/features/prices/ExchangeRates.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"

const down = new UpstreamError({ upstream: "coingecko", reason: "timeout", detail: "is down" })

/** CoinGecko with a table that can be changed. */
const quoting = () => {
  const state: { rates: Readonly<Record<string, { value: number; type: string }>> | undefined; calls: number } = {
    rates: {
      usd: { value: 60_000, type: "fiat" },
      eur: { value: 54_000, type: "fiat" },
      chf: { value: 0, type: "fiat" },
      eth: { value: 20, type: "crypto" }
    },
    calls: 0
  }
  const exchangeRates = Effect.suspend(() => {
    state.calls++
    return state.rates === undefined ? down : Effect.succeed({ rates: state.rates })
  })
  const layer = Layer.provide(ExchangeRates.layer, [
    Layer.mock(CoinGecko, { exchangeRates, plan: "keyless" }),
    Layer.fresh(Memory.layer())
  ])
  return { layer: Layer.fresh(layer), state }
}

const ofDollar = (currency: string) => Effect.flatMap(ExchangeRates, (rates) => Effect.option(rates.ofDollar(currency)))

const rate = (currency: string) =>
  Effect.map(ofDollar(currency), (found) => (found._tag === "Some" ? found.value : "none"))

const test = (
  name: string,
  body: (state: ReturnType<typeof quoting>["state"]) => Effect.Effect<void, unknown, ExchangeRates>
) =>
  it.scoped(name, () => {
    const { layer, state } = quoting()
    return Effect.provide(body(state), layer)
  })

describe("the rates of fiat currencies", () => {
  test("come from one call, and dollars need none", (state) =>
    Effect.gen(function* () {
      assert.strictEqual(yield* rate("usd"), 1)
      assert.strictEqual(state.calls, 0)
      assert.strictEqual(yield* rate("eur"), 0.9)
      for (const other of ["chf", "eth", "xyz"]) assert.strictEqual(yield* rate(other), "none")
      assert.strictEqual(state.calls, 1)
    }))

  for (const [what, usd] of [
    ["no rate of the dollar", undefined],
    ["a rate of the dollar that is zero", { value: 0, type: "fiat" }]
  ] as const)
    test(`stay when an answer with ${what} comes, and are soon requested again`, (state) =>
      Effect.gen(function* () {
        yield* rate("eur")
        state.rates = { ...(usd === undefined ? {} : { usd }), eur: { value: 50_000, type: "fiat" } }
        yield* TestClock.adjust("61 minutes")
        yield* rate("eur")
        yield* TestClock.adjust(0)
        assert.strictEqual(yield* rate("eur"), 0.9)
        state.rates = { usd: { value: 60_000, type: "fiat" }, eur: { value: 57_000, type: "fiat" } }
        yield* TestClock.adjust("11 seconds")
        yield* rate("eur")
        yield* TestClock.adjust(0)
        assert.strictEqual(yield* rate("eur"), 0.95)
      }))

  test("are served for half a day without the provider, and then there are none", (state) =>
    Effect.gen(function* () {
      yield* rate("eur")
      state.rates = undefined
      yield* TestClock.adjust("719 minutes")
      assert.strictEqual(yield* rate("eur"), 0.9)
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* rate("eur"), "none")
    }))
})
