import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Option from "effect/Option"
import type { Holding } from "../../../src/chains/Chain.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import { withAssets } from "../../../src/features/nodes/WalletAssets.ts"
import type { Rpc, RpcReply } from "../../../src/jsonrpc/Rpc.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { chainsOf } from "../../support/chains.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { holds, outage, reading, token } from "../balances/portfolio.ts"

const account = "0xAccount"
const gold = token("gold", 6)

const facts = (id: string, chainId: number, family = "evm") => ({
  id,
  aliases: [],
  family,
  chainId,
  native: { coinId: `${id}-coin`, name: `${id} coin`, symbol: id.toUpperCase(), decimals: 18, thumbnail: "" }
})

const holdingOf = (asset: Holding["asset"], amount: Holding["amount"]): Holding => ({ asset, amount })

const network = (id: string, chainId: number, more: object = {}) => ({
  facts: facts(id, chainId),
  address: (text: string) => (text === account ? Either.right("0xaccount") : Either.left("not an address")),
  holdings: (addresses: ReadonlyArray<string>) => Effect.succeed(reading(addresses, () => holds(26n, [gold, 5n]))),
  holding: (_: string, wanted: Option.Option<string>) =>
    Effect.succeed(holdingOf(Option.isNone(wanted) ? "native" : token(wanted.value), Either.right(16n))),
  ...more
})

const passed: Array<ReadonlyArray<string>> = []
const nodes: Rpc = {
  upstream: "nodes",
  call: ({ method }) => Task.ended(Exit.succeed({ member: "result", text: `"${method}"` })),
  batch: (calls) => {
    passed.push(calls.map(({ method }) => method))
    return Task.ended(
      Exit.succeed(calls.map(({ method }) => Either.right({ member: "result" as const, text: `"${method}"` })))
    )
  }
}

const served = (networks: ReadonlyArray<ReturnType<typeof network>>) =>
  Effect.gen(function* () {
    const { built, facts: all, find } = yield* Chains
    const first = built(networks[0]?.facts.id ?? "")
    if (first === undefined) return yield* Effect.dieMessage("no network")
    return withAssets({ facts: all, find }, 1_000, Task.fromEffect(Effect.runFork))(first, nodes)
  }).pipe(Effect.provide(chainsOf(networks)))

const call = (filter: unknown) => ({ method: "wallet_getAssets", params: JSON.stringify([filter]) })

const asked = (networks: ReadonlyArray<ReturnType<typeof network>>, filter: unknown) =>
  Effect.gen(function* () {
    const { member, text }: RpcReply = yield* Task.toEffect((yield* served(networks)).call(call(filter)))
    return { [member]: JSON.parse(text) }
  })

const coin = (balance: string, id = "one") => ({
  address: "native",
  balance,
  type: "native",
  metadata: { decimals: 18, name: `${id} coin`, symbol: id.toUpperCase() }
})
const golden = (balance: string) => ({
  address: "0xgold",
  balance,
  type: "erc20",
  metadata: { decimals: 6, name: "The gold", symbol: "GOLD" }
})
const [one, two] = [network("one", 1), network("two", 2)]

describe("wallet_getAssets", () => {
  it("returns the assets on the network of the nodes, in base units", function* () {
    assert.deepStrictEqual(yield* asked([one, two], { account }), { result: { "0x1": [coin("0x1a"), golden("0x5")] } })
  })

  it("returns those on the chains and of the types of its filters", function* () {
    assert.deepStrictEqual(
      yield* asked([one, two], { account, chainFilter: ["0x2", "0x63"], assetTypeFilter: ["native"] }),
      { result: { "0x2": [coin("0x1a", "two")] } }
    )
  })

  it("reads a chain that is named several times once", function* () {
    let count = 0
    const holdings = (addresses: ReadonlyArray<string>) => {
      count++
      return Effect.succeed(reading(addresses, () => holds(1n)))
    }
    yield* asked([network("one", 1, { holdings })], { account, chainFilter: new Array(50).fill("0x1") })
    assert.strictEqual(count, 1)
  })

  it("returns exactly the assets of a filter, also of tokens that it does not know, whatever the other filters say", function* () {
    const assetFilter = {
      "0x1": [
        { address: "native", type: "native" },
        { address: "silver", type: "erc20" }
      ]
    }
    assert.deepStrictEqual(yield* asked([one, two], { account, assetFilter, assetTypeFilter: [], chainFilter: [] }), {
      result: {
        "0x1": [
          coin("0x10"),
          {
            address: "0xsilver",
            balance: "0x10",
            type: "erc20",
            metadata: { decimals: 0, name: "The silver", symbol: "SILVER" }
          }
        ]
      }
    })
  })

  for (const [title, broken] of [
    ["the coin", { holdings: () => Effect.succeed(reading([account], () => Either.left(outage))) }],
    ["a token", { holdings: () => Effect.succeed(reading([account], () => holds(1n, [gold, undefined]))) }],
    ["the list of tokens", { holdings: () => Effect.succeed(reading([account], () => holds(1n), outage)) }],
    [
      "the tokens of the account",
      { holdings: () => Effect.succeed({ ...reading([account], () => holds(1n)), unreadTokens: [outage] }) }
    ]
  ] as const)
    it(`fails if ${title} cannot be read: clients take an absent asset as zero`, function* () {
      const { error } = yield* asked([one, network("two", 2, broken)], { account, chainFilter: ["0x1", "0x2"] })
      assert.strictEqual(error.code, -32000)
      assert.match(error.message, /^assets on two could not be read: ./)
    })

  it("refuses what it cannot answer, with the reason", function* () {
    const many = new Array(26).fill({ address: "native", type: "native" })
    for (const [filter, problem] of [
      [{}, /account/],
      [{ account: "0xother" }, /^account: not an address$/],
      [{ account, assetTypeFilter: ["erc721"] }, /the types of assets are native and erc20/],
      [{ account, chainFilter: ["1"] }, /a chain id is hexadecimal, such as 0x1/],
      [{ account, chainFilter: new Array(51).fill("0x1") }, /50/],
      [
        { account, assetFilter: Object.fromEntries(Array.from({ length: 51 }, (_, chain) => [`0x${chain}`, []])) },
        /^at most 50 chains and assets$/
      ],
      [{ account, assetFilter: { "0x1": many, "0x2": many } }, /^at most 50 chains and assets$/]
    ] as const) {
      const { error } = yield* asked([one], filter)
      assert.strictEqual(error.code, -32602)
      assert.match(error.message, problem)
    }
  })

  it("keeps its place in a batch, whose other calls go to the nodes together", function* () {
    const rpc = yield* served([one])
    const read = (method: string) => ({ method, params: undefined })
    const replies = yield* Task.toEffect(rpc.batch([read("a"), call({ account }), read("b"), call({})]))
    assert.deepStrictEqual(
      replies.map((reply) => Either.getOrThrow(reply).text.slice(0, 9)),
      ['"a"', '{"0x1":[{', '"b"', '{"code":-']
    )
    assert.deepStrictEqual(passed, [["a", "b"]])
  })

  it("goes to the nodes on networks of other families", function* () {
    const solana = { ...network("sol", 1), facts: facts("sol", 1, "solana") }
    assert.deepStrictEqual(yield* asked([solana], { account }), { result: "wallet_getAssets" })
  })
})
