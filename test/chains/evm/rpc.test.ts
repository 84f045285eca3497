import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { concatHex, keccak256, toRlp } from "viem/utils"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import * as Head from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byHost, simulatedClient, text } from "../../support/http.ts"
import { call, hosts, methods, node, replyText, rpcOver, sent } from "../../support/rpc.ts"
import { firstUrl, run, test, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** A chain with a block every two seconds. A block is final once five blocks follow it. */
const facts = { chainId: 8453, blockTime: 2_000, finality: 10 }

const hex = (block: number) => `0x${block.toString(16)}`

/** A node whose newest block is the current result of `block`. */
const at = (block: () => number, others: (method: string) => unknown = () => undefined) =>
  node(({ method }) => {
    const other = others(method)
    return method === "eth_blockNumber" ? hex(block()) : other === undefined ? `of ${block()}` : other
  })

const nodes = (urls?: ReadonlyArray<string>, more: Partial<typeof facts> = {}) =>
  rpcOver(EvmMethodPolicy.make({ ...facts, ...more }), urls)

describe("a node without the state of old blocks", () => {
  const circuits = Effect.map(
    Effect.flatMap(Upstreams, ({ states }) => states),
    (states) => states.flatMap((state) => state.circuits)
  )
  const refusing = () =>
    simulatedClient(
      byHost({
        "one.example": () => text("no", { status: 403 }),
        "two.example": at(
          () => 100,
          (method) => (method === "eth_getLogs" ? ["of 100"] : undefined)
        )
      })
    )
  const old = [
    ["eth_getBalance", '["0x01","0x10"]', '"of 100"'],
    ["eth_call", '[{},{"blockHash":"0x02"}]', '"of 100"'],
    ["eth_getLogs", '[{"fromBlock":"0x1","toBlock":"0x2"}]', '["of 100"]']
  ] as const

  test("is skipped for calls about them, single or in a batch, and its circuit stays closed", refusing, function* () {
    const rpc = yield* nodes()
    for (const [method, params, text] of old) assert.strictEqual(yield* replyText(rpc, method, params), text)
    const batch = Either.getOrThrow(
      yield* run(rpc.batch(old.map(([method], index) => call(method, `["0x${index}","0x10"]`))))
    )
    assert.deepStrictEqual(
      batch.map((reply) => Either.getOrThrow(reply).text),
      old.map(([, , text]) => text)
    )
    assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
  })

  test("has an open circuit after it refuses a call about the newest block", refusing, function* () {
    const rpc = yield* nodes()
    assert.strictEqual(yield* replyText(rpc, "eth_getBalance", '["0x01","latest"]'), '"of 100"')
    assert.deepStrictEqual(yield* circuits, ["open", "closed"])
  })
})

describe("eth_blockNumber", () => {
  test(
    "never goes backwards: a node that is behind is rejected, and is called last for a while",
    () => {
      const blocks = [100, 99, 99, 99]
      return simulatedClient(byHost({ "one.example": at(() => blocks.shift() ?? 99), "two.example": at(() => 101) }))
    },
    function* ({ requests }) {
      const rpc = yield* nodes()
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber", "[]"), '"0x64"')
      yield* TestClock.adjust(2_001)
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber", "[]"), '"0x65"')
      assert.deepStrictEqual(hosts(requests), ["one", "one", "two"])
      yield* TestClock.adjust(2_001)
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber", "[]"), '"0x65"')
      assert.deepStrictEqual(hosts(requests), ["one", "one", "two", "two"])
    }
  )

  test(
    "stays at the highest block if all nodes are behind, until the chain must have restarted",
    () => {
      let calls = 0
      return simulatedClient(at(() => (calls++ === 0 ? 100 : 5)))
    },
    function* () {
      const rpc = yield* nodes([firstUrl])
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber"), '"0x64"')
      for (let minute = 0; minute < 10; minute++) {
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* replyText(rpc, "eth_blockNumber"), '"0x64"')
      }
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber"), '"0x5"')
    }
  )

  test(
    "is rejected if it is further ahead than the chain can be",
    () => {
      const blocks = [100]
      return simulatedClient(
        byHost({ "one.example": at(() => blocks.shift() ?? 9_999_999), "two.example": at(() => 102) })
      )
    },
    function* ({ requests }) {
      const rpc = yield* nodes()
      yield* replyText(rpc, "eth_blockNumber")
      yield* TestClock.adjust(2_001)
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber"), '"0x66"')
      assert.deepStrictEqual(hosts(requests), ["one", "one", "two"])
    }
  )

  test(
    "is accepted after the receipt of an old transaction",
    () =>
      simulatedClient(
        at(
          () => 5_000_000,
          (method) => (method === "eth_getTransactionReceipt" ? { blockNumber: "0x10" } : undefined)
        )
      ),
    function* ({ requests }) {
      const rpc = yield* nodes()
      yield* replyText(rpc, "eth_getTransactionReceipt", '["0x01"]')
      assert.strictEqual(yield* replyText(rpc, "eth_blockNumber"), '"0x4c4b40"')
      assert.deepStrictEqual(hosts(requests), ["one", "one"])
    }
  )

  test(
    "is rejected if it is not a number",
    () => simulatedClient(byHost({ "one.example": node(() => "latest"), "two.example": at(() => 7) })),
    function* () {
      assert.strictEqual(yield* replyText(yield* nodes(), "eth_blockNumber"), '"0x7"')
    }
  )
})

