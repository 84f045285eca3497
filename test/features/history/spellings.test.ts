import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { NewestBlocks } from "../../../src/features/blocks/NewestBlocks.ts"
import { History } from "../../../src/features/history/History.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { textsFor } from "../../chains/families/FamilyFacts.ts"
import { families } from "../../chains/families/index.ts"
import { samples } from "../../chains/families/samples.ts"
import type { AnyNetwork } from "../../support/chains.ts"
import { unlimitedSettings } from "../../support/counted.ts"
import { liveNetworks } from "../../support/tier.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

const world = History.layer.pipe(
  Layer.provide(NewestBlocks.layer),
  Layer.provideMerge(Chains.layer),
  Layer.provide(Pricing.layerTest({})),
  Layer.provide(TokenRegistry.layer),
  Layer.provide(CoinGecko.layer),
  Layer.provide(Layer.fresh(Upstreams.layer)),
  Layer.provide(
    Layer.mergeAll(
      Sandbox.layer(Catalogue.all),
      Layer.fresh(Memory.layer()),
      unlimitedSettings({ SUBSCAN_API_KEY: "k", ETHERSCAN_API_KEY: "k" })
    )
  ),
  Layer.fresh
)

/** Amounts as text, because JSON has no bigint. */
const neutral = ([transaction, labels]: readonly [Transaction, ReadonlyArray<string>]) => [
  transaction.hash,
  labels,
  ...[transaction.from, transaction.to].map((side) =>
    side.map((movement) => ({ ...movement, amount: String(movement.amount) }))
  )
]

/** The canonical form of an account that is not in the request. */
const written = (network: AnyNetwork, party: string) => {
  const key = Either.getOrElse(network.address(party), () => party)
  return network.facts.family === "polkadot" && key.startsWith("0x") ? PolkadotAddress.format(key) : key
}

/** Placeholders that are not addresses. */
const placeholders = ["coinbase", "Unknown"]

describe("the parties of a history", () => {
  layer(world, { excludeTestServices: true })((it) => {
    for (const facts of liveNetworks) {
      const { family, id } = facts
      it(`on ${id} have the spelling of the request if they are the holder, and the canonical form otherwise`, function* () {
        const history = yield* History
        const network = Option.getOrThrow(yield* (yield* Chains).find(id))
        const texts = [...textsFor(families[family].unfunded, facts), ...samples(network.facts, 4)]
        const [requested] = yield* history.transactions({ [id]: texts }, 50)
        let seen = 0
        for (const { text, transactions } of requested?.histories ?? [])
          for (const [{ from, hash, to }] of transactions) {
            const parties = [...from, ...to].map(({ address }) => address)
            assert.include(parties, text, hash)
            for (const party of parties.filter((address) => address !== text && !placeholders.includes(address))) {
              assert.notDeepEqual(network.address(party), network.address(text))
              assert.strictEqual(party, written(network, party))
            }
            seen++
          }
        assert.isAbove(seen, 10)
        // Each spelling has the same history with the same labels.
        const spellings = textsFor(families[family].unfunded, facts)
        const shown = (requested?.histories ?? [])
          .filter(({ text }) => spellings.includes(text))
          .map(({ text, transactions }) => JSON.stringify(transactions.map(neutral)).replaceAll(`"${text}"`, "own"))
        assert.strictEqual(new Set(shown).size, 1)
      })
    }
  })
})
