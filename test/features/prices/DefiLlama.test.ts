import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { type Contract, PriceSource } from "../../../src/features/prices/PriceSource.ts"
import * as DefiLlamaPrices from "../../../src/features/prices/sources/DefiLlamaPrices.ts"
import { DefiLlama } from "../../../src/providers/DefiLlama.ts"
import { json, type Reply, repliesInOrder, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { run, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))

type Prices = (typeof PriceSource.Service)["prices"]

const over = (reply: Reply | ((request: SentRequest) => Reply)) => {
  const outside = simulatedClient(typeof reply === "function" ? reply : () => reply)
  const source = Layer.provide(DefiLlamaPrices.layer, Layer.provide(DefiLlama.layer, upstreamDependencies(outside)))
  const use = <A, E>(body: (prices: Prices) => Effect.Effect<A, E>) =>
    Effect.provide(
      Effect.flatMap(PriceSource, ({ prices }) => body(prices)),
      source
    )
  return {
    requests: outside.requests,
    use,
    batchSize: Effect.provide(
      Effect.map(PriceSource, ({ batchSize }) => batchSize),
      source
    ),
    prices: (...args: Parameters<Prices>) => use((prices) => run(prices(...args)))
  }
}

/** The coin keys of each request. */
const keysOf = (requests: ReadonlyArray<SentRequest>) =>
  requests.map(({ url }) => decodeURIComponent(url.pathname.replace("/prices/current/", "")).split(","))

/** Returns a function that looks up the contracts of a coin. */
const contracts = (all: Readonly<Record<string, ReadonlyArray<Contract>>>) => (id: CoinId) => all[id] ?? []

/** Returns the coins of the requested keys that are in the record. */
const knowing = (all: Readonly<Record<string, unknown>>) => (request: SentRequest) =>
  coins(Object.fromEntries((keysOf([request])[0] ?? []).flatMap((key) => (key in all ? [[key, all[key]]] : []))))

const coins = (all: Readonly<Record<string, unknown>>) => json({ coins: all })
const dai = { symbol: "DAI", price: 0.99972, timestamp: 1_741_276_617, confidence: 0.99 }
const daiPrice = {
  coinId: CoinId.make("dai"),
  usd: 0.99972,
  updatedAt: 1_741_276_617_000,
  source: "defillama",
  symbol: "DAI"
}

