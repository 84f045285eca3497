import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../../../src/contract/Api.ts"
import { contract, MarketChart, platform } from "../../../src/contract/prices/marketCharts.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { json, type Reply, refused, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"

type Charts = Readonly<Record<string, typeof MarketChart.Type>>

interface Problem {
  readonly detail: string
  readonly issues: ReadonlyArray<{ readonly path: string; readonly message: string }>
}

/** A chart of CoinGecko. The functions below choose a response by a word in the id of the coin or token. */
const series = (now: number) => ({
  prices: [
    [now - 1_000, 0],
    [now - 600_000, 1.39852e-10],
    [now, 50_675.258073370765]
  ],
  market_caps: [[now, 1_215_000_000_000.5]],
  total_volumes: [[now, null]]
})

const page = '{"id":"tether", "price":20.0, "market_cap":96.560977993782572222,\n "name":"Téther"}'

const coingecko = ({ url }: SentRequest): Reply => {
  const { pathname } = url
  if (pathname.endsWith("/asset_platforms"))
    return json([{ id: "xdai", chain_identifier: 100, native_coin_id: "dai-native" }])
  if (!/\/coins\/[^/]+(\/market_chart|\/contract\/[^/]+)?$/.test(pathname)) return json([])
  if (pathname.includes("unknown")) return json({ error: "coin not found" }, { status: 404 })
  if (pathname.includes("busy")) return text("slow down", { status: 429, headers: { "retry-after": "30" } })
  if (pathname.includes("down") || pathname.includes("lesser")) return refused
  return pathname.endsWith("/market_chart") ? json(series(Date.now())) : text(page)
}

const defillama = ({ url }: SentRequest): Reply => {
  const key = decodeURIComponent(url.pathname.split("/").at(-1) ?? "")
  if (!url.pathname.includes("/chart/")) return json({ coins: {} })
  if (!key.includes("lesser")) return refused
  return json({
    coins: { [key]: { confidence: 0.99, prices: [{ timestamp: Math.floor(Date.now() / 1000), price: 7 }] } }
  })
}

/** The requests that were sent. */
class Outside extends Context.Tag("test/Outside")<Outside, { readonly requests: ReadonlyArray<SentRequest> }>() {}

const serving = Layer.suspend(() => {
  const outside = simulatedClient((request) => {
    if (request.url.host === "api.coingecko.com") return coingecko(request)
    return request.url.host === "coins.llama.fi" ? defillama(request) : refused
  })
  return Layer.merge(Service.layer({}, outside.layer), Layer.succeed(Outside, outside))
})

/** Returns the paths below `/coins` requested from CoinGecko since the last call, without those of background tasks. */
const requestedPaths = Effect.map(Outside, ({ requests }) => {
  const paths = () =>
    requests.flatMap(({ url }) =>
      /\/(coins\/(?!markets|list|.*ohlc)|asset_platforms)/.test(url.pathname) ? [url.pathname] : []
    )
  let seen = paths().length
  return () => {
    const all = paths().slice(seen)
    seen += all.length
    return all.map((path) => path.replace("/api/v3", ""))
  }
})

