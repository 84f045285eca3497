import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { Binance } from "../../../src/providers/Binance.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { DefiLlama } from "../../../src/providers/DefiLlama.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { byHost, json, simulatedClient, text } from "../../support/http.ts"
import { standing } from "../../support/standing.ts"
import { finish, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  id,
  ids,
  type Known,
  maxAge,
  minute,
  none,
  overStore,
  prices,
  type Source,
  source,
  summary,
  test
} from "./pricing.ts"

describe("prices", () => {
  test(
    "come from the first source that has them, and only missing ones are requested from the next",
    () => [source("a", { bitcoin: [1] }), source("b", { bitcoin: [2], dai: [3] })],
    function* (a = none, b = none) {
      assert.deepStrictEqual(summary(yield* prices("bitcoin", "dai", "nothing")), {
        bitcoin: "a 1",
        dai: "b 3",
        nothing: "no_price"
      })
      assert.deepStrictEqual(a.requested, [["bitcoin", "dai", "nothing"]])
      assert.deepStrictEqual(b.requested, [["dai", "nothing"]])
    }
  )

  test(
    "are not requested from a second source if no price is missing",
    () => [source("a", { bitcoin: [1] }), source("b")],
    function* (_, b = none) {
      yield* prices("bitcoin")
      assert.deepStrictEqual(b.requested, [])
    }
  )

  test(
    "are requested once for a coin that is listed several times, and not at all without coins",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      assert.deepStrictEqual(summary(yield* prices()), {})
      assert.deepStrictEqual(a.requested, [])
      const { found, missing } = yield* prices("dai", "dai", "x", "x")
      assert.deepStrictEqual([found.size, missing.size], [1, 1])
      assert.deepStrictEqual(a.requested, [["dai", "x"]])
    }
  )

  test(
    "are missing if their source updated them too long ago, and the next source is queried",
    () => [
      source("a", { old: [1, maxAge + 1], older: [1, maxAge + 1], just: [1, maxAge] }),
      source("b", { old: [2], older: [2, maxAge + 1] })
    ],
    function* (_, b = none) {
      const pricing = yield* Pricing
      const fiber = yield* Effect.fork(pricing.prices(ids("old", "older", "just")))
      const { outcome } = yield* finish(fiber, 5)
      assert.deepStrictEqual(b.requested, [["old", "older"]])
      assert.deepStrictEqual(summary(Either.getOrThrow(outcome)), { old: "b 2", older: "no_price", just: "a 1" })
    }
  )

  test(
    "are missing if they are from the far future",
    () => [source("a", { soon: [1, -minute], never: [1, -365 * 24 * 60 * minute] })],
    function* () {
      assert.deepStrictEqual(summary(yield* prices("soon", "never")), { soon: "a 1", never: "no_price" })
    }
  )

  test(
    "come from the next source if one fails",
    () => [source("a"), source("b", { dai: [2] })],
    function* (a = none) {
      a.state.failing = "timeout"
      assert.deepStrictEqual(summary(yield* prices("dai", "x")), { dai: "b 2", x: "timeout" })
    }
  )

  test(
    "are missing with the reason of the first source if no source returns them",
    () => [source("a"), source("b")],
    function* (a = none, b = none) {
      a.state.failing = "rate_limited"
      b.state.failing = "timeout"
      assert.deepStrictEqual(summary(yield* prices("dai", "x")), { dai: "rate_limited", x: "rate_limited" })
    }
  )

  test(
    "are not taken from a response if they were not requested",
    () => [source("a", { dai: [1] })],
    function* () {
      const made = Layer.succeed(PriceSource, {
        name: "made up",
        batchSize: 10,
        standing: standing(),
        prices: () => Effect.succeed([{ coinId: id("x"), usd: 1, updatedAt: 0, source: "made up" }])
      })
      const layer = Layer.provide(Pricing.fromLayers([made]), [
        Layer.fresh(Memory.layer()),
        Settings.layer({}),
        TokenRegistry.layerTest({})
      ])
      assert.deepStrictEqual(summary(yield* Effect.provide(prices("dai"), layer)), { dai: "no_price" })
    }
  )
})

