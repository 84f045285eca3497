import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Token } from "../../../src/domain/Token.ts"
import * as EvmNodes from "../../support/EvmNodes.ts"
import { faultyHosts } from "../../support/faults.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import {
  built,
  bytes,
  chain,
  filterOf,
  key,
  keys,
  mintAccount,
  network,
  parsed,
  programs,
  token,
  valued
} from "./nodes.ts"

const [alice, bob] = [key(1), key(2)]
const [usdc, stock] = [token(key(100), "usd-coin"), token(key(101), "stock", 8)]
const wrapped = token("So11111111111111111111111111111111111111112", "wrapped-solana", 9)
const registry = [usdc, stock, wrapped]

const amountOf = (asset: Token | "native", amount: bigint) => ({ asset, amount: Either.right(amount) })

/** Node that responds like `chain`, except for the token accounts that `of` returns. */
const withAccounts = (
  of: (owner: string, program: string) => EvmNodes.Reply | undefined,
  lamports: Record<string, number> = {}
) =>
  EvmNodes.rpcNode((call) => {
    const owner = String(call.params[0])
    const requests = call.method === "getTokenAccountsByOwner" ? of(owner, filterOf(call).programId ?? "") : undefined
    return requests ?? chain(lamports)(call)
  })

describe("Solana holdings", () => {
  it("contain the native coin, even at zero, and the tokens of both programs", function* () {
    const node = withAccounts(
      (owner, program) => {
        if (owner !== alice) return undefined
        return program === programs.token
          ? valued([bytes(usdc.address, 5n), bytes(key(200), 9n), bytes(wrapped.address, 3n)])
          : valued([parsed(stock.address, "150", 8, "0.0000015")])
      },
      { [alice]: 7 }
    )
    const { holdings, missing } = yield* network(node, registry)
    assert.deepStrictEqual((yield* settled(holdings([bob, alice]))) as unknown, [
      Either.right([amountOf("native", 0n)]),
      Either.right([amountOf("native", 7n), amountOf(usdc, 5n), amountOf(wrapped, 3n), amountOf(stock, 150n)])
    ])
    assert.isUndefined(yield* settled(missing([key(7)])))
  })

  it("add up the accounts of a mint, each once, and leave out zero balances", function* () {
    const node = withAccounts((_, program) =>
      program === programs.token
        ? valued([
            { ...bytes(usdc.address, 2n ** 63n), pubkey: "first" },
            { ...bytes(usdc.address, 1n), pubkey: "second" },
            { ...bytes(usdc.address, 1n), pubkey: "second" },
            bytes(wrapped.address, 0n)
          ])
        : undefined
    )
    const { holdings } = yield* network(node, registry)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [
      Either.right([amountOf("native", 0n), amountOf(usdc, 2n ** 63n + 1n)])
    ])
  })

  it("preserve every digit of lamports beyond the precision of a double", function* () {
    const node: EvmNodes.SimulatedHost = (body) =>
      Effect.sync(() => {
        const lamports = "19921027478002237"
        const item = ({ id, method }: EvmNodes.RpcCall) =>
          `{"jsonrpc":"2.0","id":${id},"result":{"value":${method === "getBalance" ? lamports : `[{"lamports":${lamports},"rentEpoch":18446744073709551615}]`}}}`
        return new Response(Array.isArray(body) ? `[${body.map(item).join(",")}]` : item(body as EvmNodes.RpcCall))
      })
    const { holding, holdings } = yield* network(node, undefined)
    const native = amountOf("native", 19921027478002237n)
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [Either.right([native])])
    assert.deepStrictEqual((yield* settled(holding(alice, Option.none()))) as unknown, native)
  })

  for (const program of Object.values(programs))
    it(`are without tokens only for the address whose accounts of ${program} are not returned`, function* () {
      const node = withAccounts(
        (owner, request) =>
          owner === alice && request === program
            ? EvmNodes.error("excluded from account secondary indexes", -32010)
            : undefined,
        { [alice]: 5 }
      )
      const { holdings, unreadTokens } = yield* network(node, registry)
      for (const others of [[], [bob]]) {
        assert.deepStrictEqual((yield* settled(holdings([alice, ...others]))) as unknown, [
          Either.right([amountOf("native", 5n)]),
          ...others.map(() => Either.right([amountOf("native", 0n)]))
        ])
        assert.deepStrictEqual(yield* settled(unreadTokens([alice, ...others])), [
          { reason: "upstream_error", message: "solana-rpc: the node rejected the call (-32010)" },
          ...others.map(() => undefined)
        ])
      }
    })

  it("take two calls per address and one per ten addresses, in one request per ten addresses", function* () {
    const cost: Record<number, readonly [requests: number, calls: number]> = {}
    for (const count of [1, 5, 50]) {
      const { holdings, seen } = yield* network(EvmNodes.rpcNode(chain({})), registry)
      const read = yield* settled(holdings(keys(count)))
      assert.isTrue(read.every(Either.isRight))
      assert.lengthOf(read, count)
      cost[count] = [seen.length, seen.flatMap(({ methods }) => methods).length]
    }
    assert.deepStrictEqual(cost, { 1: [1, 3], 5: [1, 11], 50: [5, 105] })
  })

  it("come from the next node for the owner whose tokens one node cannot read", function* () {
    const failing = withAccounts((owner) => (owner === alice ? EvmNodes.error("Internal error", -32603) : valued([])), {
      [alice]: 7,
      [bob]: 8
    })
    const second = withAccounts(
      (_, program) => (program === programs.token ? valued([bytes(usdc.address, 5n)]) : valued([])),
      { [alice]: 7 }
    )
    const { holdings, unreadTokens } = yield* network(failing, registry, second)
    assert.deepStrictEqual<unknown>(yield* settled(holdings([alice, bob])), [
      Either.right([amountOf("native", 7n), amountOf(usdc, 5n)]),
      Either.right([amountOf("native", 8n)])
    ])
    assert.deepStrictEqual(yield* settled(unreadTokens([alice, bob])), [undefined, undefined])
  })

  it("fail only for the tokens of the owner whose accounts do not fit into a response", function* () {
    const many = Array.from({ length: 45_000 }, (_, index) => ({ ...bytes(usdc.address, 1n), pubkey: `${index}` }))
    const heavy = withAccounts((owner) => (owner === alice ? valued(many) : undefined), { [alice]: 7, [bob]: 8 })
    const { holdings, unreadTokens } = yield* network(heavy, registry)
    assert.deepStrictEqual<unknown>(yield* settled(holdings([alice, bob])), [
      Either.right([amountOf("native", 7n)]),
      Either.right([amountOf("native", 8n)])
    ])
    const [unread, none] = yield* settled(unreadTokens([alice, bob]))
    assert.deepStrictEqual(unread, {
      reason: "bad_answer",
      message: "solana-rpc: returned a response that is too large"
    })
    assert.isUndefined(none)
  })

  it("are not read from a node whose clock is behind", function* () {
    yield* TestClock.adjust("1 day")
    const at = (hours: number, lamports: number) =>
      EvmNodes.rpcNode(({ method, params }) => {
        const time = Buffer.alloc(8)
        time.writeBigInt64LE(BigInt(hours * 3_600))
        const sysvar = { lamports: 1, data: [time.toString("base64"), "base64"] }
        if (method === "getBalance") return valued(lamports)
        if (method !== "getMultipleAccounts") return valued([])
        return valued(
          (params[0] as ReadonlyArray<string>).map((text) => (text.startsWith("Sysvar") ? sysvar : { lamports }))
        )
      })
    const { holding, holdings } = yield* network(at(1, 6), registry, at(24, 7))
    assert.deepStrictEqual<unknown>(yield* settled(holdings([alice])), [Either.right([amountOf("native", 7n)])])
    assert.deepStrictEqual<unknown>(yield* settled(holding(alice, Option.none())), amountOf("native", 7n))
    const stalled = yield* network(at(1, 6), registry)
    const behind = { reason: "bad_answer", message: "solana-rpc: the node is behind the network" } as const
    assert.deepStrictEqual<unknown>(yield* settled(stalled.holdings([alice])), [Either.left(behind)])
    for (const asset of [Option.none(), Option.some(usdc.address)])
      assert.deepStrictEqual(yield* settled(Effect.flip(stalled.holding(alice, asset))), behind)
  })

  it("contain only native coins, 99 per call, if the token list is unavailable", function* () {
    const { holdings, seen, missing } = yield* network(EvmNodes.rpcNode(chain({ [key(7)]: 3 })), undefined)
    const read = yield* settled(holdings(keys(150)))
    assert.deepStrictEqual(read[7] as unknown, Either.right([amountOf("native", 3n)]))
    assert.deepStrictEqual(
      seen.map(({ batch, methods }) => [batch, methods]),
      [
        [false, ["getMultipleAccounts"]],
        [false, ["getMultipleAccounts"]]
      ]
    )
    assert.match((yield* settled(missing([key(7)]))) ?? "", /native coins only/)
  })

  it("are read with single calls from a node without batches", function* () {
    const speaking = EvmNodes.rpcNode(chain({ [alice]: 7 }))
    const { holdings, seen } = yield* network(
      (body, request) =>
        Array.isArray(body) ? Effect.sync(() => new Response("no batches", { status: 400 })) : speaking(body, request),
      registry
    )
    assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, [Either.right([amountOf("native", 7n)])])
    assert.deepStrictEqual(
      seen.map(({ batch }) => batch),
      [true, false, false, false]
    )
  })

  it("come from the next node if the first does not return them", function* () {
    const failing: Readonly<Record<string, EvmNodes.SimulatedHost>> = {
      down: EvmNodes.down,
      html: EvmNodes.always("<html>bad gateway</html>", { status: 502 }),
      "a page that is not found": EvmNodes.always("not found", { status: 404 }),
      limited: EvmNodes.always("slow down", { status: 429, headers: { "retry-after": "5" } }),
      behind: EvmNodes.rpcNode(() => EvmNodes.error("Node is behind by 3104 slots", -32005)),
      refusing: EvmNodes.rpcNode(() => EvmNodes.error("forbidden", 403)),
      "without tokens": withAccounts(() => EvmNodes.error("method disabled", -32601)),
      "with too few accounts": EvmNodes.rpcNode(() => valued([])),
      "without amounts": EvmNodes.rpcNode(() => valued([{ balance: 1 }])),
      "with a truncated account": withAccounts(() => valued([{ account: { data: ["AAAA", "base64"] } }]))
    }
    for (const [name, first] of Object.entries(failing)) {
      const { holdings } = yield* network(first, registry, EvmNodes.rpcNode(chain({ [alice]: 7 })))
      const expected = [Either.right([amountOf("native", 7n)])]
      assert.deepStrictEqual((yield* settled(holdings([alice]))) as unknown, expected, name)
    }
  })

  it("of one owner do not fail those of others or its own coin, if a node cannot read its tokens", function* () {
    const failing = EvmNodes.rpcNode((call) =>
      call.method === "getTokenAccountsByOwner" && call.params[0] === bob
        ? EvmNodes.error("Internal error", -32603)
        : chain({ [alice]: 7, [bob]: 8 })(call)
    )
    const { holdings } = yield* network(failing, registry)
    assert.deepStrictEqual<unknown>(yield* settled(holdings([alice, bob])), [
      Either.right([amountOf("native", 7n)]),
      Either.right([amountOf("native", 8n)])
    ])
  })

  it("of one owner do not fail those of others, and of one token not those of others, if a row cannot be read", function* () {
    const odd = (call: EvmNodes.RpcCall) => {
      const [asked] = call.params as ReadonlyArray<ReadonlyArray<string>>
      if (call.method === "getMultipleAccounts" && asked?.includes(bob) === true)
        return valued(
          asked.map((owner) => (owner === bob ? { lamports: "8" } : owner === alice ? { lamports: 7 } : null))
        )
      if (call.method !== "getTokenAccountsByOwner" || filterOf(call).programId === programs.token2022)
        return valued([])
      return valued([bytes(usdc.address, 5n), parsed(stock.address, "-7", 8)])
    }
    const mints = { [usdc.address]: 6, [stock.address]: 8 }
    const first = EvmNodes.rpcNode((call) =>
      call.method === "getMultipleAccounts" && !JSON.stringify(call.params).includes(bob)
        ? chain({}, mints)(call)
        : odd(call)
    )
    const message = "solana-rpc: returned a response in an unexpected format"
    const tokens = [
      amountOf(usdc, 5n),
      {
        asset: stock,
        amount: Either.left({ reason: "bad_answer", message: "the node returned no usable balance of this token" })
      }
    ]
    const { holdings } = yield* network(first, registry)
    assert.deepStrictEqual<unknown>(yield* settled(holdings([alice, bob])), [
      Either.right([amountOf("native", 7n), ...tokens]),
      Either.right([{ asset: "native", amount: Either.left({ reason: "bad_answer", message }) }, ...tokens])
    ])
    // A further node returns what the first one lacks.
    const both = yield* network(
      first,
      registry,
      withAccounts(() => valued([]), { [alice]: 9, [bob]: 8 })
    )
    assert.deepStrictEqual<unknown>(yield* settled(both.holdings([alice, bob])), [
      Either.right([amountOf("native", 9n)]),
      Either.right([amountOf("native", 8n)])
    ])
  })

  it("of a token are unknown if no account could hold their sum", function* () {
    const most = 2n ** 64n - 1n
    const node = withAccounts((_, program) =>
      valued(
        program === programs.token ? [bytes(usdc.address, most), { ...bytes(usdc.address, 1n), pubkey: "second" }] : []
      )
    )
    const { holdings } = yield* network(node, registry)
    const [read] = yield* settled(holdings([alice]))
    const [, usd] = Either.getOrThrow(read ?? Either.right([]))
    assert.isTrue(usd !== undefined && Either.isLeft(usd.amount))
  })

  it("fail with a reason if no node returns them", function* () {
    const reasons: Readonly<Record<string, readonly [EvmNodes.SimulatedHost, string]>> = {
      ...faultyHosts,
      shapeless: [EvmNodes.rpcNode(() => EvmNodes.result([])), "bad_answer"],
      "with negative lamports": [EvmNodes.rpcNode(() => valued([{ lamports: -1 }])), "bad_answer"]
    }
    for (const [name, [node, reason]] of Object.entries(reasons)) {
      const { holding, holdings } = yield* network(node, registry)
      const [read] = yield* settled(holdings([alice]))
      assert.strictEqual(
        Option.getOrThrow(Option.flatMap(Option.fromNullable(read), Either.getLeft)).reason,
        reason,
        name
      )
      assert.strictEqual((yield* settled(Effect.flip(holding(alice, Option.none())))).reason, reason, name)
    }
  })

  it("are read from public nodes within their rate limit, and from the operator's nodes without waiting", function* () {
    const node = EvmNodes.rpcNode(chain({}))
    const { layer, seen } = EvmNodes.clientOver({ "solana-rpc.publicnode.com": node })
    const paced = yield* built(layer, registry, {})
    const begin = yield* Clock.currentTimeMillis
    assert.isTrue((yield* settled(paced.holdings(keys(200)))).every(Either.isRight))
    assert.isAtLeast((yield* Clock.currentTimeMillis) - begin, 3_000)
    assert.lengthOf(seen, 20)
    const own = yield* network(node, registry)
    const middle = yield* Clock.currentTimeMillis
    assert.lengthOf(yield* settled(own.holdings(keys(200)), "1 millis"), 200)
    assert.isAtMost((yield* Clock.currentTimeMillis) - middle, 100)
  })
})

