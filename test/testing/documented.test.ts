import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { Catalogue, CoinId } from "../../src/index.ts"
import { Networks, Prices, Service, settled, Upstreams, World } from "../../src/testing/index.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

// The examples of docs/testing.md. Tests under the TestClock come first: `layer` replaces the methods of `it`.

const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const balances = { payload: { networks: { ethereum: [address] } } }

describe("under the TestClock", () => {
  const quote = {
    id: "bitcoin",
    symbol: "btc",
    name: "Bitcoin",
    current_price: 60_000,
    last_updated: "1970-01-01T00:00:30Z"
  }

  it.effect("returns null for a price after its maximum age", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      yield* TestClock.adjust("1 minute")
      const query = settled(api.prices.byCoin({ urlParams: { coin_ids: [CoinId.make("bitcoin")] } }))
      const fresh = yield* query
      assert.strictEqual(fresh[CoinId.make("bitcoin")]?.price, 60_000)
      yield* TestClock.adjust("1 hour")
      const old = yield* query
      assert.isNull(old[CoinId.make("bitcoin")]?.price)
    }).pipe(
      Effect.provide(
        Service.layer({
          networks: Networks.only("bitcoin"),
          upstreams: Upstreams.none.pipe(Upstreams.mock("coingecko", () => Response.json([quote])))
        })
      )
    )
  )

  it.effect("returns null with timeout at the deadline if an upstream never responds", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      const [native] = yield* settled(api.balances.balances(balances))
      assert.deepInclude(native, { balance: null, errorCode: "timeout" })
    }).pipe(
      Effect.provide(
        Service.layer({
          networks: Networks.only("ethereum"),
          prices: [Prices.fixed({ ethereum: 3_000 })],
          upstreams: Upstreams.sandbox.pipe(Upstreams.fault("ethereum-rpc", "hang"))
        })
      )
    )
  )
})

layer(Service.layer({ networks: Networks.only("ethereum") }), { excludeTestServices: true })("my wallet", (it) => {
  it("finds ether", function* () {
    const { api } = yield* Service
    const [native] = yield* api.balances.balances(balances)
    assert.strictEqual(native?.tokenSymbol, "ETH")
    assert.isString(native?.balance)
  })

  it("reads an error", function* () {
    const { api, fetch } = yield* Service
    const problem = yield* Effect.flip(
      api.balances.token({ payload: { networkId: "monero", address, tokenAddress: null } })
    )
    assert.strictEqual(problem._tag, "InvalidRequest")
    const response = yield* fetch("/nowhere")
    assert.strictEqual(response.status, 404)
  })

  it("sends a single request to a node", function* () {
    const { api, requests } = yield* Service
    const before = requests.length
    yield* api.balances.balances(balances)
    const calls = requests.slice(before).filter(({ upstream }) => upstream === "ethereum-rpc")
    assert.strictEqual(calls.length, 1)
    assert.include(calls[0]?.body, "eth_call")
  })
})

const world = World.make()
const recipient = "0x00000000219ab540356cBB839Cbe05303d7705Fa"

layer(
  Service.layer({
    networks: Networks.only("ethereum"),
    prices: [Prices.fixed({ ethereum: 3_000 })],
    upstreams: Upstreams.sandboxOf(Catalogue.all, { world })
  }),
  { excludeTestServices: true }
)("a payment", (it) => {
  it("arrives once it is confirmed", function* () {
    const { api } = yield* Service
    const balance = Effect.map(
      api.balances.token({ payload: { networkId: "ethereum", address: recipient } }),
      (row) => row.balance
    )
    yield* world.set("ethereum", address, 3n * 10n ** 18n)
    yield* world.set("ethereum", recipient, 0n)
    yield* world.send("ethereum", { from: address, to: recipient, amount: 10n ** 18n })
    assert.strictEqual(yield* balance, "0")
    yield* world.confirm()
    assert.strictEqual(yield* balance, "1")
  })
})