describe("GET /price/market_chart", () => {
  layer(serving, { excludeTestServices: true })((it) => {
    it("returns each coin once, in order and as the contract declares, with one upstream call per coin", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      const response = yield* get("/price/market_chart?coin_ids=ethereum,%20bitcoin,,bitcoin,unknown-coin&days=7")
      assert.strictEqual(response.status, 200)
      assert.strictEqual(response.headers.get("content-type"), "application/json")
      assert.strictEqual(response.headers.get("cache-control"), "public, max-age=300")
      assert.deepStrictEqual(JSON.parse(response.headers.get("x-partial-failures") ?? "[]"), [
        { coin: "unknown-coin", message: "no source has a coin with this id", errorCode: "unknown_coin" }
      ])
      const written = yield* textOf(response)
      const charts: Charts = JSON.parse(written)
      assert.deepStrictEqual(Object.keys(charts), ["bitcoin", "ethereum"])
      assert.deepStrictEqual(
        charts.bitcoin?.prices.map(([, price]) => price),
        [1.39852e-10, 50_675.258073370765]
      )
      assert.deepStrictEqual(charts.bitcoin?.total_volumes, [])
      yield* Schema.decodeUnknown(Schema.Record({ key: Schema.String, value: MarketChart }))(charts, {
        onExcessProperty: "error"
      })
      assert.deepStrictEqual(looked().sort(), [
        "/coins/bitcoin/market_chart",
        "/coins/ethereum/market_chart",
        "/coins/unknown-coin/market_chart"
      ])
      const again = yield* get("/price/market_chart?days=7&coin_ids=unknown-coin,bitcoin,ethereum")
      assert.strictEqual(again.headers.get("etag"), response.headers.get("etag"))
      assert.strictEqual(yield* textOf(again), written)
      assert.deepStrictEqual(looked(), [])
    })

    it("is usable by a typed client of the contract", function* () {
      const { handler } = yield* Service
      const fetch = (input: string | URL | Request, init?: RequestInit) => handler(new Request(input as string, init))
      const charts = yield* Effect.gen(function* () {
        const client = yield* HttpApiClient.make(Api, { baseUrl: "http://wallet.test" })
        return yield* client.prices.marketChart({ urlParams: { coin_ids: ["bitcoin"] as never, days: 365 } })
      }).pipe(
        Effect.provide(FetchHttpClient.layer),
        Effect.provideService(FetchHttpClient.Fetch, fetch as typeof globalThis.fetch)
      )
      assert.strictEqual(charts.bitcoin?.market_caps[0]?.[1], 1_215_000_000_000.5)
    })

    it("names coins that are missing or have only prices in a header, and must not be cached", function* () {
      const { get } = yield* Service
      const response = yield* get("/price/market_chart?coin_ids=bitcoin,down-coin,lesser-coin&days=1")
      assert.strictEqual(response.status, 200)
      const header = response.headers.get("x-partial-failures") ?? ""
      assert.match(header, /^[\x20-\x7e]+$/)
      assert.deepStrictEqual(JSON.parse(header), [
        {
          coin: "down-coin",
          message: "coingecko: could not be reached: connection refused",
          errorCode: "upstream_error"
        },
        {
          coin: "lesser-coin",
          message: "market capitalisation and volume are missing: only the prices are available",
          errorCode: "prices_only"
        }
      ])
      assert.match(response.headers.get("cache-control") ?? "", /max-age=0/)
      const charts = yield* body<Charts>(response)
      assert.deepStrictEqual(Object.keys(charts), ["bitcoin", "lesser-coin"])
      assert.deepInclude(charts["lesser-coin"], { market_caps: [], total_volumes: [] })
      assert.deepStrictEqual(
        charts["lesser-coin"]?.prices.map(([, price]) => price),
        [7]
      )
    })

    it("names many missing coins in a header of bounded length", function* () {
      const { get } = yield* Service
      const ids = Array.from({ length: 99 }, (_, index) => `down-${"x".repeat(index < 50 ? 1 : 100)}-${index}`)
      const response = yield* get(`/price/market_chart?coin_ids=bitcoin,${ids.join(",")}&days=1`)
      assert.strictEqual(response.status, 200)
      const header = response.headers.get("x-partial-failures") ?? ""
      assert.isBelow(header.length, 6_100)
      const named: ReadonlyArray<{ coin: string; message: string }> = JSON.parse(header)
      assert.match(named.at(-1)?.message ?? "", /^and \d+ more$/)
      assert.deepStrictEqual(named[0]?.message, "upstream_error")
    })

    it("returns 502 if no coin could be fetched, and an empty record if all coins are unknown", function* () {
      const { get } = yield* Service
      const failed = yield* get("/price/market_chart?coin_ids=down-coin,unknown-coin&days=30")
      assert.strictEqual(failed.status, 502)
      assert.strictEqual(failed.headers.get("content-type"), "application/problem+json")
      assert.match((yield* body<Problem>(failed)).detail, /coingecko: could not be reached: connection refused\.$/)
      const unknown = yield* get("/price/market_chart?coin_ids=unknown-coin,unknown-too&days=30")
      assert.deepStrictEqual([unknown.status, yield* textOf(unknown)], [200, "{}"])
    })

    it("rejects other days, no coins, too many coins and ids that would change the path, with the reason", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      const many = Array.from({ length: 101 }, (_, index) => `coin-${index}`).join(",")
      for (const [query, path, message] of [
        ["coin_ids=bitcoin&days=14", "days", /1, 7, 30, 365/],
        ["coin_ids=bitcoin", "days", /missing/],
        ["coin_ids=,&days=1", "coin_ids", /at least one/],
        [`coin_ids=${many}&days=1`, "coin_ids", /has more than 100 values/],
        ["coin_ids=bitcoin,..&days=1", "coin_ids.1", /must be a coin id/],
        ["coin_ids=%2e&days=1", "coin_ids.0", /must be a coin id/],
        ["coin_ids=..%2F..%2Fping&days=1", "coin_ids.0", /must be a coin id/],
        ["coin_ids=bitcoin,a%2Fb&days=1", "coin_ids.1", /must be a coin id/],
        ["coin_ids=..%5C..%5Cping&days=1", "coin_ids.0", /must be a coin id/]
      ] as const) {
        const response = yield* get(`/price/market_chart?${query}`)
        assert.strictEqual(response.status, 400, query)
        const { issues } = yield* body<Problem>(response)
        assert.strictEqual(issues[0]?.path, path, query)
        assert.match(issues[0]?.message ?? "", message, query)
      }
      assert.deepStrictEqual(looked(), [])
    })

    it("sends an unusual id as one segment of the path", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      yield* get("/price/market_chart?coin_ids=a..b%3Fc%23d%252F&days=1")
      assert.deepStrictEqual(looked(), ["/coins/a..b%3Fc%23d%252F/market_chart"])
    })
  })
})

