import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { gnosis } from "viem/chains"
import { encodeErrorResult, parseAbi } from "viem/utils"
import { facts } from "../../../src/chains/evm/ExtraNetworks.ts"
import { l1FeeOf, refusalOf } from "../../../src/chains/evm/estimate.ts"
import type { Estimate } from "../../../src/domain/Estimate.ts"
import { NetworkId } from "../../../src/domain/NetworkId.ts"
import { type Reply, refused, text as responseText, type SentRequest } from "../../support/http.ts"
import { estimateOf, node, type RpcCall } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Responses follow the Ethereum JSON-RPC specification, and errors those of geth, Nethermind and Besu.

const from = `0x${"ab".repeat(20)}`
const to = `0x${"cd".repeat(20)}`
const slot = `0x${"0".repeat(62)}aB`
const transaction = { from, to, value: 255n, data: "0x12345678" }

const errors = parseAbi(["error Error(string)", "error Panic(uint256)", "error Custom(uint256)"])
const reverted = (text: string) => encodeErrorResult({ abi: errors, errorName: "Error", args: [text] })
const panicked = (code: bigint) => encodeErrorResult({ abi: errors, errorName: "Panic", args: [code] })
const custom = encodeErrorResult({ abi: errors, errorName: "Custom", args: [7n] })

const block = { number: "0x1b", timestamp: "0x0", gasLimit: "0xf4240" }
const listed = { accessList: [{ address: to.toUpperCase().replace("X", "x"), storageKeys: [slot] }], gasUsed: "0x7530" }

/** A JSON-RPC error with these members. */
const error = (code: number, message: string, data?: unknown) => Object.assign(new Error(message), { code, data })

const word = (hex: string) => `0x${hex.padStart(64, "0")}`

/** A node of Optimism with these results by method. Calls are added to `sent`. */
const evm = (over: Readonly<Record<string, unknown>>, sent: Array<RpcCall> = []) =>
  node((call) => {
    sent.push(call)
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: "0xa",
      eth_getBlockByNumber: block,
      eth_estimateGas: "0xc350",
      eth_createAccessList: listed,
      eth_call: word(JSON.stringify(call.params).includes("0x49948e0e") ? "64" : "05"),
      ...over
    }
    return results[call.method]
  })

const over = (...nodes: ReadonlyArray<(request: SentRequest) => Reply>) =>
  estimateOf(transaction, "optimism", Object.fromEntries(nodes.map((each, index) => [`${index}.test`, each])), {
    OPTIMISM_RPC_URLS: nodes.map((_, index) => `http://${index}.test`).join(",")
  })

const whole: Estimate = {
  gas: "50000",
  accessList: [{ address: to, storageKeys: [slot.toLowerCase()] }],
  gasWithAccessList: "30000",
  l1Fee: { feeWei: "100", operatorFeeWei: "5", transactionBytes: 46 },
  reason: null,
  nodeMessage: null
}

const without: Estimate = {
  gas: null,
  accessList: null,
  gasWithAccessList: null,
  accessListError: "the transaction cannot be executed",
  l1Fee: null,
  reason: null,
  nodeMessage: null
}

