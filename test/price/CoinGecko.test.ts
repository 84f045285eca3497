import { assert, describe, it } from "@effect/vitest"
import * as BigDecimal from "effect/BigDecimal"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { plain, price } from "../../src/domain/Amount.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { PriceSource } from "../../src/price/PriceSource.ts"
import * as Source from "../../src/price/sources/CoinGecko.ts"
import { CoinGecko } from "../../src/upstreams/CoinGecko.ts"
import { fixture, recorded, replay } from "../support/fixtures.ts"
import { answering, json, type Reply, text } from "../support/http.ts"
import { around, run } from "../support/upstream.ts"

const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))

/** The source, and what was asked, over an outside that always answers so. */
const over = (reply: Reply, environment: Readonly<Record<string, string>> = {}) => {
  const outside = answering(() => reply)
  const upstream = Layer.provideMerge(CoinGecko.layer, around(outside, environment))
  return {
    asked: outside.asked,
    prices: (wanted: ReadonlyArray<CoinId>) =>
      Effect.flatMap(PriceSource, (source) => run(source.prices(wanted))).pipe(
        Effect.provide(Layer.provideMerge(Source.layer, upstream))
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
  it.scoped("are asked for in dollars, by ids in one order and without blanks between them", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(json([]))
      yield* prices(ids("ethereum", "bitcoin"))
      assert.deepStrictEqual(
        asked.map(({ url }) => url.href),
        ["https://api.coingecko.com/api/v3/coins/markets?vs_currency=usd&ids=bitcoin%2Cethereum&per_page=250&page=1"]
      )
    })
  )

  it.scoped("are asked for at most 250 at a time", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(json([]))
      yield* prices(ids(...Array.from({ length: 600 }, (_, index) => `coin-${index}`)))
      const sizes = asked.map(({ url }) => url.searchParams.get("ids")?.split(",").length ?? 0)
      assert.deepStrictEqual(sizes, [250, 250, 100])
    })
  )

  it.scoped("are not asked for where there are no ids", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(json([]))
      assert.deepStrictEqual(yield* prices([]), Either.right([]))
      assert.strictEqual(asked.length, 0)
    })
  )

  const unusable: Readonly<Record<string, unknown>> = {
    "a price of null": market({ current_price: null }),
    "a price of zero": market({ current_price: 0 }),
    "a negative price": market({ current_price: -1 }),
    "a price as text": market({ current_price: "50000" }),
    "no price": { ...market(), current_price: undefined },
    "no time": market({ last_updated: null }),
    "a time that is none": market({ last_updated: "yesterday" }),
    "no id": { ...market(), id: undefined },
    "an empty id": market({ id: "" }),
    "no row": null
  }
  for (const [name, row] of Object.entries(unusable))
    it.scoped(`are left out with ${name}, and the others kept`, () =>
      Effect.gen(function* () {
        const outcome = yield* over(json([row, market({ id: "dai" })])).prices(ids("bitcoin", "dai"))
        assert.deepStrictEqual(
          Either.getOrThrow(outcome).map(({ coinId }) => coinId),
          ids("dai")
        )
      })
    )

  it.scoped("are left out where the number is beyond all numbers", () =>
    Effect.gen(function* () {
      const row = JSON.stringify(market({ current_price: 12345 })).replace("12345", "1e999")
      assert.deepStrictEqual(yield* over(text(`[${row}]`)).prices(ids("bitcoin")), Either.right([]))
    })
  )

  it.scoped("have only what the provider tells", () =>
    Effect.gen(function* () {
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
  )
})

