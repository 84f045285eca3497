import * as UrlParams from "@effect/platform/UrlParams"
import * as Either from "effect/Either"
import * as explorer from "../../../src/chains/evm/providers/etherscan/calls.ts"
import * as node from "../../../src/chains/evm/providers/node/calls.ts"
import { nullable } from "../../../src/chains/evm/providers/node/results.ts"
import { height } from "../../../src/domain/units.ts"
import * as Call from "../../../src/upstream/Call.ts"
import { notRequested } from "../../../src/upstream/Call.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = "0xab"

/** The request of a call to an explorer, as method, path and query. */
const requestOf = <P, A, I>(call: Call.Call<string, P, unknown, A, I>, parameters: P) => {
  const { method, url, urlParams } = Call.requestOf(call, parameters)
  return `${method} ${url}?${UrlParams.toString(urlParams)}`
}

describe("the requests to EVM explorers", () => {
  it("are those of a list, to its first block or to the last that is wanted", () => {
    const page = { address, page: 2, size: 20 }
    assert.deepStrictEqual(
      [
        requestOf(explorer.txlist, { ...page, sort: "asc" }),
        requestOf(explorer.tokentx, { ...page, sort: "desc", end: height(0) })
      ],
      [
        "GET /api?module=account&action=txlist&address=0xab&page=2&offset=20&sort=asc",
        "GET /api?module=account&action=tokentx&address=0xab&page=2&offset=20&sort=desc&startblock=0&endblock=0"
      ]
    )
  })

  it("are those of each list, of a transaction and of a balance", () => {
    const lists = [
      explorer.txlist,
      explorer.txlistinternal,
      explorer.tokentx,
      explorer.tokennfttx,
      explorer.token1155tx
    ]
    assert.deepStrictEqual(
      lists.map(({ query }) => query?.({ address, page: 1, size: 1, sort: "asc" }).action),
      ["txlist", "txlistinternal", "tokentx", "tokennfttx", "token1155tx"]
    )
    assert.deepStrictEqual(
      [requestOf(explorer.internalsOf, { hash: "0x1" }), requestOf(explorer.balance, { address })],
      [
        "GET /api?module=account&action=txlistinternal&txhash=0x1",
        "GET /api?module=account&action=balance&address=0xab"
      ]
    )
  })
})

describe("the methods of EVM nodes", () => {
  it("have the parameters of the specification", () => {
    const hash = "0x1"
    const transaction = { to: address, value: "0x0" }
    assert.deepStrictEqual(
      [
        Call.methodOf(node.newestBlock, {}),
        Call.methodOf(node.finalizedBlock, {}),
        Call.methodOf(node.block, { hash }),
        Call.methodOf(node.balance, { address }),
        Call.methodOf(node.balance, { address, block: "0x0" }),
        Call.methodOf(node.transactionCount, { address, block: "pending" }),
        Call.methodOf(node.contract, { data: "0x60" }),
        Call.methodOf(node.contract, { to: address, data: "0x60", gas: "0x5", block: "0x9" }),
        Call.methodOf(node.estimateGas, { transaction }),
        Call.methodOf(node.estimateGas, { transaction, block: "latest" }),
        Call.methodOf(node.accessList, transaction),
        Call.methodOf(node.feeHistory, { blocks: 20, percentiles: [10, 50] }),
        Call.methodOf(node.wholeReceipt, { hash }),
        Call.methodOf(node.submit, { raw: "0x02" })
      ].map(({ method, params }) => [method, ...params]),
      [
        ["eth_getBlockByNumber", "latest", false],
        ["eth_getBlockByNumber", "finalized", false],
        ["eth_getBlockByHash", hash, false],
        ["eth_getBalance", address, "latest"],
        ["eth_getBalance", address, "0x0"],
        ["eth_getTransactionCount", address, "pending"],
        ["eth_call", { data: "0x60" }, "latest"],
        ["eth_call", { to: address, data: "0x60", gas: "0x5" }, "0x9"],
        ["eth_estimateGas", transaction],
        ["eth_estimateGas", transaction, "latest"],
        ["eth_createAccessList", transaction, "latest"],
        ["eth_feeHistory", "0x14", "latest", [10, 50]],
        ["eth_getTransactionReceipt", hash],
        ["eth_sendRawTransaction", "0x02"]
      ]
    )
  })

  it("have results about what was requested, in any case of its letters", () => {
    const hash = `0x${"ab".repeat(32)}`
    const upper = `0x${"AB".repeat(32)}`
    const block = { hash: upper, number: "0x1", timestamp: "0x2" }
    const receipt = { transactionHash: upper, blockNumber: "0x1", gasUsed: "0x5208" }
    const deposit = { hash: upper, type: "0x7e" }
    const other = { hash: `0x${"cd".repeat(32)}` }
    for (const wanted of [{ hash }, other]) {
      const expected = <A>(found: A) => (wanted === other ? Either.left(notRequested) : Either.right(found))
      assert.deepStrictEqual(nullable(node.block, wanted, Either.right(block)), expected(block))
      assert.deepStrictEqual(nullable(node.receipt, wanted, Either.right(receipt)), expected(receipt))
      assert.deepStrictEqual(nullable(node.deposit, wanted, Either.right(deposit)), expected(deposit))
    }
  })
})
