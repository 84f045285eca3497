import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plain, price } from "../../../src/domain/Amount.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import * as CoinGeckoPrices from "../../../src/features/prices/sources/CoinGeckoPrices.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import type { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { cases, type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
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

/** Asserts a rate limit of `retryAfter` ms, which is also recognised by its body with HTTP 200 and any headers. */
const limited = Effect.fnUntraced(function* (exchange: Exchange, retryAfter: number) {
  const { requests, prices } = over(replay(exchange))
  const outcome = yield* prices(ids("bitcoin"))
  assert.isTrue(Either.isLeft(outcome))
  if (Either.isRight(outcome)) return
  assert.strictEqual(outcome.left.reason, "rate_limited")
  assert.strictEqual(outcome.left.retryAfter, retryAfter)
  assert.notInclude(outcome.left.message, "http")
  assert.strictEqual(requests.length, 1)
  for (const headers of [exchange.response.headers, {}]) {
    const hidden = yield* over(replay(exchange, { status: 200, headers })).prices(ids("bitcoin"))
    assert.strictEqual(Either.isLeft(hidden) && hidden.left.reason, "rate_limited")
  }
})

const failed = Effect.fnUntraced(function* (exchange: Exchange, reason: string, final: boolean | undefined) {
  const outcome = yield* over(replay(exchange)).prices(ids("bitcoin"))
  assert.isTrue(Either.isLeft(outcome))
  if (Either.isRight(outcome)) return
  const { final: isFinal, message, reason: found, status } = outcome.left
  assert.deepStrictEqual([found as string, isFinal, status], [reason, final, exchange.response.status])
  assert.match(message, /^coingecko: (returned|access denied \()/, "the message is not the provider's text")
  const hidden = yield* over(replay(exchange, { status: 200 })).prices(ids("bitcoin"))
  assert.strictEqual(Either.isLeft(hidden) && hidden.left.reason, "bad_answer", "also with HTTP 200")
})

const tooLongAgo = Effect.fnUntraced(function* (exchange: Exchange) {
  for (const status of [401, 200]) {
    const { requests, upstream } = over(replay(exchange, { status }))
    const outcome = yield* upstream(({ series }) => series(CoinId.make("bitcoin-cash"), 365))
    assert.isTrue(Either.isLeft(outcome))
    if (Either.isRight(outcome)) return
    const { detail, final, reason } = outcome.left
    assert.deepStrictEqual([reason, detail, final], ["upstream_error", "does not provide data of that long ago", true])
    assert.strictEqual(requests.length, 1)
  }
})

const unknown = Effect.fnUntraced(function* (exchange: Exchange) {
  const { upstream } = over(replay(exchange))
  assert.deepStrictEqual(yield* upstream((api) => api.coin(CoinId.make("btc"))), Either.right(Option.none()))
  assert.deepStrictEqual(yield* upstream((api) => api.contract("ethereum", "0x01")), Either.right(Option.none()))
  assert.deepStrictEqual(yield* upstream((api) => api.series(CoinId.make("btc"), 1)), Either.right(Option.none()))
  const candles = yield* upstream((api) => api.candles(CoinId.make("btc"), 1))
  assert.deepInclude(Either.getOrThrow(Either.flip(candles)), { reason: "upstream_error", final: true })
})

const assertThreeAttempts = Effect.fnUntraced(function* (exchange: Exchange) {
  const { requests, upstream } = over(replay(exchange))
  const outcome = yield* upstream((api) => api.candles(CoinId.make("bitcoin"), 1))
  assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { reason: "upstream_error", status: 500 })
  assert.strictEqual(requests.length, 3)
})

/** Tests of the errors of CoinGecko in these exchanges. */
const failures = (
  exchange: (name: string) => Exchange,
  names: {
    readonly limit: readonly [name: string, retryAfter: number]
    readonly failed: string
    readonly rejected: string
    /** With a short message, and with a longer one. */
    readonly unknown: ReadonlyArray<string>
    readonly tooLong: string
  }
) => {
  it.scoped("are rate limits of the stated duration, even with HTTP 200", () =>
    limited(exchange(names.limit[0]), names.limit[1])
  )
  for (const name of [names.failed, names.rejected, ...names.unknown])
    it.scoped(`are errors in any form: ${name}`, () =>
      failed(exchange(name), "upstream_error", name === names.failed ? undefined : true)
    )
  it.scoped("may reject data from too long ago, which is final and not a failure of the provider", () =>
    tooLongAgo(exchange(names.tooLong))
  )
  it.scoped("mean that the coin does not exist, with a short message or a longer one", () =>
    Effect.forEach(names.unknown, (name) => unknown(exchange(name)))
  )
  it.scoped("with HTTP 500 are requested at most three times", () => assertThreeAttempts(exchange(names.failed)))
}

/** The candles of an exchange, which are requested in dollars and returned unchanged. */
const candlesOf = Effect.fnUntraced(function* (exchange: Exchange, days: number) {
  const { requests, upstream } = over(replay(exchange))
  const candles = Either.getOrThrow(yield* upstream((api) => api.candles(CoinId.make("bitcoin"), days)))
  assert.deepStrictEqual(
    requests.map(({ url }) => [url.pathname, url.search]),
    [[exchange.request.path, `?vs_currency=usd&days=${days}`]]
  )
  assert.deepStrictEqual(candles, exchange.response.body as typeof candles)
  return candles
})

/** The series of an exchange, which have this length and are returned unchanged. */
const seriesOf = Effect.fnUntraced(function* (exchange: Exchange, coin: string, days: number, length: number) {
  const { requests, upstream } = over(replay(exchange))
  const series = Option.getOrThrow(Either.getOrThrow(yield* upstream((api) => api.series(CoinId.make(coin), days))))
  assert.deepStrictEqual(
    requests.map(({ url }) => url.pathname),
    [exchange.request.path]
  )
  assert.deepStrictEqual(series, exchange.response.body as typeof series)
  for (const list of [series.prices, series.market_caps, series.total_volumes]) assert.lengthOf(list, length)
  return series
})

type Ask = (api: typeof CoinGecko.Service) => ReturnType<typeof api.coin>

/** Asserts that the page is returned character by character, and returns it. */
const assertForwarded = Effect.fnUntraced(function* (exchange: Exchange, ask: Ask) {
  const { requests, upstream } = over(replay(exchange))
  const page = Option.getOrThrow(Either.getOrThrow(yield* upstream(ask)))
  assert.deepStrictEqual(
    requests.map(({ url }) => url.pathname),
    [exchange.request.path]
  )
  const sent = yield* replay(exchange)
  assert.strictEqual(page, yield* Effect.promise(() => sent.text()))
  return page
})

/** Asserts that a response to another request is not accepted as prices, charts or rates. */
const assertForeignRejected = Effect.fnUntraced(function* (exchange: Exchange) {
  const { prices, upstream } = over(replay(exchange))
  const outcomes: ReadonlyArray<Either.Either<unknown, UpstreamError>> = [
    yield* prices(ids("bitcoin")),
    yield* upstream((api) => api.largest(1)),
    yield* upstream((api) => api.candles(CoinId.make("bitcoin"), 1)),
    yield* upstream((api) => api.exchangeRates),
    ...(exchange.response.status === 404 ? [] : [yield* upstream((api) => api.series(CoinId.make("bitcoin"), 1))])
  ]
  for (const outcome of outcomes) {
    assert.isTrue(Either.isLeft(outcome))
    if (Either.isLeft(outcome)) assert.include(["bad_answer", "upstream_error"], outcome.left.reason)
  }
})

describe("responses of CoinGecko", () => {
  const coingecko = (name: string) => sample("coingecko", name)

  const bitcoin = CoinId.make("bitcoin")

  const written = (usd: number) => Option.getOrThrow(Option.map(price(usd), plain))

  it("contain the complete price of one coin", function* () {
    const exchange = coingecko("markets-one")
    const { requests, prices } = over(replay(exchange))
    const outcome = yield* prices(ids("larkcoin"))
    assert.deepStrictEqual(Object.fromEntries(requests[0]?.url.searchParams ?? []), exchange.request.query)
    assert.deepStrictEqual(Either.getOrThrow(outcome), [
      {
        coinId: CoinId.make("larkcoin"),
        usd: 41_207,
        updatedAt: Date.UTC(2026, 9, 31, 9, 15, 2, 481),
        source: "coingecko",
        name: "Larkcoin",
        symbol: "lark",
        image: "https://icons.example/larkcoin/large.png",
        fdv: 865_347_000_000,
        change24h: -312.40718,
        changePercent24h: -0.75243
      }
    ])
  })

  it("omit rows without a price, and fields without a value", function* () {
    const outcome = yield* over(replay(coingecko("markets-odd-rows"))).prices(ids("sparrow"))
    const common = { source: "coingecko" }
    assert.deepStrictEqual(Either.getOrThrow(outcome) as unknown, [
      {
        ...common,
        coinId: "glitch-token",
        usd: 0.00271828,
        updatedAt: Date.UTC(2026, 9, 31, 9, 15),
        name: "Glitch",
        symbol: "glt",
        changePercent24h: 187_654_321
      },
      {
        ...common,
        coinId: "sparrow",
        usd: 20,
        updatedAt: Date.UTC(2026, 9, 31, 9, 14, 59, 250),
        name: "Sparrow",
        symbol: "spw",
        change24h: 0
      }
    ])
  })

  it("contain tiny prices, which are written without an exponent", function* () {
    const outcome = yield* over(replay(coingecko("markets-tiny-prices"))).prices(ids("mote", "speck"))
    assert.deepStrictEqual(
      Either.getOrThrow(outcome).map(({ coinId, usd }) => [coinId, written(usd)]),
      [
        ["mote", "0.000000004518"],
        ["speck", "0.0000073"]
      ]
    )
  })

  it("are empty past the last page", function* () {
    const { upstream } = over(replay(coingecko("markets-past-the-end")))
    assert.deepStrictEqual(yield* upstream((api) => api.largest(99)), Either.right([]))
  })

  failures(coingecko, {
    limit: ["limit-429", 47_000],
    failed: "failure-500",
    rejected: "parameters-missing-422",
    unknown: ["coin-unknown-404", "coin-unknown-404-longer-text"],
    tooLong: "history-too-long-10012"
  })

  for (const [name, days, count, first, last] of [
    [
      "candles-year",
      365,
      5,
      [1792195200000, 38120.5, 39004.25, 37900, 38800.75],
      [1793491200000, 39990.5, 41800.25, 39940.75, 41207]
    ],
    [
      "candles-hours",
      30,
      4,
      [1793404800000, 41100.5, 41350.25, 41080, 41300],
      [1793448000000, 41250, 41260.5, 41190.25, 41207]
    ]
  ] as const)
    it(`contain unchanged candles, dated by their end: ${name}`, function* () {
      const candles = yield* candlesOf(coingecko(name), days)
      assert.deepStrictEqual([candles.length, candles[0], candles.at(-1)], [count, first, last])
    })

  for (const [name, days, length] of [
    ["market-chart-day", 1, 5],
    ["market-chart-daily", 365, 4]
  ] as const)
    it(`contain three series of the same length, with nulls and all digits: ${name}`, function* () {
      yield* seriesOf(coingecko(name), "larkcoin", days, length)
    })

  it("are returned as the text of a page, with every digit", function* () {
    const page = yield* assertForwarded(coingecko("coin-native"), (api) => api.coin(bitcoin))
    for (const digits of ['"usd":61250.0,', '"btc":1.0,', '"xau":1.39852e-10}', '"idr":123456789012345678901.5}'])
      assert.include(page, digits)
    yield* assertForwarded(coingecko("coin-many-platforms"), (api) => api.coin(CoinId.make("wren-finance")))
    const contract = coingecko("contract-lower-case")
    const address = contract.request.path.split("/").at(-1) ?? ""
    assert.include(yield* assertForwarded(contract, (api) => api.contract("ethereum", address)), '"usd":3.1}')
  })

  for (const [provider, name] of [
    ["coingecko", "simple-price"],
    ["coinpaprika", "ticker"],
    ["geckoterminal", "token-prices"],
    ["cryptocompare", "prices"]
  ] as const)
    it.scoped(`are not prices, charts or rates if they belong to another request: ${provider} ${name}`, () =>
      assertForeignRejected(sample(provider, name))
    )

  it("list the coins with their platforms and any id, and omit coins without the field `platforms`", function* () {
    const outcome = yield* over(replay(coingecko("coins-list"))).upstream(({ coins }) => coins)
    const token = `0x${"7e".repeat(20)}`
    assert.deepStrictEqual(
      Either.getOrThrow(outcome).map(({ id, platforms }) => [id, platforms]),
      [
        ["_", { solana: "6Gg4AVKo8GAft4Wb2JSfhHCW3PQhXxYxapzBYeVjGzA9" }],
        ["0wren", {}],
        ["-7", { ethereum: "" }],
        ["wren-finance", { ethereum: token }],
        ["wren-old", { ethereum: null }]
      ]
    )
    for (const { id } of Either.getOrThrow(outcome)) assert.strictEqual(CoinId.make(id), id)
  })

  it("list the platforms, many without a chain id or a coin, and omit an invalid row", function* () {
    const outcome = yield* over(replay(coingecko("asset-platforms"))).upstream(({ platforms }) => platforms)
    assert.deepStrictEqual(Either.getOrThrow(outcome), [
      { id: "binance-smart-chain", chain_identifier: 56, native_coin_id: "binancecoin" },
      { id: "xdai", chain_identifier: 100, native_coin_id: "xdai" },
      { id: "nestledger", chain_identifier: null, native_coin_id: "nestcoin" },
      { id: "egg", chain_identifier: null, native_coin_id: null },
      { id: "feather", chain_identifier: null, native_coin_id: undefined }
    ])
  })

  it("contain the price of a bitcoin in currencies of every type", function* () {
    const exchange = coingecko("exchange-rates")
    const { requests, upstream } = over(replay(exchange))
    assert.deepStrictEqual(Either.getOrThrow(yield* upstream((api) => api.exchangeRates)), {
      rates: {
        btc: { value: 1, type: "crypto" },
        usd: { value: 61_250.5, type: "fiat" },
        eur: { value: 55_125.45, type: "fiat" },
        idr: { value: 961_632_850.125, type: "fiat" },
        xau: { value: 22.375, type: "commodity" }
      }
    })
    assert.strictEqual(requests[0]?.url.pathname, exchange.request.path)
  })

  it("omit a currency without a valid price of a bitcoin", function* () {
    const { body } = coingecko("exchange-rates").response
    const rates = { usd: { value: 61_250.5, type: "fiat" }, vnd: { value: null, type: "fiat" }, ars: "a" }
    const { upstream } = over(json({ ...(body as object), rates }))
    assert.deepStrictEqual(Either.getOrThrow(yield* upstream((api) => api.exchangeRates)), {
      rates: { usd: { value: 61_250.5, type: "fiat" } }
    })
  })

  it("list the tokens of a platform, with odd names or without icons, and omit tokens without an address", function* () {
    const listed = (name: string) =>
      Effect.map(
        over(replay(sample("tokenlist", name))).upstream(({ tokens }) => tokens("ethereum")),
        (outcome) =>
          Either.getOrThrow(outcome).map(({ address, decimals, logoURI, symbol }) => [
            address.slice(0, 6),
            symbol,
            decimals,
            logoURI
          ])
      )
    assert.deepStrictEqual(yield* listed("platform"), [
      ["0x7e7e", "WREN", 18, "https://icons.example/wren.png"],
      ["0xf1f1", "FUSD", 6, undefined]
    ])
    assert.deepStrictEqual(yield* listed("odd-names"), [
      ["0x7e7e", "A++", 2, undefined],
      ["0xf1f1", "Ä-B/50%", 18, undefined],
      ["0x3c3c", "雀∞", 0, "ipfs://Qm7"],
      ["0x4d4d", "$FOUR", 8, undefined]
    ])
  })

  it("to a ping show whether the provider is available", function* () {
    for (const [name, good] of [
      ["ping", true],
      ["simple-price", false],
      ["limit-429", false]
    ] as const) {
      const outside = simulatedClient(() => replay(coingecko(name)))
      const tried = Effect.gen(function* () {
        yield* CoinGecko
        const [trial] = yield* Effect.flatMap(Upstreams, ({ trials }) => trials)
        return yield* run(trial?.addresses[0]?.try ?? Effect.void)
      })
      const outcome = yield* Effect.provide(tried, Layer.provideMerge(CoinGecko.layer, upstreamDependencies(outside)))
      assert.strictEqual(Either.isRight(outcome), good, name)
      assert.strictEqual(outside.requests[0]?.url.pathname, coingecko("ping").request.path)
    }
  })
})

recorded("recorded responses of CoinGecko", () => {
  const recording = (name: string) => fixture("coingecko", name)

  it("contain the complete price of one coin", function* () {
    const outcome = yield* over(replay(recording("coins-markets-one"))).prices(ids("bitcoin"))
    assert.deepStrictEqual(Either.getOrThrow(outcome), [
      {
        coinId: CoinId.make("bitcoin"),
        usd: 49_053,
        updatedAt: 1_621_094_383_867,
        source: "coingecko",
        name: "Bitcoin",
        symbol: "btc",
        image: "https://assets.coingecko.com/coins/images/1/large/bitcoin.png?1547033579",
        fdv: 1_030_116_515_125,
        change24h: -2246.57482218,
        changePercent24h: -4.37931
      }
    ])
  })

  it("contain a page with glitches, nulls and tiny prices", function* () {
    const outcome = yield* over(replay(recording("coins-markets-page-with-bad-and-null-data"))).prices(ids("tether"))
    const prices = new Map(Either.getOrThrow(outcome).map((found) => [found.coinId as string, found]))
    assert.strictEqual(prices.size, 40)
    assert.isFalse("fdv" in (prices.get("ethereum") ?? {}), "a valuation of null is absent")
    const written = (id: string) => Option.getOrThrow(Option.map(price(prices.get(id)?.usd ?? 0), (usd) => plain(usd)))
    assert.strictEqual(written("ticoex-token"), "0.00136138")
    assert.strictEqual(written("baby-doge-coin"), "0.000000003447")
    assert.strictEqual(written("bittorrent"), "0.00000196")
    assert.strictEqual(written("ethereum"), "2726.53")
    assert.strictEqual(prices.get("tether")?.updatedAt, Date.parse("2022-02-23T11:31:06.164Z"))
    for (const { usd } of prices.values()) {
      assert.isTrue(Option.exists(price(usd), (exact) => BigDecimal.unsafeToNumber(exact) === usd))
    }
  })

  it("are empty past the last page", function* () {
    const outcome = yield* over(replay(recording("coins-markets-empty-page"))).prices(ids("bitcoin"))
    assert.deepStrictEqual(outcome, Either.right([]))
  })

  failures(recording, {
    limit: ["rate-limit-429-json", 119_000],
    failed: "ohlc-missing-params-500",
    rejected: "simple-price-missing-ids-422",
    unknown: ["coin-not-found-404", "coin-not-found-404-old-text"],
    tooLong: "time-range-10012-nested-error"
  })

  for (const [name, days, count, first, last] of [
    [
      "ohlc-365-days",
      365,
      96,
      [1627344000000, 35456.12, 37281.92, 35456.12, 37281.92],
      [1658880000000, 22506.2, 22613.72, 22506.2, 22613.72]
    ],
    [
      "ohlc-7-days",
      7,
      42,
      [1620504000000, 57945.79, 59122.18, 57945.79, 59122.18],
      [1621094400000, 48868.6, 49675.91, 48868.6, 49675.91]
    ]
  ] as const)
    it(`contain unchanged candles, dated by their end: ${name}`, function* () {
      const exchange = recording(name)
      const candles = yield* candlesOf(exchange, days)
      assert.deepStrictEqual([candles.length, candles[0], candles.at(-1)], [count, first, last])
      const sent = Date.parse(exchange.response.headers.date ?? "")
      if (days === 365) assert.isAbove(candles.at(-1)?.[0] ?? 0, sent, "the newest candle has not ended")
    })

  it("contain candles in different steps, whose open may differ from the previous close", function* () {
    const { upstream } = over(replay(recording("ohlc-365-days")))
    const candles = Either.getOrThrow(yield* upstream((api) => api.candles(CoinId.make("bitcoin"), 365)))
    const steps = candles.slice(1).map(([at], index) => (at - (candles[index]?.[0] ?? 0)) / 86_400_000)
    assert.includeMembers(steps, [1, 3, 4, 7])
    assert.isTrue(candles.slice(1).some(([, open], index) => open !== candles[index]?.[4]))
  })

  for (const [name, days, count] of [
    ["market-chart-1-day", 1, 60],
    ["market-chart-90-days-daily", 90, 91]
  ] as const)
    it(`contain three series of the same length, at irregular intervals: ${name}`, function* () {
      const series = yield* seriesOf(recording(name), "bitcoin", days, count)
      const gaps = series.prices.slice(1).map(([at], index) => at - (series.prices[index]?.[0] ?? 0))
      assert.isAbove(new Set(gaps).size, 1)
    })

  it("end a daily series with a current point, on the same day as the point before it", function* () {
    const { upstream } = over(replay(recording("market-chart-90-days-daily")))
    const outcome = yield* upstream((api) => api.series(CoinId.make("bitcoin"), 90))
    const days = Option.getOrThrow(Either.getOrThrow(outcome))
      .prices.slice(-2)
      .map(([at]) => Math.floor(at / 86_400_000))
    assert.strictEqual(days[0], days[1])
  })

  for (const [name, ask] of [
    ["coin-bitcoin-full", (api) => api.coin(CoinId.make("bitcoin"))],
    ["coin-bitcoin-native-no-market-data", (api) => api.coin(CoinId.make("bitcoin"))],
    ["coin-yearn-many-platforms", (api) => api.coin(CoinId.make("yearn-finance"))],
    ["contract-usdt-checksum-address", (api) => api.contract("ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7")]
  ] satisfies ReadonlyArray<readonly [string, (api: typeof CoinGecko.Service) => ReturnType<typeof api.coin>]>)
    it.scoped(`are returned as the text of a page: ${name}`, () => assertForwarded(recording(name), ask))

  const elsewhere = [
    ...cases("coingecko")
      .filter((name) => /^(simple-price|token-price)/.test(name))
      .map((name) => ["coingecko", name] as const),
    ...["coinpaprika", "geckoterminal", "cryptocompare"].flatMap((provider) =>
      cases(provider).map((name) => [provider, name] as const)
    )
  ]
  for (const [provider, name] of elsewhere)
    it.scoped(`are not prices, charts or rates if they belong to another request: ${provider} ${name}`, () =>
      assertForeignRejected(fixture(provider, name))
    )

  it("list the coins with their platforms", function* () {
    const list = (name: string) =>
      Effect.map(
        over(replay(recording(name))).upstream(({ coins }) => coins),
        (outcome) => Either.getOrThrow(outcome).map(({ id, platforms }) => ({ id, platforms }))
      )
    assert.deepStrictEqual(yield* list("coins-list-with-platforms"), [
      { id: "official-trump", platforms: { solana: "6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN" } },
      { id: "ondo-finance", platforms: { ethereum: "0xfaba6f8e4a5e8ab82f62fe7c39859fa577269be3" } }
    ])
    const slice = yield* list("coins-list-empty-platform-address")
    assert.deepStrictEqual(slice.slice(0, 2), [
      { id: "01coin", platforms: {} },
      { id: "0-5x-long-algorand-token", platforms: { ethereum: "" } }
    ])
    assert.strictEqual(slice.length, 6)
    assert.deepStrictEqual(yield* list("coins-list-slice"), [], "coins without platforms are omitted")
  })

  it("contain coins with any id", function* () {
    const exchange = recording("coins-list-slice")
    const rows = (exchange.response.body as ReadonlyArray<object>).map((row) => ({ ...row, platforms: {} }))
    const outcome = yield* over(json(rows)).upstream(({ coins }) => coins)
    const found = Either.getOrThrow(outcome).map(({ id }) => id)
    assert.strictEqual(found.length, 50)
    assert.includeMembers(found, ["_", "0chain", "-10", "0x"])
    for (const id of found) assert.isTrue(Either.isRight(Either.try(() => CoinId.make(id))))
  })

  it("list the platforms, most of them without a chain id", function* () {
    const outcome = yield* over(replay(recording("asset-platforms-2021"))).upstream(({ platforms }) => platforms)
    const all = Either.getOrThrow(outcome)
    assert.strictEqual(all.length, 56)
    const chains = Object.fromEntries(
      all.flatMap(({ chain_identifier, id }) => (chain_identifier === null ? [] : [[chain_identifier, id]]))
    )
    assert.strictEqual(Object.keys(chains).length, 11)
    assert.deepStrictEqual(
      [chains[1], chains[56], chains[100], chains[137]],
      ["ethereum", "binance-smart-chain", "xdai", "polygon-pos"]
    )
  })

  it("list the tokens of a platform", function* () {
    const { requests, upstream } = over(replay(fixture("tokenlist", "coingecko-token-list")))
    const outcome = yield* upstream(({ tokens }) => tokens("ethereum"))
    assert.deepStrictEqual(
      requests.map(({ url }) => url.href),
      ["https://tokens.coingecko.com/ethereum/all.json"]
    )
    assert.deepStrictEqual(
      Either.getOrThrow(outcome).map(({ address, decimals, symbol }) => [address, symbol, decimals]),
      [
        ["0x77c6e4a580c0dce4e5c7a17d0bc077188a83a059", "SWUSD", 18],
        ["0xf8e57ac2730d3088d98b79209739b0d5ba085a03", "OPAI", 18]
      ]
    )
  })

  it("list tokens with odd names and without icons", function* () {
    const listed = (reply: Reply) =>
      Effect.map(
        over(reply).upstream(({ tokens }) => tokens("ethereum")),
        Either.getOrThrow
      )
    const odd = yield* listed(replay(fixture("tokenlist", "schema-special-characters")))
    assert.deepStrictEqual(
      odd.map(({ symbol }) => symbol),
      ["USD++", "UNI-USDC/ETH+50/50%", "DIACRITIC", "DMG", "$TRDL", "symbol", "天津神", "∞-waUSDC-xPYT"]
    )
    const uniswap = yield* listed(json({ tokens: fixture("tokenlist", "uniswap-mainnet-slice").response.body }))
    assert.strictEqual(uniswap.length, 20)
    assert.deepStrictEqual(
      uniswap.filter(({ logoURI }) => logoURI === undefined).map(({ symbol }) => symbol),
      ["BLEND", "NEX", "GROVE"]
    )
    assert.deepStrictEqual(
      uniswap.filter(({ decimals }) => decimals !== 18).map(({ decimals, symbol }) => [symbol, decimals]),
      [
        ["USDT", 6],
        ["USDC", 6],
        ["WBTC", 8],
        ["GUSD", 2],
        ["EURC", 6]
      ]
    )
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
