import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chain } from "../../../src/chains/Chain.ts"
import * as CoinType from "../../../src/chains/sui/CoinType.ts"
import { Sui } from "../../support/networks.ts"

const { info, layer } = Sui

import { CoinId } from "../../../src/domain/CoinId.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { suiGraphql } from "../../../src/sandbox/sui/sui.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { owners } from "../../chains/sui/hosts.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const contracts = World.contractsOn(info.platform)
const canonical = (type: string) => Option.getOrThrow(CoinType.canonical(type))
const tokens = contracts.map(({ address, coin, decimals }) => ({
  address: canonical(address),
  coinId: CoinId.make(coin.id),
  name: coin.name,
  symbol: coin.symbol,
  decimals,
  thumbnail: ""
}))

const network = Effect.provide(
  Chain,
  Layer.provide(layer, [
    Sandbox.layer([info]),
    TokenRegistry.layerTest({ sui: tokens }),
    Layer.fresh(Upstreams.layer),
    Settings.layer({ SUI_GRAPHQL_URLS: "http://anywhere.test" })
  ])
)

describe("the simulated Sui host", () => {
  it("returns the balances of the world for many addresses", function* () {
    const { holding, holdings } = byAddress(yield* network)
    const requests = owners(40)
    const read = (yield* settled(holdings(requests))).map(Either.getOrThrow)
    for (const [index, address] of requests.entries()) {
      const balances = contracts.map(
        (contract) => [canonical(contract.address), World.tokenBalance(info, contract, address)] as const
      )
      assert.sameDeepMembers(
        (read[index] ?? []).map(({ amount, asset }) => [
          asset === "native" ? asset : asset.address,
          Either.getOrThrow(amount)
        ]),
        [["native", World.native(info, address)], ...balances.filter(([, amount]) => amount > 0n)]
      )
    }
    const [address = ""] = requests
    assert.deepStrictEqual(
      (yield* settled(holding(address, Option.none()))).amount,
      Either.right(World.native(info, address))
    )
    for (const contract of contracts)
      assert.deepStrictEqual(
        (yield* settled(holding(address, Option.some(contract.address)))).amount,
        Either.right(World.tokenBalance(info, contract, address))
      )
  })

  it("returns the decimals of its coins, and fails for an unknown coin", function* () {
    const bare = Layer.provide(layer, [
      Sandbox.layer([info]),
      TokenRegistry.layerTest({}),
      Layer.fresh(Upstreams.layer),
      Settings.layer({})
    ])
    const { holding } = yield* Effect.provide(Chain, bare)
    const [address = ""] = owners(1)
    for (const contract of contracts) {
      const { asset } = yield* settled(holding(address, Option.some(contract.address)))
      assert.strictEqual(asset === "native" ? -1 : asset.decimals, contract.decimals)
    }
    assert.strictEqual(
      (yield* settled(Effect.flip(holding(address, Option.some("0x9::no::COIN"))))).reason,
      "bad_answer"
    )
  })

  it.effect("passes the canary for a mainnet host", () =>
    Effect.gen(function* () {
      const { trials } = yield* Upstreams
      const [trial] = yield* trials
      yield* settled(Effect.all((trial?.addresses ?? []).map((item) => item.try)))
      assert.strictEqual(trial?.addresses.length, 2)
    }).pipe(
      Effect.provide(
        Layer.provideMerge(
          Layer.provide(layer, [Sandbox.layer([info]), TokenRegistry.layerTest({}), Settings.layer({})]),
          Upstreams.layer
        )
      )
    )
  )

  /** The data of a response, as text; `null` if the query was rejected. */
  const ask = (query: string, variables: object) =>
    Effect.map(
      Effect.promise((): Promise<unknown> => {
        const body = JSON.stringify({ query, variables })
        return suiGraphql(info)({ method: "POST", path: "", query: new URLSearchParams(), body, now: 0 }).json()
      }),
      (answer) => JSON.stringify((answer as { readonly data: unknown }).data)
    )

  it("rejects a query with more lists of balances than the real service accepts", function* () {
    const query =
      "query ($keys: [AddressKey!]!) { all: multiGetAddresses(keys: $keys) { balances { nodes { totalBalance } } } }"
    const many = (count: number) => ({ keys: owners(count).map((address) => ({ address })) })
    assert.match(yield* ask(query, many(21)), /^\{"all":\[\{"balances":\{"nodes":\[\{"totalBalance":"\d+"/)
    assert.strictEqual(yield* ask(query, many(22)), "null")
  })

  it("returns balances in pages", function* () {
    const balances = (owner: string) =>
      contracts.filter((contract) => World.tokenBalance(info, contract, owner) > 0n).length
    const [o = ""] = owners(40).filter((text) => balances(text) === 1)
    const page = "{ pageInfo { hasNextPage endCursor } }"
    const first = yield* ask(`query ($o: SuiAddress!) { x: address(address: $o) { balances(first: 1) ${page} } }`, {
      o
    })
    const a = Buffer.from("1").toString("base64")
    assert.strictEqual(first, `{"x":{"balances":{"pageInfo":{"hasNextPage":true,"endCursor":"${a}"}}}}`)
    const next = `query ($o: SuiAddress!, $a: String!) { x: address(address: $o) { balances(first: 1, after: $a) ${page} } }`
    assert.include(yield* ask(next, { o, a }), `"hasNextPage":false`)
  })

  it("rejects malformed queries and queries with missing variables", function* () {
    for (const query of ["", "{ never { ends }", "query ($o: SuiAddress!) { address(address: $o) { address } }"])
      assert.strictEqual(yield* ask(query, {}), "null", query)
  })
})
