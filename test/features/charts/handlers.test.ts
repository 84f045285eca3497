import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import { Api } from "../../../src/contract/Api.ts"
import { ChartMetadata, Ohlc } from "../../../src/contract/ChartsApi.ts"
import type { Candles, ChartPeriod } from "../../../src/domain/charts/Ohlc.ts"
import { Charts } from "../../../src/features/charts/Charts.ts"
import * as Chart from "../../../src/features/charts/handlers.ts"
import { keyOf, type Series } from "../../../src/features/charts/Series.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { candles } from "../../support/charting.ts"
import { byHost, json, neverResponds, type Reply, type SentRequest, simulatedClient } from "../../support/http.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const now = Date.now()

/** CoinGecko with only these series; no other host is reachable. */
const coingeckoWith = (
  known: (coin: string, period: ChartPeriod) => boolean,
  otherwise: Reply = json({}, { status: 404 })
) =>
  simulatedClient(
    byHost({
      "api.coingecko.com": ({ url }: SentRequest) => {
        const [, coin = "", what] = url.pathname.split("/").slice(-3)
        const period = url.searchParams.get("days") as ChartPeriod
        return what === "ohlc" && known(coin, period) ? json(candles(period, now)) : otherwise
      }
    })
  )

// Live upstreams, so that the budgets and the addresses are the real ones.
const service = (...about: Parameters<typeof coingeckoWith>) =>
  Service.layerSimulated({ UPSTREAMS: "live", COINGECKO_PER_SECOND: "1000" }, coingeckoWith(...about).layer)

const get = (path: string) => Effect.flatMap(Service, ({ get }) => get(path))

const problem = Effect.fnUntraced(function* (path: string) {
  const response = yield* get(path)
  assert.strictEqual(response.headers.get("content-type"), "application/problem+json")
  const { detail, issues } = yield* body<{
    readonly detail: string
    readonly issues?: ReadonlyArray<{ readonly path: string; readonly message: string }>
  }>(response)
  return { status: response.status, detail, issues, retryAfter: response.headers.get("retry-after") }
})

const client = Effect.gen(function* () {
  const { handler } = yield* Service
  const fetch = ((input: URL, init?: RequestInit) => handler(new Request(input.href, init))) as unknown
  const made = yield* HttpApiClient.make(Api, { baseUrl: "http://wallet.test" }).pipe(
    Effect.provide(FetchHttpClient.layer)
  )
  return <A, E>(call: (client: typeof made) => Effect.Effect<A, E>) =>
    Effect.provideService(call(made), FetchHttpClient.Fetch, fetch as typeof globalThis.fetch)
})

const Item = Schema.Array(Ohlc)
const List = Schema.Record({ key: Schema.String, value: Item })
const Data = Schema.Record({ key: Schema.String, value: List })

const decoded = <A, I>(schema: Schema.Schema<A, I>, path: string) =>
  Effect.gen(function* () {
    const response = yield* get(path)
    assert.strictEqual(response.status, 200, path)
    assert.match(response.headers.get("content-type") ?? "", /^application\/json/)
    assert.isNull(response.headers.get("x-partial-failures"))
    return yield* Schema.decodeUnknown(schema, { onExcessProperty: "error" })(JSON.parse(yield* textOf(response)))
  })

const real = { excludeTestServices: true }