describe("prices of DefiLlama", () => {
  it("are requested for at most 100 coins per call", function* () {
    assert.strictEqual(yield* over(coins({})).batchSize, 100)
  })

  it("may be an hour old, because DefiLlama updates many coins rarely", function* () {
    const source = Layer.provide(
      DefiLlamaPrices.layer,
      Layer.provide(DefiLlama.layer, upstreamDependencies(simulatedClient(() => coins({}))))
    )
    assert.strictEqual((yield* Effect.provide(PriceSource, source)).maxAge, 3_600_000)
  })

  it("are requested with ids that are escaped in the path", function* () {
    const { requests, prices } = over(coins({}))
    yield* prices(ids("x?y#z", "ü"))
    assert.strictEqual(
      requests[0]?.url.href,
      "https://coins.llama.fi/prices/current/coingecko:x%3Fy%23z,coingecko:%C3%BC"
    )
  })

  it("are not requested if there are no ids", function* () {
    const { requests, prices } = over(coins({}))
    assert.deepStrictEqual(yield* prices([]), Either.right([]))
    assert.strictEqual(requests.length, 0)
  })

  const unusable: Readonly<Record<string, unknown>> = {
    "a price of null": { ...dai, price: null },
    "a price of zero": { ...dai, price: 0 },
    "a negative price": { ...dai, price: -1 },
    "a price as text": { ...dai, price: "1" },
    "no price": { ...dai, price: undefined },
    "no time": { ...dai, timestamp: undefined },
    "little confidence": { ...dai, confidence: 0.49 },
    "a price above any market": { ...dai, price: 1.1e12 },
    "a price below any market": { ...dai, price: 1e-31 },
    nothing: null
  }
  for (const [name, coin] of Object.entries(unusable))
    it(`are omitted for a coin with ${name}, and returned for the others`, function* () {
      const outcome = yield* over(coins({ "coingecko:odd": coin, "coingecko:dai": dai })).prices(ids("odd", "dai"))
      assert.deepStrictEqual(outcome, Either.right([daiPrice]))
    })

  it("do not require a symbol or a confidence", function* () {
    const { price: usd, timestamp } = dai
    const outcome = yield* over(coins({ "coingecko:dai": { price: usd, timestamp } })).prices(ids("dai"))
    const { symbol: _, ...bare } = daiPrice
    assert.deepStrictEqual(outcome, Either.right([bare]))
  })

  it("are returned only for the requested coins", function* () {
    const answer = coins({ "ethereum:0x01": dai, "coingecko:dai": dai, "coingecko:other": dai, dai })
    const outcome = yield* over(answer).prices(ids("dai"))
    assert.deepStrictEqual(outcome, Either.right([daiPrice]))
  })

  for (const usd of [1e-30, 1e12, 13_146_300.613692524])
    it(`may be ${usd}`, function* () {
      const outcome = yield* over(coins({ "coingecko:dai": { ...dai, price: usd } })).prices(ids("dai"))
      assert.deepStrictEqual(outcome, Either.right([{ ...daiPrice, usd }]))
    })

  it("are omitted if the number is not finite", function* () {
    const body = '{"coins":{"coingecko:dai":{"price":1e999,"timestamp":1741276617}}}'
    assert.deepStrictEqual(yield* over(text(body)).prices(ids("dai")), Either.right([]))
  })

  for (const [name, reply, reason] of [
    ["a body of another shape", json({}), "bad_answer"],
    ["HTTP 413, as for too many ids", text("Too large", { status: 413 }), "upstream_error"],
    ["HTTP 429", text("", { status: 429 }), "rate_limited"]
  ] as const)
    it(`fail as a whole with ${name}`, function* () {
      const outcome = yield* over(reply).prices(ids("dai"))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, reason)
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.upstream, "defillama")
    })
})

describe("prices of DefiLlama by address", () => {
  const base = (address: string) => ({ chain: "base", address })

  it("are requested in one more call, for the coins that DefiLlama does not know by id", function* () {
    const { requests, prices } = over(knowing({ "coingecko:dai": dai, "base:0x01": { ...dai, price: 2 } }))
    const outcome = yield* prices(
      ids("dai", "odd", "none"),
      contracts({ dai: [base("0xda")], odd: [base("0x01"), { chain: "sui", address: "0x1::odd::ODD" }] })
    )
    assert.deepStrictEqual(keysOf(requests), [
      ["coingecko:dai", "coingecko:odd", "coingecko:none"],
      ["base:0x01", "sui:0x1::odd::ODD"]
    ])
    assert.deepStrictEqual(outcome, Either.right([daiPrice, { ...daiPrice, coinId: CoinId.make("odd"), usd: 2 }]))
  })

  it("are not requested if every coin has a price or no contract is known", function* () {
    const { requests, prices } = over(knowing({ "coingecko:dai": dai }))
    yield* prices(ids("dai"), contracts({ dai: [base("0xda")] }))
    yield* prices(ids("odd"), contracts({}))
    yield* prices(ids("odder"))
    assert.strictEqual(requests.length, 3)
  })

  it("are requested for at most 100 keys, the first contract of every coin before any second contract", function* () {
    const { requests, prices } = over(knowing({}))
    const many = ids(...Array.from({ length: 60 }, (_, index) => `coin-${index}`))
    yield* prices(many, (id) => [base(`0x1-${id}`), base(`0x2-${id}`)])
    const [, keys = []] = keysOf(requests)
    assert.strictEqual(keys.length, 100)
    assert.isTrue(keys.slice(0, 60).every((key) => key.startsWith("base:0x1-")))
    assert.isTrue(keys.slice(60).every((key) => key.startsWith("base:0x2-")))
  })

  it("are requested with a URL of limited length", function* () {
    const { requests, prices } = over(knowing({}))
    const many = ids(...Array.from({ length: 90 }, (_, index) => `coin-${index}`))
    yield* prices(many, (id) => [{ chain: "sui", address: `0x${"a".repeat(150)}::${id}` }])
    assert.isBelow(requests[1]?.url.pathname.length ?? Number.POSITIVE_INFINITY, 6_200)
  })

  it("are omitted if their confidence is low", function* () {
    const { prices } = over(knowing({ "base:0x01": { ...dai, confidence: 0.4 } }))
    assert.deepStrictEqual(yield* prices(ids("odd"), contracts({ odd: [base("0x01")] })), Either.right([]))
  })

  it("do not affect prices by id if they cannot be fetched, and fail if there are no prices by id", function* () {
    const answer = (request: SentRequest) =>
      request.url.pathname.includes("base:") ? text("", { status: 500 }) : knowing({ "coingecko:dai": dai })(request)
    const both = yield* over(answer).prices(ids("dai", "odd"), contracts({ odd: [base("0x01")] }))
    assert.deepStrictEqual(both, Either.right([daiPrice]))
    const none = yield* over(answer).prices(ids("odd"), contracts({ odd: [base("0x01")] }))
    assert.strictEqual(Either.isLeft(none) && none.left.reason, "upstream_error")
  })
})

