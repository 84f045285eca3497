// Tests of a wallet against the whole service, without sockets or network access: one upstream is mocked, the others are
// unreachable. Run them: bun test. Other test runners work the same way.
import { afterAll, describe, expect, test } from "bun:test"
import { Effect, Layer, ManagedRuntime, TestClock, TestContext } from "effect"
import { Networks, Prices, Service, settled, Upstreams } from "wallet-data/testing"

/** The code under test: the line that a wallet shows for an address. */
const lineOf = (address: string) =>
  Effect.gen(function* () {
    const { api } = yield* Service
    const [native] = yield* api.balances.balances({ payload: { networks: { bitcoin: [address] } } })
    if (native === undefined || native.balance === null) return `cannot be read: ${native?.error}`
    return `${native.balance} BTC, ${native.balanceUsd ?? "?"} USD`
  })

const address = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"

const over = (upstreams: Upstreams.Upstreams) => {
  const runtime = ManagedRuntime.make(
    Service.layer({ networks: Networks.only("bitcoin"), prices: [Prices.fixed({ bitcoin: 60_000 })], upstreams })
  )
  afterAll(() => runtime.dispose())
  return runtime
}

describe("a wallet", () => {
  const mocked = over(
    Upstreams.none.pipe(
      Upstreams.mock("bitcoin-esplora", () =>
        Response.json({
          address,
          chain_stats: { funded_txo_sum: 150_000_000, spent_txo_sum: 0, tx_count: 1 },
          mempool_stats: { funded_txo_sum: 0, spent_txo_sum: 0, tx_count: 0 }
        })
      )
    )
  )

  test("shows the indexer's balance at the current price", async () => {
    expect(await mocked.runPromise(lineOf(address))).toBe("1.5 BTC, 90000 USD")
  })

  test("requested this address from the indexer", async () => {
    const { requests } = await mocked.runPromise(Service)
    expect(requests.some(({ upstream, url }) => upstream === "bitcoin-esplora" && url.includes(address))).toBe(true)
  })

  const unreachable = over(Upstreams.none)

  test("reports an error if no indexer is reachable", async () => {
    expect(await unreachable.runPromise(lineOf(address))).toStartWith("cannot be read: ")
  })

  test("reports an error if the address is mistyped", async () => {
    expect(await unreachable.runPromise(lineOf("1A1z"))).toStartWith("cannot be read: ")
  })
})

describe("a wallet at another time", () => {
  const quote = { id: "bitcoin", symbol: "btc", name: "Bitcoin", current_price: 60_000 }
  // The test clock starts in 1970 and moves only if a test moves it.
  const timed = ManagedRuntime.make(
    Layer.provideMerge(
      Service.layer({
        networks: Networks.only("bitcoin"),
        upstreams: Upstreams.sandbox.pipe(
          Upstreams.mock("coingecko", () => Response.json([{ ...quote, last_updated: "1970-01-01T00:00:30Z" }])),
          Upstreams.fault("defillama", "reset"),
          Upstreams.fault("binance", "reset")
        ),
        settings: { PRICE_MAX_AGE_MS: "120000" }
      }),
      TestContext.TestContext
    )
  )
  afterAll(() => timed.dispose())

  test("shows no value at a price that is too old", async () => {
    await timed.runPromise(TestClock.adjust("1 minute"))
    expect(await timed.runPromise(settled(lineOf(address)))).toMatch(/^[\d.]+ BTC, [\d.]+ USD$/)
    await timed.runPromise(TestClock.adjust("5 minutes"))
    expect(await timed.runPromise(settled(lineOf(address)))).toMatch(/^[\d.]+ BTC, \? USD$/)
  })
})