describe("the key of CoinGecko", () => {
  const headers = (environment: Readonly<Record<string, string>>) =>
    Effect.gen(function* () {
      const { asked, prices } = over(json([]), environment)
      yield* prices(ids("bitcoin"))
      const sent = asked[0]
      return [sent?.url.host, sent?.headers["x-cg-demo-api-key"], sent?.headers["x-cg-pro-api-key"]]
    })

  it.scoped("is sent nowhere when there is none", () =>
    Effect.gen(function* () {
      assert.deepStrictEqual(yield* headers({}), ["api.coingecko.com", undefined, undefined])
    })
  )

  it.scoped("is a demo key at the public host", () =>
    Effect.gen(function* () {
      const sent = yield* headers({ COINGECKO_API_KEY: "CG-1" })
      assert.deepStrictEqual(sent, ["api.coingecko.com", "CG-1", undefined])
    })
  )

  it.scoped("is a pro key at the pro host", () =>
    Effect.gen(function* () {
      const COINGECKO_URL = "https://pro-api.coingecko.com/api/v3/"
      const sent = yield* headers({ COINGECKO_API_KEY: "CG-1", COINGECKO_URL })
      assert.deepStrictEqual(sent, ["pro-api.coingecko.com", undefined, "CG-1"])
    })
  )

  for (const code of [10002, 10005, 10010, 10011])
    it.scoped(`is named as refused by error ${code}, which is a fault and no answer`, () =>
      Effect.gen(function* () {
        for (const body of [
          { status: { error_code: code, error_message: "secret" } },
          { error_code: code, status: { error_message: "secret" } },
          { error: { status: { error_code: code, error_message: "secret" } } }
        ]) {
          const outcome = yield* over(json(body, { status: 400 })).prices(ids("bitcoin"))
          assert.isTrue(Either.isLeft(outcome))
          if (Either.isRight(outcome)) return
          assert.strictEqual(outcome.left.message, `coingecko: refuses the API key, or there is none (${code})`)
          assert.strictEqual(outcome.left.final, undefined)
        }
      })
    )
})

const limits: Readonly<Record<string, unknown>> = {
  "{status: {error_code}}": { status: { error_code: 429, error_message: "x" } },
  "{error: {status: {error_code}}}": { error: { status: { error_code: 429, error_message: "x" } } },
  "{status, error}": { status: 429, error: "Throttled" }
}

describe("a limit of CoinGecko", () => {
  for (const [form, body] of Object.entries(limits))
    for (const status of [200, 429])
      it.scoped(`is understood as ${form} under HTTP ${status}`, () =>
        Effect.gen(function* () {
          const outcome = yield* over(json(body, { status })).prices(ids("bitcoin"))
          assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "rate_limited")
        })
      )

  it.scoped("is understood as an HTML page", () =>
    Effect.gen(function* () {
      const outcome = yield* over(text("<html>1015</html>", { status: 429 })).prices(ids("bitcoin"))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "rate_limited")
    })
  )

  it.scoped("is not seen in an answer nested without end", () =>
    Effect.gen(function* () {
      const deep = `${'{"status":'.repeat(5_000)}1${"}".repeat(5_000)}`
      const outcome = yield* over(text(deep)).prices(ids("bitcoin"))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    })
  )
})

