import * as Arr from "effect/Array"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { Address } from "viem"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { multicall3Address } from "../../../src/chains/evm/multicall.ts"
import { packAddresses } from "../../../src/chains/evm/scanner/Codec.ts"
import type { BalanceReading } from "../../../src/chains/evm/strategies/BalanceStrategy.ts"
import * as Balances from "../../../src/chains/evm/strategies/Balances.ts"
import { aggregate } from "../../../src/chains/evm/strategies/Balances.ts"
import type { Reason } from "../../../src/domain/Reason.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number): Address => `0x${index.toString(16).padStart(40, "0")}`

const [alice, bob] = [address(1), address(2)]
const tokens = Array.from({ length: 700 }, (_, index) => address(1_000 + index))
const [first, broken, last] = [address(1_000), address(1_001), address(1_699)]

const ledger: EvmNodes.Ledger = {
  chainId: 1,
  native: { [alice]: 7n },
  tokens: {
    ...Object.fromEntries(tokens.map((token) => [token, { decimals: 18, held: {} }])),
    [first]: { decimals: 18, held: { [alice]: 5n } },
    [broken]: "broken",
    [last]: { decimals: 18, held: { [alice]: 1n, [bob]: 2n ** 128n } }
  }
}

const truth: ReadonlyArray<BalanceReading> = [
  {
    native: 7n,
    balances: new Map([
      [first, 5n],
      [last, 1n]
    ]),
    unread: new Set([broken])
  },
  { native: 0n, balances: new Map([[last, 2n ** 128n]]), unread: new Set([broken]) }
]

/** A node of the chain, except for calls to which `reply` returns a reply. */
const nodeWith = (reply: (call: EvmNodes.RpcCall) => EvmNodes.Reply | undefined, of = ledger) => {
  const honest = EvmNodes.chain(of)
  return EvmNodes.rpcNode((call, now) => reply(call) ?? honest(call, now))
}
const honest = nodeWith(() => undefined)
const refusing = (...kinds: ReadonlyArray<string>) =>
  nodeWith((call) => (kinds.includes(EvmNodes.callKindOf(call)) ? EvmNodes.error("cannot do that") : undefined))

/** Reads over nodes that a test can replace between reads. */
const reading = (...nodes: ReadonlyArray<EvmNodes.SimulatedHost>) => readingOf(ethereum, ...nodes)

const readingOf = Effect.fnUntraced(function* (facts: EvmFacts, ...nodes: ReadonlyArray<EvmNodes.SimulatedHost>) {
  const now = [...nodes]
  const hosts = nodes.map((_, index) => `${index}.test`)
  const { layer, seen } = EvmNodes.clientOver(
    Object.fromEntries(
      hosts.map((host, index) => [
        host,
        (...requested) => Effect.suspend(() => (now[index] ?? EvmNodes.down)(...requested))
      ])
    )
  )
  const upstream = yield* Upstream.make({
    name: "nodes",
    urls: hosts.map((host) => `http://${host}`),
    canary: () => Effect.void
  }).pipe(Effect.provide(Layer.mergeAll(layer, Upstreams.layer, Settings.layer({}))))
  const read = Balances.make(facts, upstream)
  const readOf = (tokens: ReadonlyArray<Address>) =>
    Effect.suspend(() => {
      const packed = [{ tokens, hex: packAddresses(tokens) }]
      const readings = read({ chainId: 1, holders: [alice, bob], tokens, packed })
      return settled(
        Effect.map(readings, ({ holders }) => holders),
        "500 millis"
      )
    })
  return {
    now,
    seen,
    /** Hosts called since the previous use of this function, in order, without adjacent duplicates. */
    hosts: () => Arr.dedupeAdjacent(seen.splice(0).map(({ host }) => host)),
    /** Kinds of calls since the previous use of this function, in order, without adjacent duplicates. */
    kinds: () => Arr.dedupeAdjacent(seen.splice(0).flatMap(({ methods }) => methods)),
    balances: readOf(tokens),
    /** Balances of three of the tokens. */
    few: readOf([first, broken, last])
  }
})

