import { Edge, json } from "../../support/edge.ts"
import { requested, requests } from "../../support/requests.ts"
import { assert, it, layer } from "../../support/vitest.ts"

/** The status of each operation that is not 200 in this version. */
const statuses: Readonly<Record<string, number>> = {
  "prices.chain": 501,
  "prices.coin": 501,
  "prices.marketChart": 501,
  "prices.nativeDetails": 501,
  "prices.tokenDetails": 501,
  "transactions.simulate": 501,
  "faucet.fund": 501,
  "charts.metadata": 501,
  "charts.data": 501,
  "charts.item": 501,
  "charts.list": 501,
  "transactions.replacement": 400,
  "transactions.estimate": 400,
  "transactions.checkRecipient": 400,
  "transactions.send": 400,
  "transactions.byHash": 400,
  "transactions.decode": 400,
  "token.facts": 400,
  "blocks.newest": 404,
  "fees.fees": 404,
  "status.ready": 503
}

it("every documented operation has a request", () => {
  assert.sameMembers(
    requested.map(({ id }) => id),
    Object.keys(requests)
  )
})

layer(Edge.layer())("a request to", (it) => {
  for (const { body, id, method, path } of requested)
    it(id, function* () {
      const edge = yield* Edge
      const response = yield* method === "GET" ? edge.call(path) : edge.post(path, body)
      const status = statuses[id] ?? 200
      assert.strictEqual(response.status, status)
      if (status === 501)
        assert.match((yield* json(response)).detail ?? "", /not available in this version|is not configured/)
    })

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
