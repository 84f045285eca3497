import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as App from "../../src/App.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { Chains } from "../../src/chains/Chains.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { currencies, facts } from "../../src/domain/Currency.ts"
import { Portfolio } from "../../src/features/balances/Portfolio.ts"
import { PriceSource } from "../../src/features/prices/PriceSource.ts"
import * as BinancePrices from "../../src/features/prices/sources/BinancePrices.ts"
import * as CoinGeckoPrices from "../../src/features/prices/sources/CoinGeckoPrices.ts"
import * as DefiLlamaPrices from "../../src/features/prices/sources/DefiLlamaPrices.ts"
import { Binance } from "../../src/providers/Binance.ts"
import { CoinGecko } from "../../src/providers/CoinGecko.ts"
import { contractKey, DefiLlama } from "../../src/providers/DefiLlama.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import { coins, isPriced } from "../../src/sandbox/world/coins.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as Upstream from "../../src/upstream/Upstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { holders, sandboxEnvironment } from "../support/sandbox.ts"
import { frozenClock } from "../support/simulated.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

const quiet = Logger.minimumLogLevel(LogLevel.None)

const ids = coins.map(({ id }) => CoinId.make(id))

const coinOf = (id: string) => {
  const coin = coins.find((listed) => listed.id === id)
  assert(coin !== undefined, id)
  return { ...coin, id: CoinId.make(id) }
}
const [bitcoin, chainlink] = [coinOf("bitcoin"), coinOf("chainlink")]

const adapters = TokenRegistry.layer.pipe(
  Layer.provideMerge(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer)),
  Layer.provideMerge(Upstreams.layerUnlimited),
  Layer.provideMerge(sandboxEnvironment()),
  Layer.provideMerge(quiet),
  // Prices change every minute: all sources must be read at the same time.
  Layer.provideMerge(Layer.setClock({ ...frozenClock(Date.UTC(2026, 10, 25, 8, 30, 15)), sleep: Clock.make().sleep }))
)

describe("the sandbox", () => {
  it.live("refuses connections to an upstream that it does not simulate", () =>
    Effect.gen(function* () {
      const tester = yield* Upstream.make({
        name: "tester",
        urls: ["https://tester.example"],
        canary: () => Effect.void
      })
      const error = yield* Effect.flip(tester.read(HttpClientRequest.get("/"), Schema.Unknown))
      assert.deepInclude(error, { reason: "upstream_error", detail: "could not be reached" })
    }).pipe(Effect.provide(Layer.merge(sandboxEnvironment(), Upstreams.layer)))
  )

  it.effect("rejects a request that does not name its upstream", () =>
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const error = yield* Effect.flip(http.get("https://ethereum-rpc.publicnode.com/"))
      assert.strictEqual(error._tag, "RequestError")
      assert.include(error.message, "the sandbox does not simulate unknown")
    }).pipe(Effect.provide(Sandbox.layer(Catalogue.all)))
  )

  it.effect("logs the error of a simulator with the request but no secret, and responds with 500", function* () {
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
    const world = World.make()
    const state = new Proxy(world.state, {
      get: (target, name) => {
        if (name !== "settleDue") throw new RangeError("in the simulator")
        return target.settleDue
      }
    })
    const { status } = yield* Effect.flatMap(HttpClient.HttpClient, (http) =>
      http.get(`https://anywhere.example/api/address/1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa?key=secret`)
    ).pipe(
      Effect.provideService(CurrentUpstream, { name: "bitcoin-esplora", secrets: [Redacted.make("secret")] }),
      Effect.provide(
        Layer.merge(
          Sandbox.layer(Catalogue.all, { world: { ...world, state } }),
          Logger.replace(Logger.defaultLogger, logger)
        )
      )
    )
    assert.strictEqual(status, 500)
    assert.lengthOf(lines, 1)
    assert.match(
      lines[0] ?? "",
      /^ERROR the simulation of bitcoin-esplora failed at GET https:..anywhere\.example.*1A1zP1.*key=\{apiKey\}.*in the simulator/
    )
  })

  it.effect("delays responses by the configured latency", () =>
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const asked = yield* http
        .get("https://anywhere.example/ping")
        .pipe(Effect.provideService(CurrentUpstream, { name: "coingecko", secrets: [] }), Effect.fork)
      yield* TestClock.adjust("49 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(asked)))
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(asked)).status, 200)
    }).pipe(Effect.provide(Sandbox.layer(Catalogue.all, { latency: "50 millis" })))
  )
})

