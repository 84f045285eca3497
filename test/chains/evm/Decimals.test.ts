import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { EvmFacts } from "../../../src/catalogue/evm/EvmFacts.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { Chain } from "../../../src/chains/Chain.ts"
import * as Evm from "../../../src/chains/evm/Evm.ts"
import { multicall3Address } from "../../../src/chains/evm/multicall.ts"
import { Explorers } from "../../../src/chains/evm/providers/connect.ts"
import * as Decimals from "../../../src/chains/evm/tokens/Decimals.ts"
import { withDecimals } from "../../../src/chains/kit/holdings/tokenList.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import type { HistoryQuery } from "../../../src/domain/Transaction.ts"
import { type RegisteredToken, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { atEachOperation } from "../../support/interruptions.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = (index: number) => `0x${index.toString(16).padStart(40, "0")}`
const alice = address(1)

const token = (index: number, decimals: number): RegisteredToken => ({
  address: address(0xa000 + index),
  coinId: CoinId.make(`coin-${index}`),
  name: "",
  symbol: "",
  decimals,
  thumbnail: ""
})

/** A chain on which these tokens have six decimals. Alice holds 1,000,000 base units of each of the first 500. */
const chain = (tokens: ReadonlyArray<RegisteredToken>, more: EvmNodes.Ledger["tokens"] = {}): EvmNodes.Ledger => ({
  chainId: 1,
  tokens: {
    ...Object.fromEntries(
      tokens.map((registered, index) => [
        registered.address,
        { decimals: 6, held: index < 500 ? { [alice]: 1_000_000n } : {} }
      ])
    ),
    ...more
  }
})

/** A network with these tokens on its list and one node. It lives until the test ends. */
const network = Effect.fnUntraced(function* (
  tokens: ReadonlyArray<RegisteredToken>,
  node: EvmNodes.SimulatedHost,
  facts: EvmFacts = ethereum
) {
  const { layer, seen } = EvmNodes.clientOver({ "one.test": node })
  const built = Layer.provideMerge(
    Evm.layer(facts).pipe(
      Layer.provide(Layer.fresh(Explorers.layer)),
      Layer.provide([
        layer,
        Layer.fresh(Upstreams.layer),
        Memory.layer(),
        Settings.layer({ ETHEREUM_RPC_URLS: "http://one.test", UPSTREAM_TIMEOUT_MS: "5000" })
      ])
    ),
    TokenRegistry.layerTest({ ethereum: tokens })
  )
  const made = yield* Layer.buildWithScope(built, yield* Effect.scope)
  const { holding, holdings } = Context.get(made, Chain)
  const read = Effect.map(settled(holdings([alice])), ({ addresses: [first] }) =>
    Either.getOrThrow(first ?? Either.right([])).flatMap(({ asset }) => (asset === "native" ? [] : [asset.decimals]))
  )
  const amounts = Effect.map(settled(holdings([alice])), ({ addresses: [first] }) =>
    Either.getOrThrow(first ?? Either.right([])).flatMap(({ amount, asset }) =>
      asset === "native" ? [] : [Either.getOrElse(amount, ({ message }) => message)]
    )
  )
  const calls = () => seen.filter(({ methods }) => methods.includes("aggregate")).length
  const singles = () => seen.flatMap(({ methods }) => methods).filter((method) => method === "eth_call").length
  return { holding, read, amounts, calls, singles, lists: Context.get(made, TokenRegistry).lists }
})

const node = (ledger: EvmNodes.Ledger) => EvmNodes.rpcNode(EvmNodes.chain(ledger))

/** A node that replies to Multicall3 calls with `reply`, unless that is undefined. */
const aggregating = (ledger: EvmNodes.Ledger, reply: (data: string) => EvmNodes.Reply | undefined) =>
  EvmNodes.rpcNode((call) => {
    const own = EvmNodes.callKindOf(call) === "aggregate" ? reply(JSON.stringify(call.params)) : undefined
    return own ?? EvmNodes.chain(ledger)(call)
  })

const many = (count: number, decimals = 0) => Array.from({ length: count }, (_, index) => token(index, decimals))

describe("the decimals of listed tokens", () => {
  it("are read before a history with listed tokens returns, which waits for them only briefly", function* () {
    const tokens = [token(1, 0), token(2, 0)]
    const { lists } = yield* network(tokens, node(chain(tokens)))
    const confirmed: Array<string> = []
    const moved = (...contracts: ReadonlyArray<number>) =>
      contracts.map((index) => ({ address: alice, amount: 1n, token: address(0xa000 + index) }))
    const part = {
      transactions: [
        { from: moved(1), to: moved(1, 7) },
        { from: [{ address: alice, amount: 1n }], to: [] }
      ],
      more: false,
      sources: [],
      gaps: []
    }
    const history = withDecimals(
      (_: HistoryQuery) => Effect.succeed(part as never),
      Effect.map(lists, (all) => Option.fromNullable(all.get("ethereum"))),
      (addresses) => Effect.sync(() => void confirmed.push(...addresses))
    )
    assert.deepStrictEqual(yield* history({ address: alice, limit: 5 }), part as never)
    assert.deepStrictEqual(confirmed, [address(0xa001)])
    const late = withDecimals(
      (_: HistoryQuery) => Effect.succeed(part as never),
      Effect.never,
      () => Effect.never
    )
    const waiting = yield* Effect.fork(late({ address: alice, limit: 5 }))
    yield* TestClock.adjust(250)
    assert.deepStrictEqual(yield* waiting, part as never)
  })

  it("are read to the end for a history that does not wait for them, in one call for all histories", function* () {
    let reads = 0
    const { confirm } = yield* Decimals.make(
      (tokens) =>
        Effect.as(
          Effect.delay(
            Effect.sync(() => void reads++),
            400
          ),
          {
            decimals: new Map([[String(tokens[0]), 6]]),
            requested: tokens
          }
        ),
      () => Effect.void
    )
    const contract = "0xa001"
    const part = { transactions: [{ from: [{ token: contract }], to: [] }] }
    const history = withDecimals(
      (_: HistoryQuery) => Effect.succeed(part as never),
      Effect.succeedSome({ byAddress: new Map([[contract, {}]]), decimalsOf: () => undefined } as never),
      confirm
    )
    for (const after of [250, 250]) {
      const waiting = yield* Effect.fork(history({ address: alice, limit: 5 }))
      yield* TestClock.adjust(after)
      assert.deepStrictEqual(yield* waiting, part as never)
    }
    assert.strictEqual(reads, 1)
    assert.deepStrictEqual((yield* confirm([contract]))(contract), Either.right(6))
  })

  it("are those that the contracts declare, starting with the first request", function* () {
    const tokens = [token(1, 0), token(2, 6), token(3, 18)]
    const { calls, lists, read } = yield* network(tokens, node(chain(tokens)))
    assert.deepStrictEqual(yield* read, [6, 6, 6])
    assert.deepStrictEqual(yield* read, [6, 6, 6])
    assert.deepStrictEqual((yield* lists).get("ethereum")?.byAddress.get(address(0xa001))?.decimals, 6)
    // One call for the list, which the reading of the tokens that the first address holds joins.
    assert.strictEqual(calls(), 1)
  })

  it("are read together with the balance of a single token", function* () {
    const tokens = [token(1, 0), token(2, 9)]
    const { holding } = yield* network(
      tokens,
      node(chain(tokens, { [address(0xa002)]: { decimals: 256, held: { [alice]: 5n } } }))
    )
    const read = (index: number) =>
      Effect.map(settled(holding(alice, Option.some(address(0xa000 + index)))), ({ asset }) =>
        asset === "native" ? undefined : asset.decimals
      )
    assert.deepStrictEqual([yield* read(1), yield* read(2)], [6, 9])
  })

  it("stay unchanged if a contract declares no decimals or more than 255", function* () {
    const tokens = [token(1, 9), token(2, 9), token(3, 9)]
    const ledger = chain(tokens, {
      [address(0xa002)]: "broken",
      [address(0xa003)]: { decimals: 256, held: { [alice]: 5n } }
    })
    const { calls, read } = yield* network(tokens, node(ledger))
    yield* read
    assert.deepStrictEqual(yield* read, [6, 9, 9])
    const before = calls()
    yield* TestClock.adjust("2 hours")
    yield* read
    assert.strictEqual(calls(), before)
  })

  it("are read by the next request if a request is interrupted at any operation", function* () {
    const tokens = [token(1, 0)]
    const reader = () => Effect.succeed({ decimals: new Map(), requested: [] })
    const settle = Effect.repeatN(Effect.yieldNow(), 50)
    const prepared = Effect.gen(function* () {
      let reads = 0
      const { check } = yield* Decimals.make(reader, () => Effect.sync(() => void reads++))
      const after = (operation: number) =>
        settle.pipe(
          Effect.zipRight(check(tokens)),
          Effect.zipRight(settle),
          Effect.map(() => assert.strictEqual(reads, 1, `operation ${operation}`))
        )
      return [check(tokens), after] as const
    })
    assert.isAbove(yield* atEachOperation(prepared), 5)
  })

  it("are read part by part, up to a part with a token that is not read", function* () {
    const tokens = many(1_600)
    const last = tokens[700]?.address ?? ""
    const parts: Array<number> = []
    const reader = (part: ReadonlyArray<string>) =>
      Effect.sync(() => {
        parts.push(part.length)
        return { decimals: new Map(), requested: part.filter((each) => each !== last) }
      })
    const { check } = yield* Decimals.make(reader, () => Effect.void)
    const checked = Effect.zipRight(check(tokens), Effect.repeatN(Effect.yieldNow(), 50))
    yield* checked
    assert.deepStrictEqual(parts, [500, 500])
    yield* TestClock.adjust("9 minutes")
    yield* checked
    assert.deepStrictEqual(parts, [500, 500])
    yield* TestClock.adjust("1 minutes")
    yield* checked
    assert.deepStrictEqual(parts, [500, 500, 500])
  })

  it("take four calls for 2,000 held tokens, and are read only once", function* () {
    const tokens = many(2_000)
    const { calls, read } = yield* network(tokens, node(chain(tokens)))
    assert.isTrue((yield* read).every((decimals) => decimals === 6))
    yield* read
    assert.strictEqual(calls(), 4)
  })

  it("replace only the balance of their token with an error if they are not read in time", function* () {
    const tokens = [token(1, 0)]
    const ledger = chain(tokens)
    let down = true
    const { amounts, calls, read } = yield* network(tokens, (body, request) =>
      down && request.text.includes("82ad56cb") ? Effect.never : node(ledger)(body, request)
    )
    assert.deepStrictEqual(yield* amounts, ["the decimals of the token were not read in time"])
    yield* TestClock.adjust("1 minute")
    down = false
    assert.deepStrictEqual([yield* amounts, yield* read] as unknown, [[1_000_000n], [6]])
    const before = calls()
    yield* TestClock.adjust("10 minutes")
    yield* read
    assert.strictEqual(calls(), before)
  })

  it("are read for the neighbours of a token that uses up all the gas of a call, in few calls", function* () {
    const tokens = many(400)
    const greedy = (tokens[7]?.address ?? "").slice(2)
    const burning = aggregating(chain(tokens), (data) =>
      data.includes(greedy) ? EvmNodes.error("out of gas") : undefined
    )
    const { calls, read, singles } = yield* network(tokens, burning)
    yield* read
    const corrected = (yield* read).filter((decimals) => decimals === 6).length
    assert.isAtLeast(corrected, 395)
    assert.isAtMost(calls(), 40)
    assert.isAtMost(singles(), 10)
  })

  it("are read alone for a token that lacked the gas of a call, and for a single token", function* () {
    const tokens = [token(1, 18), token(2, 18)]
    const broken = Object.fromEntries(tokens.map((registered) => [registered.address, "broken" as const]))
    const { amounts, holding, read } = yield* network(
      tokens,
      EvmNodes.rpcNode((call) =>
        EvmNodes.chain(EvmNodes.callKindOf(call) === "aggregate" ? chain(tokens, broken) : chain(tokens))(call)
      )
    )
    assert.deepStrictEqual([yield* amounts, yield* read] as unknown, [
      [1_000_000n, 1_000_000n],
      [6, 6]
    ])
    assert.deepInclude((yield* settled(holding(alice, Option.some(address(0xa001))))).asset as object, { decimals: 6 })
  })

  it("are unknown, not undeclared, if a node fails to call the token", function* () {
    const tokens = [token(1, 18)]
    const busy = EvmNodes.rpcNode((call) =>
      JSON.stringify(call.params).includes("313ce567")
        ? EvmNodes.error("too much load", -32050)
        : EvmNodes.chain(chain(tokens))(call)
    )
    const { amounts, holding } = yield* network(tokens, busy)
    assert.deepStrictEqual(yield* amounts, ["the decimals of the token are not confirmed"])
    assert.strictEqual(Either.isLeft(yield* settled(Effect.either(holding(alice, Option.some(address(0xa001)))))), true)
  })

  for (const [name, reply] of [
    ["has no Multicall3", EvmNodes.result("0x")],
    ["refuses the call", EvmNodes.error("no")]
  ] as const)
    it(`are read token by token if the node ${name}`, function* () {
      const tokens = [token(1, 0)]
      const { amounts, read } = yield* network(
        tokens,
        aggregating(chain(tokens), () => reply)
      )
      assert.deepStrictEqual([yield* read, yield* amounts] as unknown, [[6], [1_000_000n]])
    })

  it("are read at the network's own address of Multicall3", function* () {
    const multicall = "0x000000000000000000000000000000000000ca11"
    const tokens = many(300)
    const targets: Array<string> = []
    const { calls, read } = yield* network(
      tokens,
      EvmNodes.rpcNode((call) => {
        const [{ to } = {}] = call.params as ReadonlyArray<{ readonly to?: string }>
        if (call.method !== "eth_call" || to !== multicall) return EvmNodes.chain(chain(tokens))(call)
        targets.push(to)
        return EvmNodes.chain(chain(tokens))({
          ...call,
          params: [{ ...Object(call.params[0]), to: multicall3Address }]
        })
      }),
      { ...ethereum, multicall }
    )
    assert.deepStrictEqual(new Set(yield* read), new Set([6]))
    assert.deepStrictEqual([new Set(targets), calls()] as unknown, [new Set([multicall]), 0])
  })

  it("are not read from a node that is behind the network", function* () {
    yield* TestClock.setTime(86_400_000)
    const tokens = [token(1, 0)]
    const stale = { ...chain(tokens), timestamp: 0, tokens: {} }
    const current = chain(tokens)
    const isBehind = (call: EvmNodes.RpcCall) => JSON.stringify(call.params).includes("313ce567") || isAsked
    let isAsked = false
    // Its decimals come from another backend than its balances.
    const node = EvmNodes.rpcNode((call, now) => {
      if (call.method === "eth_chainId") isAsked = true
      const reply = EvmNodes.chain(isBehind(call) ? stale : current)(call, now)
      if (call.method === "eth_call") isAsked = false
      return reply
    })
    const { amounts } = yield* network(tokens, node)
    assert.deepStrictEqual(yield* amounts, ["ethereum-rpc: the node is behind the network"])
  })

  it("are not read from a node of another chain", function* () {
    const tokens = [token(1, 0)]
    const ledger = chain(tokens)
    const { amounts, read } = yield* network(
      tokens,
      EvmNodes.rpcNode((call) =>
        call.method === "eth_chainId" ? EvmNodes.result("0xa") : EvmNodes.chain(ledger)(call)
      )
    )
    assert.deepStrictEqual(yield* read, [0])
    assert.match(String(yield* amounts), /chain/)
  })
})
