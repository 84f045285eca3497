import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import type { TransactionStatus } from "../../../src/chains/Chain.ts"
import * as calls from "../../../src/chains/evm/providers/node/calls.ts"
import { nullable } from "../../../src/chains/evm/providers/node/results.ts"
import { height, seconds } from "../../../src/domain/units.ts"
import { tooLarge } from "../../../src/jsonrpc/callAll.ts"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import { type Reply, refused, type SentRequest } from "../../support/http.ts"
import { node, stateOf, statusesOver, storeOf } from "../../support/statuses.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// Responses follow the Ethereum JSON-RPC specification.

const hash = `0x${"a1".repeat(32)}`
const other = `0x${"b2".repeat(32)}`
const blockHash = `0x${"c3".repeat(32)}`
const from = `0x${"ab".repeat(20)}`

const receipt = {
  transactionHash: hash,
  blockHash,
  blockNumber: "0x10",
  from,
  status: "0x1",
  type: "0x0",
  gasUsed: "0x5208",
  effectiveGasPrice: "0x3b9aca00"
}
const pending = { hash, from, nonce: "0x7", blockNumber: null, gasPrice: "0x3b9aca00" }
const mined = { ...pending, blockNumber: "0x10" }
const block = { hash: blockHash, number: "0x10", timestamp: "0x5" }
const head = { hash: `0x${"d4".repeat(32)}`, number: "0x1b", timestamp: "0x0" }

/** A node of Ethereum Classic with these results by method. */
const evm = (over: Readonly<Record<string, unknown>>) =>
  node(({ method, params }) => {
    const results: Readonly<Record<string, unknown>> = {
      eth_chainId: "0x3d",
      eth_getBlockByNumber: head,
      eth_getBlockByHash: block,
      eth_getTransactionCount: "0x7",
      ...over
    }
    const result = results[method]
    return typeof result === "function" ? result(params[0]) : result
  })

const includes = { eth_getTransactionByHash: mined, eth_getTransactionReceipt: receipt }
const nothing = evm({})
type Host = (request: SentRequest) => Reply

const confirmed: TransactionStatus = {
  status: "confirmed",
  confirmations: 12,
  block: height(16),
  at: seconds(5),
  fee: 21_000_000_000_000n,
  final: false
}

const over = (...nodes: ReadonlyArray<Host>) =>
  statusesOver("ethereum-classic", Object.fromEntries(nodes.map((each, index) => [`${index}.test`, each])), {
    ETHEREUM_CLASSIC_RPC_URLS: nodes.map((_, index) => `http://${index}.test`).join(",")
  })

const status = (...nodes: ReadonlyArray<Host>): Effect.Effect<unknown> =>
  Effect.gen(function* () {
    const { read } = yield* over(...nodes)
    return stateOf((yield* read(hash))[0])
  }).pipe(Effect.scoped, Effect.orDie)

