import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Layer from "effect/Layer"
import * as Scope from "effect/Scope"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { PriceRefresh } from "../../../src/features/prices/PriceRefresh.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { listOf, type TokenList, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { market, priced, type Route, tokens } from "../../support/market.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import { minute } from "./pricing.ts"

const start = Date.UTC(2026, 10, 1)

/** A test with its own clock. */
const test = (name: string, body: (pass: (milliseconds: number) => Effect.Effect<void>) => Body<Scope.Scope>) =>
  it.scoped(name, () => {
    const { live, pass } = simulated(start)
    return live(effectOf(body(pass)))
  })

const currentPrice = Effect.fnUntraced(function* (coin: string) {
  const { current } = yield* (yield* Pricing).memory
  return current(CoinId.make(coin), yield* Clock.currentTimeMillis)
})

/** True after the largest coins have been requested once. */
const begun = Effect.fnUntraced(function* (pass: (milliseconds: number) => Effect.Effect<void>) {
  const waiting = yield* Effect.fork((yield* PriceRefresh).firstPassDone)
  yield* pass(0)
  return waiting.unsafePoll() !== null
})

/** Switches charts off, because they share budgets with prices and make their own calls. */
const quiet = { OHLC_REFRESH_MS: "0" }

describe("the refresh of prices", () => {
  const item = (lists: Parameters<typeof priced>[1], environment: Readonly<Record<string, string>> = quiet) => {
    const sources = market()
    const layer = Layer.provide(priced(sources, lists, environment), Layer.fresh(Memory.layer()))
    const count = (route: Route) => sources.calls.get(route) ?? 0
    return { ...sources, count, layer }
  }

  test("requests the largest coins from CoinGecko, and all other tokens from the other sources", (pass) => {
    const { requested, calls, layer } = item({ ethereum: tokens("ethereum", 350) })
    return Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      yield* pass(minute)
      assert.deepStrictEqual(Object.fromEntries(calls), { "coingecko page": 1, defillama: 4 })
      const llama = requested.flatMap(([route, ids]) => (route === "defillama" ? [ids.length] : []))
      assert.isTrue(llama.every((count) => count <= 100))
      yield* Effect.gen(function* () {
        assert.deepInclude(yield* currentPrice("large-7"), { usd: 2.5, source: "coingecko", change24h: 0.1 })
        for (const coin of ["token-ethereum-0", "token-ethereum-349", "ethereum", "tron"])
          assert.deepInclude(yield* currentPrice(coin), { usd: 2.5, source: "defillama" })
        assert.isTrue((yield* PriceRefresh).covers("ethereum"))
      }).pipe(Effect.provide(context))
    })
  })

  test("keeps every price current while it runs", (pass) => {
    const { count, layer } = item({ ethereum: tokens("ethereum", 150) })
    return Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      yield* pass(minute)
      for (let passed = 1; passed < 120; passed += 1) {
        yield* pass(minute)
        for (const coin of ["large-0", "token-ethereum-0", "ethereum"])
          assert.isDefined(yield* Effect.provide(currentPrice(coin), context), `${coin} after ${passed} minutes`)
      }
      assert.strictEqual(count("coingecko page"), 13)
    })
  })

  test("continues without CoinGecko, and queries it again in the next round", (pass) => {
    const { count, down, layer } = item({ ethereum: tokens("ethereum", 10) })
    return Effect.gen(function* () {
      down.add("coingecko page")
      const context = yield* Layer.build(layer)
      yield* pass(minute)
      assert.deepInclude(yield* Effect.provide(currentPrice("token-ethereum-3"), context), { source: "defillama" })
      down.delete("coingecko page")
      const before = count("coingecko page")
      yield* pass(10 * minute)
      assert.strictEqual(count("coingecko page"), before + 1)
      assert.isDefined(yield* Effect.provide(currentPrice("large-3"), context))
    })
  })

  it.scoped("continues if the clock is set back", () => {
    const { live, pass, setBack } = simulated(start)
    const { layer } = item({ ethereum: tokens("ethereum", 3) })
    return live(
      Effect.gen(function* () {
        const context = yield* Layer.build(layer)
        yield* pass(minute)
        setBack(60 * minute)
        yield* pass(minute)
        for (const coin of ["large-0", "token-ethereum-0", "ethereum"])
          assert.isDefined(yield* Effect.provide(currentPrice(coin), context), coin)
      })
    )
  })

  test("does not cover a platform until the coins of its list have been requested, even if the list arrives long after the start", (pass) => {
    const { layer } = item({})
    return Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      yield* Effect.gen(function* () {
        const { covers } = yield* PriceRefresh
        yield* pass(minute)
        assert.isTrue(yield* begun(pass))
        const lists = (yield* (yield* TokenRegistry).lists) as Map<string, TokenList>
        lists.set("ethereum", listOf(tokens("ethereum", 3), 0))
        assert.isFalse(covers("ethereum"))
        yield* pass(minute)
        assert.isTrue(covers("ethereum"))
        assert.isFalse(covers("tron"))
        assert.isDefined(yield* currentPrice("token-ethereum-2"))
      }).pipe(Effect.provide(context))
    })
  })

  test("requests five pages with a pro key", (pass) => {
    const { count, layer } = item(
      {},
      { ...quiet, COINGECKO_API_KEY: "CG-1", COINGECKO_URL: "https://pro-api.coingecko.com/api/v3" }
    )
    return Effect.gen(function* () {
      yield* Layer.build(layer)
      yield* pass(minute)
      assert.strictEqual(count("coingecko page"), 5)
    })
  })

  test("makes no call with PRICE_REFRESH_MS=0", (pass) => {
    const { calls, layer } = item({ ethereum: tokens("ethereum", 10) }, { ...quiet, PRICE_REFRESH_MS: "0" })
    return Effect.gen(function* () {
      const context = yield* Layer.build(layer)
      yield* pass(20 * minute)
      assert.strictEqual(calls.size, 0)
      assert.isTrue(yield* Effect.provide(begun(pass), context), "requests do not wait for the refresh")
    })
  })

  test("runs in one of several processes; another one serves the stored prices, and takes over when the first ends", function* (pass) {
    const store = yield* Layer.build(Memory.layer())
    const [first, second] = [market(), market()]
    const lists = { ethereum: tokens("ethereum", 150) }
    const running = yield* Scope.make()
    yield* Effect.provide(Scope.extend(Layer.build(priced(first, lists, quiet)), running), store)
    yield* pass(minute)
    const other = yield* Effect.provide(Layer.build(priced(second, lists, quiet)), store)
    yield* pass(25 * minute)
    assert.strictEqual(second.calls.size, 0, "the second makes no call")
    assert.isDefined(yield* Effect.provide(currentPrice("token-ethereum-7"), other))
    yield* Scope.close(running, Exit.void)
    const before = new Map(first.calls)
    yield* pass(15 * minute)
    assert.deepStrictEqual(first.calls, before)
    assert.isAbove(second.calls.get("defillama") ?? 0, 0)
    assert.isDefined(yield* Effect.provide(currentPrice("token-ethereum-7"), other))
  })

  test("starts with the stored prices after a restart", function* (pass) {
    const store = yield* Layer.build(Memory.layer())
    const lists = { ethereum: tokens("ethereum", 50) }
    const running = yield* Scope.make()
    yield* Effect.provide(Scope.extend(Layer.build(priced(market(), lists, quiet)), running), store)
    yield* pass(minute)
    yield* Scope.close(running, Exit.void)
    const again = market()
    for (const route of ["coingecko page", "defillama", "binance"] as const) again.down.add(route)
    const context = yield* Effect.provide(Layer.build(priced(again, lists, quiet)), store)
    yield* pass(100)
    assert.deepInclude(yield* Effect.provide(currentPrice("token-ethereum-7"), context), {
      usd: 2.5,
      source: "defillama"
    })
  })
})

