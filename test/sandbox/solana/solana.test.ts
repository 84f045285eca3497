import { base58 } from "@scure/base"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { Chain } from "../../../src/chains/Chain.ts"
import { Solana } from "../../support/networks.ts"

const { info, layer } = Solana

import { CoinId } from "../../../src/domain/CoinId.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { keys } from "../../chains/solana/nodes.ts"
import { byAddress } from "../../support/holdings.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const contracts = World.contractsOn(info.platform)
const tokens = contracts.map(({ address, coin, decimals }) => ({
  address,
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
    TokenRegistry.layerTest({ solana: tokens }),
    Layer.fresh(Upstreams.layer),
    Settings.layer({ SOLANA_RPC_URLS: "http://anywhere.test" })
  ])
)

describe("the simulated Solana node", () => {
  it("returns the balances of the world for many addresses", function* () {
    const { holding, holdings } = byAddress(yield* network)
    const requests = keys(40)
    const read = (yield* settled(holdings(requests))).map(Either.getOrThrow)
    for (const [index, address] of requests.entries()) {
      const balances = contracts.map(
        (contract) => [contract.address, World.tokenBalance(info, contract, address)] as const
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

  it("returns the decimals of its mints, and fails for an unknown mint", function* () {
    const bare = Layer.provide(layer, [
      Sandbox.layer([info]),
      TokenRegistry.layerTest({}),
      Layer.fresh(Upstreams.layer),
      Settings.layer({})
    ])
    const { holding } = yield* Effect.provide(Chain, bare)
    const [address = ""] = keys(1)
    for (const contract of contracts) {
      const { asset } = yield* settled(holding(address, Option.some(contract.address)))
      assert.strictEqual(asset === "native" ? -1 : asset.decimals, contract.decimals)
    }
    const nowhere = base58.encode(new Uint8Array(32).fill(200))
    assert.strictEqual((yield* settled(Effect.flip(holding(address, Option.some(nowhere))))).reason, "bad_answer")
  })

  it.effect("passes the canary for a mainnet node", () =>
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
})