describe("eth_chainId", () => {
  const of = (id: string) => node(() => id)

  test(
    "is not accepted from a node of another chain",
    () => simulatedClient(byHost({ "one.example": of("0x1"), "two.example": of("0x2105") })),
    function* ({ requests }) {
      const rpc = yield* nodes()
      assert.strictEqual(yield* replyText(rpc, "eth_chainId"), '"0x2105"')
      yield* TestClock.adjust("1 day")
      assert.strictEqual(yield* replyText(rpc, "eth_chainId"), '"0x2105"')
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
    }
  )

  test(
    "fails if all nodes are on another chain",
    () => simulatedClient(of("0x1")),
    function* () {
      const outcome = yield* run((yield* nodes()).call(call("eth_chainId")))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    }
  )
})

describe("the cache of an EVM network", () => {
  /** Number of calls to the node for two equal requests, a day apart, with this newest block. */
  const callCount = (method: string, params: string, result: unknown, newest = 100) => {
    const outside = simulatedClient(
      at(
        () => newest,
        (requests) => (requests === method ? result : undefined)
      )
    )
    return Effect.gen(function* () {
      const rpc = yield* nodes([firstUrl])
      yield* replyText(rpc, "eth_blockNumber")
      yield* replyText(rpc, method, params)
      yield* TestClock.adjust("1 day")
      yield* replyText(rpc, method, params)
      return methods(outside.requests).filter((requests) => requests === method).length
    }).pipe(Effect.scoped, Effect.provide(upstreamDependencies(outside)))
  }

  for (const [what, times, ...question] of [
    ["the chain id", 1, "eth_chainId", "[]", "0x2105"],
    ["a block by its hash", 1, "eth_getBlockByHash", '["0x01",false]', { number: "0x64" }],
    ["an unknown block", 2, "eth_getBlockByHash", '["0x01",false]', null],
    ["a final block", 1, "eth_getBlockByNumber", '["0x5f",false]', { number: "0x5f" }],
    ["a block that may be reorganised", 2, "eth_getBlockByNumber", '["0x60",false]', { number: "0x60" }],
    ["a final block that the node lacks", 2, "eth_getBlockByNumber", '["0x5f",false]', null],
    ["the pending block", 2, "eth_getBlockByNumber", '["pending",false]', { number: "0x65" }],
    ["the genesis block", 1, "eth_getBlockByNumber", '["earliest",false]', { number: "0x0" }],
    ["the newest block", 2, "eth_getBlockByNumber", '["latest",false]', { number: "0x64" }],
    ["the receipt of a final block", 1, "eth_getTransactionReceipt", '["0x01"]', { blockNumber: "0x5f" }],
    [
      "the receipt of a block that may be reorganised",
      2,
      "eth_getTransactionReceipt",
      '["0x01"]',
      { blockNumber: "0x60" }
    ],
    ["a missing receipt", 2, "eth_getTransactionReceipt", '["0x01"]', null],
    ["a transaction of a final block", 1, "eth_getTransactionByHash", '["0x01"]', { blockNumber: "0x5f" }],
    ["a transaction without a block", 2, "eth_getTransactionByHash", '["0x01"]', { blockNumber: null }],
    ["code at a final block", 1, "eth_getCode", '["0x01","0x5f"]', "0x60"],
    ["code at the hash of a block", 1, "eth_getCode", '["0x01",{"blockHash":"0x02"}]', "0x60"],
    ["code at a block number in the form of EIP-1898", 1, "eth_getCode", '["0x01",{"blockNumber":"0x5f"}]', "0x60"],
    ["code at the newest block", 2, "eth_getCode", '["0x01","latest"]', "0x60"],
    ["code at a null block hash", 2, "eth_getCode", '["0x01",{"blockHash":null}]', "0x60"],
    ["a balance without a block", 2, "eth_getBalance", '["0x01"]', "0x1"],
    ["logs of final blocks", 1, "eth_getLogs", '[{"fromBlock":"0x1","toBlock":"0x5f"}]', [{}]],
    ["an empty list of logs of final blocks", 2, "eth_getLogs", '[{"fromBlock":"0x1","toBlock":"0x5f"}]', []],
    ["logs up to the newest block", 2, "eth_getLogs", '[{"fromBlock":"0x1"}]', [{}]],
    [
      "logs up to the newest block with a null block hash",
      2,
      "eth_getLogs",
      '[{"blockHash":null,"fromBlock":"0x1"}]',
      [{}]
    ],
    ["logs of a null filter", 2, "eth_getLogs", "[null]", [{}]],
    ["logs of a block by its hash", 1, "eth_getLogs", '[{"blockHash":"0x01"}]', [{}]],
    ["an empty list of logs of a block by its hash", 2, "eth_getLogs", '[{"blockHash":"0x01"}]', []],
    [
      "code at a block that must be canonical",
      2,
      "eth_getCode",
      '["0x01",{"blockHash":"0x02","requireCanonical":true}]',
      "0x60"
    ],
    [
      "code at a block that need not be canonical",
      1,
      "eth_getCode",
      '["0x01",{"blockHash":"0x02","requireCanonical":false}]',
      "0x60"
    ]
  ] as const)
    it(`${times === 1 ? "has" : "does not have"} ${what} a day later`, function* () {
      const [method, params, result] = question
      assert.strictEqual(yield* callCount(method, params, result), times)
    })

  test(
    "drops data of the newest block if a newer block is seen or a transaction is sent",
    () => {
      let block = 100
      return simulatedClient(
        node(({ method }) =>
          method === "eth_getTransactionReceipt"
            ? { blockNumber: hex(++block) }
            : method === "eth_blockNumber"
              ? hex(block)
              : "0x1"
        )
      )
    },
    function* ({ requests }) {
      const rpc = yield* nodes([firstUrl])
      const balance = replyText(rpc, "eth_getBalance", '["0x01","latest"]')
      yield* replyText(rpc, "eth_blockNumber")
      yield* balance
      yield* balance
      assert.lengthOf(requests, 2)
      yield* replyText(rpc, "eth_getTransactionReceipt", '["0x02"]')
      yield* balance
      assert.lengthOf(requests, 4)
      yield* replyText(rpc, "eth_sendRawTransaction", '["0x03"]')
      yield* balance
      assert.lengthOf(requests, 6)
    }
  )

  test(
    "contains no data of the pending block",
    () => simulatedClient(node(() => "0x1")),
    function* ({ requests }) {
      const rpc = yield* nodes([firstUrl])
      yield* replyText(rpc, "eth_getTransactionCount", '["0x01","pending"]')
      yield* replyText(rpc, "eth_getTransactionCount", '["0x01","pending"]')
      assert.lengthOf(requests, 2)
    }
  )
})

