import { createHash } from "node:crypto"
import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { decode, encode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, deriveKeypair, generateSeed, sign, verify } from "ripple-keypairs"
import { privateKeyToAccount } from "viem/accounts"
import { bytesToHex } from "viem/utils"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import { eraAt } from "../../../src/chains/polkadot/TransactionContext.ts"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import { AddressContexts } from "../../../src/contract/transactionContext.ts"
import * as Amount from "../../../src/domain/Amount.ts"
import type { TransactionContext } from "../../../src/domain/transactionContext/TransactionContext.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { cardanoAddress, cardanoTransaction, ed25519, polkadotTransfer, tronTransfer } from "../../support/offline.ts"
import { holder } from "../../support/sandbox.ts"

type Answer = typeof AddressContexts.Type

const read = (networks: Readonly<Record<string, ReadonlyArray<string>>>) =>
  Effect.gen(function* () {
    const service = yield* Service
    const response = yield* service.post("/utils/transaction-context", { networks })
    assert.strictEqual(response.status, 200)
    return yield* body<Answer>(response)
  })

const contextOf = <Family extends TransactionContext["family"]>(family: Family, network: string, address: string) =>
  Effect.map(read({ [network]: [address] }), (answer) => {
    const context = answer[network]?.[address]?.context
    if (context?.family !== family) return assert.fail(JSON.stringify(answer))
    return context as Extract<TransactionContext, { readonly family: Family }>
  })

const factsOf = (id: string): NetworkFacts => Catalogue.all.find((facts) => facts.id === id) ?? assert.fail(id)

const isRich = (network: string) => (address: string) => World.native(factsOf(network), address) > 20_000_000n

/** The first of many that fits, by the simulated world. */
const firstOf = <A>(make: (index: number) => A, fits: (made: A) => boolean): A => {
  for (let index = 1; index < 200; index++) if (fits(make(index))) return make(index)
  return assert.fail("none fits")
}

const sample = (facts: NetworkFacts) => ("sample" in facts ? String(facts.sample) : holder(1))

const cardanoKey = (index: number) => {
  const key = ed25519(Buffer.alloc(32, index))
  return { key, address: cardanoAddress(key.publicKey) }
}