recorded("recorded answers of CoinGecko", () => {
  const recording = (name: string) => fixture("coingecko", name)

  it.scoped("give the whole price of one coin", () =>
    Effect.gen(function* () {
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
  )

  it.scoped("give a page with glitches, nulls and tiny prices", () =>
    Effect.gen(function* () {
      const outcome = yield* over(replay(recording("coins-markets-page-with-bad-and-null-data"))).prices(ids("tether"))
      const prices = new Map(Either.getOrThrow(outcome).map((found) => [found.coinId as string, found]))
      assert.strictEqual(prices.size, 40)
      assert.isFalse("fdv" in (prices.get("ethereum") ?? {}), "a valuation of null is absent")
      const written = (id: string) =>
        Option.getOrThrow(Option.map(price(prices.get(id)?.usd ?? 0), (usd) => plain(usd)))
      assert.strictEqual(written("ticoex-token"), "0.00136138")
      assert.strictEqual(written("baby-doge-coin"), "0.000000003447")
      assert.strictEqual(written("bittorrent"), "0.00000196")
      assert.strictEqual(written("ethereum"), "2726.53")
      assert.strictEqual(prices.get("tether")?.updatedAt, Date.parse("2022-02-23T11:31:06.164Z"))
      for (const { usd } of prices.values()) {
        assert.isTrue(Option.exists(price(usd), (exact) => BigDecimal.unsafeToNumber(exact) === usd))
      }
    })
  )

  it.scoped("give nothing past the last page", () =>
    Effect.gen(function* () {
      const outcome = yield* over(replay(recording("coins-markets-empty-page"))).prices(ids("bitcoin"))
      assert.deepStrictEqual(outcome, Either.right([]))
    })
  )

  it.scoped("ask for a rest, as long as they say", () =>
    Effect.gen(function* () {
      const { asked, prices } = over(replay(recording("rate-limit-429-json")))
      const outcome = yield* prices(ids("bitcoin"))
      assert.isTrue(Either.isLeft(outcome))
      if (Either.isRight(outcome)) return
      assert.strictEqual(outcome.left.reason, "rate_limited")
      assert.strictEqual(outcome.left.retryAfter, 119_000)
      assert.notInclude(outcome.left.message, "http")
      assert.strictEqual(asked.length, 1)
    })
  )

  it.scoped("ask for a rest with HTTP 200 too", () =>
    Effect.gen(function* () {
      const exchange = recording("rate-limit-429-json")
      for (const headers of [exchange.response.headers, {}]) {
        const outcome = yield* over(replay(exchange, { status: 200, headers })).prices(ids("bitcoin"))
        assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "rate_limited")
      }
    })
  )

  for (const [name, reason, final] of [
    ["time-range-10012-nested-error", "upstream_error", undefined],
    ["ohlc-missing-params-500", "upstream_error", undefined],
    ["simple-price-missing-ids-422", "upstream_error", true],
    ["coin-not-found-404", "upstream_error", true],
    ["coin-not-found-404-old-text", "upstream_error", true]
  ] as const)
    it.scoped(`are errors whatever their form: ${name}`, () =>
      Effect.gen(function* () {
        const exchange = recording(name)
        const outcome = yield* over(replay(exchange)).prices(ids("bitcoin"))
        assert.isTrue(Either.isLeft(outcome))
        if (Either.isRight(outcome)) return
        const { final: isFinal, message, reason: found, status } = outcome.left
        assert.deepStrictEqual([found, isFinal, status], [reason, final, exchange.response.status])
        assert.match(message, /^coingecko: (answered|refuses this service \()/, "in our words")
        const hidden = yield* over(replay(exchange, { status: 200 })).prices(ids("bitcoin"))
        assert.strictEqual(Either.isLeft(hidden) && hidden.left.reason, "bad_answer", "also under HTTP 200")
      })
    )

  it.scoped("list the coins with their platforms", () =>
    Effect.gen(function* () {
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
      assert.deepStrictEqual(yield* list("coins-list-slice"), [], "without platforms there is nothing to join")
    })
  )

  it.scoped("take any id, emoji coins included", () =>
    Effect.gen(function* () {
      const exchange = recording("coins-list-slice")
      const rows = (exchange.response.body as ReadonlyArray<object>).map((row) => ({ ...row, platforms: {} }))
      const outcome = yield* over(json(rows)).upstream(({ coins }) => coins)
      const found = Either.getOrThrow(outcome).map(({ id }) => id)
      assert.strictEqual(found.length, 50)
      assert.includeMembers(found, ["_", "0chain", "-10", "0x"])
      for (const id of found) assert.isTrue(Either.isRight(Either.try(() => CoinId.make(id))))
    })
  )

  it.scoped("list the platforms, most of them without a chain id", () =>
    Effect.gen(function* () {
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
  )

  it.scoped("list the tokens of a platform", () =>
    Effect.gen(function* () {
      const { asked, upstream } = over(replay(fixture("tokenlist", "coingecko-token-list")))
      const outcome = yield* upstream(({ tokens }) => tokens("ethereum"))
      assert.deepStrictEqual(
        asked.map(({ url }) => url.href),
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
  )

  it.scoped("list tokens with odd names and without icons", () =>
    Effect.gen(function* () {
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
  )
})

describe("a token list", () => {
  const token = { address: "0x01", name: "A", symbol: "A", decimals: 18 }
  for (const [name, row] of Object.entries({
    "no address": { ...token, address: undefined },
    "an empty address": { ...token, address: "" },
    "decimals as text": { ...token, decimals: "18" },
    "half a decimal": { ...token, decimals: 1.5 },
    "decimals below zero": { ...token, decimals: -1 },
    "decimals above 255": { ...token, decimals: 256 },
    "no symbol": { ...token, symbol: null },
    "no token": "0x01"
  }))
    it.scoped(`keeps the others beside a row with ${name}`, () =>
      Effect.gen(function* () {
        const outcome = yield* over(json({ tokens: [row, token] })).upstream(({ tokens }) => tokens("base"))
        assert.deepStrictEqual(
          Either.getOrThrow(outcome).map(({ address }) => address),
          ["0x01"]
        )
      })
    )

  for (const body of [{}, [], { tokens: {} }, { tokens: null }])
    it.scoped(`is none as ${JSON.stringify(body)}`, () =>
      Effect.gen(function* () {
        const outcome = yield* over(json(body)).upstream(({ tokens }) => tokens("base"))
        assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
      })
    )
})