describe("the decimals of a Solana token", () => {
  const listed = [token(usdc.address, "usd-coin", 9), token(stock.address, "stock", 9)]
  const node = (mints?: Readonly<Record<string, number>>) =>
    EvmNodes.rpcNode((call) => {
      if (call.method !== "getTokenAccountsByOwner") return chain({ [alice]: 7 }, mints)(call)
      const { mint, programId } = filterOf(call)
      if (mint !== undefined) return valued([parsed(mint, "1500000", 6)])
      return programId === programs.token
        ? valued([bytes(usdc.address, 1_500_000n)])
        : valued([parsed(stock.address, "150", 8)])
    })
  const [six, eight] = [
    { ...usdc, decimals: 6 },
    { ...stock, decimals: 8 }
  ]

  it("are those of its mint, which is read once, and not those of the list", function* () {
    const { confirmed, holding, holdings, seen } = yield* network(node(), listed)
    for (const _ of [1, 2])
      assert.deepStrictEqual<unknown>(yield* settled(holdings([alice])), [
        Either.right([amountOf("native", 7n), amountOf(six, 1_500_000n), amountOf(eight, 150n)])
      ])
    assert.deepStrictEqual<unknown>(
      yield* settled(holding(alice, Option.some(usdc.address))),
      amountOf(six, 1_500_000n)
    )
    assert.strictEqual(seen.flatMap(({ methods }) => methods).filter((name) => name === "getAccountInfo").length, 0)
    assert.lengthOf(seen, 4)
    assert.deepStrictEqual(yield* confirmed([usdc.address, stock.address]), [6, 8])
  })

  it("are read again after ten minutes if the list has others, because one node may be wrong", function* () {
    let mints: Readonly<Record<string, number>> = { [usdc.address]: 0, [stock.address]: 8 }
    const changing = EvmNodes.rpcNode((call) =>
      call.method === "getTokenAccountsByOwner"
        ? valued(filterOf(call).programId === programs.token ? [bytes(usdc.address, 5n)] : [bytes(stock.address, 9n)])
        : chain({}, mints)(call)
    )
    const { holdings } = yield* network(changing, registry)
    const decimals = Effect.map(settled(holdings([alice])), ([read = Either.right([])]) =>
      Either.getOrThrow(read).map(({ asset }) => (asset === "native" ? undefined : asset.decimals))
    )
    assert.deepStrictEqual(yield* decimals, [undefined, 0, 8])
    mints = { [usdc.address]: 6, [stock.address]: 7 }
    assert.deepStrictEqual(yield* decimals, [undefined, 0, 8])
    yield* TestClock.adjust("10 minutes")
    assert.deepStrictEqual(yield* decimals, [undefined, 6, 8])
  })

  it("are unknown, and so is its amount, if its mint cannot be read", function* () {
    const { confirmed, holdings } = yield* network(node({ [stock.address]: 8 }), listed)
    const [read = Either.right([])] = yield* settled(holdings([alice]))
    assert.deepStrictEqual<unknown>(
      Either.getOrThrow(read).map(({ amount }) => amount),
      [
        Either.right(7n),
        Either.left({ reason: "bad_answer", message: "the node does not have the mint of this token" }),
        Either.right(150n)
      ]
    )
    assert.deepStrictEqual(yield* confirmed([usdc.address, stock.address]), [undefined, 8])
  })
})

