import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as App from "../../src/App.ts"
import { Portfolio } from "../../src/balance/Portfolio.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { infos, Networks } from "../../src/networks/Networks.ts"
import { PriceSource } from "../../src/price/PriceSource.ts"
import * as CoinGeckoPrices from "../../src/price/sources/CoinGecko.ts"
import * as DefiLlama from "../../src/price/sources/DefiLlama.ts"
import { coins } from "../../src/sandbox/coins.ts"
import * as Sandbox from "../../src/sandbox/Sandbox.ts"
import * as World from "../../src/sandbox/World.ts"
import { TokenRegistry } from "../../src/tokens/TokenRegistry.ts"
import { CoinGecko } from "../../src/upstreams/CoinGecko.ts"
import { CurrentUpstream } from "../../src/upstreams/CurrentUpstream.ts"
import * as Upstream from "../../src/upstreams/Upstream.ts"
import { Upstreams } from "../../src/upstreams/Upstreams.ts"
import { holders, sandboxed } from "../support/sandbox.ts"

const quiet = Logger.minimumLogLevel(LogLevel.None)

const ids = coins.map(({ id }) => CoinId.make(id))

const adapters = TokenRegistry.layer.pipe(
  Layer.provideMerge(CoinGecko.layer),
  Layer.provideMerge(Upstreams.layer),
  Layer.provideMerge(sandboxed()),
  Layer.provideMerge(quiet)
)

describe("the sandbox", () => {
  it.live("an upstream that it does not simulate cannot be reached", () =>
    Effect.gen(function* () {
      const tester = yield* Upstream.make({
        name: "tester",
        urls: ["https://tester.example"],
        concurrency: 1,
        canary: () => Effect.void
      })
      const error = yield* Effect.flip(tester.send(HttpClientRequest.get("/"), Schema.Unknown))
      assert.deepInclude(error, { reason: "upstream_error", detail: "could not be reached" })
    }).pipe(Effect.provide(Layer.merge(sandboxed(), Upstreams.layer)))
  )

  it.effect("what does not say which upstream it asks is not let out", () =>
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const error = yield* Effect.flip(http.get("https://ethereum-rpc.publicnode.com/"))
      assert.strictEqual(error._tag, "RequestError")
      assert.include(error.message, "the sandbox does not simulate unknown")
    }).pipe(Effect.provide(Sandbox.layer(infos)))
  )

  it.effect("takes its time where it is told to", () =>
    Effect.gen(function* () {
      const http = yield* HttpClient.HttpClient
      const asked = yield* http
        .get("https://anywhere.example/ping")
        .pipe(Effect.provideService(CurrentUpstream, { name: "coingecko", secrets: [] }), Effect.fork)
      yield* TestClock.adjust("49 millis")
      assert.isTrue(Option.isNone(yield* Fiber.poll(asked)))
      yield* TestClock.adjust("1 millis")
      assert.strictEqual((yield* Fiber.join(asked)).status, 200)
    }).pipe(Effect.provide(Sandbox.layer(infos, "50 millis")))
  )
})

describe("the simulated market data", () => {
  layer(adapters, { excludeTestServices: true })((it) => {
    it.effect("CoinGecko and DefiLlama tell the same price of every coin, and all that the adapters read", () =>
      Effect.gen(function* () {
        const asked = [...ids, CoinId.make("no-such-coin")]
        const told = Effect.flatMap(PriceSource, ({ prices }) =>
          Effect.map(prices(asked), (found) => new Map(found.map((one) => [one.coinId, one])))
        )
        const first = yield* Effect.provide(told, CoinGeckoPrices.layer)
        const second = yield* Effect.provide(told, DefiLlama.layer)
        assert.sameMembers([...first.keys()], ids)
        for (const price of first.values()) {
          assert.strictEqual(second.get(price.coinId)?.usd, price.usd)
          assert.match(price.image ?? "", /^https:/)
          assert.isNotEmpty([price.name, price.symbol, price.fdv, price.change24h].filter((one) => one !== undefined))
        }
      })
    )

    it.effect("every native coin has a price, and every platform the token list of the world", () =>
      Effect.gen(function* () {
        const { coins, platforms, tokens } = yield* CoinGecko
        const priced = new Set<string>(ids)
        const listed = new Map((yield* coins).map((one) => [one.id, one.platforms]))
        const known = new Map((yield* platforms).map((one) => [one.id, one]))
        for (const info of infos) {
          assert.isTrue(priced.has(info.native.coinId), info.native.coinId)
          if (info.platform === undefined) continue
          assert.deepInclude(known.get(info.platform) ?? {}, {
            chain_identifier: info.chainId ?? null,
            native_coin_id: info.native.coinId
          })
          const contracts = World.contractsOn(info.platform)
          assert.deepStrictEqual(
            (yield* tokens(info.platform)).map(({ address, decimals }) => [address, decimals]),
            contracts.map(({ address, decimals }) => [address, decimals])
          )
          for (const { address, coin } of contracts) assert.strictEqual(listed.get(coin.id)?.[info.platform], address)
        }
      })
    )

    it.effect("the registry makes a list of each platform", () =>
      Effect.gen(function* () {
        const registry = yield* TokenRegistry
        for (const { platform } of infos) {
          if (platform === undefined) continue
          const list = yield* yield* registry.follow({ platform, canonical: Option.some })
          assert.strictEqual(Option.getOrThrow(list).tokens.length, World.contractsOn(platform).length, platform)
        }
        const chain = yield* registry.chain(137)
        assert.strictEqual(Option.getOrThrow(chain).platform, "polygon-pos")
      })
    )

    it.effect("a token list that there is not is a page of HTML with 404, as in reality", () =>
      Effect.gen(function* () {
        const { tokens } = yield* CoinGecko
        const error = yield* Effect.flip(tokens("no-such-platform"))
        assert.strictEqual(error.status, 404)
      })
    )
  })
})

describe("the use cases over the sandbox", () => {
  layer(App.useCases.pipe(Layer.provide(sandboxed()), Layer.provideMerge(quiet)), { excludeTestServices: true })(
    (it) => {
      it.effect("answer twenty addresses on all EVM networks completely", () =>
        Effect.gen(function* () {
          const portfolio = yield* Portfolio
          const all = (yield* Networks).all.filter(({ info }) => info.family === "evm")
          const asked = holders(20)
          const wanted = Object.fromEntries(all.map(({ info }) => [info.id, asked]))
          const { omissions, rows } = yield* portfolio.balances(wanted)
          assert.deepStrictEqual(omissions, [])
          const natives = rows.filter(({ tokenType }) => tokenType === "NATIVE")
          assert.deepStrictEqual(
            natives.map((row) => [row.blockchain, row.holderAddress]),
            Object.entries(wanted).flatMap(([id, addresses]) => addresses.map((address) => [id, address]))
          )
          for (const row of rows) {
            const info = infos.find(({ id }) => id === row.blockchain)
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
      )
    }
  )
})
