import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Scheduler from "effect/Scheduler"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { CoinPrice, TokenPrice } from "../../../src/contract/prices/PricesApi.ts"
import * as ChainPriceHandlers from "../../../src/features/prices/ChainPriceHandlers.ts"
import * as CoinPriceHandlers from "../../../src/features/prices/CoinPriceHandlers.ts"
import { ExchangeRates } from "../../../src/features/prices/currencies/ExchangeRates.ts"
import { PriceRefresh } from "../../../src/features/prices/PriceRefresh.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import type { CachedResponse } from "../../../src/http/response/ResponseCache.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { chainsOf } from "../../support/chains.ts"
import { tokens } from "../../support/market.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import { id, ids, maxAge, minute, type Source, source } from "./pricing.ts"

const noRefresh = Layer.succeed(PriceRefresh, {
  covers: () => true,
  firstPassDone: Effect.void,
  keepFresh: Effect.void
})

const zero = "0x0000000000000000000000000000000000000000"

// biome-ignore lint/suspicious/noExplicitAny: the tests check the content
const read = (answer: CachedResponse): any => JSON.parse(new TextDecoder().decode(answer.body))

/** The parts of a response that a client receives. */
const contentOf = ({ isCurrent: _, ...content }: CachedResponse) => content

const isCurrent = (answer: CachedResponse) => Effect.map(TestClock.currentTimeMillis, answer.isCurrent)

/** Runs a test a year after the epoch, over these sources and 3 tokens of Ethereum. */
const test = (
  name: string,
  sources: () => readonly [Source, ...ReadonlyArray<Source>],
  body: (
    query: {
      readonly coins: (...coins: ReadonlyArray<string>) => Effect.Effect<CachedResponse, unknown>
      readonly chains: (...chains: ReadonlyArray<string>) => Effect.Effect<CachedResponse, unknown>
      readonly chainsWithin: (
        milliseconds: number,
        ...chains: ReadonlyArray<string>
      ) => Effect.Effect<CachedResponse, unknown>
      readonly inEuro: (...coins: ReadonlyArray<string>) => Effect.Effect<CachedResponse, unknown>
      readonly inBitcoin: (...coins: ReadonlyArray<string>) => Effect.Effect<CachedResponse, unknown>
    },
    ...sources: ReadonlyArray<Source>
  ) => Body<Pricing>
) =>
  it.scoped(name, () => {
    const own = sources()
    const bitcoin = { perUsd: 1 / 50_000, perUsdDayAgo: 1 / 40_000, source: "test", updatedAt: 0 }
    const rates = ExchangeRates.layerTest({ eur: 0.9 }, { btc: bitcoin })
    const layer = Layer.mergeAll(rates, noRefresh).pipe(
      Layer.provideMerge(chainsOf(Catalogue.all.map((facts) => ({ facts })))),
      Layer.provideMerge(Pricing.fromLayers(own.map(({ layer }) => layer))),
      Layer.provideMerge(TokenRegistry.layerTest({ ethereum: tokens("ethereum", 3, "t") })),
      Layer.fresh,
      Layer.provide([Layer.fresh(Memory.layer()), Settings.layer({})])
    )
    return Effect.gen(function* () {
      yield* TestClock.setTime(365 * 24 * 60 * minute)
      const ofCoins = yield* CoinPriceHandlers.make
      const ofChains = yield* ChainPriceHandlers.make
      const soon = <A, E>(effect: Effect.Effect<A, E>, milliseconds = 5) =>
        Effect.gen(function* () {
          const fiber = yield* Effect.fork(effect)
          yield* TestClock.adjust(milliseconds)
          return yield* fiber
        })
      yield* effectOf(
        body(
          {
            coins: (...coins) => soon(ofCoins(ids(...coins), "usd")),
            chains: (...chains) => soon(ofChains(chains, "usd")),
            chainsWithin: (milliseconds, ...chains) => soon(ofChains(chains, "usd"), milliseconds),
            inEuro: (...coins) => soon(ofCoins(ids(...coins), "eur")),
            inBitcoin: (...coins) => soon(ofCoins(ids(...coins), "btc"))
          },
          ...own
        )
      )
    }).pipe(Effect.provide(layer))
  })