describe("the status of an EVM transaction", () => {
  it("comes from its receipt: success, failure, and the whole fee", function* () {
    assert.deepStrictEqual(yield* status(evm(includes)), confirmed)
    for (const [more, expected] of [
      [{ status: "0x0" }, { ...confirmed, status: "failed" }],
      [{ effectiveGasPrice: null }, confirmed],
      [{ type: "0x7e" }, { ...confirmed, fee: 0n }],
      [{ l1Fee: "0x64" }, { ...confirmed, fee: 21_000_000_000_100n }],
      // Without a price in the receipt, that of the transaction is only a maximum (EIP-1559).
      [
        { type: "0x2", effectiveGasPrice: null },
        { status: "confirmed", confirmations: 12, block: 16, at: 5, final: false }
      ]
    ] as const)
      assert.deepStrictEqual(
        yield* status(evm({ ...includes, eth_getTransactionReceipt: { ...receipt, ...more } })),
        expected
      )
    // The receipt is enough if the node does not return the transaction.
    assert.deepStrictEqual(yield* status(evm({ eth_getTransactionReceipt: receipt })), confirmed)
  })

  it("is pending while no block includes it and its nonce is open", function* () {
    assert.deepStrictEqual(yield* status(evm({ eth_getTransactionByHash: pending })), {
      status: "pending",
      confirmations: 0
    })
  })

  it("is not found if two nodes do not have it, or the only node", function* () {
    assert.deepStrictEqual(yield* status(nothing), { status: "not_found" })
    assert.deepStrictEqual(yield* status(nothing, nothing, () => refused), { status: "not_found" })
    assert.deepStrictEqual(yield* status(nothing, () => refused, nothing), { status: "not_found" })
    // A single node of two may lag.
    assert.strictEqual(yield* status(nothing, () => refused), "upstream_error")
    assert.deepStrictEqual(yield* status(nothing, evm(includes)), confirmed)
  })

  it("is not found only if nodes of two hosts do not have it, or two nodes of the only host", function* () {
    const at = (...urls: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const hosts = { "one.test": nothing, "two.test": nothing, "down.test": () => refused }
        const { read, requests } = yield* statusesOver("ethereum-classic", hosts, {
          ETHEREUM_CLASSIC_RPC_URLS: urls.join(",")
        })
        const state = stateOf((yield* read(hash))[0])
        return [state, [...new Set(requests.map(({ url }) => url.href))]] as const
      }).pipe(Effect.scoped, Effect.orDie)
    const [first, second] = ["http://one.test/key-1", "http://one.test/key-2"]
    assert.deepStrictEqual<unknown>(yield* at(first, second), [{ status: "not_found" }, [first, second]])
    assert.deepStrictEqual<unknown>(yield* at(first, second, "http://down.test/"), [
      "upstream_error",
      [first, second, "http://down.test/"]
    ])
    assert.deepStrictEqual<unknown>(yield* at(first, second, "http://two.test/"), [
      { status: "not_found" },
      [first, second, "http://two.test/"]
    ])
  })

  it("is replaced if two nodes have used its nonce for another transaction, which is named if it was looked up", function* () {
    const used = { eth_getTransactionByHash: pending, eth_getTransactionCount: "0x8" }
    assert.deepStrictEqual(yield* status(evm(used)), { status: "replaced" })
    assert.deepStrictEqual(yield* status(evm(used), evm(used)), { status: "replaced" })
    // The second node has already dropped the transaction, of which only the first one knows the nonce.
    assert.strictEqual(yield* status(evm(used), evm({ eth_getTransactionCount: "0x8" })), "bad_answer")
    // The second node has not used the nonce: the nodes differ.
    assert.strictEqual(yield* status(evm(used), nothing), "bad_answer")
    const rival = evm({
      eth_getTransactionCount: "0x8",
      eth_getTransactionByHash: (id: unknown) => (id === hash ? pending : { ...mined, hash: other }),
      eth_getTransactionReceipt: (id: unknown) => (id === other ? { ...receipt, transactionHash: other } : null)
    })
    const { read } = yield* over(rival)
    assert.deepStrictEqual((yield* read(hash, other)).map(stateOf), [
      { status: "replaced", replacedBy: other },
      confirmed
    ])
  })

  it("is replaced after every node has dropped it, if it was pending when it was last read", function* () {
    const hosts = { "0.test": evm({ eth_getTransactionByHash: (id: unknown) => ({ ...pending, hash: id }) }) }
    const { read } = yield* statusesOver("ethereum-classic", hosts, { ETHEREUM_CLASSIC_RPC_URLS: "http://0.test" })
    for (const id of [hash, other]) assert.deepInclude(stateOf((yield* read(id))[0]), { status: "pending" })
    hosts["0.test"] = evm({
      eth_getTransactionCount: "0x8",
      eth_getTransactionReceipt: (id: unknown) => (id === other ? { ...receipt, transactionHash: other } : null)
    })
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "replaced", replacedBy: other }])
    // Dropped with an open nonce: it could be sent again.
    hosts["0.test"] = nothing
    assert.deepStrictEqual((yield* read(hash)).map(stateOf), [{ status: "not_found" }])
  })

  it("is not replaced because one node returns it with another nonce than the one that was sent", function* () {
    const lying = { eth_getTransactionByHash: { ...pending, nonce: "0x0" } }
    const read = (first: Host, second: Host, ...notes: ReadonlyArray<string>) =>
      Effect.gen(function* () {
        const hosts = { "0.test": first, "1.test": second }
        const environment = { ETHEREUM_CLASSIC_RPC_URLS: "http://0.test,http://1.test" }
        const { read } = yield* statusesOver("ethereum-classic", hosts, environment, storeOf(...notes))
        return stateOf((yield* read(hash))[0])
      }).pipe(Effect.scoped, Effect.orDie)
    const sent = `${from}:7`
    assert.strictEqual(yield* read(evm(lying), nothing, sent), "bad_answer")
    assert.deepStrictEqual(yield* read(evm(lying), evm({ eth_getTransactionByHash: pending }), sent), {
      status: "pending",
      confirmations: 0
    })
    assert.strictEqual(yield* read(evm(lying), nothing), "bad_answer")
    // A receipt decides even if the stored nonce is wrong.
    assert.deepStrictEqual(yield* read(evm(includes), nothing, `${from}:6`), confirmed)
  })

  it("is final by its depth only if two nodes have it in the same block, or the only node", function* () {
    yield* TestClock.setTime(5_405_000)
    const newest = (tag: unknown) => (tag === "latest" ? { ...head, number: "0x10010", timestamp: "0x151d" } : null)
    const deep = evm({ ...includes, eth_getBlockByNumber: newest })
    const failed = evm({
      ...includes,
      eth_getBlockByNumber: newest,
      eth_getTransactionReceipt: { ...receipt, status: "0x0" }
    })
    const found = { ...confirmed, confirmations: 65_537, final: true }
    assert.deepStrictEqual(yield* status(deep), found)
    assert.deepStrictEqual(yield* status(deep, deep), found)
    assert.deepStrictEqual(yield* status(deep, failed, () => refused), { ...found, final: false })
    assert.deepStrictEqual(yield* status(deep, failed, deep), found)
    for (const others of [[() => refused], [nothing], [nothing, nothing]])
      assert.deepStrictEqual(yield* status(deep, ...others), { ...found, final: false })
    const hosts = { "one.test": deep, "two.test": () => refused }
    const { read } = yield* statusesOver("ethereum-classic", hosts, {
      ETHEREUM_CLASSIC_RPC_URLS: "http://one.test/key-1,http://one.test/key-2,http://two.test"
    })
    assert.deepStrictEqual<unknown>((yield* read(hash)).map(stateOf), [{ ...found, final: false }])
    // These blocks came more than four times as fast as on average.
    yield* TestClock.setTime(5_404_000)
    assert.deepStrictEqual(yield* status(deep, deep), { ...found, final: false })
  })

  it("is final at one node if the finalized block of the chain is not before its block", function* () {
    yield* TestClock.setTime(5_405_000)
    const found = { ...confirmed, confirmations: 65_537, final: true }
    const at = (newest: string, finalized: unknown) =>
      Effect.gen(function* () {
        const first = evm({
          ...includes,
          eth_getBlockByNumber: (tag: unknown) =>
            tag === "latest" ? { ...head, number: newest, timestamp: "0x151d" } : finalized
        })
        const { read, requests } = yield* over(first, () => refused)
        const state = stateOf((yield* read(hash))[0])
        return { state, requests: requests.map(({ body, url }) => `${url.host} ${body.includes("finalized")}`) }
      }).pipe(Effect.scoped, Effect.orDie)
    const own = ["0.test false", "0.test true"]
    for (const number of ["0x10", "0xffff"])
      assert.deepStrictEqual<unknown>(yield* at("0x10010", { ...head, number }), {
        state: found,
        requests: own
      })
    for (const other of [
      { ...head, number: "0xf" },
      null,
      new Error("finalized block not found"),
      { number: "-0x1" }
    ]) {
      const { requests, state } = yield* at("0x10010", other)
      assert.deepStrictEqual<unknown>([state, requests.slice(0, 2)], [{ ...found, final: false }, own])
      assert.include(requests, "1.test false")
    }
    // A block that is not deep needs no second node, and no call for the finalized block.
    assert.deepStrictEqual<unknown>(yield* at("0x1b", { ...head, number: "0x10" }), {
      state: confirmed,
      requests: ["0.test false", "0.test false"]
    })
  })

  it("comes from the next node if the first is wrong, lags or contradicts itself", function* () {
    for (const wrong of [
      { ...includes, eth_chainId: "0x1" },
      { ...includes, eth_getBlockByNumber: { ...head, timestamp: "0x1000" } },
      { ...includes, eth_getBlockByNumber: { ...head, number: "0xf" } },
      { ...includes, eth_getBlockByHash: { ...block, number: "0xf" } },
      { ...includes, eth_getBlockByHash: null },
      { ...includes, eth_getBlockByHash: { ...block, hash: other } },
      { ...includes, eth_getTransactionReceipt: { ...receipt, transactionHash: other } },
      { ...includes, eth_getTransactionReceipt: { ...receipt, status: null } },
      { ...includes, eth_getTransactionReceipt: { ...receipt, gasUsed: `0x${"f".repeat(60)}` } },
      { ...includes, eth_getTransactionReceipt: "0x" },
      { ...includes, eth_getTransactionReceipt: null },
      { ...includes, eth_getTransactionByHash: { ...mined, hash: other } },
      { eth_getTransactionByHash: new Error("not supported") },
      { eth_getTransactionByHash: pending, eth_getTransactionCount: "0x" },
      { eth_getTransactionByHash: pending, eth_getTransactionCount: null }
    ]) {
      assert.deepStrictEqual(yield* status(evm(wrong), evm(includes)), confirmed, JSON.stringify(wrong))
      assert.include(["bad_answer", "upstream_error"], yield* status(evm(wrong)), JSON.stringify(wrong))
    }
  })

  it("is unknown if the node cannot look it up, which takes no other transaction with it", function* () {
    const failing = (method: string) => {
      const error = Object.assign(new Error("Internal error"), { code: -32603 })
      const result = (own: string, value: (id: string) => object) => (id: string) =>
        id === other && own === method ? error : value(id)
      return evm({
        eth_getTransactionByHash: result("eth_getTransactionByHash", (id) => ({ ...mined, hash: id })),
        eth_getTransactionReceipt: result("eth_getTransactionReceipt", (id) => ({ ...receipt, transactionHash: id }))
      })
    }
    for (const method of ["eth_getTransactionReceipt", "eth_getTransactionByHash"]) {
      const { read, requests } = yield* over(failing(method))
      assert.deepStrictEqual((yield* read(hash, other)).map(stateOf), [confirmed, "upstream_error"], method)
      assert.isAtMost(requests.length, 3)
    }
  })

  it("is unknown for the size of a result that is too large", function* () {
    assert.deepStrictEqual(nullable(calls.receipt, { hash }, tooLarge), Either.left(ResponseDecoder.tooLarge))
    yield* Effect.void
  })

  it("takes three requests for 28 hashes, and a second node only for those that the first does not have", function* () {
    const hashes = Array.from({ length: 28 }, (_, index) => `0x${String(index).padStart(64, "0")}`)
    const isMissing = (id: unknown) => id === hashes[5]
    const first = evm({
      eth_getTransactionReceipt: (id: unknown) => (isMissing(id) ? null : { ...receipt, transactionHash: id })
    })
    const { read, requests } = yield* over(first, nothing)
    const states = (yield* read(...hashes)).map(stateOf)
    assert.deepStrictEqual(
      states,
      hashes.map((id) => (isMissing(id) ? { status: "not_found" } : confirmed))
    )
    assert.deepStrictEqual(
      requests.map(({ url }) => url.host),
      ["0.test", "0.test", "0.test", "0.test", "1.test"]
    )
  })

  it("is read by any spelling of its hash, and by no other text", function* () {
    const { hash: parse } = yield* over(nothing)
    for (const text of [hash, hash.slice(2), hash.toUpperCase()]) assert.deepStrictEqual(parse(text), parse(hash), text)
    for (const text of ["", "0x", hash.slice(0, -1), `${hash}00`, ` ${hash}`, "z".repeat(64), "__proto__"])
      assert.deepInclude(parse(text), { _tag: "Left" }, text)
  })

  it("cannot be read from a network that was shut down", function* () {
    const { read, requests } = yield* statusesOver("zkevm", {}, {})
    const { reason } = yield* Effect.flip(read(hash))
    assert.deepStrictEqual([reason, requests.length], ["sunset", 0])
  })
})
