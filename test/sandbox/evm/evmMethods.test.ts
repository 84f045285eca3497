import { readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { numberToHex } from "viem/utils"
import { optimism } from "../../../src/catalogue/evm/optimism.ts"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import * as EvmChain from "../../../src/sandbox/evm/EvmChain.ts"
import * as EvmLedger from "../../../src/sandbox/evm/EvmLedger.ts"
import { evmNode } from "../../../src/sandbox/evm/evmNode.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { holders } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = Date.UTC(2026, 10, 20)

const facts = { ...optimism, world: World.make() }

interface Log {
  readonly address: string
  readonly topics: ReadonlyArray<string>
  readonly blockNumber: string
  readonly logIndex: string
}

interface Receipt {
  readonly blockHash: string
  readonly blockNumber: string
  readonly transactionHash: string
  readonly transactionIndex: string
  readonly logs: ReadonlyArray<Log>
}

interface Block {
  readonly hash: string
  readonly parentHash: string
  readonly transactions: ReadonlyArray<unknown>
}

/** A node. Calls return the result, or code and message of the error. */
const node = (chain = EvmLedger.make(facts)) => {
  const simulated = evmNode(facts, chain)
  return <A = unknown>(method: string, ...params: ReadonlyArray<unknown>): Effect.Effect<A> => {
    const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
    const response = simulated({ method: "POST", path: "/", query: new URLSearchParams(), body, now })
    return Effect.promise(
      () => response.json() as Promise<{ readonly result?: never; readonly error?: { code: number; message: string } }>
    ).pipe(
      Effect.map(({ error, result }) => (error === undefined ? result : `${error.code} ${error.message}`) as never)
    )
  }
}

const topicOf = (address: string) => `0x${address.slice(2).padStart(64, "0")}`

/** Holders, and the transactions that emit events for them. */
const active = holders(12).flatMap((holder) => {
  const events = EvmLedger.make(facts)
    .of(holder)
    .filter(({ approved, failed, moved }) => !failed && (approved ?? moved[0]?.contract) !== undefined)
  return events.length === 0 ? [] : [{ holder, events }]
})

describe("the logs of a simulated EVM node", () => {
  it("are found by the address of a holder in a topic, before any list has the transaction", function* () {
    let approvals = 0
    for (const { events, holder } of active)
      for (const { approved, block, hash, moved } of events) {
        const ask = node()
        const at = { fromBlock: numberToHex(block), toBlock: numberToHex(block) }
        const word = topicOf(holder)
        const sent = yield* ask<ReadonlyArray<Log>>("eth_getLogs", { ...at, topics: [null, [word]] })
        const received = yield* ask<ReadonlyArray<Log>>("eth_getLogs", { ...at, topics: [[], [], word] })
        const found = [...sent, ...received]
        assert.strictEqual(found.length, 1, hash)
        assert.strictEqual(found[0]?.address, (approved ?? moved[0])?.contract?.address)
        const { address = "" } = found[0] ?? {}
        assert.deepStrictEqual(
          yield* ask("eth_getLogs", { ...at, address: address.toUpperCase().replace("0X", "0x") }),
          found
        )
        assert.deepStrictEqual(yield* ask("eth_getLogs", { ...at, address: [holder] }), [])
        const { logs } = yield* ask<Receipt>("eth_getTransactionReceipt", hash)
        assert.deepStrictEqual(logs, found)
        if (approved !== undefined) approvals++
      }
    assert.isAbove(approvals, 0)
  })

  it("are refused in the words of real nodes for ranges that they do not serve", function* () {
    const ask = node()
    const head = Number(yield* ask<string>("eth_blockNumber"))
    const hash = (yield* ask<Block>("eth_getBlockByNumber", "latest", false)).hash
    const cases: ReadonlyArray<readonly [object, unknown]> = [
      [{}, []],
      [{ fromBlock: numberToHex(head - 50_000) }, []],
      [{ fromBlock: numberToHex(head - 50_001) }, "-32701 exceed maximum block range: 50000"],
      [{ fromBlock: "earliest", toBlock: "latest" }, "-32701 exceed maximum block range: 50000"],
      [{ fromBlock: "latest", toBlock: numberToHex(head - 1) }, "-32602 invalid block range params"],
      [{ toBlock: numberToHex(head + 1) }, "-32602 block range extends beyond current head block"],
      [{ fromBlock: "pending" }, "-32602 pending logs are not supported"],
      [{ blockHash: hash }, []],
      [{ blockHash: `0x${"1".repeat(64)}` }, "-32000 unknown block"],
      [
        { blockHash: hash, fromBlock: "latest" },
        "-32602 invalid argument 0: cannot specify both BlockHash and FromBlock/ToBlock, choose one or the other"
      ],
      [{ topics: [null, null, null, null, null] }, "-32602 exceed max topics"],
      [{ topics: ["0x12"] }, "-32602 invalid argument 0: invalid topic(s)"]
    ]
    for (const [filter, result] of cases)
      assert.deepStrictEqual(yield* ask("eth_getLogs", filter), result, JSON.stringify(filter))
  })
})

describe("the blocks of a simulated EVM node", () => {
  it("have the same transactions, receipts and counts by number and by hash", function* () {
    const chain = EvmLedger.make(facts)
    const ask = node(chain)
    for (const { holder } of active.slice(0, 2))
      for (const { block } of chain.of(holder)) {
        const number = numberToHex(block)
        const { hash, transactions } = yield* ask<Block>("eth_getBlockByNumber", number, true)
        const receipts = yield* ask<ReadonlyArray<Receipt>>("eth_getBlockReceipts", number)
        assert.isAbove(receipts.length, 0)
        assert.deepStrictEqual(yield* ask("eth_getBlockReceipts", hash), receipts)
        const indexes = receipts.flatMap(({ logs }) => logs.map(({ logIndex }) => Number(logIndex)))
        assert.deepStrictEqual(indexes, [...indexes.keys()])
        for (const [index, { transactionHash }] of receipts.entries()) {
          const place = numberToHex(index)
          const same = yield* ask("eth_getTransactionByHash", transactionHash)
          assert.deepStrictEqual(yield* ask("eth_getTransactionByBlockNumberAndIndex", number, place), same)
          assert.deepStrictEqual(yield* ask("eth_getTransactionByBlockHashAndIndex", hash, place), same)
          assert.deepStrictEqual(transactions[index], same)
          assert.deepStrictEqual(yield* ask("eth_getTransactionReceipt", transactionHash), receipts[index])
        }
        for (const [by, key] of [
          ["Number", number],
          ["Hash", hash]
        ] as const) {
          assert.strictEqual(yield* ask(`eth_getBlockTransactionCountBy${by}`, key), numberToHex(receipts.length))
          assert.strictEqual(yield* ask(`eth_getUncleCountByBlock${by}`, key), "0x0")
          assert.isNull(yield* ask(`eth_getUncleByBlock${by}AndIndex`, key, "0x0"))
          assert.isNull(yield* ask(`eth_getTransactionByBlock${by}AndIndex`, key, numberToHex(receipts.length)))
        }
      }
    const unknown = `0x${"1".repeat(64)}`
    for (const method of ["eth_getBlockReceipts", "eth_getBlockTransactionCountByHash", "eth_getBlockByHash"])
      assert.isNull(yield* ask(method, unknown, false), method)
    assert.isNull(yield* ask("eth_getBlockReceipts", "0xffffffffff"))
    assert.strictEqual(
      yield* ask("eth_getBlockReceipts", "newest"),
      "-32602 invalid argument 0: hex string without 0x prefix"
    )
  })

  it("have distinct hashes, each the parent of the next", function* () {
    const ask = node()
    let parent: string | undefined
    for (let number = 100; number < 110; number++) {
      const block = yield* ask<Block>("eth_getBlockByNumber", numberToHex(number), false)
      if (parent !== undefined) assert.strictEqual(block.parentHash, parent)
      assert.notStrictEqual(block.hash, parent)
      parent = block.hash
    }
  })
})

describe("a simulated EVM node", () => {
  it("returns an empty access list with the gas, also of a call that reverts, and accounts without proofs", function* () {
    const ask = node()
    const [from, to] = holders(2)
    assert.deepStrictEqual(yield* ask("eth_createAccessList", { from, to, value: "0x1" }, "latest"), {
      accessList: [],
      gasUsed: "0x5208"
    })
    const [token] = World.contractsOn(facts.platform)
    const reverting = yield* ask("eth_createAccessList", { from, to: token?.address, data: "0x12345678" }, "latest")
    assert.deepInclude(reverting, { accessList: [], error: "execution reverted" })
    const proof = yield* ask("eth_getProof", from, ["0x0"], "latest")
    assert.deepInclude(proof, {
      address: from,
      balance: yield* ask("eth_getBalance", from, "latest"),
      nonce: yield* ask("eth_getTransactionCount", from, "latest"),
      storageProof: [{ key: "0x0", value: "0x0", proof: [] }]
    })
  })

  it("reports blocks, events and pending transactions to filters once, and drops unread filters", function* () {
    const chain = EvmLedger.make({ ...optimism, world: World.make() })
    const simulated = evmNode(chain.facts, chain)
    const asked = (method: string, params: ReadonlyArray<unknown>, at: number) => {
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const response = simulated({ method: "POST", path: "/", query: new URLSearchParams(), body, now: at })
      return Effect.promise(() => response.json() as Promise<{ readonly result?: never; readonly error?: object }>)
    }
    const { events, holder } = active[0] ?? assert.fail("no holder")
    const last = events.at(-1) ?? assert.fail("no event")
    const before = Number(EvmChain.timeOf(last.block - 2n)) * 1000
    const [word, ids] = [topicOf(holder), [] as Array<string>]
    for (const [method, ...params] of [
      ["eth_newFilter", { topics: [null, [word]] }],
      ["eth_newFilter", { topics: [null, null, [word]] }],
      ["eth_newBlockFilter"],
      ["eth_newPendingTransactionFilter"]
    ] as const)
      ids.push((yield* asked(method, params, before)).result ?? assert.fail(method))
    assert.strictEqual(new Set(ids).size, 4)
    const [sent, received, blocks, pending] = ids
    const changes = function* (id: string | undefined, at: number) {
      return (yield* asked("eth_getFilterChanges", [id], at)).result ?? []
    }
    const after = before + 8_000
    const found: ReadonlyArray<Log> = [...(yield* changes(sent, after)), ...(yield* changes(received, after))]
    assert.deepStrictEqual(
      found.map(({ blockNumber }) => BigInt(blockNumber)),
      [last.block]
    )
    const hashes = [-1n, 0n, 1n, 2n].map((distance) => EvmChain.hashOf(chain.facts, last.block + distance))
    assert.deepStrictEqual(yield* changes(blocks, after), hashes)
    for (const id of ids) assert.deepStrictEqual(yield* changes(id, after), [])
    assert.deepStrictEqual((yield* asked("eth_getFilterLogs", [sent], after)).result ?? [], [])
    const wrong = { code: -32000, message: "filter not found" }
    assert.deepStrictEqual((yield* asked("eth_getFilterLogs", [pending], after)).error, wrong)
    assert.deepStrictEqual((yield* asked("eth_uninstallFilter", [pending], after)).result, true)
    assert.deepStrictEqual((yield* asked("eth_uninstallFilter", [pending], after)).result, false)
    assert.deepStrictEqual((yield* asked("eth_getFilterChanges", [blocks], after + 300_001)).error, wrong)
    const { error } = yield* asked("eth_newFilter", [{ topics: ["0x1"] }], after)
    assert.deepInclude(error, { code: -32602 })
  })

  it("knows every method that the service passes on, except those that the documents name", function* () {
    const ask = node()
    const { blockAt, continuing, fixed, newest, ofTransaction, opening, passing } = EvmMethodPolicy
    const methods = [
      ...Object.keys(blockAt),
      ...fixed,
      ...ofTransaction,
      ...newest,
      ...passing,
      ...opening,
      ...["eth_blockNumber", "eth_chainId", "eth_getLogs", "eth_sendRawTransaction"]
    ]
    const unknown: Array<string> = []
    for (const method of [...methods, ...continuing, "eth_sendRawTransactionConditional", "eth_sendRawTransactionSync"])
      if (String(yield* ask(method)).startsWith("-32601")) unknown.push(method)
    const documents = readFileSync("docs/testing.md", "utf8")
    const [, listed = ""] = /- Unknown are ([\s\S]*?)\n\n/.exec(documents) ?? []
    const names = [...listed.matchAll(/`(\w+)`/g)].map(([, name = ""]) => name)
    const isListed = (method: string) =>
      names.some((name) => method === name || (name.endsWith("_") && method.startsWith(name)))
    assert.deepStrictEqual(
      unknown.filter((method) => !isListed(method)),
      []
    )
    assert.deepStrictEqual(
      names.filter((name) => !name.endsWith("_") && !unknown.includes(name)),
      []
    )
  })
})