const none = source("none")

describe("a response of prices by coin", () => {
  test(
    "names a currency other than the dollar, and has no digits of a floating-point product",
    () => [source("a", { dai: [1.1], bitcoin: [0.7] })],
    function* ({ coins, inEuro }) {
      const { bitcoin, dai } = read(yield* inEuro("dai", "bitcoin"))
      assert.deepStrictEqual([dai.price, dai.currency, bitcoin.price], [0.99, "eur", 0.63])
      assert.notProperty(read(yield* coins("dai")).dai, "currency")
    }
  )

  test(
    "does not depend on the spelling of the request, and changes only with the prices",
    () => [source("a", { dai: [1], bitcoin: [5] })],
    function* ({ coins }) {
      const cachedResponse = yield* coins("dai", "bitcoin")
      assert.deepStrictEqual(contentOf(yield* coins("bitcoin", "dai", "dai")), contentOf(cachedResponse))
      assert.isTrue(yield* isCurrent(cachedResponse))
      assert.deepStrictEqual(Object.keys(read(cachedResponse)), ["bitcoin", "dai"])
      for (const row of Object.values(read(cachedResponse))) Schema.decodeUnknownSync(CoinPrice)(row)
    }
  )

  test(
    "expires at once when one of its prices changes, and only then",
    () => [source("a", { dai: [1], bitcoin: [5], ethereum: [7] })],
    function* ({ coins }, a = none) {
      const changed = yield* coins("dai")
      const other = yield* coins("bitcoin")
      const pricing = yield* Pricing
      const updatedAt = yield* TestClock.currentTimeMillis
      yield* pricing.accept("b", [{ coinId: id("dai"), usd: 1.1, updatedAt, source: "b" }])
      assert.isFalse(yield* isCurrent(changed))
      assert.isTrue(yield* isCurrent(other))
      assert.strictEqual(read(yield* coins("dai")).dai.price, 1.1)
      assert.strictEqual(a.requested.length, 2)
    }
  )

  test(
    "queries the sources again after some seconds, and has the same content if they return the same prices",
    () => [source("a", { dai: [1] })],
    function* ({ coins }) {
      const answer = yield* coins("dai")
      yield* TestClock.adjust(4_900)
      assert.isTrue(yield* isCurrent(answer))
      yield* TestClock.adjust(100)
      assert.isFalse(yield* isCurrent(answer))
      const next = yield* coins("dai")
      assert.deepStrictEqual(contentOf(next), contentOf(answer))
      assert.isTrue(yield* isCurrent(next))
    }
  )

  test(
    "does not outlive the age limit of a price, in the service or in a copy at a client",
    () => [source("a", { dai: [1, maxAge - 3_000] })],
    function* ({ coins }) {
      const answer = yield* coins("dai")
      assert.strictEqual(answer.maxAge, 0)
      yield* TestClock.adjust(2_900)
      assert.isTrue(yield* isCurrent(answer))
      yield* TestClock.adjust(100)
      assert.isFalse(yield* isCurrent(answer))
    }
  )

  test(
    "omits unknown coins, and has the reason why other coins have no price",
    () => [source("a", { dai: [1, 0, { name: "Dai", symbol: "dai" }] }), source("b")],
    function* ({ coins }, a = none, b = none) {
      yield* coins("dai")
      a.state.known = {}
      yield* TestClock.adjust(2 * minute)
      yield* coins("dai")
      yield* TestClock.adjust(10_000)
      assert.deepStrictEqual(read(yield* coins("dai", "unheard-of")), {
        dai: {
          id: "dai",
          name: "Dai",
          symbol: "dai",
          fdv: null,
          price: null,
          priceChange24h: null,
          priceChangePercent24h: null,
          img: "",
          source: "",
          updatedAt: null,
          error: "no source has a current price",
          errorCode: "no_price"
        }
      })
      a.state.failing = "timeout"
      b.state.failing = "timeout"
      const failing = read(yield* coins("never-asked-before"))["never-asked-before"]
      assert.deepInclude(failing, { price: null, errorCode: "timeout", error: "the price sources timed out" })
      Schema.decodeUnknownSync(CoinPrice)(failing)
    }
  )

  test(
    "has the changes against a coin as currency, and none of a coin against itself",
    () => [
      source("a", {
        bitcoin: [50_000, 0, { change24h: 10_000, changePercent24h: 25 }],
        dai: [1, 0, { change24h: 0, changePercent24h: 0 }],
        tether: [1, 0, { changePercent24h: 0 }]
      })
    ],
    function* ({ inBitcoin }) {
      const { bitcoin, dai, tether } = read(yield* inBitcoin("bitcoin", "dai", "tether"))
      assert.deepInclude(bitcoin, { price: 1, priceChange24h: 0, priceChangePercent24h: 0 })
      assert.deepInclude(dai, { price: 0.00002, priceChange24h: -0.000005, priceChangePercent24h: -20 })
      assert.deepInclude(tether, { price: 0.00002, priceChange24h: null, priceChangePercent24h: null })
    }
  )

  test(
    "has all amounts in the requested currency, and unchanged percentages",
    () => [source("a", { dai: [2, 0, { change24h: -0.5, changePercent24h: -20, fdv: 1000 }] })],
    function* ({ inEuro }) {
      assert.deepInclude(read(yield* inEuro("dai")).dai, {
        price: 1.8,
        priceChange24h: -0.45,
        priceChangePercent24h: -20,
        fdv: 900
      })
    }
  )
})

