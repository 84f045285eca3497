import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { FoundTransaction } from "../../src/chains/Chain.ts"
import { gap, textsOf } from "../../src/domain/history/Gap.ts"
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
    logs: [log(0, {}), log(2, { topics: [padded(to)] })]
  }
  const block = { hash: blockHash, number: "0x1a", timestamp: "0x64" }
  /** When the block is final, ms. */
  const later = 1_000_000_000
  const head = { eth_getBlockByNumber: { hash: blockHash, number: "0x1b", timestamp: "0xf4240" } }
  const usd = `0x${"e5".repeat(20)}`
  const empty = () => json({ status: "0", message: "No transactions found", result: [] })

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

  it("has the pieces of collectibles, and names transfers whose parties or amounts its logs do not say", function* () {
    const single = "0xc3d58168c5ae7397731d063d5bbf3d657854427343f4c083240f7aacaa2d0f62"
    const batch = "0x4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
    const words = (...numbers: ReadonlyArray<number>) => `0x${numbers.map((each) => word(each).slice(2)).join("")}`
    const parties = [padded(to), padded(from), padded(other)]
    yield* TestClock.setTime(later)
    const withLogs = Effect.fnUntraced(function* (...logs: ReadonlyArray<object>) {
      const results = {
        ...head,
        eth_getTransactionReceipt: { ...receipt, logs },
        eth_getTransactionByHash: { ...seen, value: "0x0" }
      }
      return found(yield* read(results, empty))
    })
    const both = yield* withLogs(
      log(0, { topics: [single, ...parties], data: words(5, 9) }),
      log(1, { topics: [batch, ...parties], data: words(64, 160, 2, 7, 7, 2, 3, 4), address: usd })
    )
    assert.deepStrictEqual(both.gaps, [])
    assert.sameDeepMembers<unknown>(both.transaction?.to.slice() ?? [], [
      { address: other, amount: 9n, token },
      { address: other, amount: 7n, token: usd }
    ])
    for (const unread of [
      log(0, { topics: [topic], data: words(1, 2, 9) }),
      log(0, { topics: [topic, padded(from)] }),
      log(0, { topics: [topic, `0x${"a1".repeat(32)}`, padded(other)] }),
      log(0, { data: words(1, 2) }),
      log(0, { topics: [single, ...parties], data: words(5) }),
      log(0, { topics: [batch, ...parties], data: words(64, 160, 2, 7, 7, 3, 3, 4) }),
      log(0, { topics: [batch, ...parties], data: words(64, 160, 2, 7, 7, 1, 3) })
    ]) {
      const { gaps, transaction } = yield* withLogs(unread)
      assert.deepStrictEqual(gaps, [gap("transfers", "some transfers could not be read")], JSON.stringify(unread))
      assert.isFalse(transaction?.to.some(({ amount }) => amount > 0n))
    }
  })

  it("takes no internal transfers of another transaction, and names those that an explorer may lack", function* () {
    const moved = { blockNumber: "26", timeStamp: "100", from: to, to: other, value: "77", type: "call", index: "1" }
    const rows = (status: string, ...result: ReadonlyArray<object>) =>
      read({}, () => json({ status, message: "Some are not processed", result }))
    const another = `0x${"99".repeat(32)}`
    for (const wrong of [
      rows("1", { ...moved, transactionHash: another }),
      rows("1", { ...moved, hash: another }),
      rows("1", { ...moved, blockNumber: "25" }),
      rows("1", moved, { ...moved, value: "78" })
    ]) {
      const { gaps, transaction } = found(yield* wrong)
      assert.match(gaps[0]?.text ?? "", /^internal transfers: .* of another transaction/)
      assert.isFalse(transaction?.to.some(({ amount }) => amount === 77n || amount === 78n))
    }
    const partial = found(yield* rows("2", moved))
    assert.match(partial.gaps[0]?.text ?? "", /^internal transfers: .* not processed yet/)
    assert.isTrue(partial.transaction?.to.some(({ amount }) => amount === 77n))
    assert.lengthOf(found(yield* rows("2")).gaps, 1)
    assert.lengthOf(found(yield* rows("1", moved, { ...moved, value: "much", index: "2" })).gaps, 1)
  })

  it("may have internal transfers that an explorer without its block does not list", function* () {
    yield* TestClock.setTime(later)
    assert.deepStrictEqual(found(yield* read(head, empty)).gaps, [])
    const young = { ...head, eth_getBlockByHash: { ...block, timestamp: "0xf423f" } }
    assert.match(found(yield* read(young, empty)).gaps[0]?.text ?? "", /^internal transfers: .* newest blocks/)
  })

  it("has an unknown result if its old receipt does not say whether it failed", function* () {
    const old = { ...receipt, status: undefined, root: `0x${"11".repeat(32)}`, gasUsed: "0x186a0" }
    yield* TestClock.setTime(later)
    const { gaps, transaction } = found(yield* read({ ...head, eth_getTransactionReceipt: old }, empty))
    assert.strictEqual(transaction?.status, "Unknown")
    assert.match(gaps[0]?.text ?? "", /does not say whether it failed/)
  })

  it("is not pending at a node that has its block and no receipt, nor in a block of an impossible time", function* () {
    const inBlock = { ...seen, blockNumber: "0x1a" }
    assert.isTrue(Either.isLeft(yield* read({ eth_getTransactionByHash: inBlock, eth_getTransactionReceipt: null })))
    yield* TestClock.setTime(1_800_000_000_000)
    const latest = { eth_getBlockByNumber: { hash: blockHash, number: "0x1b", timestamp: "0x6b49d200" } }
    assert.isTrue(Either.isRight(yield* read({ ...latest, eth_getBlockByHash: { ...block, timestamp: "0x6b49d1f0" } })))
    assert.isTrue(Either.isLeft(yield* read(latest)))
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
    const partial = found(yield* read({ ...tx, Flags: 0x0002_0000, status: "success", validated: false }))
    assert.deepStrictEqual<unknown>(partial.transaction?.to, [{ address: to, amount: 0n }])
    assert.deepStrictEqual(textsOf(partial.gaps), ["the delivered amount of a partial payment: no node returns it"])
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

  it("is not read if its result contradicts itself", function* () {
    const failed = { ...info, result: "FAILED" }
    assert.isTrue(Either.isLeft(yield* read(known, failed)))
    const reverted = { ...known, ret: [{ contractRet: "REVERT" }] }
    assert.strictEqual(found(yield* read(reverted, failed)).transaction?.status, "Failed")
  })

  it("moves no tokens by a call without an event, and names transfers that it cannot show", function* () {
    const data = `a9059cbb${word("c3".repeat(20))}${word("2bc")}`
    const called = { ...known.raw_data.contract[0], parameter: { value: { ...value, data } } }
    const paying = { ...known, raw_data: { contract: [called] } }
    const tokensOf = (all: { readonly to: ReadonlyArray<{ readonly amount: bigint }> } | undefined) =>
      all?.to.filter(({ amount }) => amount === 700n)
    assert.lengthOf(tokensOf(found(yield* read(paying, {})).transaction) ?? [], 1)
    const { log, ...silent } = info
    assert.deepStrictEqual(tokensOf(found(yield* read(paying, silent)).transaction), [])
    assert.lengthOf(tokensOf(found(yield* read(paying, { ...silent, log })).transaction) ?? [], 1)
    const [first] = log
    const many = "4a39dc06d4c0dbc64b70af90fd698a233a518aa5d07e595d983b8c0526c8f7fb"
    for (const topics of [
      [topic],
      [topic, word("a1"), word("c3"), word("1")],
      [many, word("a1"), word("b2"), word("c3")]
    ]) {
      const { gaps } = found(yield* read(known, { ...silent, log: [{ ...first, topics }] }))
      assert.deepStrictEqual(textsOf(gaps), ["some transfers could not be read"])
    }
  })
})