describe("eth_sendRawTransaction", () => {
  for (const message of [
    "already known",
    "known transaction: ab",
    "Known transaction",
    "AlreadyKnown",
    "ALREADY_EXISTS: already known",
    "INTERNAL_ERROR: existing tx with same hash",
    "transaction already imported",
    "Transaction with the same hash was already imported."
  ])
    test(
      `returns the hash if the node already has the transaction: ${message}`,
      () =>
        simulatedClient((request) =>
          text(`{"jsonrpc":"2.0","id":${sent(request)[0]?.id},"error":{"code":-32000,"message":"${message}"}}`)
        ),
      function* () {
        const rpc = yield* nodes()
        assert.strictEqual(yield* replyText(rpc, "eth_sendRawTransaction", '["0x02f8"]'), `"${keccak256("0x02f8")}"`)
        // An invalid transaction has no hash.
        assert.include(yield* replyText(rpc, "eth_sendRawTransaction", '["0x02f"]'), message)
      }
    )

  /** A node that returns this error for every transaction. */
  const saying = (message: string) => () =>
    simulatedClient((request) =>
      text(`{"jsonrpc":"2.0","id":${sent(request)[0]?.id},"error":{"code":-32000,"message":"${message}"}}`)
    )

  for (const message of ["unknown transaction type", "replacement transaction underpriced", "nonce too low"])
    test(`returns the error if the node rejects the transaction: ${message}`, saying(message), function* () {
      assert.include(yield* replyText(yield* nodes(), "eth_sendRawTransaction", '["0x02f8"]'), message)
    })

  test("returns the hash of a transaction with blobs without the blobs", saying("already known"), function* () {
    const body = ["0x01", "0x", ["0xab"]] as const
    const blobs = ["0x0102"] as const
    const raw = concatHex(["0x03", toRlp([body, blobs, blobs, blobs])])
    const rpc = yield* nodes()
    assert.strictEqual(
      yield* replyText(rpc, "eth_sendRawTransaction", `["${raw}"]`),
      `"${keccak256(concatHex(["0x03", toRlp(body)]))}"`
    )
    const bare = concatHex(["0x03", toRlp(body)])
    assert.strictEqual(yield* replyText(rpc, "eth_sendRawTransaction", `["${bare}"]`), `"${keccak256(bare)}"`)
    // An unreadable transaction has no hash.
    assert.include(yield* replyText(rpc, "eth_sendRawTransaction", '["0x03f8"]'), "already known")
  })

  test("returns the hash for eth_sendRawTransactionConditional, too", saying("already known"), function* () {
    assert.strictEqual(
      yield* replyText(yield* nodes(), "eth_sendRawTransactionConditional", '["0x02f8",{}]'),
      `"${keccak256("0x02f8")}"`
    )
  })
})