describe("a response of prices by coin in special cases", () => {
  test(
    "contains the name of a listed token that has no price, or whose source returns no name",
    () => [source("a", { "t-ethereum-1": [2] })],
    function* ({ coins }) {
      const answer = read(yield* coins("t-ethereum-0", "t-ethereum-1", "ethereum", "unheard-of"))
      assert.deepStrictEqual(Object.keys(answer), ["ethereum", "t-ethereum-0", "t-ethereum-1"])
      assert.deepInclude(answer["t-ethereum-0"], {
        name: "Token 0",
        symbol: "T0",
        price: null,
        errorCode: "no_price"
      })
      assert.deepInclude(answer["t-ethereum-1"], { name: "Token 1", symbol: "T1", price: 2 })
      assert.deepInclude(answer.ethereum, { name: "Ethereum", symbol: "ETH", price: null, errorCode: "no_price" })
    }
  )

  test(
    "has a row for an id that is also a property of objects",
    () => [source("a")],
    function* ({ coins }, a = none) {
      a.state.failing = "timeout"
      const answer = yield* coins("__proto__", "constructor")
      assert.deepStrictEqual(Object.keys(read(answer)), ["__proto__", "constructor"])
    }
  )
})

/** The number of tasks that an effect schedules. */
const tasksOf = <A, E>(effect: Effect.Effect<A, E>) => {
  let tasks = 0
  const scheduler: Scheduler.Scheduler = {
    shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
    scheduleTask: (task, priority) => {
      tasks++
      Scheduler.defaultScheduler.scheduleTask(task, priority)
    }
  }
  return Effect.map(Effect.withScheduler(effect, scheduler), () => tasks)
}

