import * as Effect from "effect/Effect"
import { spec } from "../../support/document.ts"
import { Edge, json, token } from "../../support/edge.ts"
import { assert, it, layer } from "../../support/vitest.ts"

const networks = { networks: { ethereum: ["0x00000000219ab540356cBB839Cbe05303d7705Fa"] } }
const call = { jsonrpc: "2.0", id: 1, method: "eth_blockNumber", params: [] }
const address = "0x00000000219ab540356cBB839Cbe05303d7705Fa"
const simulation = { chain: "1", input: { from: address, to: address, input: "0x" } }

/** A valid request for each route, and its status in this version. */
const requests: Readonly<Record<string, readonly [status: number, path: string, body?: unknown]>> = {
  "post /balance": [200, "/balance", networks],
  "post /balance/token": [200, "/balance/token", token("ethereum")],
  "get /balance/stream": [200, "/balance/stream?addresses=ethereum:0x1,bch:bitcoincash:q"],
  "get /history/stream": [200, "/history/stream?addresses=ethereum:0x1&limit=10&meta=true"],
  "get /history/export": [200, "/history/export?addresses=ethereum:0x1&format=csv"],
  "post /history": [200, "/history", { ...networks, limit: 10 }],
  "post /history#meta": [200, "/history", { ...networks, limit: 10, meta: true }],
  "post /portfolio/chart": [200, "/portfolio/chart", { ...networks, days: 30 }],
  "get /price": [501, "/price?network_ids=1,137"],
  "get /price/coin": [501, "/price/coin?coin_ids=bitcoin,ethereum"],
  "get /price/market_chart": [501, "/price/market_chart?coin_ids=bitcoin&days=365"],
  "get /price/currencies": [200, "/price/currencies"],
  "get /price/coin/details/{platform}": [501, "/price/coin/details/ethereum"],
  "get /price/coin/details/{platform}/{contract}": [501, `/price/coin/details/cardano/${"a".repeat(120)}`],
  "post /utils/rpc/{network}": [200, "/utils/rpc/Base", call],
  "post /utils/rpc/{network}/testnet": [200, "/utils/rpc/Base/testnet", [call, call]],
  "post /utils/sendrawtransaction": [200, "/utils/sendrawtransaction?chain=bitcoin&tx=00"],
  "post /transactions/send": [200, "/transactions/send", { network: "bitcoin", transaction: "00" }],
  "post /utils/getrawtransaction": [200, "/utils/getrawtransaction?chain=ton", { tx: "00" }],
  "get /utils/fund-testnet-account/{address}": [501, "/utils/fund-testnet-account/0x1"],
  "get /utils/protocol-parameters": [200, "/utils/protocol-parameters"],
  "get /utils/block/{network}": [404, "/utils/block/base"],
  "get /utils/fees/{network}": [404, "/utils/fees/base?address=0x1"],
  "post /utils/simulate-tx": [501, "/utils/simulate-tx", simulation],
  "post /utils/first-tx": [200, "/utils/first-tx", { networkIds: ["ethereum"], address }],
  "post /utils/transaction-context": [200, "/utils/transaction-context", networks],
  "post /transactions/status": [200, "/transactions/status", { networks: { ethereum: ["0x1"] } }],
  "post /transactions/replacement": [400, "/transactions/replacement", { network: "moon", hash: "0x1" }],
  "post /transactions/estimate": [
    400,
    "/transactions/estimate",
    { network: "moon", transaction: { from: address, to: address } }
  ],
  "get /app/mdata": [501, "/app/mdata"],
  "get /app/mdata/restart": [200, "/app/mdata/restart"],
  "get /app/mdata/errors": [200, "/app/mdata/errors"],
  "get /app/mdata/data": [501, "/app/mdata/data"],
  "get /app/mdata/item/{coin}/{period}": [501, "/app/mdata/item/shiba-inu/365"],
  "get /app/mdata/list/{coins}/{period}": [501, "/app/mdata/list/bitcoin%2Cdogecoin/1"],
  "get /address/{text}": [200, "/address/bitcoincash%3Aq"],
  "get /icon/{coinId}": [200, "/icon/usd-coin"],
  "get /health/live": [200, "/health/live"],
  "get /health/ready": [503, "/health/ready"],
  "get /metrics": [200, "/metrics"],
  "get /networks": [200, "/networks"],
  "get /status/availability": [200, "/status/availability"]
}

const documented = Object.entries(spec.paths).flatMap(([path, item]) =>
  Object.keys(item).map((method) => `${method} ${path}`)
)

it("every documented route has a request here", () => {
  assert.sameMembers(documented, Object.keys(requests))
})

layer(Edge.layer())("a request to", (it) => {
  it.effect.each(Object.entries(requests))("%s", ([route, [status, path, body]]) =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const response = yield* route.startsWith("get ")
        ? edge.call(path)
        : body === undefined
          ? edge.call(path, { method: "POST" })
          : edge.post(path, body)
      assert.strictEqual(response.status, status)
      if (status === 501) {
        assert.match((yield* json(response)).detail ?? "", /not available in this version|is not configured/)
      }
    })
  )

  it("send a raw transaction requires chain and tx, in the query or in the body", function* () {
    const { call: get, post } = yield* Edge
    const nothing = yield* json(yield* get("/utils/sendrawtransaction", { method: "POST" }))
    assert.deepStrictEqual(
      nothing.issues?.map(({ path }) => path),
      ["chain", "tx"]
    )
    const half = yield* json(yield* post("/utils/sendrawtransaction?chain=bitcoin", { tx: 5 }))
    assert.deepStrictEqual(
      half.issues?.map(({ path }) => path),
      ["tx"]
    )
    for (const [query, body, issue] of [
      ["?chain=&tx=00", {}, { path: "chain", message: "must not be empty" }],
      ["", { chain: "bitcoin", tx: "" }, { path: "tx", message: "must not be empty" }],
      ["", [1], { path: "", message: "the body must be a JSON object; it is [1]" }]
    ] as const)
      assert.deepStrictEqual((yield* json(yield* post(`/utils/sendrawtransaction${query}`, body))).issues, [issue])
    const broken = yield* get("/utils/sendrawtransaction", { method: "POST", body: "{" })
    assert.match((yield* json(broken)).detail ?? "", /not valid JSON/)
    assert.strictEqual(broken.status, 400)
  })

  it("send a raw transaction may have 400,000 characters in the query", function* () {
    const { call: get } = yield* Edge
    const path = `/utils/sendrawtransaction?chain=bitcoin&tx=${"ab".repeat(200_000)}`
    const response = yield* get(path, { method: "POST" })
    assert.strictEqual(response.status, 200)
    assert.strictEqual((yield* json(response)) as unknown, 400_000)
  })
})
