import * as HttpClient from "@effect/platform/HttpClient"
import * as Effect from "effect/Effect"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { CoinPrice, TokenPrice } from "../../../src/contract/prices/PricesApi.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { coins } from "../../../src/sandbox/world/coins.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import { body, Service } from "../../support/app.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { cases } from "./museum.ts"

const museum = World.museum("ethereum") ?? ""

describe("the simulated market", () => {
  for (const { case: form, path, shows, status = 200, upstream: name } of cases)
    it.live(`has ${form}`, () =>
      Effect.gen(function* () {
        const http = yield* HttpClient.HttpClient
        const response = yield* Effect.provideService(http.get(`https://anywhere.example${path}`), CurrentUpstream, {
          name,
          secrets: []
        })
        assert.strictEqual(response.status, status)
        assert.match(yield* response.text, shows)
      }).pipe(Effect.provide(Sandbox.layer(Catalogue.all)))
    )
})

interface Row {
  readonly coinId: string
  readonly tokenDecimals: number
  readonly balance: string | null
  readonly tokenPrice: string | null
  readonly balanceUsd: string | null
  readonly errorCode?: string
}

const world = World.make()

layer(Service.layer({}, Sandbox.layer(Catalogue.all, { world })), { excludeTestServices: true })(
  "the service with odd coins",
  (it) => {
    const balances = (network: string, address: string) =>
      Effect.gen(function* () {
        const { post } = yield* Service
        const rows = yield* body<ReadonlyArray<Row>>(yield* post("/balance", { networks: { [network]: [address] } }))
        const odd = rows.filter(({ coinId }) => coins.some(({ id, odd }) => id === coinId && odd !== undefined))
        return new Map(odd.map((row) => [row.coinId, row]))
      })

    it("writes balances, prices and values of a museum as plain decimals, or null without a price", function* () {
      const found = yield* balances("ethereum", museum)
      assert.sameMembers([...found.keys()], ["gemini-dollar", "baby-doge-coin", "ethereum-cash-token"])
      for (const { balance, balanceUsd, tokenPrice } of found.values())
        for (const text of [balance, balanceUsd ?? "0", tokenPrice ?? "0"])
          assert.match(text ?? "", /^(?:0|[1-9]\d*)(?:\.\d*[1-9])?$/)
      assert.strictEqual(found.get("gemini-dollar")?.tokenPrice, "1")
      assert.strictEqual(found.get("baby-doge-coin")?.tokenPrice, "0.000000003447")
      const unpriced = { tokenPrice: null, balanceUsd: null, errorCode: "no_price" }
      assert.deepInclude(found.get("ethereum-cash-token"), unpriced)
    })

    it("writes amounts of a token with 255 decimals", function* () {
      const [address, amount] = [`0x${"5".repeat(64)}`, 1_234_500n]
      const real = World.contractsOn("sui").find(({ coin }) => coin.id === "real-coin")
      yield* world.set("sui", address, 10n ** 9n)
      yield* world.fund("sui", address, amount, real?.address)
      const row = (yield* balances("sui", address)).get("real-coin")
      assert.deepInclude(row, { tokenDecimals: 255, tokenPrice: "1000", balance: `0.${"0".repeat(248)}12345` })
      assert.match(row?.balanceUsd ?? "", /^0(?:\.\d*[1-9])?$/)
    })

    it("leaves coins without a price out of the prices of a chain, which are numbers", function* () {
      const { get } = yield* Service
      const path = "/price?network_ids=1"
      const prices = (yield* body<Record<string, Record<string, TokenPrice>>>(yield* get(path)))["1"] ?? {}
      assert.isTrue(Object.values(prices).every(({ id }) => id !== "ethereum-cash-token"))
      for (const { fdv, id, price, priceChange24h, priceChangePercent24h } of Object.values(prices))
        for (const number of [fdv, price, priceChange24h, priceChangePercent24h]) assert.isNumber(number, id)
      const priceOf = (id: string) => Object.values(prices).find((row) => row.id === id)?.price
      assert.deepStrictEqual([priceOf("gemini-dollar"), priceOf("baby-doge-coin")], [1, 3.447e-9])
    })

    it("has the price of a coin whose valuation is null, and the name of a coin without a price", function* () {
      const { get } = yield* Service
      const path = "/price/coin?coin_ids=ticoex-token,ethereum-cash-token"
      const rows = yield* body<Record<string, typeof CoinPrice.Type>>(yield* get(path))
      assert.deepInclude(rows["ticoex-token"], { price: 0.00136138, fdv: null })
      assert.deepInclude(rows["ethereum-cash-token"], {
        name: "Ethereum Cash Token",
        price: null,
        errorCode: "no_price"
      })
    })

    it("returns the details of an odd coin", function* () {
      const { get } = yield* Service
      const [token] = World.contractsOn("ethereum").filter(({ coin }) => coin.id === "ethereum-cash-token")
      const details = yield* body<object>(yield* get(`/price/coin/details/ethereum/${token?.address}`))
      assert.deepInclude(details, { id: "ethereum-cash-token", contract_address: token?.address })
    })
  }
)
