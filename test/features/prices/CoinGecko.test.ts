import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import * as CoinGeckoPrices from "../../../src/features/prices/sources/CoinGeckoPrices.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { json, type Reply, simulatedClient, text } from "../../support/http.ts"
import { run, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))

/** The source over an HTTP client that always returns this reply, and the requests that it sent. */
const over = (reply: Reply, environment: Readonly<Record<string, string>> = {}) => {
  const outside = simulatedClient(() => reply)
  const upstream = Layer.provideMerge(CoinGecko.layer, upstreamDependencies(outside, environment))
  return {
    requests: outside.requests,
    prices: (wanted: ReadonlyArray<CoinId>) =>
      Effect.flatMap(PriceSource, (source) => run(source.prices(wanted))).pipe(
        Effect.provide(Layer.provideMerge(CoinGeckoPrices.layer, upstream))
      ),
    upstream: <A, E>(use: (coingecko: typeof CoinGecko.Service) => Effect.Effect<A, E>) =>
      Effect.provide(
        Effect.flatMap(CoinGecko, (coingecko) => run(use(coingecko))),
        upstream
      )
  }
}

const market = (more: Readonly<Record<string, unknown>> = {}) => ({
  id: "bitcoin",
  symbol: "btc",
  name: "Bitcoin",
  current_price: 50_000,
  last_updated: "2026-11-01T00:00:00.000Z",
  ...more
})

describe("prices of CoinGecko", () => {
  it("are requested in dollars, with ids separated by commas, in one call", function* () {
    const { requests, prices } = over(json([]))
    yield* prices(ids("ethereum", "bitcoin"))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.href),
      ["https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&per_page=250&ids=ethereum%2Cbitcoin&page=1"]
    )
  })

  it("are requested for at most 250 coins per call", function* () {
    const batchSize = yield* Effect.provide(
      Effect.map(PriceSource, (source) => source.batchSize),
      Layer.provide(
        CoinGeckoPrices.layer,
        Layer.provide(CoinGecko.layer, upstreamDependencies(simulatedClient(() => json([]))))
      )
    )
    assert.strictEqual(batchSize, 250)
  })

  it("are not requested if there are no ids", function* () {
    const { requests, prices } = over(json([]))
    assert.deepStrictEqual(yield* prices([]), Either.right([]))
    assert.strictEqual(requests.length, 0)
  })

  const unusable: Readonly<Record<string, unknown>> = {
    "a price of null": market({ current_price: null }),
    "a price of zero": market({ current_price: 0 }),
    "a negative price": market({ current_price: -1 }),
    "a price as text": market({ current_price: "50000" }),
    "no price": { ...market(), current_price: undefined },
    "no time": market({ last_updated: null }),
    "an invalid time": market({ last_updated: "yesterday" }),
    "no id": { ...market(), id: undefined },
    "an empty id": market({ id: "" }),
    "no object": null
  }
  for (const [name, row] of Object.entries(unusable))
    it(`are omitted for a row with ${name}, and returned for other rows`, function* () {
      const outcome = yield* over(json([row, market({ id: "dai" })])).prices(ids("bitcoin", "dai"))
      assert.deepStrictEqual(
        Either.getOrThrow(outcome).map(({ coinId }) => coinId),
        ids("dai")
      )
    })

  it("are omitted if the number is not finite", function* () {
    const row = JSON.stringify(market({ current_price: 12345 })).replace("12345", "1e999")
    assert.deepStrictEqual(yield* over(text(`[${row}]`)).prices(ids("bitcoin")), Either.right([]))
  })

  it("contain only the fields that the provider returns", function* () {
    const row = market({ image: null, fully_diluted_valuation: null, price_change_24h: 0 })
    const outcome = yield* over(json([row])).prices(ids("bitcoin"))
    assert.deepStrictEqual(Either.getOrThrow(outcome), [
      {
        coinId: CoinId.make("bitcoin"),
        usd: 50_000,
        updatedAt: 1_793_491_200_000,
        source: "coingecko",
        name: "Bitcoin",
        symbol: "btc",
        change24h: 0
      }
    ])
  })
})

