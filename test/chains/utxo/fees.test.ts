import * as Effect from "effect/Effect"
import type { Fees } from "../../../src/domain/fees/Fees.ts"
import type * as EvmNodes from "../../support/EvmNodes.ts"
import { as, eachOf, feesOf, networkOf } from "../../support/fees.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** Indexer with these bodies by path. Other paths are not found. */
const serving =
  (bodies: Readonly<Record<string, unknown>>): EvmNodes.SimulatedHost =>
  (_, { url }) =>
    Effect.sync(() => {
      const path = Object.keys(bodies).find((end) => url.pathname.endsWith(end))
      return path === undefined ? new Response("not found", { status: 404 }) : Response.json(bodies[path])
    })

/** Node with these methods. */
const bitcoind =
  (methods: Readonly<Record<string, (params: ReadonlyArray<unknown>) => unknown>>): EvmNodes.SimulatedHost =>
  (body) =>
    Effect.sync(() => {
      const { id, method, params } = body as EvmNodes.RpcCall
      const found = methods[method]
      return found === undefined
        ? Response.json({ result: null, error: { code: -32601, message: "Method not found" }, id }, { status: 404 })
        : Response.json({ result: found(params), error: null, id })
    })

const rates = (found: Fees) => eachOf(found, "satPerVbyte")
const costs = (found: Fees) => eachOf(found, "transferFeeBaseUnits")

// Shortened example from Esplora's API.md.
const estimates = { "1": 87.882, "2": 87.882, "6": 68.285, "24": 1.027, "144": 1.027, "1008": 1.027 }

describe("fees of the Bitcoin family", () => {
  it("are the estimates of an Esplora, or those of a Blockbook if the Esplora has none", function* () {
    const found = yield* feesOf("litecoin", { "litecoinspace.org": serving({ "/api/fee-estimates": estimates }) })
    assert.deepStrictEqual(rates(found), ["1.027", "68.285", "87.882"])
    assert.deepStrictEqual(costs(found), ["145", "9629", "12392"])
    assert.deepStrictEqual(eachOf(found, "seconds"), [3600, 900, 300])
    const blockbook = serving({
      "/api/v2/estimatefee/2": { result: "0.00012345" },
      "/api/v2/estimatefee/6": { result: "0.00001" },
      "/api/v2/estimatefee/24": { result: "0.00001" }
    })
    for (const empty of [{}, { "1": 5 }, { "2": -1, "6": -1 }, { "2": "5" }, { "2": 1e300 }, []])
      assert.deepStrictEqual(
        rates(
          yield* feesOf("litecoin", {
            "litecoinspace.org": serving({ "/api/fee-estimates": empty }),
            "blockbook.ltc.zelcore.io": blockbook
          })
        ),
        ["1", "1", "12.345"],
        JSON.stringify(empty)
      )
  })

  it("are the recommended fees of mempool.space if the Esplora has its API", function* () {
    const recommended = { fastestFee: 12, halfHourFee: 9, hourFee: 5, economyFee: 2, minimumFee: 1 }
    const bodies = { "/api/v1/fees/recommended": recommended, "/api/fee-estimates": estimates }
    const found = yield* feesOf("bitcoin", { "mempool.space": serving(bodies) })
    assert.deepStrictEqual(rates(found), ["2", "5", "12"])
  })

  it("are at least what nodes relay", function* () {
    for (const [id, host, least] of [
      ["bitcoin", "mempool.space", "0.1"],
      ["litecoin", "litecoinspace.org", "1"]
    ] as const) {
      const low = { "/api/fee-estimates": { "2": 0.05, "6": 0.04, "24": 0.03 } }
      assert.deepStrictEqual(rates(yield* feesOf(id, { [host]: serving(low) })), [least, least, least], id)
    }
  })

  it("are never lower for a faster level", function* () {
    const found = yield* feesOf("litecoin", {
      "litecoinspace.org": serving({ "/api/fee-estimates": { "2": 3, "6": 9, "24": 4 } })
    })
    assert.deepStrictEqual(rates(found), ["4", "9", "9"])
  })

  it("lack a level if no source estimates it, and still contain the others", function* () {
    const { fees, seen } = yield* networkOf("bch", {
      "blockbook.bch.zelcore.io": serving({
        "/api/v2/estimatefee/2": { result: "0.000015" },
        "/api/v2/estimatefee/6": { result: "-1" }
      }),
      "explorer.melroy.org": serving({ "/api/fee-estimates": { "6": 1.001 } })
    })
    const found = yield* fees.current
    assert.include(
      [["1.5"], ["1.001"]].flat(),
      rates(found).find((rate) => rate !== null)
    )
    assert.lengthOf(
      rates(found).filter((rate) => rate === null),
      2
    )
    const { slow } = as("utxo", found).levels
    assert.deepInclude(slow, { satPerVbyte: null, seconds: null, errorCode: "upstream_error" })
    assert.match(slow.error ?? "", /24 blocks/)
    assert.isAbove(seen.length, 3)
  })

  it("come from BlockCypher if no other source responds", function* () {
    // Shortened example from its documentation.
    const chain = { name: "DOGE.main", high_fee_per_kb: 460860, medium_fee_per_kb: 294220, low_fee_per_kb: 12045 }
    const found = yield* feesOf("dogecoin", {
      "blockbook.doge.zelcore.io": serving({}),
      "api.blockcypher.com": serving({ "/v1/doge/main": chain })
    })
    assert.deepStrictEqual(rates(found), ["100", "294.22", "460.86"])
    assert.deepStrictEqual(costs(found), ["22600", "66494", "104155"])
  })

  it("come first from the operator's own node, and are never below the minimum of its mempool", function* () {
    const own = (methods: Parameters<typeof bitcoind>[0]) =>
      feesOf(
        "bitcoin",
        { "node.example": bitcoind(methods), "mempool.space": serving({ "/api/fee-estimates": estimates }) },
        { BITCOIN_RPC_URLS: "https://node.example" }
      )
    const estimatesmartfee = ([blocks]: ReadonlyArray<unknown>) => ({ feerate: 0.0002 / Number(blocks), blocks })
    assert.deepStrictEqual(rates(yield* own({ estimatesmartfee })), ["0.833", "3.333", "10"])
    const pool = { estimatesmartfee, getmempoolinfo: () => ({ mempoolminfee: 0.00005 }) }
    assert.deepStrictEqual(rates(yield* own(pool)), ["5", "5", "10"])
    // Bitcoin Cash Node estimates only with `estimatefee`.
    assert.deepStrictEqual(rates(yield* own({ estimatefee: () => 0.00001 })), ["1", "1", "1"])
    const none = { estimatesmartfee: () => ({ errors: ["Insufficient data or no feerate found"], blocks: 2 }) }
    assert.deepStrictEqual(rates(yield* own(none)), ["1.027", "68.285", "87.882"])
  })

  it("fail with a reason if no source responds", function* () {
    const hosts = ["mempool.space", "blockstream.info", "blockbook.btc.zelcore.io"]
    const failure = yield* Effect.flip(feesOf("bitcoin", Object.fromEntries(hosts.map((host) => [host, serving({})]))))
    assert.strictEqual(failure.reason, "upstream_error")
  })
})
