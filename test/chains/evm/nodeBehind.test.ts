import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { height } from "../../../src/domain/units.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { Lateness } from "../../../src/kernel/Lateness.ts"
import { byHost, neverResponds, refused, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { asEffects, call, exactReply, hosts, methods, node, replyText, sent } from "../../support/rpc.ts"
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

type Handler = Parameters<typeof simulatedClient>[0]

const behind = (second: Handler = current, third: Handler = current) =>
  simulatedClient(
    byHost({ "one.example": stale, "two.example": second, "three.example": third, "four.example": current })
  )

const threeUrls = [firstUrl, secondUrl, "https://three.example"]

/** A node that responds to this method as the first handler does, and to all others as the second. */
const onlyFor =
  (method: string, first: Handler, others: Handler): Handler =>
  (request) =>
    methods([request]).includes(method) ? first(request) : others(request)

const hangs: Handler = () => neverResponds

/** Nodes that do not work as further nodes. */
const useless: Readonly<Record<string, Handler>> = {
  "cannot be reached": () => refused,
  hangs,
  "returns HTTP 500": () => text("down", { status: 500 }),
  "refuses the method": exactReply("error", '{"code":-32005,"message":"limit exceeded"}'),
  "does not have the method": exactReply("error", '{"code":-32601,"message":"not found"}')
}

/** A call that hangs is hedged before it fails. */
const slowUpstreams = { UPSTREAM_TIMEOUT_MS: "5000" }

const isLate = { isLate: () => true, wasLate: () => true, total: () => 0, observe: () => {} }

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
  logs: ["eth_getLogs", `[{"fromBlock":"${hex(head)}","toBlock":"${hex(head)}"}]`, `[{"data":"${hex(head)}"}]`],
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

  test(
    "is believed if the further node returns the same; no other node gets the call",
    () => behind(stale),
    function* ({ requests }) {
      const rpc = yield* nodes(threeUrls)
      assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), "null")
      assert.deepStrictEqual(afterHead(requests), ["one", "two"])
    }
  )

  for (const batched of [false, true])
    test(
      `is believed for one call if the further node returns no list of logs${batched ? ", in a batch" : ""}`,
      () =>
        behind(
          onlyFor(
            "eth_getLogs",
            node(() => null),
            current
          )
        ),
      function* () {
        const rpc = yield* nodes()
        const [method, params] = questions.logs
        const all = batched ? [call(method, params), call("eth_gasPrice", "[]")] : [call(method, params)]
        for (const _ of [1, 2]) {
          const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
          assert.strictEqual(Either.getOrThrow(replies[0] ?? assert.fail()).text, "[]")
          yield* TestClock.adjust("1 minute")
        }
      }
    )

  test(
    "is not believed about an empty list, however it is written",
    () =>
      simulatedClient(
        byHost({
          "one.example": onlyFor("eth_getLogs", exactReply("result", "[ \n]"), stale),
          "two.example": current
        })
      ),
    function* () {
      const rpc = yield* nodes()
      const [method, params, right] = questions.logs
      assert.strictEqual(yield* replyText(rpc, method, params), right)
    }
  )

  test(
    "is not believed about a block that the service knows from its own reads",
    () => behind(),
    function* () {
      const policy = EvmMethodPolicy.make({ blockTime: 2_000, finality: 10, newest: () => height(head) })
      const rpc = asEffects(yield* ProxyNodes.make(yield* make([firstUrl, secondUrl]), policy))
      for (const [method, params, right] of [questions.logs, questions["a block at the known head"]])
        assert.strictEqual(yield* replyText(rpc, method, params), right)
    }
  )

  for (const [what, second] of Object.entries(useless)) {
    test(
      `is not believed if the further node ${what}: one more node gets the call`,
      () => behind(second),
      function* ({ requests }) {
        const rpc = yield* nodes(threeUrls)
        const [method, params, right] = questions.logs
        assert.strictEqual(yield* replyText(rpc, method, params), right)
        assert.deepStrictEqual(afterHead(requests), ["one", "two", "three"])
      }
    )

    test(
      `is believed for one call, and not cached, if two further nodes fail: each ${what}`,
      () => behind(second, second),
      function* ({ requests }) {
        const rpc = yield* nodes([...threeUrls, "https://four.example"])
        const [method, params] = questions.logs
        const started = yield* TestClock.currentTimeMillis
        assert.strictEqual(yield* replyText(rpc, method, params), "[]")
        assert.isAtMost((yield* TestClock.currentTimeMillis) - started, 2_020)
        assert.deepStrictEqual(afterHead(requests), ["one", "two", "three"])
        yield* replyText(rpc, method, params)
        assert.isAbove(requests.length, 4)
      }
    )
  }

  test(
    "is compared again by the next call if the further node failed",
    () => {
      let calls = 0
      return behind((request) => (calls++ === 0 ? text("down", { status: 500 }) : current(request)))
    },
    function* ({ requests }) {
      const rpc = yield* nodes()
      assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), "null")
      yield* TestClock.adjust(1_000)
      assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), questions["a receipt"][2])
      assert.deepStrictEqual(afterHead(requests), ["one", "two", "one", "two"])
    }
  )

  test(
    "is compared with a node that offers the method, once another has refused it",
    () => behind(onlyFor("eth_getLogs", exactReply("error", '{"code":-32005,"message":"limit"}'), current)),
    function* ({ requests }) {
      const rpc = yield* nodes(threeUrls)
      const [method, params, right] = questions.logs
      assert.strictEqual(yield* replyText(rpc, method, params), right)
      assert.strictEqual(yield* replyText(rpc, method, `[${JSON.stringify({ fromBlock: hex(head - 1) })}]`), right)
      assert.deepStrictEqual(afterHead(requests), ["one", "two", "three", "one", "three"])
    }
  )

  test(
    "is compared with a node that was not called, after a node that hangs was",
    () =>
      simulatedClient(
        byHost({
          "one.example": onlyFor("eth_getLogs", hangs, current),
          "two.example": stale,
          "three.example": current
        })
      ),
    function* ({ requests }) {
      const rpc = yield* nodes(threeUrls)
      const [method, params, right] = questions.logs
      assert.strictEqual(yield* replyText(rpc, method, params), right)
      assert.deepStrictEqual(afterHead(requests), ["one", "two", "three"])
    },
    slowUpstreams
  )

  test(
    "is compared with a slow node whose call was cancelled, if there is no other",
    () => {
      const slow = onlyFor("eth_getLogs", (request) => Effect.delay(current(request), 1_500), current)
      return simulatedClient(byHost({ "one.example": slow, "two.example": stale }))
    },
    function* ({ requests }) {
      const rpc = yield* nodes()
      const [method, params, right] = questions.logs
      assert.strictEqual(yield* replyText(rpc, method, params), right)
      assert.deepStrictEqual(afterHead(requests), ["one", "two", "one"])
    },
    slowUpstreams
  )

  test(
    "is compared while the process is late too",
    () => behind(),
    function* ({ requests }) {
      const rpc = yield* Effect.provideService(nodes(), Lateness, isLate)
      assert.strictEqual(yield* replyText(rpc, "eth_getTransactionReceipt", mined), questions["a receipt"][2])
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
    "is not believed in a batch after another node hangs: a node that did not get the batch has all calls in doubt",
    () =>
      simulatedClient(
        byHost({
          "one.example": onlyFor("eth_getLogs", hangs, current),
          "two.example": stale,
          "three.example": current
        })
      ),
    function* ({ requests }) {
      const rpc = yield* nodes(threeUrls)
      const all = [questions.logs, questions["a receipt"]].map(([method, params]) => call(method, params))
      const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
      assert.deepStrictEqual(
        replies.map((reply) => Either.getOrThrow(reply).text),
        [questions.logs[2], questions["a receipt"][2]]
      )
      assert.deepStrictEqual(new Set(afterHead(requests).slice(1)), new Set(["two", "three"]))
    }
  )

  test(
    "is not believed in a batch: one more node has the calls that the further node refuses, and no others",
    () => behind(node(({ method, params }) => (method === "eth_getTransactionReceipt" ? { params } : undefined))),
    function* ({ requests }) {
      const rpc = yield* nodes(threeUrls)
      const all = [questions.logs, questions["a receipt"]].map(([method, params]) => call(method, params))
      const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
      assert.deepStrictEqual(
        replies.map((reply) => Either.getOrThrow(reply).text),
        [questions.logs[2], `{"params":${mined}}`]
      )
      assert.deepStrictEqual(afterHead(requests), ["one", "two", "three"])
      assert.deepStrictEqual(methods(requests.slice(3)), ["eth_getLogs"])
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
