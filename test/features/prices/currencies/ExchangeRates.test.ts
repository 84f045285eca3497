import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { type Currency, currencies } from "../../../../src/domain/Currency.ts"
import { ExchangeRates } from "../../../../src/features/prices/currencies/ExchangeRates.ts"
import { Pricing } from "../../../../src/features/prices/Pricing.ts"
import { CoinGecko } from "../../../../src/providers/CoinGecko.ts"
import { type DayRates, Frankfurter } from "../../../../src/providers/Frankfurter.ts"
import * as Memory from "../../../../src/storage/Memory.ts"
import { UpstreamError } from "../../../../src/upstream/UpstreamError.ts"
import { standing } from "../../../support/standing.ts"
import { assert, type Body, describe, effectOf, it } from "../../../support/vitest.ts"

const down = new UpstreamError({ upstream: "coingecko", reason: "timeout", detail: "is down" })

/** CoinGecko with a table that a test can change, and reference rates that are missing until a test sets them. */
const quoting = () => {
  const state: {
    rates: Readonly<Record<string, { value: number; type: string }>> | undefined
    reference: DayRates | undefined
    calls: number
    /** How long the reference rates take, ms. */
    delay: number
  } = {
    reference: undefined,
    delay: 0,
    rates: {
      usd: { value: 60_000, type: "fiat" },
      eur: { value: 54_000, type: "fiat" },
      chf: { value: 0, type: "fiat" },
      gbp: { value: 0.76 * 60_000, type: "fiat" },
      xau: { value: 15, type: "commodity" },
      eth: { value: 20, type: "crypto" }
    },
    calls: 0
  }
  const exchangeRates = Effect.suspend(() => {
    state.calls++
    return state.rates === undefined ? down : Effect.succeed({ rates: state.rates })
  })
  const layer = Layer.provide(ExchangeRates.layer, [
    Layer.mock(CoinGecko, { exchangeRates, plan: "keyless", standing: standing(() => true) }),
    Layer.mock(Frankfurter, {
      latest: Effect.suspend(() => {
        const answer = state.reference === undefined ? down : Effect.succeed(state.reference)
        return state.delay === 0 ? answer : Effect.delay(answer, state.delay)
      }),
      standing: standing(() => true)
    }),
    Pricing.layerTest({ ethereum: 3_200, bitcoin: 64_000 }),
    Layer.fresh(Memory.layer())
  ])
  return { layer: Layer.fresh(layer), state }
}

const exchangeRate = (currency: Currency) => Effect.flatMap(ExchangeRates, (rates) => Effect.either(rates.of(currency)))

const rate = (currency: Currency) =>
  Effect.map(exchangeRate(currency), (found) => (Either.isRight(found) ? found.right.perUsd : "none"))

/** The rate, its source and its time in ms, or the reason why it is missing. */
const dated = (currency: Currency) =>
  Effect.map(
    exchangeRate(currency),
    Either.match({
      onLeft: ({ reason }) => reason,
      onRight: ({ perUsd, source, updatedAt }) => [perUsd, source, updatedAt]
    })
  )

const now = 1_795_000_000_000

const test = (name: string, body: (state: ReturnType<typeof quoting>["state"]) => Body<ExchangeRates>) =>
  it.scoped(name, () => {
    const { layer, state } = quoting()
    return Effect.provide(effectOf(body(state)), layer)
  })

