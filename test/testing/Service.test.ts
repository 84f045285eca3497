import { CoinId } from "../../src/domain/CoinId.ts"
import { Networks, Prices, Service, Upstreams } from "../../src/testing/index.ts"
import { holder } from "../support/sandbox.ts"
import { assert, layer } from "../support/vitest.ts"

const ethereum = { payload: { networks: { ethereum: [holder(1)] } } }

const priceless = Service.layer({
  networks: Networks.only("ethereum", "bitcoin"),
  upstreams: Upstreams.sandbox.pipe(
    Upstreams.mock("api.coingecko.com", () => Response.json({}, { status: 429 })),
    Upstreams.fault("defillama", "reset"),
    Upstreams.fault("binance", "html")
  )
})

layer(priceless, { excludeTestServices: true })("a service under test", (it) => {
  it("returns balances while all price sources fail", function* () {
    const { api, requests } = yield* Service
    const rows = yield* api.balances.balances(ethereum)
    assert.isAbove(rows.length, 0)
    for (const row of rows) {
      assert.isNotNull(row.balance)
      assert.isNull(row.tokenPrice)
    }
    assert.include(
      requests.map(({ upstream }) => upstream),
      "coingecko"
    )
  })

  it("has only the given networks", function* () {
    const { api } = yield* Service
    const networks = yield* api.networks.networks()
    assert.deepStrictEqual(
      networks.map(({ id }) => id),
      ["ethereum", "bitcoin"]
    )
  })
})

const priced = Service.layer({
  networks: Networks.only("ethereum"),
  prices: [Prices.fixed({ ethereum: 60_000 })]
})

layer(priced, { excludeTestServices: true })("a service with a custom price source", (it) => {
  it("uses no other source", function* () {
    const { api } = yield* Service
    const [native] = yield* api.balances.balances(ethereum)
    assert.strictEqual(native?.tokenPrice, "60000")
    const prices = yield* api.prices.coin({
      urlParams: { coin_ids: [CoinId.make("ethereum"), CoinId.make("bitcoin")] }
    })
    assert.strictEqual(prices[CoinId.make("ethereum")]?.price, 60_000)
    assert.isNull(prices[CoinId.make("bitcoin")]?.price)
  })
})