describe("the simulated market data", () => {
  layer(adapters, { excludeTestServices: true })((it) => {
    it("have the same price of every coin in all sources, with all fields that the adapters read", function* () {
      const asked = [...ids, CoinId.make("no-such-coin")]
      const told = Effect.flatMap(PriceSource, ({ prices }) =>
        Effect.map(prices(asked), (found) => new Map(found.map((returned) => [returned.coinId, returned])))
      )
      const first = yield* Effect.provide(told, CoinGeckoPrices.layer)
      const second = yield* Effect.provide(told, DefiLlamaPrices.layer)
      const third = yield* Effect.provide(told, BinancePrices.layer)
      const priced = coins.filter(isPriced).map(({ id }) => id)
      assert.sameMembers([...first.keys()], priced)
      assert.sameMembers([...second.keys()], priced)
      for (const price of first.values()) {
        assert.strictEqual(second.get(price.coinId)?.usd, price.usd)
        assert.match(price.image ?? "", /^https:/)
        assert.isNotEmpty(
          [price.name, price.symbol, price.fdv, price.change24h].filter((member) => member !== undefined)
        )
      }
      assert.includeMembers(
        [...third.keys()],
        ["bitcoin", "ethereum", "cardano", "binancecoin", "shiba-inu", "chainlink", "dogecoin"]
      )
      for (const price of third.values()) {
        assert.strictEqual(price.usd, first.get(price.coinId)?.usd)
        assert.closeTo(price.change24h ?? 0, first.get(price.coinId)?.change24h ?? 0, price.usd * 1e-9)
      }
    })

    it("list all coins by market cap, with an empty page after the last", function* () {
      const { largest } = yield* CoinGecko
      const first = yield* largest(1)
      assert.sameMembers(
        first.map(({ id }) => id),
        ids
      )
      const ordinary = new Set(coins.filter(({ odd }) => odd === undefined).map(({ id }) => id))
      const prices = first.filter(({ id }) => ordinary.has(id)).map(({ current_price }) => current_price ?? 0)
      assert.deepStrictEqual(
        prices,
        [...prices].sort((a, b) => b - a),
        "every coin has the same supply"
      )
      assert.deepStrictEqual(yield* largest(2), [])
    })

    it("contain DefiLlama's price of a token by contract, in any spelling", function* () {
      const { current } = yield* DefiLlama
      for (const { llama, platform } of Catalogue.all) {
        const [contract] = World.contractsOn(platform)
        if (llama === undefined || contract === undefined) continue
        const key = contractKey({ chain: llama, address: contract.address })
        const price = (yield* current([key])).get(key)?.price
        assert.strictEqual(price, World.priceOf(contract.coin, yield* Clock.currentTimeMillis), key)
      }
      const written = contractKey({ chain: "ethereum", address: "0xdAC17F958D2ee523a2206206994597C13D831ec7" })
      const none = contractKey({ chain: "ethereum", address: "0x0000000000000000000000000000000000000001" })
      assert.deepStrictEqual([...(yield* current([written, none])).keys()], [written])
    })

    it("have the world's price at each point of CoinGecko's and DefiLlama's charts", function* () {
      const coingecko = yield* CoinGecko
      const defillama = yield* DefiLlama
      const now = yield* Clock.currentTimeMillis
      for (const [days, most] of [
        [1, 300],
        [7, 170],
        [30, 730],
        [365, 370]
      ] as const) {
        const series = Option.getOrThrow(yield* coingecko.series(chainlink.id, days))
        const points = Option.getOrThrow(yield* defillama.chart(chainlink.id, days))
        assert.strictEqual(series.prices.length, series.market_caps.length)
        assert.strictEqual(series.prices.length, series.total_volumes.length)
        for (const [at, price] of [...series.prices, ...points.map(({ at, price }) => [at, price] as const)]) {
          assert.strictEqual(price, World.priceOf(chainlink, at))
          assert.isAtMost(Math.abs(now - at), days * 86_400_000 + 60_000)
        }
        assert.deepStrictEqual(series.prices.at(-1), [now, World.priceOf(chainlink, now)], "the current price")
        for (const length of [series.prices.length, points.length]) {
          assert.isAbove(length, 160)
          assert.isAtMost(length, most)
        }
      }
      const nothing = CoinId.make("no-such-coin")
      assert.isTrue(Option.isNone(yield* coingecko.series(nothing, 1)))
      assert.isTrue(Option.isNone(yield* defillama.chart(nothing, 1)))
    })

    it("have the same candles with the same end times from CoinGecko and Binance", function* () {
      const { candles } = yield* CoinGecko
      const { klines } = yield* Binance
      for (const [days, interval, count] of [
        [1, "30m", 48],
        [30, "4h", 180]
      ] as const) {
        const first = yield* candles(chainlink.id, days)
        const second = yield* klines(chainlink.id, interval, count)
        assert.strictEqual(first.length, count)
        assert.deepStrictEqual(
          first,
          second.map(({ close, closesAt, high, low, open }) => [closesAt + 1, open, high, low, close])
        )
      }
      const year = yield* candles(chainlink.id, 365)
      assert.strictEqual(year.length, 92)
      for (const [index, [at, open, high, low, close]] of year.entries()) {
        assert.isAtLeast(high, Math.max(open, close))
        assert.isAtMost(low, Math.min(open, close))
        assert.strictEqual(at - (year[index - 1]?.[0] ?? at - 345_600_000), 345_600_000)
      }
      assert.isAbove(year.at(-1)?.[0] ?? 0, yield* Clock.currentTimeMillis, "the newest candle has not ended")
    })

    it("contain coin pages by id and by contract, in any spelling", function* () {
      const { coin, contract } = yield* CoinGecko
      const page = (text: Option.Option<string>) => JSON.parse(Option.getOrThrow(text))
      assert.deepInclude(page(yield* coin(CoinId.make("bitcoin"))), { id: "bitcoin", platforms: { "": "" } })
      assert.deepInclude(page(yield* contract("ethereum", "0xdAC17F958D2ee523a2206206994597C13D831ec7")), {
        id: "tether",
        asset_platform_id: "ethereum",
        contract_address: "0xdac17f958d2ee523a2206206994597c13d831ec7"
      })
      for (const [platform, address] of [
        ["solana", "So11111111111111111111111111111111111111112"],
        ["sui", "0x6864a6f921804860930db6ddbe2e16acdf8504495ea7481637a1c8b9a8fe54b::cetus::CETUS"]
      ] as const)
        assert.strictEqual(page(yield* contract(platform, address)).contract_address, address)
      assert.deepStrictEqual(yield* coin(CoinId.make("no-such-coin")), Option.none())
      assert.deepStrictEqual(yield* contract("ethereum", "0x01"), Option.none())
      assert.deepStrictEqual(yield* contract("no-such-platform", "0x01"), Option.none())
    })

    it("contain exchange rates of all currencies per bitcoin", function* () {
      const { rates } = yield* (yield* CoinGecko).exchangeRates
      const fiats = Object.keys(rates).filter((code) => rates[code]?.type === "fiat")
      assert.deepStrictEqual(fiats.sort(), currencies.filter((code) => facts[code].kind === "fiat").sort())
      assert.deepInclude(rates.btc ?? {}, { type: "crypto", value: 1 })
      assert.deepInclude(rates.xau ?? {}, { type: "commodity" })
      assert.strictEqual(rates.usd?.value, World.priceOf(bitcoin, yield* Clock.currentTimeMillis))
      for (const { value } of Object.values(rates)) assert.isAbove(value, 0)
    })

    it("contain Binance's errors for an unknown symbol in a list and for an unsupported interval", function* () {
      const http = yield* HttpClient.HttpClient
      const ask = (path: string) =>
        Effect.flatMap(
          Effect.provideService(http.get(`https://anywhere.example${path}`), CurrentUpstream, {
            name: "binance",
            secrets: []
          }),
          (response) => Effect.map(response.json, (body) => [response.status, body])
        )
      const unknown = [400, { code: -1121, msg: "Invalid symbol." }]
      assert.deepStrictEqual(yield* ask('/api/v3/ticker/24hr?symbols=["BTCUSDT","NOPEUSDT"]'), unknown)
      assert.deepStrictEqual(yield* ask("/api/v3/klines?symbol=NOPEUSDT&interval=1d"), unknown)
      assert.deepStrictEqual((yield* ask("/api/v3/klines?symbol=BTCUSDT&interval=1y"))[0], 400)
      assert.deepStrictEqual((yield* ask("/api/v3/time"))[0], 200)
      assert.strictEqual((yield* ask("/api/v3/nothing"))[0], 404)
    })

    it("contain a price of every native coin and the world's token list of every platform", function* () {
      const { coins, platforms, tokens } = yield* CoinGecko
      const priced = new Set<string>(ids)
      const listed = new Map((yield* coins).map((one) => [one.id, one.platforms]))
      const known = new Map((yield* platforms).map((one) => [one.id, one]))
      for (const info of Catalogue.all) {
        assert.isTrue(priced.has(info.native.coinId), info.native.coinId)
        if (info.platform === undefined) continue
        assert.deepInclude(known.get(info.platform) ?? {}, {
          chain_identifier: info.chainId ?? null,
          native_coin_id: info.native.coinId
        })
        const contracts = World.listedOn(info.platform)
        assert.deepStrictEqual(
          (yield* tokens(info.platform)).map(({ address, decimals }) => [address.toLowerCase(), decimals]),
          contracts.map(({ address, decimals }) => [address.toLowerCase(), decimals])
        )
        for (const { address, coin } of contracts) assert.strictEqual(listed.get(coin.id)?.[info.platform], address)
      }
    })

    it("let the registry build a token list of each platform", function* () {
      const registry = yield* TokenRegistry
      for (const { platform } of Catalogue.all) {
        if (platform === undefined) continue
        const list = yield* yield* registry.follow({
          platform,
          canonical: (address) => Option.some(address.toLowerCase())
        })
        assert.strictEqual(Option.getOrThrow(list).tokens.length, World.listedOn(platform).length, platform)
      }
      const chain = yield* registry.chain(137)
      assert.strictEqual(Option.getOrThrow(chain).platform, "polygon-pos")
    })

    it("contain a 404 with an HTML page for an unknown token list, like the real CoinGecko", function* () {
      const { tokens } = yield* CoinGecko
      const error = yield* Effect.flip(tokens("no-such-platform"))
      assert.strictEqual(error.status, 404)
    })
  })
})

