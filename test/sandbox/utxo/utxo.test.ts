import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { Chain } from "../../../src/chains/Chain.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { distance } from "../../../src/domain/units.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import { addressesOf, transactionsOf } from "../../../src/sandbox/utxo/UtxoChain.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { samples } from "../../chains/families/samples.ts"
import { byAddress } from "../../support/holdings.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { isAll } from "../../support/tier.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const modules = [Bitcoin, Bch, Litecoin, Dogecoin]

/** Settings that leave a network with a single kind of indexer: the others have no endpoints. */
const alone: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Bitcoin, Esplora": { BITCOIN_BLOCKBOOK_URLS: ",", BITCOIN_BLOCKCHAIN_INFO_URLS: "," },
  "Bitcoin, Blockbook": { BITCOIN_ESPLORA_URLS: ",", BITCOIN_BLOCKCHAIN_INFO_URLS: "," },
  "Bitcoin, blockchain.info": { BITCOIN_ESPLORA_URLS: ",", BITCOIN_BLOCKBOOK_URLS: "," },
  "Bitcoin Cash, Haskoin": { BCH_ESPLORA_URLS: ",", BCH_BLOCKBOOK_URLS: "," },
  "Bitcoin Cash, Blockbook": { BCH_ESPLORA_URLS: ",", BCH_HASKOIN_URLS: "," },
  "Bitcoin Cash, the operator's Esplora": {
    BCH_ESPLORA_URLS: "http://mine.test",
    BCH_BLOCKBOOK_URLS: ",",
    BCH_HASKOIN_URLS: ","
  },
  "Litecoin, Esplora": { LITECOIN_BLOCKBOOK_URLS: "," },
  "Litecoin, Blockbook": { LITECOIN_ESPLORA_URLS: "," },
  "Dogecoin, Blockbook": { DOGECOIN_BLOCKCYPHER_URLS: "," },
  "Dogecoin, BlockCypher": { DOGECOIN_BLOCKBOOK_URLS: "," }
}

const rates = Object.fromEntries(
  ["ESPLORA", "BLOCKBOOK", "HASKOIN", "BLOCKCYPHER", "BLOCKCHAIN_INFO"].map((kind) => [`${kind}_PER_SECOND`, "1000"])
)

const made = (module: (typeof modules)[number], environment: Readonly<Record<string, string>>) =>
  Effect.provide(
    Chain,
    module.layer.pipe(
      Layer.provide(Sandbox.layer(modules.map(({ info }) => info))),
      Layer.provide([Layer.fresh(Upstreams.layer), Layer.fresh(Memory.layer())]),
      Layer.provide(Settings.layer({ ...rates, ...environment }))
    )
  )

const sum = (parties: Transaction["from"], address?: string) =>
  parties.reduce((all, party) => (address === undefined || party.address === address ? all + party.amount : all), 0n)

/** Received minus sent amounts and the fees of the holder's sends. */
const balanceOf = (transactions: ReadonlyArray<Transaction>, holder: string) =>
  transactions.reduce(
    (all, { fee, from, to, type }) => all + sum(to, holder) - sum(from, holder) - (type === "Send" ? (fee ?? 0n) : 0n),
    0n
  )

const hash = FastCheck.uint8Array({ minLength: 20, maxLength: 20 })

const moduleOf = (name: string) => modules.find(({ info }) => name.startsWith(`${info.name},`)) ?? Bitcoin

const extendedKey =
  "zpub6rpF5Uxuz4KKWePLorSz2QrHMmk1iiZvGUGgtSHpor8yiGekyRuWf5ZNmf6GUKB4v3ibQDuZp5v8RnjEGq58kR3WPtGPn8Lrg677MQ8YeKu"