const second = 1_000
const day = 24 * 3_600

describe("reading balances from a node", () => {
  it("takes one call if the node runs the scanner", function* () {
    const { balances, kinds } = yield* reading(honest)
    assert.deepStrictEqual(yield* balances, truth)
    assert.deepStrictEqual(kinds(), ["scan"])
  })

  const refusals: Readonly<Record<string, EvmNodes.Reply>> = {
    "an error": EvmNodes.error("invalid argument"),
    "a revert": EvmNodes.error("execution reverted", 3),
    "an out-of-gas error": EvmNodes.error("out of gas"),
    "a code size error": EvmNodes.error("max initcode size exceeded"),
    "an empty result": EvmNodes.result("0x"),
    "the code of another contract": EvmNodes.result("0x6080604052"),
    "a truncated result": EvmNodes.result(`0x02${"00".repeat(20)}`),
    "a result of another version": EvmNodes.result(`0x01${"00".repeat(22)}`),
    "a text that is not hexadecimal": EvmNodes.result("balance"),
    "a result without progress": EvmNodes.result(`0x02${"1".padStart(16, "0")}${"1".padStart(16, "0")}000000000017`),
    "an object instead of a text": EvmNodes.result({ balance: 7 }),
    null: EvmNodes.result(null)
  }
  for (const [title, reply] of Object.entries(refusals))
    it(`falls back to Multicall3 if the scanner returns ${title}`, function* () {
      const { balances, kinds } = yield* reading(
        nodeWith((call) => (EvmNodes.callKindOf(call) === "scan" ? reply : undefined))
      )
      assert.deepStrictEqual(yield* balances, truth)
      assert.deepStrictEqual(kinds(), ["scan", "aggregate", "eth_chainId", "eth_getBlockByNumber", "eth_call"])
    })

  const withoutContracts = (reply: EvmNodes.Reply, more: ReadonlyArray<string> = []) =>
    nodeWith((call) => (["scan", "aggregate", ...more].includes(EvmNodes.callKindOf(call)) ? reply : undefined))
  for (const [title, reply] of Object.entries({ "no code": EvmNodes.result("0x"), ...refusals })) {
    it(`reads balances one by one, and not all tokens, if Multicall3 also returns ${title}`, function* () {
      const { balances, few, kinds } = yield* reading(withoutContracts(reply))
      const part = { balances: new Map([[first, 5n]]), unread: new Set([broken, ...tokens.slice(150)]) }
      assert.deepStrictEqual(yield* balances, [
        { native: 7n, ...part },
        { native: 0n, ...part, balances: new Map() }
      ])
      const block = ["eth_chainId", "eth_getBlockByNumber"]
      assert.deepStrictEqual(kinds(), ["scan", "aggregate", ...block, "eth_getBalance", ...block, "eth_call"])
      assert.deepStrictEqual(yield* few, truth)
    })
  }

  it("fails with the reason bad_answer if a node has neither Multicall3 nor native balances", function* () {
    const { balances } = yield* reading(withoutContracts(EvmNodes.result("0x"), ["eth_getBalance"]))
    assert.deepInclude(yield* Effect.flip(balances), {
      reason: "bad_answer",
      message: "nodes: the node returned no balances"
    })
  })

  it("reads balances one by one only if no node has Multicall3", function* () {
    const refused = EvmNodes.error("cannot do that")
    const { balances, hosts, now } = yield* reading(withoutContracts(refused), honest)
    assert.deepStrictEqual(yield* balances, truth)
    now[1] = EvmNodes.down
    hosts()
    assert.deepStrictEqual(
      (yield* balances).map(({ native }) => native),
      [7n, 0n]
    )
    now[0] = withoutContracts(refused, ["eth_getBalance"])
    assert.strictEqual((yield* Effect.flip(balances)).reason, "upstream_error")
  })

  it("rejects balances that were read one by one from a node of another chain, or a stalled one", function* () {
    const of = (change: Partial<EvmNodes.Ledger>) =>
      nodeWith(
        (call) => (["scan", "aggregate"].includes(EvmNodes.callKindOf(call)) ? EvmNodes.error("no") : undefined),
        { ...ledger, ...change }
      )
    yield* TestClock.setTime(day * second)
    const { balances, now } = yield* reading(of({ chainId: 5 }))
    assert.match((yield* Effect.flip(balances)).message, /on another chain/)
    now[0] = of({ timestamp: 0 })
    assert.match((yield* Effect.flip(balances)).message, /behind the network/)
  })

  it("uses the network's own address of Multicall3", function* () {
    const multicall = address(0xca11)
    const sent: Array<unknown> = []
    const { balances, kinds } = yield* readingOf(
      { ...ethereum, multicall },
      nodeWith((call) => {
        if (EvmNodes.callKindOf(call) === "scan") return EvmNodes.error("no")
        const [{ to, data } = {}] = call.params as ReadonlyArray<{ readonly to?: string; readonly data?: string }>
        if (to !== multicall) return undefined
        sent.push(data?.includes(multicall.slice(2)))
        const own = JSON.stringify(call.params).replaceAll(multicall.slice(2), multicall3Address.slice(2))
        return EvmNodes.chain(ledger)({ ...call, params: JSON.parse(own) })
      })
    )
    assert.deepStrictEqual(yield* balances, truth)
    assert.isFalse(kinds().includes("aggregate"))
    assert.strictEqual(sent[0], true)
  })

  it("halves an aggregate that fails as a whole until the token that breaks it is isolated", function* () {
    const spoils = (call: EvmNodes.RpcCall) =>
      EvmNodes.callKindOf(call) === "aggregate" && JSON.stringify(call.params).includes(last.slice(2))
    const { balances, seen } = yield* reading(
      nodeWith((call) =>
        EvmNodes.callKindOf(call) === "scan" || spoils(call) ? EvmNodes.error("out of gas", -32603) : undefined
      )
    )
    assert.deepStrictEqual(yield* balances, truth)
    assert.isBelow(seen.flatMap(({ methods }) => methods).filter((kind) => kind === "aggregate").length, 40)
  })

  it("does not repeat a refused call on the same node for an hour", function* () {
    const { balances, kinds, now } = yield* reading(refusing("scan"))
    yield* balances
    kinds()
    yield* balances
    assert.deepStrictEqual(kinds(), ["aggregate", "eth_chainId", "eth_getBlockByNumber", "eth_call"])
    yield* TestClock.adjust("59 minutes")
    yield* balances
    assert.deepStrictEqual(kinds()[0], "aggregate")
    now[0] = honest
    yield* TestClock.adjust("1 minutes")
    assert.deepStrictEqual(yield* balances, truth)
    assert.deepStrictEqual(kinds(), ["scan"])
  })

  it("remembers a refusal only for the node that refused", function* () {
    const { balances, now, seen } = yield* reading(refusing("scan"), honest)
    yield* balances
    now[0] = EvmNodes.down
    seen.length = 0
    assert.deepStrictEqual(yield* balances, truth)
    assert.deepInclude(seen.at(-1), { host: "1.test", methods: ["scan"] })
  })

  it("sends single calls if the node accepts no batches", function* () {
    const alone = refusing("scan")
    const many = { code: -32600, message: "batches are not supported" }
    const refusals: ReadonlyArray<EvmNodes.SimulatedHost> = [
      EvmNodes.always(JSON.stringify({ jsonrpc: "2.0", id: null, error: many })),
      EvmNodes.always(JSON.stringify({ jsonrpc: "2.0", id: null, error: many }), { status: 400 }),
      EvmNodes.always(JSON.stringify({ error: many.message, jsonrpc: "2.0", id: null }), { status: 500 }),
      EvmNodes.always(JSON.stringify({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "batch too large" } })),
      EvmNodes.always(JSON.stringify([{ jsonrpc: "2.0", id: null, error: many }])),
      EvmNodes.always(JSON.stringify({ jsonrpc: "2.0", id: 1, result: "0x1" })),
      EvmNodes.always("[]"),
      EvmNodes.always("batches are not supported", { status: 400 }),
      EvmNodes.always("<html>too large</html>", { status: 413 }),
      EvmNodes.always("")
    ]
    for (const refusal of refusals) {
      const { few, seen } = yield* reading((body, requested) =>
        Array.isArray(body) ? refusal(body, requested) : alone(body, requested)
      )
      assert.deepStrictEqual(yield* few, truth)
      // The chain id, the newest block, and the token that Multicall3 did not read.
      assert.includeMembers(
        seen.filter(({ batch }) => !batch).flatMap(({ methods }) => methods),
        ["eth_chainId", "eth_getBlockByNumber", "eth_call"]
      )
    }
  })

  it("repeats calls that a batch response omits, each as a single call", function* () {
    const alone = refusing("scan")
    const { balances } = yield* reading((body, requested) =>
      alone(Array.isArray(body) ? body.filter((_, index) => index % 2 !== 1) : body, requested)
    )
    assert.deepStrictEqual(yield* balances, truth)
  })
})

