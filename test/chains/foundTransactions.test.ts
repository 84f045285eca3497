import * as Either from "effect/Either"
import type { FoundTransaction } from "../../src/chains/Chain.ts"
import { json, type Reply, type SentRequest } from "../support/http.ts"
import { node, transactionOf } from "../support/statuses.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Responses follow the Ethereum JSON-RPC specification, Etherscan's documentation, and the references of rippled and
// Tron's HTTP API.

const found = (result: Either.Either<FoundTransaction, string>) =>
  Either.getOrThrowWith(result, (reason) => new Error(reason))

describe("an EVM transaction by its hash", () => {
  const hash = `0x${"ab".repeat(32)}`
  const blockHash = `0x${"d4".repeat(32)}`
  const [from, to, other, token] = ["a1", "b2", "c3", "d4"].map((byte) => `0x${byte.repeat(20)}`)
  const topic = "0xddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const padded = (address = "") => `0x${address.slice(2).padStart(64, "0")}`
  const word = (value: number) => `0x${value.toString(16).padStart(64, "0")}`
  const seen = { hash, from, to, value: "0x5", nonce: "0x7", input: "0x12345678", gasPrice: "0x2" }
  const log = (index: number, more: object) => ({
    address: token,
    topics: [topic, padded(from), padded(other)],
    data: word(700),
    logIndex: `0x${index}`,
    ...more
  })
  const receipt = {
    transactionHash: hash,
    blockHash,
    blockNumber: "0x1a",
    transactionIndex: "0x3",
    status: "0x1",
    gasUsed: "0xea60",
    effectiveGasPrice: "0x2",
    contractAddress: null,
    logs: [log(0, {}), log(1, { topics: [topic, padded(from)] }), log(2, { topics: [padded(to)] })]
  }
  const block = { hash: blockHash, number: "0x1a", timestamp: "0x64" }

  const read = (
    results: Readonly<Record<string, unknown>>,
    explorer: (request: SentRequest) => Reply = () => json({ status: "0", message: "none", result: [] })
  ) =>
    transactionOf(
      hash,
      "ethereum",
      {
        "node.test": node(
          ({ method }) =>
            ({
              eth_chainId: "0x1",
              eth_getBlockByNumber: { hash: blockHash, number: "0x1b", timestamp: "0x0" },
              eth_getTransactionByHash: seen,
              eth_getTransactionReceipt: receipt,
              eth_getBlockByHash: block,
              ...results
            })[method]
        ),
        "explorer.test": explorer
      },
      {
        ETHEREUM_RPC_URLS: "http://node.test",
        ETHEREUM_BLOCKSCOUT_URL: "http://explorer.test",
        ROUTESCAN_URL: "http://explorer.test"
      }
    )

  it("has the tokens of its logs, the value that contracts moved, its block, fee and nonce", function* () {
    const moved = {
      blockNumber: "26",
      timeStamp: "100",
      from: to,
      to: other,
      value: "9",
      contractAddress: "",
      isError: "0",
      type: "call",
      index: "1"
    }
    const { gaps, transaction } = found(
      yield* read({}, ({ url }) =>
        json({ status: "1", message: "OK", result: url.searchParams.get("txhash") === hash ? [moved] : null })
      )
    )
    assert.deepStrictEqual(gaps, [])
    assert.deepInclude(transaction, { hash, status: "Success", fee: 120_000n, nonce: 7, type: "Contract Call" })
    assert.deepStrictEqual<unknown>([transaction?.block, transaction?.timestamp], [26, 100])
    assert.sameDeepMembers<unknown>(transaction?.from.slice() ?? [], [
      { address: from, amount: 5n },
      { address: to, amount: 9n },
      { address: from, amount: 700n, token }
    ])
    assert.deepInclude<unknown>(transaction?.to.slice(), { address: other, amount: 9n })
    assert.deepInclude<unknown>(transaction?.to.slice(), { address: other, amount: 700n, token })
  })

  it("names the transfers that explorers do not return, and calls no explorer about a plain payment", function* () {
    const broken = found(yield* read({}, () => json({}, { status: 500 })))
    assert.match(broken.gaps[0]?.text ?? "", /^internal transfers: /)
    const plain = { ...receipt, gasUsed: "0x5208", logs: [] }
    const paid = found(yield* read({ eth_getTransactionReceipt: plain }, () => assert.fail("asked")))
    assert.deepStrictEqual(paid.gaps, [])
  })

  it("is pending without a receipt, absent if the node has none, and never of another chain, hash or block", function* () {
    const { transaction } = found(yield* read({ eth_getTransactionReceipt: null, eth_getBlockByHash: null }))
    assert.deepInclude(transaction, { hash, status: "Pending", fee: null })
    assert.notProperty(transaction, "block")
    const none = { eth_getTransactionByHash: null, eth_getTransactionReceipt: null }
    assert.isUndefined(found(yield* read(none)).transaction)
    for (const wrong of [
      { eth_chainId: "0x2" },
      { eth_getTransactionByHash: { ...seen, hash: `0x${"cd".repeat(32)}` } },
      { eth_getTransactionReceipt: { ...receipt, transactionHash: `0x${"cd".repeat(32)}` } },
      { eth_getBlockByHash: { ...block, number: "0x19" } },
      { eth_getBlockByHash: null },
      { eth_getTransactionByHash: { ...seen, value: "-5" } },
      { eth_getTransactionByHash: new Error("busy") }
    ])
      assert.isTrue(Either.isLeft(yield* read(wrong)), JSON.stringify(wrong))
  })
})