describe("a coin that DefiLlama does not know", () => {
  it("is not requested again for a day", function* () {
    const { requests, use } = over(knowing({ "coingecko:dai": dai }))
    yield* use((prices) =>
      Effect.gen(function* () {
        const contractsOf = contracts({ odd: [{ chain: "base", address: "0x01" }] })
        yield* prices(ids("odd", "dai"), contractsOf)
        yield* TestClock.adjust("23 hours")
        assert.deepStrictEqual(yield* prices(ids("odd"), contractsOf), [])
        yield* prices(ids("odd", "dai"), contractsOf)
        yield* TestClock.adjust("2 hours")
        yield* prices(ids("odd"), contractsOf)
      })
    )
    assert.deepStrictEqual(keysOf(requests), [
      ["coingecko:odd", "coingecko:dai"],
      ["base:0x01"],
      ["coingecko:dai"],
      ["coingecko:odd"],
      ["base:0x01"]
    ])
  })

  it("is no longer requested by id once its address is known", function* () {
    const { requests, use } = over(knowing({ "base:0x01": dai }))
    yield* use((prices) =>
      Effect.repeatN(prices(ids("odd"), contracts({ odd: [{ chain: "base", address: "0x01" }] })), 1)
    )
    assert.deepStrictEqual(keysOf(requests), [["coingecko:odd"], ["base:0x01"], ["base:0x01"]])
  })

  it("is requested again if it had a price before or has an unusable price", function* () {
    const answers = repliesInOrder(coins({ "coingecko:dai": dai, "coingecko:odd": { price: 0 } }), coins({}))
    const { requests, use } = over(() => answers())
    yield* use((prices) => Effect.repeatN(prices(ids("dai", "odd")), 2))
    assert.deepStrictEqual(
      keysOf(requests),
      Array.from({ length: 3 }, () => ["coingecko:dai", "coingecko:odd"])
    )
  })

  it("is requested again if a whole list of coins is unknown, because the response may be wrong", function* () {
    const { requests, use } = over(coins({}))
    const many = ids(...Array.from({ length: 50 }, (_, index) => `coin-${index}`))
    yield* use((prices) => Effect.repeatN(prices(many), 1))
    assert.deepStrictEqual(
      keysOf(requests).map((keys) => keys.length),
      [50, 50]
    )
  })

  it("is requested again if the call failed", function* () {
    const answers = repliesInOrder(json({ message: "no" }, { status: 403 }), coins({}))
    const { requests, use } = over(() => answers())
    yield* use((prices) => Effect.zipRight(Effect.either(prices(ids("odd"))), prices(ids("odd"))))
    assert.strictEqual(requests.length, 2)
  })
})