describe("a response of prices by chain", () => {
  test(
    "yields to the event loop after each chain",
    () => [source("a", {})],
    function* ({ chains }) {
      yield* chains("1", "10", "56", "137")
      assert.strictEqual((yield* tasksOf(chains("1", "10", "56"))) - (yield* tasksOf(chains("1"))), 2)
    }
  )

  const known = { ethereum: [3000], "t-ethereum-0": [1], "t-ethereum-2": [5], tron: [0.3] } as const

  /** Stores all prices of the source, as a background refresh does. */
  const round = Effect.fnUntraced(function* (a: Source) {
    const updatedAt = yield* TestClock.currentTimeMillis
    yield* (yield* Pricing).accept(
      "b",
      Object.entries(a.state.known).map(([coin, [usd]]) => ({ coinId: id(coin), usd, updatedAt, source: "b" }))
    )
  })

  test(
    "contains the native coin and every token that has a price, each under its address",
    () => [source("a", known)],
    function* ({ chains }, a = none) {
      yield* round(a)
      const answer = read(yield* chains("728126428", "1", "999", "1", "01"))
      assert.deepStrictEqual(Object.keys(answer), ["1", "728126428"])
      const [first, , third] = tokens("ethereum", 3, "t").map(({ address }) => address)
      assert.deepStrictEqual(Object.keys(answer["1"]), [zero, first, third])
      for (const [address, row] of Object.entries<{ address: string }>(answer["1"])) {
        Schema.decodeUnknownSync(TokenPrice)(row)
        assert.strictEqual(row.address, address)
      }
      assert.deepInclude(answer["1"][third ?? ""], { id: "t-ethereum-2", name: "Token 2", symbol: "T2", price: 5 })
      assert.deepInclude(answer["728126428"][zero], { id: "tron", symbol: "TRX", price: 0.3 })
    }
  )

  test(
    "is written again when a price changes, and is the same otherwise",
    () => [source("a", known)],
    function* ({ chains }, a = none) {
      yield* round(a)
      const cachedResponse = yield* chains("1")
      assert.deepStrictEqual(contentOf(yield* chains("1")), contentOf(cachedResponse))
      yield* TestClock.adjust(10_000)
      assert.isFalse(yield* isCurrent(cachedResponse), "it is checked from time to time")
      const again = yield* chains("1")
      assert.deepStrictEqual(contentOf(again), contentOf(cachedResponse))
      assert.isTrue(yield* isCurrent(again))
      a.state.known = { ...known, "t-ethereum-0": [1.2] }
      yield* round(a)
      assert.isFalse(yield* isCurrent(again))
      const next = yield* chains("1")
      const [first = ""] = tokens("ethereum", 1).map(({ address }) => address)
      assert.strictEqual(read(next)["1"][first].price, 1.2)
    }
  )

  test(
    "omits a price that would pass its age limit while the response or a copy of it is used",
    () => [source("a", { ethereum: [3000] })],
    function* ({ chains }) {
      const pricing = yield* Pricing
      const now = yield* TestClock.currentTimeMillis
      const priceOf = (coin: string, age: number) => ({ coinId: id(coin), usd: 1, updatedAt: now - age, source: "b" })
      yield* pricing.accept("b", [priceOf("t-ethereum-0", maxAge - 19_000), priceOf("t-ethereum-1", maxAge - 21_000)])
      const answer = yield* chains("1")
      assert.deepStrictEqual(
        Object.values<{ id: string }>(read(answer)["1"]).map((row) => row.id),
        ["ethereum", "t-ethereum-1"]
      )
      assert.strictEqual(answer.maxAge, 10)
    }
  )

  test(
    "is empty for unsupported chains",
    () => [source("a", known)],
    function* ({ chains }) {
      assert.deepStrictEqual(read(yield* chains("999")), {})
    }
  )

  test(
    "requests a native coin only if the refresh has no price of it",
    () => [source("a", known)],
    function* ({ chains }, a = none) {
      yield* round(a)
      yield* chains("1")
      yield* TestClock.adjust(5 * minute)
      assert.lengthOf(Object.keys(read(yield* chains("1"))["1"]), 3)
      assert.deepStrictEqual(a.requested, [])
      yield* chains("137")
      assert.deepStrictEqual(a.requested, [["polygon-ecosystem-token"]])
    }
  )

  test(
    "does not wait long for a native coin whose sources hang",
    () => [source("a", known)],
    function* ({ chainsWithin }, a = none) {
      yield* round(a)
      a.state.pause = Effect.sleep("14 seconds")
      assert.lengthOf(Object.keys(read(yield* chainsWithin(3_000, "1", "137"))["1"]), 3)
    }
  )

  test(
    "is unchanged after lookups of other coins",
    () => [source("a", known)],
    function* ({ chains, coins }, a = none) {
      yield* round(a)
      const answer = yield* chains("1")
      a.state.known = { ...known, dai: [1] }
      yield* coins("dai")
      assert.deepStrictEqual(a.requested.at(-1), ["dai"])
      assert.isFalse(yield* isCurrent(answer), "some price has changed")
      assert.deepStrictEqual(contentOf(yield* chains("1")), contentOf(answer), "but no price of this chain")
    }
  )
})