describe("the estimate of an EVM transaction", () => {
  it("has gas, access list and the fee for the data of this transaction", function* () {
    const sent: Array<RpcCall> = []
    assert.deepStrictEqual(yield* over(evm({}, sent)), whole)
    const request = { from, to, value: "0xff", data: "0x12345678" }
    const [estimated, list] = sent.filter(({ method }) => /estimate|Access/.test(method)).map(({ params }) => params)
    assert.deepStrictEqual([estimated, list], [
      [request, "latest"],
      [request, "latest"]
    ] as never)
    const [priced, operator] = sent.filter(({ method }) => method === "eth_call").map((call) => JSON.stringify(call))
    assert.include(priced, "8412345678")
    // The gas limit, in the argument of getOperatorFee.
    assert.include(operator, word("c350").slice(2))
  })

  it("has no access list if the node returns none that can be used", function* () {
    const { accessList, gasWithAccessList, ...rest } = whole
    const keys = (count: number) => [{ address: to, storageKeys: Array.from({ length: count }, () => slot) }]
    for (const eth_createAccessList of [
      error(-32601, "the method eth_createAccessList does not exist/is not available"),
      // This error concerns the node, so that its batch fails as a whole.
      error(-32603, "tenant disabled: upgrade for access lists"),
      null,
      { ...listed, error: "execution reverted" },
      { ...listed, gasUsed: "0xf4241" },
      { ...listed, gasUsed: "0x5207" },
      { accessList: listed.accessList },
      { ...listed, accessList: [{ address: "0x1", storageKeys: [] }] },
      { ...listed, accessList: [{ address: to, storageKeys: ["0x1"] }] },
      { ...listed, accessList: keys(10_000) }
    ]) {
      const { accessListError = "", ...found } = yield* over(evm({ eth_createAccessList }))
      const what = JSON.stringify(eth_createAccessList)?.slice(0, 100)
      assert.deepStrictEqual(found, { ...rest, accessList: null, gasWithAccessList: null }, what)
      assert.match(accessListError, /does not return access lists|no usable access list/, what)
    }
    const { accessList: longest } = yield* over(evm({ eth_createAccessList: { ...listed, accessList: keys(9_999) } }))
    assert.strictEqual(longest?.[0]?.storageKeys.length, 9_999)
  })

  it("has no fee for data, with a reason, if the oracle does not return it", function* () {
    const { l1Fee, ...rest } = yield* over(evm({ eth_call: "0x" }))
    const { l1Fee: _, ...others } = whole
    assert.deepStrictEqual(rest, others)
    assert.deepStrictEqual(l1Fee, {
      feeWei: null,
      operatorFeeWei: null,
      transactionBytes: 46,
      error: "the fee for data could not be read from GasPriceOracle",
      errorCode: "bad_answer"
    })
  })

  it("has its gas if the call for the fee for data fails", function* () {
    const { l1Fee, ...rest } = yield* over(evm({ eth_call: error(-32603, "tenant disabled: upgrade for calls") }))
    const { l1Fee: _, ...others } = whole
    assert.deepStrictEqual(rest, others)
    assert.deepInclude(l1Fee, { feeWei: null, errorCode: "upstream_error" })
  })

  it("has no fee for data, with a reason, if a network of the operator may have another kind", () => {
    const added = facts({ id: NetworkId.make("gnosis"), chain: gnosis as never })
    const nothing = Either.right("0x")
    const { error, ...rest } = l1FeeOf(added, [nothing, nothing], { ...transaction, gas: 21_000n })
    assert.deepStrictEqual(rest, {
      feeWei: null,
      operatorFeeWei: null,
      transactionBytes: null,
      errorCode: "bad_answer"
    })
    assert.match(error ?? "", /may charge a fee for data/)
  })

  it("comes from the next node if the first cannot be right", function* () {
    for (const wrong of [
      { eth_chainId: "0x1" },
      { eth_getBlockByNumber: { ...block, timestamp: "0x2000" } },
      { eth_estimateGas: "0x5207" },
      { eth_estimateGas: "0xf4241" },
      { eth_estimateGas: "0x5f5e101", eth_getBlockByNumber: { ...block, gasLimit: null } },
      { eth_estimateGas: "50000" },
      { eth_estimateGas: null },
      { eth_estimateGas: error(-32601, "method not supported") },
      { eth_estimateGas: error(-32000, "no idea") },
      { eth_estimateGas: error(-32005, "rate limit reached") }
    ])
      assert.deepStrictEqual(yield* over(evm({ ...wrong, eth_call: word("1") }), evm({})), whole, JSON.stringify(wrong))
    const { reason } = yield* Effect.flip(over(() => refused))
    assert.strictEqual(reason, "upstream_error")
    const limited = evm({ eth_estimateGas: "0x5f5e100", eth_getBlockByNumber: { ...block, gasLimit: undefined } })
    assert.strictEqual((yield* over(limited)).gas, "100000000")
  })

  it("is not requested again, without the access list, from a node that is down", function* () {
    const bodies: Array<string> = []
    const down = (request: SentRequest): Reply => {
      bodies.push(request.body)
      return responseText("down", { status: 503 })
    }
    assert.deepStrictEqual(yield* over(down, evm({})), whole)
    assert.isNotEmpty(bodies)
    for (const text of bodies) assert.include(text, "eth_createAccessList")
  })

  it("has no gas if the transaction reverts or is refused", function* () {
    const reverting = evm({ eth_estimateGas: error(3, "execution reverted: no", reverted("no")) })
    assert.deepStrictEqual(yield* over(reverting, evm({})), {
      ...without,
      reverts: { reason: "no", data: reverted("no") }
    })
    const poor = evm({ eth_estimateGas: error(-32000, "insufficient funds for transfer") })
    assert.deepStrictEqual(yield* over(poor, evm({})), {
      ...without,
      reason: "insufficient_funds",
      nodeMessage: "insufficient funds for transfer"
    })
    const odd = evm({ eth_estimateGas: error(-32000, "no idea") })
    assert.deepStrictEqual(yield* over(odd), { ...without, reason: "unknown", nodeMessage: "no idea" })
  })
})