describe("cached prices", () => {
  test(
    "are not requested again within a minute",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai", "x")
      yield* TestClock.adjust(minute - 100)
      assert.deepStrictEqual(summary(yield* prices("dai", "x")), { dai: "a 1", x: "no_price" })
      assert.strictEqual(a.requested.length, 1)
    }
  )

  test(
    "are served after that while newer ones are fetched in the background",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai")
      yield* TestClock.adjust(minute)
      a.state.known = { dai: [1.2] }
      const gate = yield* Deferred.make<void>()
      a.state.pause = Deferred.await(gate)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      yield* TestClock.adjust(10)
      assert.strictEqual(a.requested.length, 2)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      assert.strictEqual(a.requested.length, 2)
      yield* Deferred.succeed(gate, undefined)
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1.2" })
    }
  )

  test(
    "survive a failing refresh",
    () => [source("a", { dai: [1] }), source("b")],
    function* (a = none, b = none) {
      yield* prices("dai")
      a.state.failing = "timeout"
      b.state.failing = "timeout"
      yield* TestClock.adjust(5 * minute)
      yield* prices("dai")
      yield* TestClock.adjust(minute)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
    }
  )

  test(
    "survive the failure of the only source that has them",
    () => [source("a", { dai: [1] }), source("b", { bitcoin: [5] })],
    function* (a = none) {
      yield* prices("dai", "bitcoin")
      a.state.failing = "rate_limited"
      for (let passed = 2; passed < 14; passed += 2) {
        yield* TestClock.adjust(2 * minute)
        yield* prices("dai", "bitcoin")
        yield* TestClock.adjust(10)
        assert.deepStrictEqual(summary(yield* prices("dai", "bitcoin")), { dai: "a 1", bitcoin: "b 5" })
      }
      yield* TestClock.adjust(3 * minute)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "rate_limited" })
    }
  )

  test(
    "are dropped if their source responds without them",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai")
      a.state.known = {}
      yield* TestClock.adjust(minute)
      yield* prices("dai")
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "no_price" })
    }
  )

  test(
    "expire by the time of their source, and are requested again",
    () => [source("a", { dai: [1, 14 * minute] })],
    function* (a = none) {
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      yield* TestClock.adjust(minute - 10)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      assert.strictEqual(a.requested.length, 1)
      a.state.known = { dai: [1, maxAge + 1] }
      yield* TestClock.adjust(11)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "no_price" })
      assert.strictEqual(a.requested.length, 2)
    }
  )

  test(
    "are not served past the age limit, even if no source responds",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      yield* prices("dai")
      a.state.failing = "timeout"
      yield* TestClock.adjust(maxAge + 10)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "timeout" })
    }
  )

  test(
    "keep the newest change and valuation for 15 minutes, also from a source whose price is older",
    () => [
      source("a", { dai: [1, 4 * minute, { change24h: -0.2, changePercent24h: -20, fdv: 900 }] }),
      source("b", { dai: [1.01] })
    ],
    function* (a = none) {
      const dai = Effect.map(prices("dai"), ({ found }) => {
        const { coinId: _, ...price } = found.get(id("dai")) ?? assert.fail("no price")
        return price
      })
      const shown = Effect.map(dai, ({ marketAt: _, updatedAt: __, ...price }) => price)
      const update = function* () {
        yield* TestClock.adjust(minute)
        yield* prices("dai")
        yield* TestClock.adjust(10)
      }
      const market = { change24h: -0.2, changePercent24h: -20, fdv: 900 }
      assert.deepStrictEqual(yield* shown, { usd: 1, source: "a", ...market })
      const { updatedAt } = yield* dai
      a.state.failing = "timeout"
      yield* update()
      assert.deepStrictEqual(yield* shown, { usd: 1.01, source: "b", ...market })
      assert.strictEqual((yield* dai).marketAt, updatedAt)
      a.state.failing = undefined
      a.state.known = { dai: [0.99, 90_000, { change24h: -0.1, fdv: 910 }] }
      yield* update()
      assert.deepStrictEqual(yield* shown, { usd: 1.01, source: "b", change24h: -0.1, fdv: 910 })
      a.state.failing = "timeout"
      for (let passed = 0; passed < 16; passed++) yield* update()
      assert.deepStrictEqual(yield* shown, { usd: 1.01, source: "b" })
    }
  )

  test(
    "are requested again five seconds after a failure",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      a.state.failing = "timeout"
      yield* prices("dai")
      a.state.failing = undefined
      yield* TestClock.adjust(4_900)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "timeout" })
      assert.strictEqual(a.requested.length, 1)
      yield* TestClock.adjust(100)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
    }
  )

  it("are available after a restart", function* () {
    const first = source("a", { dai: [1] })
    const second = source("a")
    const store = yield* Layer.build(Memory.layer())
    const started = (priceSource: Source) =>
      Effect.provide(prices("dai"), overStore(priceSource)).pipe(
        Effect.provide(store),
        Effect.provide(Settings.layer({}))
      )
    yield* started(first)
    assert.deepStrictEqual(summary(yield* started(second)), { dai: "a 1" })
    assert.deepStrictEqual(second.requested, [])
  })
})

