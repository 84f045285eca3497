import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { unknownNetworks } from "../../src/features/reading.ts"
import { body, Service, textOf } from "../support/app.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it, layer } from "../support/vitest.ts"

const misspelt = {
  network: "etherium",
  message: '"etherium" is not a network of this service; did you mean "ethereum"?',
  errorCode: "unknown_network"
} as const

describe("unknown networks", () => {
  const unknown = unknownNetworks(Catalogue.all)

  it("are named once, with the network that was probably meant", () => {
    assert.deepStrictEqual(unknown(["Ethereum", " eth ", "etherium", "bitcoin", "etherium"]), [misspelt])
  })

  it("have short messages, and suggestions for a bounded number", () => {
    const [long] = unknown(["x".repeat(5_000)])
    assert.strictEqual(long?.message, `"${"x".repeat(100)}" is not a network of this service`)
    const many = unknown(Array.from({ length: 30 }, (_, index) => `etherium${" ".repeat(index)}`))
    assert.deepStrictEqual(many.map(({ message }) => message.includes("did you mean")).filter(Boolean).length, 20)
  })
})

const address = holder(1)
const networks = { etherium: [address], bitcon: [] }
const second = { network: "bitcon", message: '"bitcon" is not a network of this service; did you mean "bitcoin"?' }
const both = [misspelt, { ...second, errorCode: "unknown_network" }]

layer(Service.layer(), { excludeTestServices: true })("a request with unknown names", (it) => {
  const requests = {
    "/balance": [{ networks }, "[]"],
    "/history": [{ networks }, "{}"],
    "/portfolio/chart": [{ networks, days: 1 }, undefined],
    "/transactions/status": [{ networks: { etherium: ["0x00"], bitcon: [] } }, "{}"],
    "/utils/first-tx": [{ address, networkIds: ["etherium", "bitcon"] }, "{}"],
    "/utils/transaction-context": [{ networks }, "{}"]
  } as const

  for (const [path, [request, empty]] of Object.entries(requests))
    it(`${path} responds with 200 without them, and names them in the header`, function* () {
      const { post } = yield* Service
      const response = yield* post(path, request)
      assert.strictEqual(response.status, 200)
      assert.deepStrictEqual(JSON.parse(response.headers.get("x-partial-failures") ?? "[]"), both)
      if (empty !== undefined) assert.strictEqual(yield* textOf(response), empty)
    })

  it("the streams name them in a separate line, which the last line counts", function* () {
    const { post } = yield* Service
    for (const [path, line] of [
      ["/balance", { failures: both }],
      ["/history", { failures: both }]
    ] as const) {
      const response = yield* post(path, { networks }, { accept: "application/x-ndjson" })
      const lines = (yield* textOf(response)).trim().split("\n")
      assert.deepStrictEqual(
        lines.map((text) => JSON.parse(text)),
        [line, { done: true, failures: 2 }]
      )
    }
  })

  it("a network without first transactions is named as well", function* () {
    const { post } = yield* Service
    const response = yield* post("/utils/first-tx", { address, networkIds: ["bitcoin"] })
    assert.deepStrictEqual([response.status, yield* body(response)], [200, {}])
    assert.deepStrictEqual(JSON.parse(response.headers.get("x-partial-failures") ?? "[]"), [
      { network: "bitcoin", message: "first transactions of bitcoin are not supported", errorCode: "not_configured" }
    ])
  })

  it("prices name unknown chain ids and coins", function* () {
    const { get } = yield* Service
    const chains = yield* get("/price?network_ids=99999999")
    assert.deepStrictEqual(JSON.parse(chains.headers.get("x-partial-failures") ?? "[]"), [
      { chain: "99999999", message: "no network of this service has this chain id", errorCode: "unknown_network" }
    ])
    for (const query of [
      "/price/coin?coin_ids=bitcoin,bitcone",
      "/price/market_chart?coin_ids=bitcoin,bitcone&days=1"
    ]) {
      const coins = yield* get(query)
      assert.deepStrictEqual(JSON.parse(coins.headers.get("x-partial-failures") ?? "[]"), [
        { coin: "bitcone", message: "no source has a coin with this id", errorCode: "unknown_coin" }
      ])
    }
  })
})
