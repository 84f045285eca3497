import { createHash } from "node:crypto"
import { blake2b } from "@noble/hashes/blake2"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { encode, encodeForSigning } from "ripple-binary-codec"
import { deriveAddress, deriveKeypair, generateSeed, sign } from "ripple-keypairs"
import { privateKeyToAccount } from "viem/accounts"
import { bytesToHex, parseUnits } from "viem/utils"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import { eraAt } from "../../../src/chains/polkadot/context.ts"
import * as PolkadotAddress from "../../../src/chains/polkadot/PolkadotAddress.ts"
import * as TronAddress from "../../../src/chains/tron/TronAddress.ts"
import { AddressContexts } from "../../../src/contract/TransactionsApi.ts"
import type { TransactionContext } from "../../../src/domain/TransactionContext.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service, textOf } from "../../support/app.ts"
import {
  cardanoAddress,
  cardanoTransaction,
  ed25519,
  polkadotTransfer,
  sr25519,
  tronSigned,
  tronTransfer
} from "../../support/offline.ts"
import { tronRaw } from "../../support/rawNetworks.ts"
import { holder } from "../../support/sandbox.ts"
import { assert, describe, layer } from "../../support/vitest.ts"

type Answer = typeof AddressContexts.Type

const world = World.make()

const read = Effect.fnUntraced(function* (networks: Readonly<Record<string, ReadonlyArray<string>>>) {
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

const post = (path: string) => (chain: string, tx: string) =>
  Effect.gen(function* () {
    const service = yield* Service
    const response = yield* service.post(`/utils/${path}`, { chain, tx })
    return { status: response.status, text: yield* textOf(response) }
  })
const send = post("sendrawtransaction")
const find = post("getrawtransaction")

/** Returns the balance of the native coin in base units, as reported by the service. */
const balanceOf = Effect.fnUntraced(function* (network: string, address: string) {
  const service = yield* Service
  const response = yield* service.post("/balance", { networks: { [network]: [address] } })
  const [row] = yield* body<ReadonlyArray<{ readonly balance: string }>>(response)
  return parseUnits(row?.balance ?? "", factsOf(network).native.decimals)
})

const factsOf = (id: string): NetworkFacts => Catalogue.all.find((facts) => facts.id === id) ?? assert.fail(id)

const isRich = (network: string) => (address: string) => World.native(factsOf(network), address) > 20_000_000n

/** Returns the first candidate that fits in the simulated world. */
const firstOf = <A>(make: (index: number) => A, fits: (made: A) => boolean): A => {
  for (let index = 1; index < 200; index++) if (fits(make(index))) return make(index)
  return assert.fail("none fits")
}

const sample = (facts: NetworkFacts) => ("sampleAddress" in facts ? String(facts.sampleAddress) : holder(1))

/** The treasury of the relay chain. */
const polkadotSample = sample(factsOf("polkadot"))

const cardanoKey = (index: number) => {
  const key = ed25519(Buffer.alloc(32, index))
  return { key, address: cardanoAddress(key.publicKey) }
}

describe("POST /utils/transaction-context", () => {
  layer(Service.layer({ SUBSCAN_API_KEY: "key" }, Sandbox.layer(Catalogue.all, { world })), {
    excludeTestServices: true,
    timeout: "30 seconds"
  })((it) => {
    it("returns a context for every network, in the form of the contract", function* () {
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

    it("keeps names and spellings, skips unsupported networks, and returns the other contexts if an address is invalid", function* () {
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

    it("lists outputs, largest first, with scripts that are in their raw transactions", function* () {
      const service = yield* Service
      for (const facts of Catalogue.all.filter(({ family }) => family === "utxo")) {
        const { count, truncated, utxos } = yield* contextOf("utxo", facts.id, sample(facts))
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

    it("lists the outputs of an extended public key with their addresses and derivation paths", function* () {
      const zpub =
        "zpub6rFR7y4Q2AijBEqTUquhVz398htDFrtymD9xYYfG1m4wAcvPhXNfE3EfH1r1ADqtfSdVCToUG868RvUUkgDKf31mGDtKsAYz2oz2AGutZYs"
      const { utxos } = yield* contextOf("utxo", "bitcoin", zpub)
      assert.isNotEmpty(utxos)
      for (const { address, path } of utxos) {
        assert.match(path ?? "", /^m\//)
        assert.notStrictEqual(address, zpub)
      }
    })

    it("returns enough to build a Cardano payment, which is accepted once and found afterwards", function* () {
      const service = yield* Service
      const { address, key } = firstOf(cardanoKey, ({ address }) => isRich("cardano")(address))
      const context = yield* contextOf("cardano", "cardano", address)
      const lovelace = context.utxos.reduce((sum, utxo) => sum + BigInt(utxo.lovelace), 0n)
      assert.strictEqual(lovelace, World.native(factsOf("cardano"), address))
      const build = (fee: bigint) =>
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
            ttl: context.slot + 7_200
          },
          key
        )
      const send = (tx: string) => service.post("/utils/sendrawtransaction", { chain: "cardano", tx })
      const fee = BigInt(context.minFeeA * (build(200_000n).hex.length / 2) + context.minFeeB)
      const refused = yield* send(build(fee - 1_000n).hex)
      assert.deepStrictEqual(
        [refused.status, JSON.stringify(yield* body(refused)).includes("FeeTooSmallUTxO")],
        [400, true]
      )
      const { hex, id } = build(fee)
      const accepted = yield* send(hex)
      assert.deepStrictEqual([accepted.status, yield* body(accepted)], [200, id])
      const found = yield* service.post("/utils/getrawtransaction", { chain: "cardano", tx: id })
      assert.include(JSON.stringify(yield* body(found)), hex)
      yield* world.confirm("cardano")
      // The next context lists the new outputs, and the same inputs cannot be spent again.
      const after = yield* contextOf("cardano", "cardano", address)
      assert.deepStrictEqual(
        after.utxos.map(({ index, txHash }) => [txHash, index]),
        [[id, 1]]
      )
      const twice = yield* send(build(fee + 1n).hex)
      assert.include(JSON.stringify(yield* body(twice)), "BadInputsUTxO")
    })

    it("returns enough to build an XRP Ledger payment, which is accepted once and found afterwards", function* () {
      const keyOf = (index: number) => {
        const keypair = deriveKeypair(generateSeed({ entropy: new Uint8Array(16).fill(index) }))
        return { keypair, account: deriveAddress(keypair.publicKey) }
      }
      const { account, keypair } = firstOf(keyOf, (made) => isRich("ripple")(made.account))
      const context = yield* contextOf("ripple", "ripple", account)
      assert.isTrue(context.activated)
      assert.strictEqual(BigInt(context.reserve), 1_000_000n + BigInt(context.ownerCount) * 200_000n)
      const recipient = "rvYAfWj5gh67oV6fW32ZzP3Aw4Eubs59B"
      const amount = BigInt(context.balance) - BigInt(context.reserve) - BigInt(context.openLedgerFee)
      const build = (members: object = {}) => {
        const payment = {
          TransactionType: "Payment",
          Account: account,
          Destination: recipient,
          Amount: String(amount),
          Fee: context.openLedgerFee,
          Sequence: context.sequence ?? 0,
          LastLedgerSequence: context.ledger + 20,
          SigningPubKey: keypair.publicKey,
          ...members
        }
        const signature = sign(encodeForSigning(payment), keypair.privateKey)
        return encode({ ...payment, TxnSignature: signature })
      }
      const cheap = yield* send("ripple", build({ Fee: "9" }))
      assert.deepStrictEqual([cheap.status, cheap.text.includes("telINSUF_FEE_P")], [400, true], cheap.text)
      // A transaction that fails but pays its fee (`tec`) is accepted, with the failure as its result.
      const unfunded = yield* send("xrp", build({ Amount: String(amount + 11n) }))
      assert.deepStrictEqual(
        [unfunded.status, unfunded.text.includes("tecUNFUNDED_PAYMENT")],
        [200, true],
        unfunded.text
      )
      const tx = build({ Sequence: (context.sequence ?? 0) + 1, Amount: String(amount - 10n) })
      const accepted = yield* send("ripple", tx)
      const hash = createHash("sha512").update(`54584e00${tx}`, "hex").digest("hex").slice(0, 64).toUpperCase()
      assert.deepStrictEqual([accepted.status, accepted.text.includes("tesSUCCESS")], [200, true])
      assert.include(accepted.text, hash)
      yield* world.confirm("ripple")
      // Only the reserve is left.
      assert.strictEqual(yield* balanceOf("ripple", account), BigInt(context.reserve))
      const found = yield* find("ripple", hash.toLowerCase())
      assert.deepStrictEqual([found.status, found.text.includes(tx)], [200, true])
      // The same transaction is accepted again, but its sequence number is rejected for any other.
      const again = yield* send("ripple", tx.toLowerCase())
      assert.strictEqual(again.status, 200, again.text)
      const other = yield* send("ripple", build({ Sequence: (context.sequence ?? 0) + 1, Amount: "1" }))
      assert.deepStrictEqual([other.status, other.text.includes("tefPAST_SEQ")], [400, true])
      assert.strictEqual((yield* contextOf("ripple", "ripple", account)).sequence, (context.sequence ?? 0) + 2)

      const nobody = firstOf(
        (index) => keyOf(index).account,
        (address) => World.native(factsOf("ripple"), address) === 0n
      )
      const absent = yield* contextOf("ripple", "ripple", nobody)
      assert.deepInclude(absent, { activated: false, sequence: null, balance: "0", reserve: "1000000" })
    })

    it("returns enough to build a Tron transfer, in the bytes of Tron's documentation, which is accepted once", function* () {
      assert.strictEqual(
        tronRaw,
        "0a025e4b220847c9dc89341b300d40f8fed3a2a72e5a66080112620a2d747970652e676f6f676c65617069732e636f6d2f70726f746f636f6c2e5472616e73666572436f6e747261637412310a1541608f8da72479edc7dd921e4c30bb7e7cddbe722e121541e9d79cc47518930bc322d9bf7cddd260a0260a8d18e8077093afd0a2a72e"
      )
      const { account, address } = firstOf(
        (index) => {
          const account = privateKeyToAccount(bytesToHex(new Uint8Array(32).fill(index)))
          return { account, address: Either.getOrThrow(TronAddress.parse(`41${account.address.slice(2)}`)) }
        },
        (made) => isRich("tron")(made.address)
      )
      const { activated, balance, block } = yield* contextOf("tron", "tron", address)
      assert.deepStrictEqual([activated, BigInt(balance)], [true, World.native(factsOf("tron"), address)])
      const recipient = "TMuA6YqfCeX8EhbfYEg5y7S4DqzSJireY9"
      const build = () => {
        const { id, raw } = tronTransfer({
          ...block,
          expiration: block.timestamp + 60_000,
          from: `41${account.address.slice(2)}`,
          to: `41${TronAddress.toEvm(recipient).slice(2)}`,
          amount: 1_000_000n
        })
        return Effect.promise(async () => {
          const signature = await account.sign({ hash: bytesToHex(id) })
          return { id: id.toString("hex"), raw: raw.toString("hex"), tx: tronSigned(raw, signature) }
        })
      }
      const { id, raw, tx } = yield* build()
      assert.include(raw, `0a02${block.hash.slice(12, 16)}2208${block.hash.slice(16, 32)}`)
      const accepted = yield* send("TRX", tx)
      assert.strictEqual(accepted.status, 200, accepted.text)
      assert.deepInclude(JSON.parse(accepted.text), { result: true, txid: id })
      const found = yield* find("tron", id)
      assert.deepInclude(JSON.parse(found.text), { txID: id, raw_data_hex: raw })
      const again = yield* send("tron", tx)
      assert.deepStrictEqual([again.status, JSON.parse(again.text)], [200, { result: true, txid: id }])
    })

    it("returns enough to build a Polkadot extrinsic, which is accepted once and found afterwards", function* () {
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
      assert.strictEqual(context.block % context.era.period, context.era.phase)
      assert.isNull(context.metadataHash)
      assert.match(context.metadataHashReason ?? "", /mode 0/)
      const to = Buffer.from(polkadotSample.slice(2), "hex")
      const planck = 5_000_000_000n
      const build = (members: object = {}) =>
        polkadotTransfer({ ...context, ...members }, to, planck, key, key.publicKey).extrinsic.toString("hex")
      const wrongs = {
        "has a bad signature": build({ specVersion: context.specVersion + 1 }),
        outdated: build({ nonce: context.nonce - 1 })
      }
      for (const [problem, tx] of Object.entries(wrongs)) {
        const refused = yield* send("polkadot", tx)
        // An outdated nonce is uncertain (502): the transaction with this nonce in a block may be this one.
        const status = problem === "outdated" ? 502 : 400
        assert.deepStrictEqual([refused.status, refused.text.includes(problem)], [status, true], refused.text)
      }
      const tx = build()
      const hash = bytesToHex(blake2b(Buffer.from(tx, "hex"), { dkLen: 32 }))
      const accepted = yield* send("DOT", `0x${tx}`)
      assert.deepStrictEqual(
        [accepted.status, JSON.parse(accepted.text)],
        [200, { jsonrpc: "2.0", id: 1, result: hash }]
      )
      yield* world.confirm("polkadot")
      assert.include((yield* find("polkadot", hash)).text, hash)
      assert.strictEqual((yield* find("polkadot", "ab".repeat(32))).status, 404)
      const again = yield* send("polkadot", tx)
      assert.deepStrictEqual([again.status, again.text], [200, accepted.text])
      assert.strictEqual((yield* contextOf("polkadot", "polkadot", account)).nonce, context.nonce + 1)
      // sr25519, the key type of most Polkadot wallets.
      const sr = sr25519(
        firstOf(
          (index) => index,
          (index) => isRich("polkadot")(bytesToHex(sr25519(index).publicKey))
        )
      )
      const srContext = yield* contextOf("polkadot", "polkadot", bytesToHex(sr.publicKey))
      const srTransfer = polkadotTransfer(srContext, to, planck, sr, sr.publicKey, 1)
      assert.strictEqual((yield* send("polkadot", srTransfer.extrinsic.toString("hex"))).status, 200)
    })
  })
})