describe("callers", () => {
  test(
    "wait for hanging sources until the deadline of the request, and get the cached prices",
    () => [source("a", { dai: [1], bitcoin: [2] }), source("b")],
    function* (a = none) {
      yield* prices("dai")
      a.state.pause = Effect.sleep("14 seconds")
      const requested = yield* Effect.fork(Effect.flatMap(Pricing, (pricing) => pricing.prices(ids("dai", "bitcoin"))))
      yield* TestClock.adjust("12 seconds")
      assert.deepStrictEqual(summary(yield* Fiber.join(requested)), { dai: "a 1", bitcoin: "timeout" })
      yield* TestClock.adjust("3 seconds")
      assert.deepStrictEqual(
        summary(yield* prices("bitcoin")),
        { bitcoin: "a 2" },
        "the lookup has finished in the meantime"
      )
    }
  )

  test(
    "with invalid ids do not affect the prices of others",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      const odd = ["a/b", "a b", "..\\x", "a?b", "a\u0000b", "100%", "a#b", '"a"']
      const { found, missing } = yield* prices("dai", ...odd)
      assert.deepStrictEqual([...found.keys()], ids("dai"))
      assert.deepStrictEqual(new Set(missing.values()), new Set(["no_price"]))
      assert.deepStrictEqual(a.requested, [["dai"]])
    }
  )

  test(
    "that run concurrently cause one lookup of each coin",
    () => [source("a", { dai: [1], bitcoin: [2] })],
    function* (a = none) {
      const gate = yield* Deferred.make<void>()
      a.state.pause = Deferred.await(gate)
      const pricing = yield* Pricing
      const fibers = yield* Effect.forEach(Array.from({ length: 20 }), (_, index) =>
        Effect.fork(pricing.prices(ids("dai", ...(index % 2 === 0 ? ["bitcoin"] : []))))
      )
      yield* TestClock.adjust(5)
      const waiting = yield* Effect.fork(pricing.prices(ids("bitcoin", "dai")))
      yield* TestClock.adjust(5)
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of [...fibers, waiting])
        assert.strictEqual((yield* Fiber.join(fiber)).found.get(id("dai"))?.usd, 1)
      assert.deepStrictEqual(a.requested, [["bitcoin", "dai"]])
    }
  )

  test(
    "that are cancelled do not cancel the lookup of the others",
    () => [source("a", { dai: [1] })],
    function* (a = none) {
      const gate = yield* Deferred.make<void>()
      a.state.pause = Deferred.await(gate)
      const pricing = yield* Pricing
      const first = yield* Effect.fork(pricing.prices(ids("dai")))
      yield* TestClock.adjust(5)
      const second = yield* Effect.fork(pricing.prices(ids("dai")))
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      assert.deepStrictEqual(summary(yield* Fiber.join(second)), { dai: "a 1" })
      assert.strictEqual(a.requested.length, 1)
    }
  )

  test(
    "with many coins are served in lookups of 250 coins",
    () => [source("a")],
    function* (a = none) {
      yield* prices(...Array.from({ length: 620 }, (_, index) => `coin-${index}`))
      assert.deepStrictEqual(
        a.requested.map((wanted) => wanted.length),
        [250, 250, 120]
      )
    }
  )
})

describe("a source that throws", () => {
  test(
    "affects only its own response",
    () => [source("a", { dai: [1] }), source("b", { dai: [2] })],
    function* (a = none) {
      a.state.pause = Effect.die(new RangeError("too deep"))
      const found = yield* Effect.provide(prices("dai", "new"), Logger.remove(Logger.defaultLogger))
      assert.deepStrictEqual(summary(found), { dai: "b 2", new: "bad_answer" })
    }
  )
})