describe("the key of CoinGecko", () => {
  const headers = Effect.fnUntraced(function* (environment: Readonly<Record<string, string>>) {
    const { requests, prices } = over(json([]), environment)
    yield* prices(ids("bitcoin"))
    const sent = requests[0]
    return [sent?.url.host, sent?.headers["x-cg-demo-api-key"], sent?.headers["x-cg-pro-api-key"]]
  })

  it("is not sent if it is not set", function* () {
    assert.deepStrictEqual(yield* headers({}), ["api.coingecko.com", undefined, undefined])
  })

  it("is sent as a demo key to the public host", function* () {
    const sent = yield* headers({ COINGECKO_API_KEY: "CG-1" })
    assert.deepStrictEqual(sent, ["api.coingecko.com", "CG-1", undefined])
  })

  it("is sent as a pro key to the pro host", function* () {
    const COINGECKO_URL = "https://pro-api.coingecko.com/api/v3/"
    const sent = yield* headers({ COINGECKO_API_KEY: "CG-1", COINGECKO_URL })
    assert.deepStrictEqual(sent, ["pro-api.coingecko.com", undefined, "CG-1"])
  })

  for (const code of [10002, 10005, 10010, 10011])
    it(`is reported as missing or not accepted for error ${code}, and the failure is not final`, function* () {
      for (const body of [
        { status: { error_code: code, error_message: "secret" } },
        { error_code: code, status: { error_message: "secret" } },
        { error: { status: { error_code: code, error_message: "secret" } } }
      ]) {
        const outcome = yield* over(json(body, { status: 400 })).prices(ids("bitcoin"))
        assert.isTrue(Either.isLeft(outcome))
        if (Either.isRight(outcome)) return
        assert.strictEqual(outcome.left.message, `coingecko: the API key is missing or not accepted (${code})`)
        assert.strictEqual(outcome.left.final, undefined)
      }
    })
})

const limits: Readonly<Record<string, unknown>> = {
  "{status: {error_code}}": { status: { error_code: 429, error_message: "x" } },
  "{error: {status: {error_code}}}": { error: { status: { error_code: 429, error_message: "x" } } },
  "{status, error}": { status: 429, error: "Throttled" }
}

describe("a rate limit of CoinGecko", () => {
  for (const [form, body] of Object.entries(limits))
    for (const status of [200, 429])
      it(`is recognised as ${form} with HTTP ${status}`, function* () {
        const outcome = yield* over(json(body, { status })).prices(ids("bitcoin"))
        assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "rate_limited")
      })

  it("is recognised as an HTML page", function* () {
    const outcome = yield* over(text("<html>1015</html>", { status: 429 })).prices(ids("bitcoin"))
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "rate_limited")
  })

  it("is not recognised in a response that is nested too deeply", function* () {
    const deep = `${'{"status":'.repeat(5_000)}1${"}".repeat(5_000)}`
    const outcome = yield* over(text(deep)).prices(ids("bitcoin"))
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
  })
})

describe("the page of a coin", () => {
  it("keeps all its digits", function* () {
    const page = '{"id":"bitcoin", "a": 20.0, "b":96.560977993782572222,"c":1.39852e-10,"d":12345678901234567890}'
    const { upstream } = over(text(page))
    assert.deepStrictEqual(yield* upstream((api) => api.coin(CoinId.make("bitcoin"))), Either.right(Option.some(page)))
  })

  for (const [name, reply] of [
    ["an HTML page", text("<html>Just a moment</html>")],
    ["a list", json([])],
    ["nothing", text("")],
    ["an error with HTTP 200", json({ error: "coin not found" })],
    ["an empty object", json({})]
  ] as const)
    it(`is rejected if the provider returns ${name}`, function* () {
      const outcome = yield* over(reply).upstream((api) => api.coin(CoinId.make("bitcoin")))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    })
})

describe("a token list", () => {
  const token = { address: "0x01", name: "A", symbol: "A", decimals: 18 }
  for (const [name, row] of Object.entries({
    "no address": { ...token, address: undefined },
    "an empty address": { ...token, address: "" },
    "decimals as text": { ...token, decimals: "18" },
    "fractional decimals": { ...token, decimals: 1.5 },
    "decimals below zero": { ...token, decimals: -1 },
    "decimals above 255": { ...token, decimals: 256 },
    "no symbol": { ...token, symbol: null },
    "no object": "0x01"
  }))
    it(`omits a row with ${name}, and keeps the others`, function* () {
      const outcome = yield* over(json({ tokens: [row, token] })).upstream(({ tokens }) => tokens("base"))
      assert.deepStrictEqual(
        Either.getOrThrow(outcome).map(({ address }) => address),
        ["0x01"]
      )
    })

  it("has tokens with 0 to 255 decimals", function* () {
    const listed = [0, 255].map((decimals) => ({ ...token, address: `0x${decimals}`, decimals }))
    const outcome = yield* over(json({ tokens: listed })).upstream(({ tokens }) => tokens("base"))
    assert.deepStrictEqual(
      Either.getOrThrow(outcome).map(({ decimals }) => decimals),
      [0, 255]
    )
  })

  for (const body of [{}, [], { tokens: {} }, { tokens: null }])
    it(`is rejected if it is ${JSON.stringify(body)}`, function* () {
      const outcome = yield* over(json(body)).upstream(({ tokens }) => tokens("base"))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    })
})