describe("a single Solana holding", () => {
  const mint = (decimals: number) => valued(mintAccount(decimals))

  const node = (accounts: EvmNodes.Reply, account: EvmNodes.Reply) =>
    EvmNodes.rpcNode(({ method }) => {
      if (method === "getMultipleAccounts") return valued([null])
      return method === "getAccountInfo" ? account : accounts
    })

  it("is read for a registered token with one call, once the mint was read with the first", function* () {
    const accounts = valued([
      parsed(usdc.address, "5", 6, "0.000005"),
      { ...parsed(usdc.address, "6", 6), pubkey: "second" }
    ])
    const { holding, seen } = yield* network(node(accounts, mint(6)), registry)
    for (const _ of [1, 2])
      assert.deepStrictEqual(
        (yield* settled(holding(alice, Option.some(usdc.address)))) as unknown,
        amountOf(usdc, 11n)
      )
    assert.deepStrictEqual(
      seen.map(({ methods }) => methods),
      [
        ["getTokenAccountsByOwner", "getMultipleAccounts", "getAccountInfo"],
        ["getTokenAccountsByOwner", "getMultipleAccounts"]
      ]
    )
  })

  it("has the decimals of the mint, and not those of the list", function* () {
    const { holding } = yield* network(node(valued([parsed(usdc.address, "5", 9)]), mint(9)), registry)
    assert.deepStrictEqual<unknown>(
      yield* settled(holding(alice, Option.some(usdc.address))),
      amountOf({ ...usdc, decimals: 9 }, 5n)
    )
  })

  it("is read for any mint, with the decimals that it declares", function* () {
    const { holding } = yield* network(node(valued([]), mint(255)), registry)
    assert.deepStrictEqual((yield* settled(holding(alice, Option.some(key(150))))) as unknown, {
      asset: { address: key(150), decimals: 255, name: "", symbol: "", thumbnail: "" },
      amount: Either.right(0n)
    })
  })

  it("fails for an address that is not a mint, and no other node is called", function* () {
    const wrong: ReadonlyArray<EvmNodes.SimulatedHost> = [
      node(EvmNodes.error("Invalid param: could not find mint", -32602), valued(null)),
      node(valued([]), valued(null)),
      node(valued([]), valued({ data: ["", "base64"] })),
      node(valued([]), valued({ data: { parsed: { type: "account", info: {} } } }))
    ]
    for (const host of wrong) {
      const { holding, seen } = yield* network(host, registry)
      assert.deepStrictEqual(yield* settled(Effect.flip(holding(alice, Option.some(key(150))))), {
        reason: "bad_answer",
        message: "solana-rpc: this address is not a token"
      })
      assert.lengthOf(seen, 1)
    }
  })

  it("is refused without a call if the token is malformed", function* () {
    const { holding, seen } = yield* network(EvmNodes.down, registry)
    const unread = yield* Effect.flip(holding(alice, Option.some(usdc.address.slice(1))))
    assert.strictEqual(unread.reason, "invalid_address")
    assert.match(unread.message, /^tokenAddress: /)
    assert.deepStrictEqual(seen, [])
  })
})
