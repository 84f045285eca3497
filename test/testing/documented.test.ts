import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as ManagedRuntime from "effect/ManagedRuntime"
import * as TestClock from "effect/TestClock"
import * as TestContext from "effect/TestContext"
import { Catalogue, CoinId } from "../../src/index.ts"
import { Networks, Prices, Service, settled, Upstreams, World } from "../../src/testing/index.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

// The examples of docs/testing.md. Tests under the TestClock come first: `layer` replaces the methods of `it`.

const address = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"
const balances = { payload: { networks: { ethereum: [address] } } }

const quote = {
  id: "bitcoin",
  symbol: "btc",
  name: "Bitcoin",
  current_price: 60_000,
  last_updated: "1970-01-01T00:00:30Z"
}

describe("under the TestClock", () => {
  it.effect("returns null for a price after its maximum age", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      yield* TestClock.adjust("1 minute")
      const query = settled(api.prices.coin({ urlParams: { coin_ids: [CoinId.make("bitcoin")] } }))
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

/** Number of entries of a history without `meta`. */
const listed = (read: object) =>
  Object.values(read).flatMap((addresses: Readonly<Record<string, ReadonlyArray<unknown>>>) =>
    Object.values(addresses).flat()
  ).length

describe("a history under the TestClock", () => {
  const world = World.make()
  const [sender, recipient] = [address, "0x00000000219ab540356cBB839Cbe05303d7705Fa"]
  it.effect("lists a payment that was confirmed more than five seconds after it was read", () =>
    Effect.gen(function* () {
      const { api } = yield* Service
      yield* world.set("ethereum", sender, 3n * 10n ** 18n)
      const history = settled(api.history.history({ payload: { networks: { ethereum: [recipient] } } }))
      const before = yield* history
      yield* world.send("ethereum", { from: sender, to: recipient, amount: 10n ** 18n })
      yield* world.confirm()
      assert.deepStrictEqual(yield* history, before)
      yield* TestClock.adjust("5 seconds")
      assert.strictEqual(listed(yield* history), 1 + listed(before))
    }).pipe(
      Effect.provide(
        Service.layer({
          networks: Networks.only("ethereum"),
          prices: [Prices.fixed({ ethereum: 3_000 })],
          upstreams: Upstreams.sandboxOf(Catalogue.all, { world })
        })
      )
    )
  )
})

describe("in a runtime, for other test runners", () => {
  it("a price expires when the clock is moved", async () => {
    const service = Service.layer({
      networks: Networks.only("bitcoin"),
      upstreams: Upstreams.none.pipe(Upstreams.mock("coingecko", () => Response.json([quote]))),
      settings: { PRICE_MAX_AGE_MS: "120000" }
    })
    const timed = ManagedRuntime.make(Layer.provideMerge(service, TestContext.TestContext))
    const { api } = await timed.runPromise(Service)
    const query = settled(api.prices.coin({ urlParams: { coin_ids: [CoinId.make("bitcoin")] } }))
    await timed.runPromise(TestClock.adjust("1 minute"))
    assert.deepInclude((await timed.runPromise(query))[CoinId.make("bitcoin")], { price: 60_000 })
    await timed.runPromise(TestClock.adjust("5 minutes"))
    assert.deepInclude((await timed.runPromise(query))[CoinId.make("bitcoin")], { price: null })
    await timed.dispose()
  })
})

describe("a changed sandbox", () => {
  const ethereumOver = (upstreams: Upstreams.Upstreams) =>
    Service.layer({ networks: Networks.only("ethereum"), prices: [Prices.fixed({ ethereum: 3_000 })], upstreams })

  const world = World.make()
  const service = ethereumOver(Upstreams.sandboxOf(Catalogue.all, { world }))
  it.live("this address has 5 ETH", () =>
    Effect.gen(function* () {
      yield* world.set("ethereum", address, 5n * 10n ** 18n)
      const { api } = yield* Service
      const [native] = yield* api.balances.balances({ payload: { networks: { ethereum: [address] } } })
      assert.strictEqual(native?.balance, "5")
    }).pipe(Effect.provide(service))
  )

  let calls = 0
  const flaky = Upstreams.sandbox.pipe(
    Upstreams.mock("ethereum-rpc", (_, next) => (++calls % 2 === 1 ? new Response("", { status: 502 }) : next()))
  )
  it.live("returns balances while every second call to a node fails", () =>
    Effect.gen(function* () {
      const { api, requests, unused } = yield* Service
      const [native] = yield* api.balances.balances(balances)
      assert.isString(native?.balance)
      const statuses = requests.flatMap(({ response, upstream }) =>
        upstream === "ethereum-rpc" && response !== undefined ? [response.status] : []
      )
      assert.includeMembers(statuses, [502, 200])
      assert.deepStrictEqual(yield* unused, [])
    }).pipe(Effect.provide(ethereumOver(flaky)))
  )

  const expensive = Upstreams.sandbox.pipe(
    Upstreams.editCall("ethereum-rpc", "eth_gasPrice", ({ result }) => ({
      result: `0x${(100n * BigInt(String(result))).toString(16)}`
    })),
    Upstreams.editCall("ethereum-rpc", "eth_estimateGas", () => ({
      error: { code: 3, message: "execution reverted" }
    }))
  )
  const call = (method: string, ...params: ReadonlyArray<unknown>) =>
    Effect.flatMap(Service, ({ fetch }) =>
      Effect.flatMap(
        fetch("/utils/rpc/ethereum", {
          method: "POST",
          headers: { "content-type": "application/json" },
          body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
        }),
        (response) =>
          Effect.promise(() => response.json() as Promise<{ readonly result?: string; readonly error?: object }>)
      )
    )
  it.live("has a hundred times the gas price, and every call reverts", () =>
    Effect.gen(function* () {
      const usual = yield* Effect.provide(call("eth_gasPrice"), ethereumOver(Upstreams.sandbox))
      const edited = yield* call("eth_gasPrice")
      assert.isAbove(Number(edited.result), 50 * Number(usual.result))
      const { error } = yield* call("eth_estimateGas", { to: address })
      assert.deepInclude(error, { code: 3, message: "execution reverted" })
    }).pipe(Effect.provide(ethereumOver(expensive)))
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
