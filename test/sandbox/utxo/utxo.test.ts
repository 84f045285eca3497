import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import { Chain } from "../../../src/chains/Chain.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { byAddress } from "../../support/holdings.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const modules = [Bitcoin, Bch, Litecoin, Dogecoin]

/** Settings that leave a network with a single kind of indexer: the others have no endpoints. */
const alone: Readonly<Record<string, Readonly<Record<string, string>>>> = {
  "Bitcoin, Esplora": { BITCOIN_BLOCKBOOK_URLS: ",", BITCOIN_BLOCKCHAIN_INFO_URLS: "," },
  "Bitcoin, Blockbook": { BITCOIN_ESPLORA_URLS: ",", BITCOIN_BLOCKCHAIN_INFO_URLS: "," },
  "Bitcoin, blockchain.info": { BITCOIN_ESPLORA_URLS: ",", BITCOIN_BLOCKBOOK_URLS: "," },
  "Bitcoin Cash, Haskoin": { BCH_ESPLORA_URLS: ",", BCH_BLOCKBOOK_URLS: "," },
  "Bitcoin Cash, Blockbook": { BCH_ESPLORA_URLS: ",", BCH_HASKOIN_URLS: "," },
  "Bitcoin Cash, Esplora": { BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," },
  "Litecoin, Esplora": { LITECOIN_BLOCKBOOK_URLS: "," },
  "Litecoin, Blockbook": { LITECOIN_ESPLORA_URLS: "," },
  "Dogecoin, Blockbook": { DOGECOIN_BLOCKCYPHER_URLS: "," },
  "Dogecoin, BlockCypher": { DOGECOIN_BLOCKBOOK_URLS: "," }
}

const hash = FastCheck.uint8Array({ minLength: 20, maxLength: 20 })

describe("the simulated indexers", () => {
  for (const [name, environment] of Object.entries(alone))
    it(`return the world's balances: ${name}`, function* () {
      const module = modules.find(({ info }) => name.startsWith(`${info.name},`)) ?? Bitcoin
      const made = yield* Effect.provide(
        Chain,
        module.layer.pipe(
          Layer.provide(Sandbox.layer(modules.map(({ info }) => info))),
          Layer.provide([Layer.fresh(Upstreams.layer), Layer.fresh(Memory.layer())]),
          Layer.provide(
            Settings.layer({ BLOCKBOOK_PER_SECOND: "1000", BLOCKCYPHER_PER_SECOND: "1000", ...environment })
          )
        )
      )
      const { holdings } = byAddress(made)
      const { coding } = module.info
      const asked = FastCheck.sample(hash, 20).flatMap((uint8Array) => [
        UtxoAddress.encode(coding, { kind: "keyHash", hash: uint8Array }),
        UtxoAddress.encode(coding, { kind: "scriptHash", hash: uint8Array })
      ])
      const read = yield* settled(holdings(asked))
      assert.deepStrictEqual(
        read as unknown,
        asked.map((address) =>
          Either.right([{ asset: "native", amount: Either.right(World.native(module.info, address)) }])
        )
      )
      assert.isTrue(asked.some((address) => World.native(module.info, address) > 0n))
    })

  it("return the balance of an extended public key", function* () {
    const key =
      "zpub6rpF5Uxuz4KKWePLorSz2QrHMmk1iiZvGUGgtSHpor8yiGekyRuWf5ZNmf6GUKB4v3ibQDuZp5v8RnjEGq58kR3WPtGPn8Lrg677MQ8YeKu"
    const made = yield* Effect.provide(
      Chain,
      Litecoin.layer.pipe(
        Layer.provide(Sandbox.layer([Litecoin.info])),
        Layer.provide([Layer.fresh(Upstreams.layer), Layer.fresh(Memory.layer())]),
        Layer.provide(Settings.layer({}))
      )
    )
    assert.deepStrictEqual((yield* settled(byAddress(made).holdings([key]))) as unknown, [
      Either.right([{ asset: "native", amount: Either.right(World.native(Litecoin.info, key)) }])
    ])
  })
})
