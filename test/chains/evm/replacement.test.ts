import * as Effect from "effect/Effect"
import { minimumOf } from "../../../src/chains/evm/replacement.ts"
import { type Reply, refused, type SentRequest } from "../../support/http.ts"
import { node, replacementOf } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Responses follow the Ethereum JSON-RPC specification.

const hash = `0x${"a1".repeat(32)}`
const from = `0x${"ab".repeat(20)}`
const common = { hash, from, nonce: "0x7", blockNumber: null }
const legacy = { ...common, type: "0x0", gasPrice: "0x3b9aca01" }
const dynamic = { ...common, type: "0x2", gasPrice: "0x65", maxFeePerGas: "0x65", maxPriorityFeePerGas: "0x0" }
const blobs = { ...dynamic, type: "0x3", maxFeePerBlobGas: "0x1" }

const none = {
  nonce: 7,
  maxFeePerGasWei: null,
  maxPriorityFeePerGasWei: null,
  gasPriceWei: null,
  maxFeePerBlobGasWei: null
}

/** A node of Optimism with these results by method. */
const evm = (over: Readonly<Record<string, unknown>>) =>
  node(({ method, params }) => {
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: "0xa",
      eth_getBlockByNumber: { hash: `0x${"d4".repeat(32)}`, number: "0x1b", timestamp: "0x0" },
      eth_getTransactionByHash: legacy,
      eth_estimateGas: "0x5208",
      // The fee for data, then the fee of the operator.
      eth_call: `0x${(JSON.stringify(params).includes("0x49948e0e") ? "64" : "05").padStart(64, "0")}`,
      ...over
    }
    return results[method]
  })

const over = (...nodes: ReadonlyArray<(request: SentRequest) => Reply>) =>
  replacementOf(hash, "optimism", Object.fromEntries(nodes.map((each, index) => [`${index}.test`, each])), {
    OPTIMISM_RPC_URLS: nodes.map((_, index) => `http://${index}.test`).join(",")
  })

const cancelled = {
  kind: "replace",
  minimum: { ...none, gasPriceWei: "1100000002" },
  transfer: { gas: "21000", vbytes: null, feeBaseUnits: "23100000042105", fee: "0.000023100000042105" }
} as const

describe("the minimum of an EVM replacement", () => {
  it("is each price plus 10 %, rounded up, and plus 100 % with blobs", () => {
    for (const [transaction, expected] of [
      [legacy, { ...none, gasPriceWei: "1100000002" }],
      [
        { ...legacy, type: null },
        { ...none, gasPriceWei: "1100000002" }
      ],
      [
        { ...legacy, type: "0x1", gasPrice: "0xa" },
        { ...none, gasPriceWei: "11" }
      ],
      // 101 plus 10 % is 111.1; a tip of 0 grows too.
      [dynamic, { ...none, maxFeePerGasWei: "112", maxPriorityFeePerGasWei: "1" }],
      [
        { ...dynamic, type: "0x4" },
        { ...none, maxFeePerGasWei: "112", maxPriorityFeePerGasWei: "1" }
      ],
      [
        { ...dynamic, type: undefined },
        { ...none, maxFeePerGasWei: "112", maxPriorityFeePerGasWei: "1" }
      ],
      [blobs, { ...none, maxFeePerGasWei: "202", maxPriorityFeePerGasWei: "1", maxFeePerBlobGasWei: "2" }]
    ] as const)
      assert.deepStrictEqual(minimumOf(transaction), expected, JSON.stringify(transaction))
  })

  it("is unknown for other types of transaction, and if a price is missing", () => {
    for (const transaction of [
      { ...dynamic, type: "0x7e" },
      { ...dynamic, type: "0x5" },
      { ...legacy, gasPrice: null },
      { ...dynamic, maxFeePerGas: null },
      { ...dynamic, maxPriorityFeePerGas: undefined },
      { ...blobs, maxFeePerBlobGas: null }
    ])
      assert.isUndefined(minimumOf(transaction), JSON.stringify(transaction))
  })
})

describe("the replacement of an EVM transaction", () => {
  it("has the cost of cancelling: gas at the maximum price, and the fee for data", function* () {
    assert.deepStrictEqual(yield* over(evm({})), cancelled)
    const { minimum } = cancelled
    const unknown = { gas: "21000", vbytes: null, feeBaseUnits: null, fee: null }
    for (const [more, expected] of [
      [{ eth_estimateGas: new Error("out of gas") }, { ...unknown, gas: null }],
      [{ eth_estimateGas: "0x1" }, { ...unknown, gas: null }],
      [{ eth_call: "0x" }, unknown]
    ] as const) {
      const { reason = "", ...rest } = yield* over(evm(more))
      assert.deepStrictEqual(rest, { kind: "replace", minimum, transfer: expected }, JSON.stringify(more))
      assert.match(reason, /gas of a transfer|fee for data/)
    }
    const { kind, reason, transfer } = yield* over(evm({ eth_getTransactionByHash: blobs }))
    assert.deepStrictEqual([kind, transfer], ["replace", null])
    assert.include(reason, "blobs")
  })

  it("is unknown if no node has the transaction pending any longer, or it has an unknown type", function* () {
    for (const found of [null, { ...legacy, blockNumber: "0x10" }, { ...dynamic, type: "0x7e" }]) {
      const { reason, ...rest } = yield* over(evm({ eth_getTransactionByHash: found }))
      assert.deepStrictEqual(rest, { kind: null, minimum: null, transfer: null }, JSON.stringify(found))
      assert.match(reason ?? "", /any longer|type of transaction/)
    }
  })

  it("comes from the next node if the first is wrong, or does not have the transaction", function* () {
    for (const wrong of [
      { eth_chainId: "0x1", eth_getTransactionByHash: { ...legacy, gasPrice: "0x1" } },
      {
        eth_getBlockByNumber: { number: "0x1b", timestamp: "0x1000" },
        eth_getTransactionByHash: { ...legacy, gasPrice: "0x1" }
      },
      { eth_getTransactionByHash: null },
      { eth_getTransactionByHash: { ...legacy, hash: `0x${"b2".repeat(32)}` } },
      { eth_getTransactionByHash: { ...legacy, nonce: `0x${"f".repeat(60)}` } },
      { eth_getTransactionByHash: { ...legacy, gasPrice: `0x${"f".repeat(60)}` } },
      { eth_getTransactionByHash: new Error("not supported") }
    ])
      assert.deepStrictEqual(yield* over(evm(wrong), evm({})), cancelled, JSON.stringify(wrong))
    const { reason } = yield* Effect.flip(over(() => refused))
    assert.strictEqual(reason, "upstream_error")
  })
})