describe("the routes of the charts", () => {
  layer(
    service(() => true),
    real
  )("while every series is loaded", (it) => {
    it("return all series in the documented form", function* () {
      const data = yield* decoded(Data, "/app/mdata/data")
      assert.sameMembers(Object.keys(data), [
        "bitcoin",
        "ethereum",
        "cardano",
        "binancecoin",
        "shiba-inu",
        "chainlink",
        "dogecoin"
      ])
      for (const series of Object.values(data)) {
        assert.deepStrictEqual(Object.keys(series), ["1", "30", "365"])
        for (const [period, rows] of Object.entries(series))
          assert.deepStrictEqual(rows, candles(period as ChartPeriod, now) as typeof rows)
      }
    })

    it("return one series, or several of one period with a plain or encoded comma", function* () {
      assert.deepStrictEqual(yield* decoded(Item, "/app/mdata/item/shiba-inu/30"), candles("30", now))
      const both = { bitcoin: candles("1", now), dogecoin: candles("1", now) }
      for (const coins of [
        "bitcoin,dogecoin",
        "dogecoin%2Cbitcoin",
        "bitcoin,dogecoin,bitcoin,",
        "bitcoin,%20dogecoin"
      ])
        assert.deepStrictEqual(yield* decoded(List, `/app/mdata/list/${coins}/1`), both, coins)
      assert.deepStrictEqual(yield* decoded(List, "/app/mdata/list/bitcoin/365"), { bitcoin: candles("365", now) })
    })

    it("report which series are loaded, since when and from which source", function* () {
      yield* decoded(Data, "/app/mdata/data")
      const { data, lastUpdate, service } = yield* decoded(ChartMetadata, "/app/mdata")
      assert.strictEqual(data.length, 21)
      assert.deepInclude(data, { coin: "cardano", period: "365", length: 92 })
      assert.isAtLeast(lastUpdate ?? 0, now)
      assert.strictEqual(service, "coingecko")
    })

    it("include the routes that exist only for compatibility", function* () {
      assert.strictEqual(yield* Effect.flatMap(get("/app/mdata/restart"), textOf), "{}")
      assert.strictEqual(yield* Effect.flatMap(get("/app/mdata/errors"), textOf), "[]")
    })

    it("reject other coins and periods, and list the allowed ones", function* () {
      for (const [path, at, allowed] of [
        ["/app/mdata/item/solana/30", "coin", "bitcoin, ethereum, cardano"],
        ["/app/mdata/item/bitcoin/7", "period", "1, 30, 365"],
        ["/app/mdata/item/bitcoin/30.0", "period", "1, 30, 365"],
        ["/app/mdata/list/bitcoin,solana/30", "coins.1", "bitcoin, ethereum, cardano"],
        ["/app/mdata/list/,/30", "coins", "at least one"],
        ["/app/mdata/list/bitcoin/7", "period", "1, 30, 365"]
      ] as const) {
        const { issues, status } = yield* problem(path)
        assert.strictEqual(status, 400, path)
        assert.strictEqual(issues?.[0]?.path, at, path)
        assert.include(issues?.[0]?.message, allowed, path)
      }
    })

    it("are usable by a typed client of the contract", function* () {
      const call = yield* client
      const chart = yield* call(({ charts }) => charts.item({ path: { coin: "ethereum", period: "365" } }))
      assert.deepStrictEqual(chart, candles("365", now) as Candles)
      const list = yield* call(({ charts }) => charts.list({ path: { coins: ["cardano", "chainlink"], period: "1" } }))
      assert.deepStrictEqual(Object.keys(list), ["cardano", "chainlink"])
      assert.strictEqual(Object.keys(yield* call(({ charts }) => charts.data())).length, 7)
      assert.strictEqual((yield* call(({ charts }) => charts.metadata())).data.length, 21)
      assert.deepStrictEqual(yield* call(({ charts }) => charts.restart()), {})
      assert.deepStrictEqual(yield* call(({ charts }) => charts.errors()), [])
    })

    it("have an ETag, and return 304 to a client that has the current response", function* () {
      const { handler } = yield* Service
      for (const path of ["/app/mdata", "/app/mdata/data", "/app/mdata/item/bitcoin/1", "/app/mdata/list/bitcoin/1"]) {
        const tag = (yield* get(path)).headers.get("etag") ?? ""
        assert.notStrictEqual(tag, "", path)
        const again = yield* Effect.promise(() =>
          handler(new Request(`http://wallet.test${path}`, { headers: { "if-none-match": tag } }))
        )
        assert.strictEqual(again.status, 304, path)
      }
    })

    it("report the age of each series in the metrics", function* () {
      yield* decoded(Data, "/app/mdata/data")
      const metrics = yield* Effect.flatMap(get("/metrics"), textOf)
      assert.match(metrics, /chart_series_age_seconds\{(coin="bitcoin",period="30"|period="30",coin="bitcoin")\} \d/)
      assert.match(metrics, /chart_refreshes_total\{[^}]*source="coingecko"[^}]*\} \d/)
      assert.match(metrics, /chart_refreshes_total\{source="binance",outcome="rate_limited"\} \d+/)
    })
  })

  layer(
    service((coin, period) => coin !== "bitcoin" && (coin !== "cardano" || period !== "30")),
    real
  )("while some series are missing", (it) => {
    const partial = (response: Response) => JSON.parse(response.headers.get("x-partial-failures") ?? "null")

    it("omit the missing series from lists and name them in a header", function* () {
      const list = yield* get("/app/mdata/list/bitcoin,cardano,dogecoin/30")
      assert.strictEqual(list.status, 200)
      assert.deepStrictEqual(Object.keys(yield* body<object>(list)), ["dogecoin"])
      const failures: ReadonlyArray<{ readonly coin: string; readonly period: string; readonly message: string }> =
        partial(list)
      assert.deepStrictEqual(
        failures.map(({ coin, period }) => [coin, period]),
        [
          ["bitcoin", "30"],
          ["cardano", "30"]
        ]
      )
      for (const { message } of failures) {
        assert.match(message, /^(coingecko|binance): /)
        assert.notMatch(message, /http|api\./)
      }
      const all = yield* get("/app/mdata/data")
      const data = yield* body<Record<string, object>>(all)
      assert.notProperty(data, "bitcoin")
      assert.deepStrictEqual(Object.keys(data.cardano ?? {}), ["1", "365"])
      assert.strictEqual(partial(all).length, 4)
      assert.strictEqual((yield* decoded(ChartMetadata, "/app/mdata")).data.length, 21 - 4)
    })

    it("return 502 for a missing series, and never an empty list", function* () {
      for (const path of ["/app/mdata/item/bitcoin/1", "/app/mdata/list/bitcoin/1"]) {
        const { detail, retryAfter, status } = yield* problem(path)
        assert.strictEqual(status, 502)
        assert.match(detail, /^There are no candles of bitcoin over a day: (coingecko|binance): /)
        assert.isAtLeast(Number(retryAfter), 1)
        assert.isAtMost(Number(retryAfter), 120)
      }
      const call = yield* client
      const failed = yield* Effect.flip(call(({ charts }) => charts.item({ path: { coin: "bitcoin", period: "365" } })))
      assert.strictEqual(failed._tag, "UpstreamFailed")
    })
  })

  layer(
    Service.layerSimulated(
      { UPSTREAMS: "live", REQUEST_DEADLINE_MS: "15000" },
      coingeckoWith(() => false, neverResponds).layer
    )
  )("while no series is loaded and CoinGecko does not respond", (it) => {
    it("return the loaded series without waiting, and 502 before the request deadline", function* () {
      assert.deepStrictEqual(yield* decoded(ChartMetadata, "/app/mdata"), {
        lastUpdate: null,
        data: [],
        service: "coingecko"
      })
      // The response must not be cached, because more series are loaded soon.
      assert.match((yield* get("/app/mdata")).headers.get("cache-control") ?? "", /max-age=0|no-store|no-cache/)
      for (const [path, more] of [
        ["/app/mdata/data", ", and 20 more"],
        ["/app/mdata/item/bitcoin/1", ""],
        ["/app/mdata/list/bitcoin,cardano/1", ", and 1 more"]
      ] as const) {
        const { detail, retryAfter, status } = yield* problem(path)
        assert.strictEqual(status, 502)
        assert.strictEqual(detail, `There are no candles of bitcoin over a day${more}: it has not been fetched yet.`)
        assert.strictEqual(retryAfter, "5")
      }
    })
  })

  const series = new Map<string, Series>()
  const put = (coin: "bitcoin" | "ethereum", at: number, price: number) =>
    series.set(`${coin}/1`, { coin, period: "1", candles: candles("1", at, 48, price), source: "coingecko", at })
  const charts = Layer.succeed(Charts, {
    loaded: (wanted) => wanted.flatMap((id) => series.get(keyOf(id)) ?? []),
    read: (wanted) =>
      Effect.sync(() => ({
        series: wanted.flatMap((id) => series.get(keyOf(id)) ?? []),
        missing: wanted
          .filter((id) => !series.has(keyOf(id)))
          .map((id) => ({ ...id, message: "coingecko: sagt “nein”", retryAfter: 7 }))
      })),
    keepFresh: Effect.never
  })
  layer(Service.layerWith("charts", Layer.provide(Chart.layer, charts)), real)("after a refresh", (it) => {
    it("return no stale data", function* () {
      series.clear()
      put("bitcoin", now, 100)
      const list = "/app/mdata/list/bitcoin,ethereum/1"
      const path = "/app/mdata/item/bitcoin/1"
      const partial = yield* get(list)
      const header = partial.headers.get("x-partial-failures") ?? ""
      assert.match(header, /^[\x20-\x7e]+$/)
      assert.deepStrictEqual(JSON.parse(header), [{ coin: "ethereum", period: "1", message: "coingecko: sagt “nein”" }])
      assert.strictEqual((yield* decoded(ChartMetadata, "/app/mdata")).data.length, 1)
      put("ethereum", now, 50)
      const both = { bitcoin: candles("1", now, 48, 100), ethereum: candles("1", now, 48, 50) }
      for (let again = 0; again < 3; again++) {
        assert.deepStrictEqual(yield* decoded(List, list), both)
        assert.deepStrictEqual(yield* decoded(Item, path), both.bitcoin)
      }
      put("bitcoin", now + 1, 101)
      for (let again = 0; again < 3; again++) {
        assert.deepStrictEqual(yield* decoded(List, list), { ...both, bitcoin: candles("1", now, 48, 101) })
        assert.deepStrictEqual(yield* decoded(Item, path), candles("1", now, 48, 101))
      }
      const { data, lastUpdate } = yield* decoded(ChartMetadata, "/app/mdata")
      assert.deepStrictEqual([data.length, lastUpdate], [2, now + 1])
    })
  })
})