describe("the use cases over the sandbox", () => {
  layer(App.useCases.pipe(Layer.provide(sandboxEnvironment()), Layer.provideMerge(quiet)), {
    excludeTestServices: true
  })((it) => {
    it("return complete balances of twenty addresses on all EVM networks", function* () {
      const portfolio = yield* Portfolio
      const all = (yield* (yield* Chains).all).filter(({ facts: info }) => info.family === "evm")
      const asked = holders(20)
      const wanted = Object.fromEntries(all.map(({ facts: info }) => [info.id, asked]))
      const { omissions, rows } = yield* portfolio.balances(wanted)
      assert.deepStrictEqual(omissions, [])
      const natives = rows.filter(({ tokenType }) => tokenType === "NATIVE")
      assert.deepStrictEqual(
        natives.map((row) => [row.blockchain, row.holderAddress]),
        Object.entries(wanted).flatMap(([id, addresses]) => addresses.map((address) => [id, address]))
      )
      for (const row of rows) {
        const info = Catalogue.all.find(({ id }) => id === row.blockchain)
        if (info?.sunset !== undefined) {
          assert.deepInclude(row, { balance: null, balanceUsd: null, errorCode: "sunset", tokenType: "NATIVE" })
          continue
        }
        assert.isUndefined(row.error)
        assert.match(row.balance ?? "", /^\d+(\.\d*[1-9])?$/)
        assert.match(row.balanceUsd ?? "", /^\d+(\.\d*[1-9])?$/)
        assert.isNotNull(row.tokenPrice)
        if (row.tokenType === "TOKEN") assert.notStrictEqual(row.balance, "0")
      }
      assert.isTrue(rows.some(({ tokenType }) => tokenType === "TOKEN"))
      assert.isTrue(natives.some(({ balance }) => balance === "0"))
      const again = yield* portfolio.balances(wanted)
      assert.deepStrictEqual(
        again.rows.map(({ balance }) => balance),
        rows.map(({ balance }) => balance)
      )
    })
  })
})