describe("POST /utils/transaction-context", () => {
  layer(Service.layer(), { excludeTestServices: true, timeout: "30 seconds" })((it) => {
    it.effect("has a context of every network, in the form of the contract", () =>
      Effect.gen(function* () {
        const answer = yield* read(Object.fromEntries(Catalogue.all.map((facts) => [facts.id, [sample(facts)]])))
        assert.deepStrictEqual(
          Object.keys(answer),
          Catalogue.all.map(({ id }) => id as string)
        )
        Schema.decodeUnknownSync(AddressContexts)(answer)
        for (const facts of Catalogue.all) {
          const entry = answer[facts.id]?.[sample(facts)]
          if (facts.sunset === undefined) assert.strictEqual(entry?.context?.family, facts.family, facts.id)
          else assert.deepStrictEqual([entry?.context, entry?.errorCode], [null, "sunset"])
        }
      })
    )

    it.effect(
      "keeps keys and spellings, skips what is not supported, and a bad address costs no other its context",
      () =>
        Effect.gen(function* () {
          const lower = holder(1)
          const answer = yield* read({
            ETH: [lower, lower.toUpperCase(), "nonsense", lower],
            moon: [lower],
            bitcoin: []
          })
          assert.deepStrictEqual(Object.keys(answer), ["ETH", "bitcoin"])
          assert.deepStrictEqual(answer.bitcoin, {})
          assert.deepStrictEqual(Object.keys(answer.ETH ?? {}), [lower, lower.toUpperCase(), "nonsense"])
          assert.strictEqual(answer.ETH?.[lower]?.context?.family, "evm")
          assert.deepInclude(answer.ETH?.nonsense, { context: null, errorCode: "invalid_address" })
          const service = yield* Service
          const many = Array.from({ length: 501 }, (_, index) => holder(index))
          const refused = yield* service.post("/utils/transaction-context", { networks: { ethereum: many } })
          assert.strictEqual(refused.status, 413)
        })
    )

    it.effect("lists outputs that make up the balance of an address, with scripts that are found by their hashes", () =>
      Effect.gen(function* () {
        const service = yield* Service
        for (const facts of Catalogue.all.filter(({ family }) => family === "utxo")) {
          const { count, truncated, utxos } = yield* contextOf("utxo", facts.id, sample(facts))
          const rows = yield* body<ReadonlyArray<{ readonly balance: string }>>(
            yield* service.post("/balance", { networks: { [facts.id]: [sample(facts)] } })
          )
          const all = utxos.reduce((sum, { value }) => sum + BigInt(value), 0n)
          assert.strictEqual(Amount.format(all, facts.native.decimals), rows[0]?.balance, facts.id)
          assert.deepStrictEqual([count, truncated], [utxos.length, false])
          assert.deepStrictEqual(
            utxos.map(({ value }) => BigInt(value)),
            utxos.map(({ value }) => BigInt(value)).sort((a, b) => (a < b ? 1 : -1))
          )
          for (const { script, txid } of utxos) {
            const raw = yield* service.post("/utils/getrawtransaction", { chain: facts.id, tx: txid })
            assert.include((yield* body<{ readonly result: string }>(raw)).result, script)
          }
        }
      })
    )

    it.effect("has the outputs of an extended public key with the addresses and where they are derived", () =>
      Effect.gen(function* () {
        const zpub =
          "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
        const { utxos } = yield* contextOf("utxo", "bitcoin", zpub)
        assert.isNotEmpty(utxos)
        for (const { address, path } of utxos) {
          assert.match(path ?? "", /^m\//)
          assert.notStrictEqual(address, zpub)
        }
      })
    )

    it.effect("is enough for a payment of Cardano, which is accepted once, and found", () =>
      Effect.gen(function* () {
        const service = yield* Service
        const { address, key } = firstOf(cardanoKey, ({ address }) => isRich("cardano")(address))
        const context = yield* contextOf("cardano", "cardano", address)
        const lovelace = context.utxos.reduce((sum, utxo) => sum + BigInt(utxo.lovelace), 0n)
        assert.strictEqual(lovelace, World.native(factsOf("cardano"), address))
        const build = (fee: bigint, ttl = context.slot + 7_200) =>
          cardanoTransaction(
            {
              inputs: context.utxos,
              outputs: [
                { address: cardanoKey(199).address, lovelace: 2_000_000n, assets: [] },
                {
                  address,
                  lovelace: lovelace - 2_000_000n - fee,
                  assets: context.utxos.flatMap(({ assets }) => assets)
                }
              ],
              fee,
              ttl
            },
            key
          )
        const send = (tx: string) => service.post("/utils/sendrawtransaction", { chain: "cardano", tx })
        const fee = BigInt(context.minFeeA * (build(200_000n).hex.length / 2) + context.minFeeB)
        const wrongs = {
          FeeTooSmallUTxO: build(fee - 1_000n).hex,
          OutsideValidityIntervalUTxO: build(fee, context.slot - 100).hex,
          MissingVKeyWitnessesUTXOW: cardanoTransaction(
            {
              inputs: context.utxos,
              outputs: [{ address, lovelace: lovelace - fee, assets: context.utxos.flatMap(({ assets }) => assets) }],
              fee,
              ttl: context.slot + 100
            },
            cardanoKey(198).key
          ).hex,
          ValueNotConservedUTxO: cardanoTransaction(
            {
              inputs: context.utxos,
              outputs: [{ address, lovelace, assets: [] }],
              fee,
              ttl: context.slot + 100
            },
            key
          ).hex
        }
        for (const [problem, hex] of Object.entries(wrongs)) {
          const refused = yield* send(hex)
          assert.strictEqual(refused.status, 400, problem)
          assert.include(JSON.stringify(yield* body(refused)), problem)
        }
        const { hex, id } = build(fee)
        const accepted = yield* send(hex)
        assert.deepStrictEqual([accepted.status, yield* body(accepted)], [200, id])
        const found = yield* service.post("/utils/getrawtransaction", { chain: "cardano", tx: id })
        assert.include(JSON.stringify(yield* body(found)), hex)
        // Its outputs are those of the next one; the same inputs are not spent twice.
        const after = yield* contextOf("cardano", "cardano", address)
        assert.deepStrictEqual(
          after.utxos.map(({ index, txHash }) => [txHash, index]),
          [[id, 1]]
        )
        const twice = yield* send(build(fee + 1n).hex)
        assert.include(JSON.stringify(yield* body(twice)), "BadInputsUTxO")
      })
    )

    it.effect("is enough for a payment of the XRP Ledger, as its own library encodes and signs it", () =>
      Effect.gen(function* () {
        const { keypair, account } = firstOf(
          (index) => {
            const keypair = deriveKeypair(generateSeed({ entropy: new Uint8Array(16).fill(index) }))
            return { keypair, account: deriveAddress(keypair.publicKey) }
          },
          (made) => isRich("ripple")(made.account)
        )
        const context = yield* contextOf("ripple", "ripple", account)
        assert.isTrue(context.activated)
        const payment = {
          TransactionType: "Payment",
          Account: account,
          Destination: "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B",
          Amount: String(BigInt(context.balance) - BigInt(context.reserve) - BigInt(context.openLedgerFee)),
          Fee: context.openLedgerFee,
          Sequence: context.sequence ?? 0,
          LastLedgerSequence: context.ledger + 20,
          SigningPubKey: keypair.publicKey
        }
        const signature = sign(encodeForSigning(payment), keypair.privateKey)
        const blob = encode({ ...payment, TxnSignature: signature })
        assert.deepStrictEqual(decode(blob), { ...payment, TxnSignature: signature })
        assert.isTrue(verify(encodeForSigning(payment), signature, keypair.publicKey))
        assert.strictEqual(BigInt(context.reserve), 1_000_000n + BigInt(context.ownerCount) * 200_000n)

        const nobody = firstOf(
          (index) => deriveAddress(deriveKeypair(generateSeed({ entropy: new Uint8Array(16).fill(index) })).publicKey),
          (address) => World.native(factsOf("ripple"), address) === 0n
        )
        const absent = yield* contextOf("ripple", "ripple", nobody)
        assert.deepInclude(absent, { activated: false, sequence: null, balance: "0", reserve: "1000000" })
      })
    )

    it.effect(
      "is enough for a transfer of Tron: the bytes that its documentation shows, and a signature of the owner",
      () =>
        Effect.gen(function* () {
          // developers.tron.network, wallet/broadcasttransaction.
          const documented = tronTransfer({
            refBlockBytes: "5e4b",
            refBlockHash: "47c9dc89341b300d",
            expiration: 1591089627000,
            timestamp: 1591089567635,
            from: "41608f8da72479edc7dd921e4c30bb7e7cddbe722e",
            to: "41e9d79cc47518930bc322d9bf7cddd260a0260a8d",
            amount: 1000n
          })
          assert.strictEqual(
            documented.raw.toString("hex"),
            "0a025e4b220847c9dc89341b300d40f8fed3a2a72e5a66080112620a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412310a1541608f8da72479edc7dd921e4c30bb7e7cddbe722e121541e9d79cc47518930bc322d9bf7cddd260a0260a8d18e8077093afd0a2a72e"
          )
          const { account, address } = firstOf(
            (index) => {
              const account = privateKeyToAccount(bytesToHex(new Uint8Array(32).fill(index)))
              const address = TronAddress.parse(`41${account.address.slice(2)}`)
              return { account, address: address._tag === "Right" ? address.right : "" }
            },
            (made) => isRich("tron")(made.address)
          )
          const { activated, balance, block } = yield* contextOf("tron", "tron", address)
          assert.deepStrictEqual([activated, BigInt(balance)], [true, World.native(factsOf("tron"), address)])
          const { id, raw } = tronTransfer({
            ...block,
            expiration: block.timestamp + 60_000,
            from: `41${account.address.slice(2)}`,
            to: "41e9d79cc47518930bc322d9bf7cddd260a0260a8d",
            amount: 1n
          })
          assert.include(raw.toString("hex"), `0a02${block.hash.slice(12, 16)}2208${block.hash.slice(16, 32)}`)
          assert.strictEqual(createHash("sha256").update(raw).digest("hex"), id.toString("hex"))
          const signature = yield* Effect.promise(() => account.sign({ hash: bytesToHex(id) }))
          assert.lengthOf(signature, 132)
        })
    )

    it.effect("is enough for an extrinsic of Polkadot, with the era as Substrate encodes it", () =>
      Effect.gen(function* () {
        // sp_runtime::generic::era: Era::mortal(64, 42) is [5 + 42 % 16 * 16, 42 / 16].
        assert.strictEqual(eraAt(42, 64).encoded, `0x${Buffer.of(5 + (42 % 16) * 16, 42 >> 4).toString("hex")}`)
        const { account, key } = firstOf(
          (index) => {
            const key = ed25519(Buffer.alloc(32, index))
            return { key, account: bytesToHex(key.publicKey) }
          },
          (made) => isRich("polkadot")(made.account)
        )
        const context = yield* contextOf("polkadot", "polkadot", PolkadotAddress.format(account))
        assert.strictEqual(BigInt(context.balance), World.native(factsOf("polkadot"), account))
        const { extrinsic, signed } = polkadotTransfer(context, Buffer.alloc(32, 1), 5_000_000_000n, key)
        // What is signed ends with the versions, both hashes and no metadata hash.
        const versions = Buffer.alloc(8)
        versions.writeUInt32LE(context.specVersion)
        versions.writeUInt32LE(context.transactionVersion, 4)
        const implied = `${versions.toString("hex")}${context.genesisHash.slice(2)}${context.blockHash.slice(2)}00`
        assert.isTrue(signed.toString("hex").endsWith(implied))
        assert.include(
          extrinsic.toString("hex"),
          `${context.era.encoded.slice(2)}${(context.nonce << 2).toString(16).padStart(2, "0")}`
        )
        assert.strictEqual(context.block % context.era.period, context.era.phase)
      })
    )
  })
})