describe("a transaction of the XRP Ledger by its hash", () => {
  const hash = "AB".repeat(32)
  const [from, to] = ["rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B", "rHb9CJAWyB4rj91VRWn96DkukG4bwdtyTh"]
  const tx = { hash, TransactionType: "Payment", Account: from, Destination: to, Amount: "25", Fee: "12", Sequence: 5 }
  const read = (result: object) =>
    transactionOf(hash, "ripple", { "node.test": () => json({ result }) }, { RIPPLE_RPC_URLS: "http://node.test" })

  it("is pending until a ledger is validated, and absent only if the node says so", function* () {
    const { transaction } = found(yield* read({ ...tx, status: "success", validated: false }))
    assert.deepInclude(transaction, { hash, status: "Pending", nonce: 5 })
    assert.deepStrictEqual<unknown>(transaction?.to, [{ address: to, amount: 25n }])
    assert.isUndefined(found(yield* read({ error: "txnNotFound", status: "error" })).transaction)
    for (const wrong of [{ error: "noNetwork", status: "error" }, { ...tx, hash: "CD".repeat(32) }, {}])
      assert.isTrue(Either.isLeft(yield* read(wrong)), JSON.stringify(wrong))
  })
})

describe("a transaction of tron by its hash", () => {
  const hash = "ab".repeat(32)
  const address = (byte: string) => `41${byte.repeat(20)}`
  const value = { owner_address: address("a1"), contract_address: address("b2"), data: "12345678" }
  const known = {
    txID: hash,
    ret: [{ contractRet: "SUCCESS" }],
    raw_data: { contract: [{ type: "TriggerSmartContract", parameter: { value } }] }
  }
  const topic = "ddf252ad1be2c89b69c2b068fc378daa952ba7f163c4a11628f55a4df523b3ef"
  const word = (digits: string) => digits.padStart(64, "0")
  const info = {
    id: hash,
    blockNumber: 7,
    blockTimeStamp: 1_700_000_000_000,
    fee: 9,
    log: [
      { address: "d4".repeat(20), topics: [topic, word("a1".repeat(20)), word("c3".repeat(20))], data: word("2bc") }
    ],
    internal_transactions: [
      {
        hash: "01",
        caller_address: address("b2"),
        transferTo_address: address("c3"),
        callValueInfo: [{ callValue: 5 }],
        note: ""
      }
    ]
  }
  const read = (byId: object, infoById: object) =>
    transactionOf(
      hash,
      "tron",
      { "node.test": ({ url }) => json(url.pathname.endsWith("infobyid") ? infoById : byId) },
      { TRONGRID_URL: "http://node.test" }
    )

  it("has the tokens of its logs and all internal transactions, and is pending without a block", function* () {
    const { gaps, transaction } = found(yield* read(known, info))
    assert.deepStrictEqual(gaps, [])
    assert.deepInclude(transaction, { hash, status: "Success", fee: 9n })
    const amounts = transaction?.to.map(({ amount, token }) => [amount, token !== undefined])
    assert.sameDeepMembers(amounts?.filter(([amount]) => amount !== 0n) ?? [], [
      [5n, false],
      [700n, true]
    ])
    assert.strictEqual(found(yield* read(known, {})).transaction?.status, "Pending")
    assert.isUndefined(found(yield* read({}, {})).transaction)
    assert.isTrue(Either.isLeft(yield* read({ ...known, txID: "cd".repeat(32) }, info)))
    assert.isTrue(Either.isLeft(yield* read({ Error: "busy" }, info)))
  })
})