describe("the meaning of a node's error", () => {
  it("is a revert with the words of the contract", () => {
    const long = `0x${"00".repeat(4_096)}`
    for (const [code, detail, data, reason, returned] of [
      [3, "execution reverted: no", reverted("no"), "no", reverted("no")],
      [3, "execution reverted", "0x", null, "0x"],
      [-32000, "execution reverted", undefined, null, null],
      [3, "a contract stopped", undefined, null, null],
      [-32000, "execution reverted: not the owner", undefined, "not the owner", null],
      [-32015, "VM execution error.", `Reverted ${reverted("no")}`, "no", reverted("no")],
      [-32000, "Execution reverted", panicked(0x11n), "panic 0x11: arithmetic overflow", panicked(0x11n)],
      [3, "execution reverted", panicked(1n), "panic 0x01: an assertion failed", panicked(1n)],
      [3, "execution reverted", panicked(0x1234n), "panic 0x1234: unknown code", panicked(0x1234n)],
      [3, "execution reverted", custom, null, custom],
      [3, "execution reverted: no", "0x08c379a0", "no", "0x08c379a0"],
      [3, "execution reverted", "0x123", null, null],
      [3, "execution reverted", { data: "0x" }, null, null],
      [3, "execution reverted", long, null, long],
      [3, "execution reverted: no", `${long}00`, "no", null],
      // Contracts write the text.
      [3, "execution reverted", reverted("a\u0000b\nc"), "a b c", reverted("a\u0000b\nc")],
      [
        3,
        "execution reverted",
        reverted("see https://evil.test/x"),
        "see (address)",
        reverted("see https://evil.test/x")
      ],
      [3, "execution reverted", reverted("x".repeat(600)), `${"x".repeat(499)}…`, reverted("x".repeat(600))]
    ] as const)
      assert.deepStrictEqual(
        refusalOf({ code, detail, data }),
        { reverts: { reason, data: returned } },
        `${detail} ${JSON.stringify(data)?.slice(0, 80)}`
      )
  })

  it("is a refusal for a reason, or nothing about the transaction", () => {
    for (const [code, detail, reason] of [
      [-32000, "insufficient funds for gas * price + value: have 0 want 1", "insufficient_funds"],
      [-32003, "insufficient balance for transfer", "insufficient_funds"],
      [-32000, "gas required exceeds allowance (21000)", "invalid"],
      [-32000, "out of gas", "unknown"],
      [0, "insufficient funds", "insufficient_funds"]
    ] as const)
      assert.deepStrictEqual(refusalOf({ code, detail }), { reason, nodeMessage: detail }, detail)
    for (const [code, detail] of [
      [-32601, "method not supported"],
      [0, "missing in the response to the batch"]
    ] as const)
      assert.isUndefined(refusalOf({ code, detail }), detail)
  })
})