describe("ids that are on no list of coins", () => {
  it("are requested only from sources without a monthly budget", function* () {
    yield* TestClock.setTime(365 * 24 * 60 * minute)
    const [scarce, plenty] = [source("a", { dai: [1], new: [2] }, true), source("b", { new: [3] })]
    const layer = Pricing.fromLayers([scarce.layer, plenty.layer]).pipe(
      Layer.fresh,
      Layer.provide([
        Layer.fresh(Memory.layer()),
        Settings.layer({}),
        Layer.mock(TokenRegistry, {
          lists: Effect.succeed(new Map()),
          coinIds: Effect.succeed(new Set(["dai", "bitcoin"]))
        })
      ])
    )
    const answer = yield* Effect.provide(prices("dai", "bitcoin", "new", "made-up"), layer)
    assert.deepStrictEqual(summary(answer), { dai: "a 1", bitcoin: "no_price", new: "b 3", "made-up": "no_price" })
    assert.deepStrictEqual(scarce.requested, [["bitcoin", "dai"]])
    assert.deepStrictEqual(plenty.requested.flat().sort(), ["bitcoin", "made-up", "new"])
  })
})

describe("the age limit of prices", () => {
  test(
    "does not let a source that lags behind another one replace the newer price",
    () => [source("a", { dai: [1, minute] })],
    function* (a = none) {
      yield* prices("dai")
      const now = yield* TestClock.currentTimeMillis
      const pricing = yield* Pricing
      const take = (usd: number, age: number) =>
        pricing.accept("b", [{ coinId: id("dai"), usd, updatedAt: now - age, source: "b" }])
      yield* take(1.2, 2 * minute)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      yield* take(1.1, minute / 2)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "b 1.1" })
      assert.strictEqual(a.requested.length, 1)
    }
  )

  test(
    "is higher for a source with its own limit",
    () => [
      source("a", { dai: [1, maxAge + 1] }),
      source("b", { dai: [2, 4 * maxAge], x: [3, 4 * maxAge + 1] }, false, 4 * maxAge)
    ],
    function* () {
      assert.deepStrictEqual(summary(yield* prices("dai", "x")), { dai: "b 2", x: "no_price" })
    }
  )

  test(
    "is that of the source: prices past it are requested again, even if another source may have older ones",
    () => [source("a", { dai: [1, maxAge - minute / 2] }), source("b", {}, false, 4 * maxAge)],
    function* (a = none) {
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      yield* TestClock.adjust(2 * minute)
      a.state.known = { dai: [1.1, 0] }
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1.1" })
      const { expires, current } = yield* Effect.flatMap(Pricing, ({ memory }) => memory)
      const now = yield* TestClock.currentTimeMillis
      const price = current(id("dai"), now)
      assert.isDefined(price)
      if (price !== undefined) assert.strictEqual(expires(price), price.updatedAt + maxAge)
    }
  )

  it.scoped("can be set per source by the operator", () => {
    const sources = [source("a", { dai: [1, 9_000] }), source("b", { dai: [2, 20_000] })]
    const settings = Settings.layer({ PRICE_MAX_AGE_MS: "30000", A_PRICE_MAX_AGE_MS: "8000" })
    return Effect.gen(function* () {
      yield* TestClock.setTime(maxAge)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "b 2" })
      const declared = yield* (yield* Settings).declared
      assert.deepStrictEqual(
        declared.filter(({ name }) => name.endsWith("PRICE_MAX_AGE_MS")).map(({ name, value }) => [name, value]),
        [
          ["A_PRICE_MAX_AGE_MS", "8000"],
          ["B_PRICE_MAX_AGE_MS", "30000"],
          ["PRICE_MAX_AGE_MS", "30000"]
        ]
      )
    }).pipe(
      Effect.provide(
        overStore(...sources).pipe(Layer.provide(Layer.fresh(Memory.layer())), Layer.provideMerge(settings))
      )
    )
  })

  const limited = (PRICE_MAX_AGE_MS: string, known: Known) => {
    const a = source("a", known)
    const layer = Layer.provide(overStore(a), [Layer.fresh(Memory.layer()), Settings.layer({ PRICE_MAX_AGE_MS })])
    return { a, layer }
  }

  it.scoped("can be set by the operator", () => {
    const { a, layer } = limited("10000", { dai: [1, 9_000], bitcoin: [1, 11_000] })
    return Effect.gen(function* () {
      yield* TestClock.setTime(maxAge)
      assert.deepStrictEqual(summary(yield* prices("dai", "bitcoin")), { dai: "a 1", bitcoin: "no_price" })
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(summary(yield* prices("dai")), { dai: "a 1" })
      assert.strictEqual(a.requested.length, 2)
    }).pipe(Effect.provide(layer))
  })

  for (const wrong of ["0", "999", "86400001", "15m", "-1"])
    it(`cannot be "${wrong}"`, function* () {
      const error = yield* Effect.flip(Effect.provide(Pricing, limited(wrong, {}).layer))
      assert.strictEqual(
        error.message,
        `PRICE_MAX_AGE_MS: "${wrong}" is not allowed; allowed: a whole number from 1000 to 86400000`
      )
    })
})

