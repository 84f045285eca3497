import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Chains } from "../../src/chains/Chains.ts"
import * as TonAddress from "../../src/chains/ton/TonAddress.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { seconds } from "../../src/domain/units.ts"
import { TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import * as World from "../../src/sandbox/world/World.ts"
import * as Memory from "../../src/storage/Memory.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { counting, unlimitedSettings } from "../support/counted.ts"
import { settled } from "../support/settled.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { samples } from "./families/samples.ts"

// Every family confirms the decimals of tokens by what its network returns. The lists here have other ones: the default of
// the family, or 1.

const listed = { "the-open-network": 9, polkadot: 0, cardano: 0 } as Readonly<Record<string, number>>

/** The tokens of the simulated world, with their addresses in canonical form. */
const contracts = (platform: string) =>
  World.contractsOn(platform).map(({ address, coin, decimals }) => ({
    address: Either.getOrElse(TonAddress.parse(address), () =>
      platform === "ethereum" ? address.toLowerCase() : address
    ),
    coin,
    decimals
  }))

const platforms = ["ethereum", "tron", "solana", "sui", "the-open-network", "polkadot", "cardano"]

const lists = Object.fromEntries(
  platforms.map((platform) => [
    platform,
    contracts(platform).map(({ address, coin }) => ({
      address,
      coinId: CoinId.make(coin.id),
      name: coin.name,
      symbol: coin.symbol,
      decimals: listed[platform] ?? 1,
      thumbnail: ""
    }))
  ])
)

const needs = Layer.suspend(() => {
  const others = Layer.mergeAll(
    counting().layer,
    Memory.layer(),
    unlimitedSettings({ SUBSCAN_API_KEY: "sandbox" }),
    TokenRegistry.layerTest(lists)
  )
  return Layer.provideMerge(Layer.provide(Chains.layer, Layer.fresh(Upstreams.layer)), others)
})

/** The decimals that are confirmed for the tokens of a reading, which must be those of their contracts. */
const confirmed = (platform: string, tokens: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const list = (yield* (yield* TokenRegistry).lists).get(platform)
    const own = new Map(contracts(platform).map(({ address, decimals }) => [address, decimals]))
    const known = tokens.filter((token) => list?.byAddress.has(token))
    assert.isNotEmpty(known)
    for (const token of known) assert.strictEqual(list?.decimalsOf(token), own.get(token), token)
  })

describe("the decimals of tokens", () => {
  for (const platform of platforms) {
    const network = Effect.gen(function* () {
      const chain = (yield* (yield* Chains).all).find(({ facts }) => facts.platform === platform)
      return chain ?? (yield* Effect.dieMessage("no network"))
    })

    it(`are those of their contracts after a balance: ${platform}`, function* () {
      yield* Effect.gen(function* () {
        const { address, facts, holdings } = yield* network
        const all = samples(facts, 8, 1).map((text) => Either.getOrThrow(address(text)))
        const { addresses } = yield* settled(holdings(all))
        const held = addresses.flatMap((read) => Either.getOrThrow(read)).filter(({ amount }) => Either.isRight(amount))
        yield* confirmed(
          platform,
          held.flatMap(({ asset }) => (asset === "native" ? [] : [asset.address]))
        )
      }).pipe(Effect.provide(needs))
    })

    it(`are those of their contracts after a history: ${platform}`, function* () {
      yield* Effect.gen(function* () {
        const { address, facts, history = () => Effect.dieMessage("no history") } = yield* network
        const moved: Array<string> = []
        for (const text of samples(facts, 8, 1)) {
          const { transactions } = yield* settled(history({ address: Either.getOrThrow(address(text)), limit: 50 }))
          moved.push(...transactions.flatMap(({ from, to }) => [...from, ...to].flatMap(({ token }) => token ?? [])))
        }
        yield* confirmed(platform, moved)
      }).pipe(Effect.provide(needs))
    })

    it(`are those of their contracts after a history with stored transactions: ${platform}`, function* () {
      yield* Effect.gen(function* () {
        const { address, facts, history = () => Effect.dieMessage("no history") } = yield* network
        const tokens = contracts(platform).map((token) => token.address)
        const [text = ""] = samples(facts, 1, 1)
        yield* settled(history({ address: Either.getOrThrow(address(text)), limit: 1, since: seconds(0), tokens }))
        yield* confirmed(platform, tokens)
      }).pipe(Effect.provide(needs))
    })
  }
})