describe("filters", () => {
  test(
    "stay on the node that created them",
    () => {
      const named = (name: string) => node(({ method }) => (method === "eth_newFilter" ? name : [name]))
      let calls = 0
      return simulatedClient(
        byHost({
          "one.example": (request) => (calls++ === 0 ? text("busy", { status: 429 }) : named("0xa")(request)),
          "two.example": named("0xb")
        })
      )
    },
    function* ({ requests }) {
      const rpc = yield* nodes()
      assert.strictEqual(yield* replyText(rpc, "eth_newFilter", "[{}]"), '"0xb"')
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* replyText(rpc, "eth_newFilter", "[{}]"), '"0xa"')
      assert.strictEqual(yield* replyText(rpc, "eth_getFilterChanges", '["0xb"]'), '["0xb"]')
      assert.strictEqual(yield* replyText(rpc, "eth_getFilterLogs", '[ "0xa" ]'), '["0xa"]')
      assert.strictEqual(yield* replyText(rpc, "eth_uninstallFilter", '["0xb"]'), '["0xb"]')
      assert.deepStrictEqual(hosts(requests), ["one", "two", "one", "two", "one", "two"])
    }
  )
})

describe("the highest block of a chain", () => {
  it("determines which blocks are final", () => {
    const head = Head.headOf(facts)
    assert.isFalse(head.isFinal(0n))
    assert.isTrue(head.record(100n, 0))
    assert.isFalse(head.record(100n, 0))
    assert.isFalse(head.record(99n, 0))
    assert.isTrue(head.isFinal(95n))
    assert.isFalse(head.isFinal(96n))
  })

  it("falls only to a newest block that a node reports, after ten minutes of lower blocks", () => {
    const head = Head.headOf(facts)
    head.record(24_000_000n, 0)
    assert.isTrue(head.isBelow(23_999_990n, 1_000))
    const later = 1_000 + 10 * 60_000
    assert.isFalse(head.record(5n, later))
    assert.strictEqual(head.highest(), 24_000_000n)
    assert.isTrue(head.record(23_999_995n, later, true))
    assert.strictEqual(head.highest(), 23_999_995n)
  })

  it("is not lowered by the receipt of an old transaction", () => {
    const policy = EvmMethodPolicy.make(facts)
    const number = { method: "eth_blockNumber", params: "[]" }
    const advances = (method: string, result: string, now: number) =>
      policy.advances?.({ ...number, method } as never, result, now)
    assert.isTrue(advances("eth_blockNumber", '"0x16e3600"', 0))
    const rule = policy.rule(number as never)
    const implausible = (result: string, now: number) =>
      rule.kind === "read" ? rule.isImplausible?.(result, now) : "no read"
    assert.strictEqual(implausible('"0x16e35ff"', 1_000), "is behind the network")
    const later = 1_000 + 10 * 60_000
    assert.isFalse(advances("eth_getTransactionReceipt", '{"blockNumber":"0x5"}', later))
    assert.isUndefined(implausible('"0x16e3601"', later))
  })

  it("may rise only as far as the elapsed time allows", () => {
    const head = Head.headOf(facts)
    assert.isTrue(head.isPlausible(1_000_000n, 0))
    head.record(100n, 0)
    assert.isTrue(head.isPlausible(1_100n, 0))
    assert.isFalse(head.isPlausible(1_101n, 0))
    assert.isTrue(head.isPlausible(1_101n, 2_000))
    assert.isTrue(head.isPlausible(120_000n, 24 * 3_600_000))
  })
})