describe("the simulated balances", () => {
  // Public Esploras of Bitcoin Cash have no histories.
  const esplora = { "Bitcoin Cash, Esplora": { BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," } }
  for (const [name, environment] of Object.entries({ ...alone, ...esplora }))
    it(`are those of the world: ${name}`, function* () {
      const module = moduleOf(name)
      const { holdings } = byAddress(yield* made(module, environment))
      const addresses = FastCheck.sample(hash, 20).flatMap((uint8Array) =>
        (["keyHash", "scriptHash"] as const).map((kind) =>
          UtxoAddress.encode(module.info.coding, { kind, hash: uint8Array })
        )
      )
      assert.deepStrictEqual(
        (yield* settled(holdings(addresses))) as unknown,
        addresses.map((address) =>
          Either.right([{ asset: "native", amount: Either.right(World.native(module.info, address)) }])
        )
      )
      assert.isTrue(addresses.some((address) => World.native(module.info, address) > 0n))
    })

  it("include that of an extended public key, with its addresses", function* () {
    const { holdings } = byAddress(yield* made(Litecoin, {}))
    const amount = Either.right(World.native(Litecoin.info, extendedKey))
    const derived = new Set(addressesOf(Litecoin.info, extendedKey))
    assert.deepStrictEqual((yield* settled(holdings([extendedKey]))) as unknown, [
      Either.right([{ asset: "native", amount, derived }])
    ])
  })
})

describe("the simulated histories", () => {
  for (const [name, environment] of Object.entries(alone))
    it(`add up to the world's balances: ${name}`, function* () {
      const module = moduleOf(name)
      const { history, address: parse } = yield* made(module, environment)
      const { coding } = module.info
      let pending = 0
      let mined = 0
      for (const uint8Array of FastCheck.sample(hash, isAll ? 40 : 15)) {
        const address = UtxoAddress.encode(coding, { kind: "keyHash", hash: uint8Array })
        if (history === undefined) return assert.fail("has no history")
        const { gaps, more, transactions } = yield* settled(history({ address, limit: 500 }))
        assert.deepStrictEqual([gaps, more], [[], false])
        assert.strictEqual(balanceOf(transactions, address), World.native(module.info, address))
        assert.strictEqual(new Set(transactions.map((row) => row.hash)).size, transactions.length)
        for (const { from, to } of transactions) {
          assert.strictEqual(sum(from), sum(to))
          for (const party of [...from, ...to])
            if (party.address !== "coinbase") assert.deepStrictEqual(parse(party.address), Either.right(party.address))
        }
        const times = transactions.map(({ timestamp }) => timestamp)
        assert.deepStrictEqual(
          times,
          times.toSorted((a, b) => distance(a, b))
        )
        pending += transactions.filter(({ status }) => status === "Pending").length
        mined += transactions.filter(({ from }) => from[0]?.address === "coinbase").length
      }
      assert.isAbove(pending, 0)
      assert.isAbove(mined, 0)
    })

  it("of an address are equal in all kinds of indexers", function* () {
    const [item = new Uint8Array(20)] = FastCheck.sample(hash, 1)
    for (const module of modules) {
      const address = UtxoAddress.encode(module.info.coding, { kind: "keyHash", hash: item })
      const told: Array<unknown> = []
      for (const [name, environment] of Object.entries(alone)) {
        if (!name.startsWith(`${module.info.name},`)) continue
        const { history } = yield* made(module, environment)
        if (history !== undefined) told.push((yield* settled(history({ address, limit: 500 }))).transactions)
      }
      for (const other of told) assert.deepStrictEqual(other, told[0])
    }
  })

  it("list the mempool before newer blocks", function* () {
    yield* TestClock.setTime(Date.UTC(2026, 10, 22))
    const world = World.make()
    const listed = (address: string) => transactionsOf({ ...Bitcoin.info, world }, address)
    const waits = (address: string) => listed(address).some(({ height }) => height === undefined)
    const address = samples(Bitcoin.info, 12).find(waits) ?? assert.fail("no transaction is pending")
    yield* world.fund("bitcoin", address, 1n)
    const [first, second] = listed(address)
    assert.deepStrictEqual([first?.height, (second?.time ?? 0) > (first?.time ?? 0)], [undefined, true])
  })

  it("name an account by its extended public key on both sides of its transactions", function* () {
    const { history } = yield* made(Litecoin, {})
    if (history === undefined) return assert.fail("has no history")
    const { sources, transactions } = yield* settled(history({ address: extendedKey, limit: 50 }))
    assert.deepStrictEqual(sources, ["litecoin-blockbook"])
    assert.isAbove(transactions.length, 3)
    assert.strictEqual(balanceOf(transactions, extendedKey), World.native(Litecoin.info, extendedKey))
  })
})