describe("GET /price/coin/details", () => {
  it("rejects a platform or contract of only one or two dots", () => {
    const path = Schema.decodeUnknownEither(Schema.Struct({ platform, contract }))
    for (const dots of [".", ".."]) {
      assert.isTrue(Either.isLeft(path({ platform: "ethereum", contract: dots })))
      assert.isTrue(Either.isLeft(path({ platform: dots, contract: "0x12" })))
    }
    for (const contract of ["...", "wrap.near", "0x2::sui::SUI", "EQ-_", "0.0.123"])
      assert.isTrue(Either.isRight(path({ platform: "ethereum", contract })))
  })

  layer(serving, { excludeTestServices: true })((it) => {
    it("returns the provider's text character by character", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      const upper = "0xDAC17F958D2EE523A2206206994597C13D831EC7"
      for (const path of [`/ethereum/${upper}`, `/ethereum/${upper.toLowerCase()}`, "/solana/EPjF.a_b-c:d~e$1"]) {
        const response = yield* get(`/price/coin/details${path}`)
        assert.strictEqual(response.status, 200, path)
        assert.strictEqual(response.headers.get("content-type"), "application/json")
        assert.strictEqual(yield* textOf(response), page)
      }
      assert.deepStrictEqual(
        looked().map((path) => decodeURIComponent(path)),
        [`/coins/ethereum/contract/${upper.toLowerCase()}`, "/coins/solana/contract/EPjF.a_b-c:d~e$1"]
      )
    })

    it("maps a platform to its native coin", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      for (const platform of ["arbitrum-one", "xdai"])
        assert.strictEqual(yield* textOf(yield* get(`/price/coin/details/${platform}`)), page)
      assert.deepStrictEqual(looked(), ["/coins/ethereum", "/asset_platforms", "/coins/dai-native"])
    })

    it("returns 404 for an unknown coin, and 502 if the provider is unreachable", function* () {
      const { get } = yield* Service
      for (const [path, status] of [
        ["/nowhere", 404],
        ["/ethereum/unknown", 404],
        ["/ethereum/down", 502]
      ] as const) {
        const response = yield* get(`/price/coin/details${path}`)
        assert.strictEqual(response.status, status, path)
        assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
        assert.notMatch((yield* body<Problem>(response)).detail, /https?:/)
      }
    })

    it("rejects values that would lead to another path of the provider", function* () {
      const { get } = yield* Service
      const looked = yield* requestedPaths
      const long = "a".repeat(201)
      for (const bad of [
        "%252e%252e",
        "%252e",
        "a%2Fb",
        "%2F",
        "a%252Fb",
        "a%5Cb",
        "a%3Fb",
        "a%23b",
        "a%00",
        "a%0a",
        "a%20b",
        "%C3%A9",
        long
      ]) {
        for (const [path, place] of [
          [`/${bad}`, "platform"],
          [`/${bad}/0x12`, "platform"],
          [`/ethereum/${bad}`, "contract"]
        ] as const) {
          const response = yield* get(`/price/coin/details${path}`)
          assert.strictEqual(response.status, 400, path)
          const { issues } = yield* body<Problem>(response)
          assert.strictEqual(issues[0]?.path, place, path)
          assert.match(issues[0]?.message ?? "", /^must be 1 to \d+ letters/, path)
        }
      }
      // A client resolves these before it sends them, so the result is another route, or no route.
      for (const bad of ["..", "%2e%2e", ".%2E", ".", "%2e"])
        for (const path of [`/${bad}`, `/ethereum/${bad}`, `/ethereum/${bad}/x`, `/${bad}/${bad}/coins`]) {
          const { status } = yield* get(`/price/coin/details${path}`)
          assert.include([200, 400, 404], status, path)
        }
      assert.deepStrictEqual(
        looked().filter(
          (path) => path !== "/coins/ethereum" && path !== "/asset_platforms" && path !== "/coins/ethereum/contract/x"
        ),
        []
      )
    })

    // This test is the last, because it makes the provider reject calls for a while.
    it("returns when to retry if the provider does", function* () {
      const { get } = yield* Service
      for (const path of ["details/ethereum/busy", "details/ethereum/other"]) {
        const response = yield* get(`/price/coin/${path}`)
        assert.strictEqual(response.status, 502, path)
        const seconds = Number(response.headers.get("retry-after"))
        assert.isAtLeast(seconds, 1, path)
        assert.isAtMost(seconds, 30, path)
      }
      const chart = yield* get("/price/market_chart?coin_ids=down-coin&days=7")
      assert.strictEqual(chart.status, 502)
      assert.match(chart.headers.get("retry-after") ?? "", /^([1-9]|[12]\d|30)$/)
    })
  })
})