describe("the chain of sources", () => {
  const markets = (url: URL) =>
    (url.searchParams.get("ids") ?? "")
      .split(",")
      .filter((coin) => coin.startsWith("a"))
      .map((coin) => ({
        id: coin,
        symbol: coin,
        name: coin,
        current_price: 1.5,
        last_updated: new Date(365 * 24 * 60 * minute).toISOString()
      }))
  const llama = (url: URL) =>
    Object.fromEntries(
      url.pathname
        .replace("/prices/current/", "")
        .split(",")
        .filter((key) => !key.includes(":x"))
        .map((key) => [key, { price: 2.5, timestamp: 365 * 24 * 60 * 60 }])
    )

  const chain = (coingecko: (url: URL) => ReturnType<typeof json>) => {
    const outside = simulatedClient(
      byHost({
        "api.coingecko.com": ({ url }) => coingecko(url),
        "coins.llama.fi": ({ url }) => json({ coins: llama(url) })
      })
    )
    const layer = Pricing.layer.pipe(
      Layer.provide([CoinGecko.layer, DefiLlama.layer, Binance.layer, TokenRegistry.layerTest({})]),
      Layer.provide(Layer.fresh(Memory.layer())),
      Layer.provide(upstreamDependencies(outside)),
      Layer.fresh
    )
    return { requests: outside.requests, layer }
  }

  it.scoped("requests at most 250 coins per call from CoinGecko and 100 from DefiLlama", () => {
    const { requests, layer } = chain((url) => json(markets(url)))
    return Effect.gen(function* () {
      yield* TestClock.setTime(365 * 24 * 60 * minute)
      const coins = Array.from({ length: 300 }, (_, index) => `${index < 40 ? "a" : "b"}${index}`)
      const { found } = yield* prices(...coins)
      assert.strictEqual(found.size, 300)
      assert.deepStrictEqual(
        [found.get(id("a1")), found.get(id("b50"))].map((price) => [price?.source, price?.usd]),
        [
          ["coingecko", 1.5],
          ["defillama", 2.5]
        ]
      )
      const sizes = (host: string) =>
        requests
          .filter(({ url }) => url.host === host)
          .map(({ url }) => (url.searchParams.get("ids") ?? url.pathname).split(",").length)
          .sort((value, other) => other - value)
      assert.deepStrictEqual(sizes("api.coingecko.com"), [250, 50])
      assert.deepStrictEqual(sizes("coins.llama.fi"), [100, 100, 50, 10])
    }).pipe(Effect.provide(layer))
  })

  it.scoped("continues with DefiLlama while CoinGecko limits the rate", () => {
    const { requests, layer } = chain(() => text("", { status: 429, headers: { "retry-after": "119" } }))
    return Effect.gen(function* () {
      yield* TestClock.setTime(365 * 24 * 60 * minute)
      assert.deepStrictEqual(summary(yield* prices("a", "x")), { a: "defillama 2.5", x: "rate_limited" })
      yield* TestClock.adjust(minute)
      assert.deepStrictEqual(summary(yield* prices("b")), { b: "defillama 2.5" })
      assert.strictEqual(requests.filter(({ url }) => url.host === "api.coingecko.com").length, 1)
    }).pipe(Effect.provide(layer))
  })
})

describe("fixed prices", () => {
  it.effect("are the prices that a test passes", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(summary(yield* prices("dai", "x")), { dai: "test 1", x: "no_price" })
    }).pipe(Effect.provide(Pricing.layerTest({ dai: 1 })))
  )
})