/**
 * The calls that a budget of 10,000 per month allows in this time from a full bucket: half a day's share at once, and
 * the others evenly.
 */
const granted = (milliseconds: number) => 161 + ((10_000 - 161) / (31 * 24 * 60 * minute)) * milliseconds

describe("calls at default settings without a key", () => {
  const run = Effect.fnUntraced(function* (
    pass: (milliseconds: number) => Effect.Effect<void>,
    hours: number,
    coins: ReadonlyArray<CoinId> = []
  ) {
    const sources = market()
    const layer = priced(sources, { ethereum: tokens("ethereum", 500) })
    const context = yield* Effect.provide(Layer.build(layer), yield* Layer.build(Layer.fresh(Memory.layer())))
    const missing: Array<number> = []
    for (let passed = 0; passed < hours * 60; passed++) {
      if (coins.length > 0) {
        const pricing = yield* Effect.provide(Pricing, context)
        const fiber = yield* Effect.fork(pricing.prices(coins))
        yield* pass(10_000)
        missing.push((yield* fiber).missing.size)
      }
      yield* pass(coins.length > 0 ? 50_000 : minute)
    }
    const count = (...routes: ReadonlyArray<Route>) =>
      routes.reduce((sum, route) => sum + (sources.calls.get(route) ?? 0), 0)
    const coingecko = count("coingecko page", "coingecko ids", "coingecko ohlc", "coingecko rates")
    return { coingecko, count, missing }
  })

  test("stay within a free plan of CoinGecko when there are no requests", function* (pass) {
    const hours = 3
    const { coingecko, count } = yield* run(pass, hours)
    assert.isAtMost(coingecko, granted(hours * 60 * minute))
    assert.strictEqual(count("coingecko page"), 1 + hours * 6, "prices every ten minutes")
    assert.isAtMost(count("coingecko ohlc"), 21 + 7, "charts of a day every two hours")
    assert.strictEqual(count("binance"), 0)
  })

  test("stay within the free plan when 1,000 coins are requested every minute, and every coin has a price", function* (pass) {
    // Four calls per minute, of 250 coins each, would exceed the budget in this time.
    const hours = 0.75
    assert.isAbove(4 * 60 * hours, granted(hours * 60 * minute))
    const { coingecko, count, missing } = yield* run(
      pass,
      hours,
      Array.from({ length: 1_000 }, (_, index) => CoinId.make(`asked-${index}`))
    )
    assert.isAtMost(coingecko, granted(hours * 60 * minute))
    assert.isAtMost(count("defillama"), 1.5 * 60 * 60 * hours)
    assert.deepStrictEqual(
      missing.filter((coins) => coins > 0),
      []
    )
  })
})
