import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { byHost, neverResponds, refused, type SentRequest, simulatedClient } from "../../support/http.ts"
import { asEffects, call, hosts, node, replyText, sent } from "../../support/rpc.ts"
import { firstUrl, make, run, secondUrl, test } from "../../support/upstream.ts"
import { assert, describe } from "../../support/vitest.ts"

// Behind one address are several nodes: one reports the newest block, and the next is some blocks behind.

const head = 0x1800000
const hex = (block: number) => `0x${block.toString(16)}`

/** A node that knows blocks up to this one: it returns null and [] for all others. Transaction n is in block n. */
const upTo = (block: number, reported = block) =>
  node(({ method, params }) => {
    const [first] = params as ReadonlyArray<unknown>
    switch (method) {
      case "eth_blockNumber":
        return hex(reported)
      case "eth_getLogs":
        return Number((first as { fromBlock: string }).fromBlock) <= block ? [{ data: hex(block) }] : []
      case "eth_getTransactionReceipt":
      case "eth_getTransactionByHash":
        return Number(first) <= block ? { blockNumber: first } : null
      case "eth_getBlockByNumber":
      case "eth_getBlockByHash":
        return Number(first) <= block ? { number: first } : null
      default:
        return "0x1"
    }
  })

const stale = upTo(head - 2, head)
const current = upTo(head)

const behind = (second: Parameters<typeof simulatedClient>[0] = current) =>
  simulatedClient(byHost({ "one.example": stale, "two.example": second, "three.example": current }))

const nodes = (urls: ReadonlyArray<string> = [firstUrl, secondUrl], coalesces = false) =>
  Effect.gen(function* () {
    const upstream = yield* make(urls)
    const policy = EvmMethodPolicy.make({ chainId: 8453, blockTime: 2_000, finality: 10 })
    const rpc = asEffects(yield* ProxyNodes.make(upstream, policy, { coalesces }))
    yield* replyText(rpc, "eth_blockNumber", "[]")
    return rpc
  })

const afterHead = (requests: ReadonlyArray<SentRequest>) => hosts(requests).slice(1)

const mined = `["${hex(head)}"]`
const questions = {
  "a block at the known head": ["eth_getBlockByNumber", `["${hex(head)}",false]`, `{"number":"${hex(head)}"}`],
  "a block by its hash": ["eth_getBlockByHash", `["${hex(head)}",false]`, `{"number":"${hex(head)}"}`],
  "a receipt": ["eth_getTransactionReceipt", mined, `{"blockNumber":"${hex(head)}"}`],
  "a transaction": ["eth_getTransactionByHash", mined, `{"blockNumber":"${hex(head)}"}`],
  "logs up to the known head": [
    "eth_getLogs",
    `[{"fromBlock":"${hex(head)}","toBlock":"${hex(head)}"}]`,
    `[{"data":"${hex(head)}"}]`
  ],
  "logs from the known head": ["eth_getLogs", `[{"fromBlock":"${hex(head)}"}]`, `[{"data":"${hex(head)}"}]`]
} as const

describe("a node behind the known head", () => {
  for (const [what, [method, params, right]] of Object.entries(questions))
    test(
      `is not believed about ${what}: one further node gets the call, and its result is cached`,
      () => behind(),
      function* ({ requests }) {
        const rpc = yield* nodes()
        assert.strictEqual(yield* replyText(rpc, method, params), right)
        assert.strictEqual(yield* replyText(rpc, method, params), right)
        assert.deepStrictEqual(afterHead(requests), ["one", "two"])
        yield* replyText(rpc, "eth_gasPrice", "[]")
        assert.strictEqual(hosts(requests).at(-1), "one", "stays the preferred node")
      }
    )

  for (const [what, second] of Object.entries({
    "returns the same": stale,
    "cannot be reached": () => refused,
    hangs: () => neverResponds
  }))
    test(
      `is believed if the further node ${what}; no other node gets the call`,
      () => behind(second),
      function* ({ requests }) {
        const rpc = yield* nodes([firstUrl, secondUrl, "https://three.example"])
        const started = yield* TestClock.currentTimeMillis
        assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), "null")
        assert.isAtMost((yield* TestClock.currentTimeMillis) - started, 2_020)
        assert.deepStrictEqual(afterHead(requests), ["one", "two"])
      }
    )

  test(
    "is believed for a block time once another node agrees, unless there is a new block",
    () => behind(stale),
    function* ({ requests }) {
      const rpc = yield* nodes()
      const poll = Effect.gen(function* () {
        const before = requests.length
        assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), "null")
        return hosts(requests.slice(before))
      })
      assert.deepStrictEqual(yield* poll, ["one", "two"])
      assert.deepStrictEqual(yield* poll, ["one"])
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* poll, ["one", "two"])
      yield* replyText(rpc, "eth_sendRawTransaction", '["0x02"]')
      assert.deepStrictEqual(yield* poll, ["one", "two"])
    }
  )

  test(
    "is believed about what it may not have, and if it is the only node",
    () => behind(),
    function* ({ requests }) {
      const rpc = yield* nodes()
      assert.strictEqual(yield* replyText(rpc, "eth_getBlockByNumber", `["${hex(head + 1)}",false]`), "null")
      assert.strictEqual(yield* replyText(rpc, "eth_getLogs", `[{"fromBlock":"${hex(head + 1)}"}]`), "[]")
      assert.deepStrictEqual(afterHead(requests), ["one", "one"])
      const alone = yield* nodes([firstUrl])
      assert.strictEqual(yield* replyText(alone, "eth_getTransactionReceipt", mined), "null")
      assert.deepStrictEqual(afterHead(requests), ["one", "one", "one", "one"])
    }
  )

  test(
    "is not believed in a batch: one request to one further node has all calls in doubt",
    () => behind(),
    function* ({ requests }) {
      const rpc = yield* nodes()
      const all = Object.values(questions).map(([method, params]) => call(method, params))
      const replies = Either.getOrThrow(yield* run(rpc.batch([...all, call("eth_gasPrice", "[]")])))
      assert.deepStrictEqual(
        replies.map((reply) => Either.getOrThrow(reply).text),
        [...Object.values(questions).map(([, , right]) => right), '"0x1"']
      )
      assert.deepStrictEqual(afterHead(requests), ["one", "two"])
      assert.lengthOf(sent(requests[2] as SentRequest), all.length)
    }
  )

  test(
    "is believed in a batch if the further node hangs",
    () => behind(() => neverResponds),
    function* ({ requests }) {
      const rpc = yield* nodes()
      const all = [call("eth_getTransactionReceipt", mined), call("eth_gasPrice", "[]")]
      const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
      assert.deepStrictEqual(
        replies.map((reply) => Either.getOrThrow(reply).text),
        ["null", '"0x1"']
      )
      assert.deepStrictEqual(afterHead(requests), ["one", "two"])
    }
  )

  test(
    "is not believed about reads that are sent together, which each get one further call",
    () => behind(),
    function* ({ requests }) {
      const rpc = yield* nodes(undefined, true)
      const blocks = Array.from({ length: 40 }, (_, index) => hex(head - 39 + index))
      const reads = blocks.map((block) => rpc.call(call("eth_getTransactionReceipt", `["${block}"]`)))
      const replies = Either.getOrThrow(yield* run(Effect.all(reads, { concurrency: "unbounded" }), 5))
      assert.deepStrictEqual(
        replies.map(({ text }) => text),
        blocks.map((block) => `{"blockNumber":"${block}"}`)
      )
      assert.lengthOf(requests.filter(({ url }) => url.host === "two.example").flatMap(sent), 2)
    }
  )
})