describe("the rates of fiat currencies", () => {
  test("come from one call, and dollars need no call", function* (state) {
    assert.strictEqual(yield* rate("usd"), 1)
    assert.strictEqual(state.calls, 0)
    assert.strictEqual(yield* rate("eur"), 0.9)
    for (const other of ["chf", "jpy"] as const) assert.strictEqual(yield* rate(other), "none")
    assert.strictEqual(state.calls, 1)
  })

  for (const [what, usd] of [
    ["no rate of the dollar", undefined],
    ["a zero rate of the dollar", { value: 0, type: "fiat" }]
  ] as const)
    test(`are unchanged after a response with ${what}, and are soon requested again`, function* (state) {
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
    })

  test("are served for 12 hours without the provider, and are then missing", function* (state) {
    yield* rate("eur")
    state.rates = undefined
    yield* TestClock.adjust("719 minutes")
    assert.strictEqual(yield* rate("eur"), 0.9)
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(yield* rate("eur"), "none")
  })

  test("of coins are their prices, and those of metals are in the same table", function* (state) {
    assert.strictEqual(yield* rate("eth"), 1 / 3_200)
    assert.strictEqual(state.calls, 0)
    assert.strictEqual(yield* rate("xau"), 0.00025)
    assert.strictEqual(yield* rate("gbp"), 0.76)
  })

  test("are those of the last working day while the provider is down", function* (state) {
    state.rates = undefined
    yield* TestClock.setTime(now)
    state.reference = { at: now - 3 * 86_400_000, perUsd: { eur: 0.86, chf: 0.8 } }
    assert.strictEqual(yield* rate("eur"), 0.86)
    const all = yield* Effect.flatMap(ExchangeRates, (rates) => rates.all)
    assert.strictEqual(all.size, currencies.length)
    assert.deepStrictEqual(yield* dated("chf"), [0.8, "frankfurter", now - 3 * 86_400_000])
    assert.deepStrictEqual(yield* dated("btc"), [1 / 64_000, "test", now])
    assert.strictEqual(yield* dated("vnd"), "timeout")
  })

  test("are not taken from a table that ended long ago", function* (state) {
    state.rates = undefined
    yield* TestClock.setTime(1_795_000_000_000)
    state.reference = { at: 1_795_000_000_000 - 8 * 86_400_000, perUsd: { eur: 0.86 } }
    assert.strictEqual(yield* rate("eur"), "none")
  })

  test("keep their own source and age if a later table lacks them", function* (state) {
    yield* TestClock.setTime(now)
    state.reference = { at: now - 86_400_000, perUsd: { eur: 0.91, chf: 0.8 } }
    assert.deepStrictEqual(yield* dated("xau"), [0.00025, "coingecko", now])
    state.rates = undefined
    yield* TestClock.adjust("61 minutes")
    for (const _ of [1, 2]) {
      assert.deepStrictEqual(yield* dated("xau"), [0.00025, "coingecko", now])
      assert.deepStrictEqual(yield* dated("eur"), [0.9, "coingecko", now])
      assert.deepStrictEqual(yield* dated("chf"), [0.8, "frankfurter", now - 86_400_000])
      yield* TestClock.adjust("11 seconds")
    }
    state.rates = { usd: { value: 60_000, type: "fiat" }, eur: { value: 55_200, type: "fiat" } }
    yield* rate("eur")
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(yield* dated("eur"), [0.92, "coingecko", now + 61 * 60_000 + 22_000])
    assert.deepStrictEqual(yield* dated("xau"), [0.00025, "coingecko", now])
    for (let hour = 0; hour < 11; hour++) {
      yield* TestClock.adjust("65 minutes")
      yield* rate("eur")
      yield* TestClock.adjust(0)
    }
    assert.strictEqual(yield* rate("eur"), 0.92)
    assert.strictEqual(yield* dated("xau"), "bad_answer")
  })

  test("are missing if the sources differ by more than 5 %", function* (state) {
    yield* TestClock.setTime(now)
    state.reference = { at: now, perUsd: { eur: 0.9 / 1.0501, gbp: 0.76 / 1.0499, chf: 0.8, jpy: 150 } }
    assert.strictEqual(yield* dated("eur"), "bad_answer")
    assert.strictEqual(yield* rate("gbp"), 0.76)
    assert.strictEqual(yield* rate("xau"), 0.00025)
  })

  test("are compared once the second source has answered, also if it is slow", function* (state) {
    yield* TestClock.setTime(now)
    state.reference = { at: now, perUsd: { eur: 0.5, gbp: 0.76, chf: 0.8, jpy: 150 } }
    state.delay = 5_000
    const first = yield* Effect.fork(rate("eur"))
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* first, 0.9)
    yield* TestClock.adjust("4 seconds")
    assert.strictEqual(yield* dated("eur"), "bad_answer")
    assert.strictEqual(yield* rate("gbp"), 0.76)
  })

  test("are missing if the sources differ by more than 5 % on most currencies, which shows a false dollar", function* (state) {
    yield* TestClock.setTime(now)
    state.reference = { at: now, perUsd: { eur: 0.45, gbp: 0.38, chf: 0.8 } }
    for (const currency of ["eur", "gbp", "chf", "xau"] as const)
      assert.strictEqual(yield* dated(currency), "bad_answer", currency)
    assert.strictEqual(yield* rate("eth"), 1 / 3_200)
  })
})