describe("reading balances from several nodes", () => {
  const useless: Readonly<Record<string, readonly [EvmNodes.SimulatedHost, Reason]>> = {
    ...faultyHosts,
    "returns an empty object": [EvmNodes.always("{}"), "bad_answer"],
    "returns HTTP 429 with Retry-After": [
      EvmNodes.always("", { status: 429, headers: { "retry-after": "60" } }),
      "rate_limited"
    ],
    "returns HTTP 403": [EvmNodes.always("pay first", { status: 403 }), "upstream_error"],
    "has no state": [EvmNodes.rpcNode(() => EvmNodes.error("missing trie node")), "upstream_error"],
    "returns a rate limit in JSON-RPC": [
      EvmNodes.rpcNode(() => EvmNodes.error("limit exceeded", -32005)),
      "rate_limited"
    ],
    "refuses every call": [EvmNodes.rpcNode(() => EvmNodes.error("no", -32601)), "bad_answer"],
    "is on another chain": [
      nodeWith(() => undefined, { ...ledger, chainId: 10, native: { [alice]: 1n } }),
      "bad_answer"
    ],
    "is on another chain and refuses the scanner": [
      nodeWith((call) => (EvmNodes.callKindOf(call) === "scan" ? EvmNodes.error("no") : undefined), {
        ...ledger,
        chainId: 10
      }),
      "bad_answer"
    ],
    "returns more coins than the supply": [
      nodeWith(() => undefined, { ...ledger, native: { [alice]: 2n ** 128n + 1n, [bob]: 2n ** 130n } }),
      "bad_answer"
    ],
    "does not return its chain id": [
      nodeWith((call) =>
        /scan|aggregate|eth_chainId/.test(EvmNodes.callKindOf(call)) ? EvmNodes.error("no") : undefined
      ),
      "bad_answer"
    ]
  }

  for (const [title, [node, reason]] of Object.entries(useless)) {
    it(`uses the second node if the first ${title}`, function* () {
      const { balances, hosts } = yield* reading(node, honest)
      assert.deepStrictEqual(yield* balances, truth)
      assert.deepStrictEqual(hosts(), ["0.test", "1.test"])
    })

    it(`fails with ${reason} if the only node ${title}`, function* () {
      const { balances } = yield* reading(node)
      const error = yield* Effect.flip(balances)
      assert.deepStrictEqual([error._tag, error.upstream, error.reason], ["UpstreamError", "nodes", reason])
    })
  }

  for (const refused of ["", "scan"])
    it(`leaves the other addresses ${refused && "in Multicall3 "}if one has more coins than the supply at every node`, function* () {
      const odd = nodeWith((call) => (EvmNodes.callKindOf(call) === refused ? EvmNodes.error("no") : undefined), {
        ...ledger,
        native: { [alice]: 2n ** 128n + 1n, [bob]: 3n }
      })
      const { balances, hosts, now } = yield* reading(odd, odd)
      const [ofAlice, ofBob] = truth
      const part = [
        { ...ofAlice, native: undefined },
        { ...ofBob, native: 3n }
      ]
      assert.deepStrictEqual(yield* balances, part as unknown)
      assert.deepStrictEqual(hosts(), ["0.test", "1.test"])
      now[1] = honest
      assert.deepStrictEqual(yield* balances, truth)
    })

  it("leaves the other addresses if the coins of one cannot be read alone", function* () {
    const odd = nodeWith((call) =>
      ["scan", "aggregate"].includes(EvmNodes.callKindOf(call)) ||
      (EvmNodes.callKindOf(call) === "eth_getBalance" && JSON.stringify(call).includes(alice))
        ? EvmNodes.error("no")
        : undefined
    )
    const { balances } = yield* reading(odd)
    assert.deepStrictEqual(
      (yield* balances).map(({ native }) => native),
      [undefined, 0n]
    )
  })

  it("fails with `not_configured` if there is no node", function* () {
    const { balances } = yield* reading()
    assert.strictEqual((yield* Effect.flip(balances)).reason, "not_configured")
  })

  it("repeats the whole read on the next node if a node fails midway", function* () {
    const rich = { ...ledger, native: { [alice]: 99n, [bob]: 99n } }
    let calls = 0
    const failing = nodeWith((call) => {
      const kind = EvmNodes.callKindOf(call)
      if (kind === "scan") return EvmNodes.error("no")
      if (kind === "aggregate") calls++
      return kind === "aggregate" && calls > 3 ? EvmNodes.error("header not found") : undefined
    }, rich)
    const { balances } = yield* reading(failing, honest)
    assert.deepStrictEqual(yield* balances, truth)
    assert.isAbove(calls, 3)
  })

  for (const [title, refused] of Object.entries<ReadonlyArray<string>>({
    scan: [],
    "Multicall3 call": ["scan"]
  }))
    it(`rejects a ${title} from a stalled node, even if it is the only node`, function* () {
      const at = (timestamp: number) =>
        nodeWith(
          (call) => (refused.includes(EvmNodes.callKindOf(call)) ? EvmNodes.error("cannot do that") : undefined),
          {
            ...ledger,
            timestamp
          }
        )
      yield* TestClock.setTime(day * second)
      const { balances, now } = yield* reading(at(0))
      const error = yield* Effect.flip(balances)
      assert.deepStrictEqual([error.reason, error.message], ["bad_answer", "nodes: the node is behind the network"])
      now[0] = at(2 * day)
      assert.match((yield* Effect.flip(balances)).message, /a block from the future/)
      now[0] = at(day)
      assert.deepStrictEqual(yield* balances, truth)
    })

  for (const refused of ["", "scan"])
    it(`rejects balances that are from an old block, though the node returns a new one ${refused && "besides"}`, function* () {
      const stale = EvmNodes.chain({ ...ledger, timestamp: 0, native: { [alice]: 1n } })
      const mixed = nodeWith((call) => {
        const kind = EvmNodes.callKindOf(call)
        if (kind === refused) return EvmNodes.error("cannot do that")
        if (kind !== "scan" && kind !== "aggregate") return undefined
        return call.params[1] === "latest" ? stale(call) : EvmNodes.error("header not found")
      })
      yield* TestClock.setTime(day * second)
      const { balances, now } = yield* reading(mixed, honest)
      assert.deepStrictEqual(yield* balances, truth)
      now[1] = EvmNodes.down
      yield* Effect.flip(balances)
    })

  it("reads the state of a new block by its number if calls have another time, as at some development nodes", function* () {
    const blocks: Array<unknown> = []
    const odd = EvmNodes.chain({ ...ledger, timestamp: 1 })
    const node = nodeWith((call) => {
      if (EvmNodes.callKindOf(call) !== "scan") return undefined
      blocks.push(call.params[1])
      return odd(call)
    })
    yield* TestClock.setTime(day * second)
    const { balances } = yield* reading(node)
    assert.deepStrictEqual(yield* balances, truth)
    assert.deepStrictEqual(blocks, ["latest", "0x3e8"])
  })

  it("uses the second node if the first is stalled, regardless of earlier blocks from other nodes", function* () {
    const stale = nodeWith(() => undefined, { ...ledger, timestamp: 0, native: { [alice]: 1n } })
    const future = nodeWith(() => undefined, { ...ledger, timestamp: 2 ** 52, native: { [alice]: 1n } })
    yield* TestClock.setTime(day * second)
    const { balances, now } = yield* reading(stale, honest)
    assert.deepStrictEqual(yield* balances, truth)
    now[0] = future
    assert.deepStrictEqual(yield* balances, truth)
    now[0] = EvmNodes.down
    assert.deepStrictEqual(yield* balances, truth)
  })

  const fast = { ...ethereum, blockTime: 100 }
  const slow = { ...ethereum, blockTime: 60_000 }
  const { blockTime: _, proxy: __, ...unknown } = { blockTime: 0, ...ethereum }
  for (const [title, facts, tolerated] of [
    ["three minutes if blocks are fast", fast, 180],
    ["25 blocks if blocks are slow", slow, 1_500],
    ["an hour if the block time is not known", unknown, 3_600]
  ] as const)
    it(`accepts a block that differs from the clock by ${title}`, function* () {
      yield* TestClock.setTime(day * second)
      const at = (timestamp: number) => nodeWith(() => undefined, { ...ledger, timestamp })
      const { balances, now } = yield* readingOf(facts, at(day - tolerated))
      assert.deepStrictEqual(yield* balances, truth)
      now[0] = at(day + tolerated)
      assert.deepStrictEqual(yield* balances, truth)
      for (const timestamp of [day - tolerated - 60, day + tolerated + 60]) {
        now[0] = at(timestamp)
        assert.strictEqual((yield* Effect.flip(balances)).reason, "bad_answer")
      }
    })

  it("accepts the last block of a network that was shut down", function* () {
    yield* TestClock.setTime(day * second)
    const last = nodeWith(() => undefined, { ...ledger, timestamp: 0 })
    const { balances } = yield* readingOf({ ...ethereum, sunset: "1970-01-01" }, last)
    assert.deepStrictEqual(yield* balances, truth)
  })

  it("sends at most 32 of its calls at a time", function* () {
    const { layer } = EvmNodes.clientOver({ "0.test": honest })
    const upstream = yield* Upstream.make({
      name: "nodes",
      urls: ["http://0.test"],
      canary: () => Effect.void
    }).pipe(
      Effect.provide(
        Layer.mergeAll(
          layer,
          Upstreams.layer,
          Settings.layer({ UPSTREAM_CONCURRENCY: "1000", UPSTREAM_CONCURRENCY_MAX: "1000" })
        )
      )
    )
    // 33 aggregate calls: 9,900 holders, of which 300 are distinct.
    const holders = Array.from({ length: 9_900 }, (_, index) => address((index % 300) + 1))
    let [calls, written, most] = [0, 0, 0]
    const watched = (node: Upstream.Endpoint): Upstream.Endpoint => ({
      ...node,
      read: (request, interpret) => {
        calls++
        most = Math.max(most, ++written)
        return Effect.ensuring(
          node.read(request, interpret),
          Effect.sync(() => written--)
        )
      }
    })
    const question = { chainId: 1, holders, tokens: [], packed: [] }
    const read = upstream.over((node) => Effect.orDie(aggregate(watched(node), question)))
    const { holders: readings } = yield* settled(read, "500 millis")
    assert.strictEqual(readings.length, holders.length)
    assert.strictEqual(readings[0]?.native, 7n)
    assert.strictEqual(calls, 34)
    assert.strictEqual(most, 32)
  })

  it("cancels its requests if it is interrupted", function* () {
    const ended = yield* Deferred.make<void>()
    const entered = yield* Deferred.make<void>()
    const { balances } = yield* reading(() =>
      Deferred.succeed(entered, undefined).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
      )
    )
    const fiber = yield* Effect.fork(balances)
    yield* Deferred.await(entered)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    yield* Deferred.await(ended)
  })
})
