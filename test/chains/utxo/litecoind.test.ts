import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import { bytesToHex } from "viem/utils"
import * as FeeRates from "../../../src/chains/utxo/fees/FeeRates.ts"
import { fees } from "../../../src/chains/utxo/fees.ts"
import { feeCalls } from "../../../src/chains/utxo/providers/bitcoind/Bitcoind.ts"
import * as UtxoAddress from "../../../src/chains/utxo/UtxoAddress.ts"
import * as Amount from "../../../src/domain/Amount.ts"
import { levelNames } from "../../../src/domain/fees/Fees.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { json } from "../../support/http.ts"
import { Litecoind, layer as node } from "../../support/litecoind.ts"
import { Litecoin } from "../../support/networks.ts"
import { isMissing } from "../../support/tools.ts"
import { assert, describe, layer } from "../../support/vitest.ts"
import { network } from "./made.ts"

/** The version bytes and the human-readable part of Litecoin's regtest. */
const regtest: UtxoAddress.AddressFacts = {
  name: "Litecoin regtest",
  coding: { keyHash: [0x6f], scriptHash: [0x3a, 0xc4], hrp: "rltc", extended: { tpub: 0x043587cf } }
}

/** Output script of an address. */
const scriptOf = (payee: UtxoAddress.Payee): string => {
  if (payee.kind === "extended") return ""
  if (payee.kind === "witness") {
    const version = payee.version === 0 ? "00" : (0x50 + payee.version).toString(16)
    return `${version}${payee.program.length.toString(16).padStart(2, "0")}${bytesToHex(payee.program).slice(2)}`
  }
  const hash = bytesToHex(payee.hash).slice(2)
  return payee.kind === "keyHash" ? `76a914${hash}88ac` : `a914${hash}87`
}

interface Transaction {
  readonly vin: ReadonlyArray<{ readonly txid?: string; readonly vout?: number }>
  readonly vout: ReadonlyArray<{ readonly value: number; readonly scriptPubKey: { readonly hex: string } }>
}

/** Base units of a node's amount, which is a float of coins with at most eight decimals. */
const units = (coins: number) => BigInt(Math.round(coins * 1e8))

describe.skipIf(isMissing("litecoind"))("a real Litecoin node", () => {
  layer(node, { excludeTestServices: true, timeout: "60 seconds" })((it) => {
    const kinds = { legacy: "keyHash", "p2sh-segwit": "scriptHash", bech32: "witness" } as const

    it("has the same script as the service for an address of each type, and the same address for the script", function* () {
      const { rpc } = yield* Litecoind
      for (const [type, kind] of Object.entries(kinds))
        for (let count = 0; count < 20; count++) {
          const text = yield* rpc<string>("getnewaddress", "", type)
          const returned = yield* rpc<{ scriptPubKey: string }>("validateaddress", text)
          const payee = Either.getOrThrow(UtxoAddress.decode(regtest, text))
          assert.strictEqual(payee.kind, kind)
          assert.strictEqual(scriptOf(payee), returned.scriptPubKey)
          assert.strictEqual(UtxoAddress.encode(regtest.coding, payee), text)
          assert.isTrue(Either.isLeft(UtxoAddress.parse(Litecoin.info)(text)))
        }
    })

    it("refuses the same texts as the service: a changed character, a cut-off address", function* () {
      const { rpc } = yield* Litecoind
      const isValid = (text: string) =>
        Effect.map(rpc<{ isvalid: boolean }>("validateaddress", text), (validated) => validated.isvalid)
      for (const type of Object.keys(kinds)) {
        const text = yield* rpc<string>("getnewaddress", "", type)
        const wrong = Array.from(
          text,
          (letter, at) => `${text.slice(0, at)}${letter === "q" ? "p" : "q"}${text.slice(at + 1)}`
        )
        const spellings = [
          text,
          text.slice(0, -1),
          `${text}q`,
          text.toUpperCase(),
          text.toLowerCase(),
          ...wrong.slice(4)
        ]
        for (const spelling of spellings)
          assert.strictEqual(Either.isRight(UtxoAddress.parse(regtest)(spelling)), yield* isValid(spelling), spelling)
      }
    })

    it("has the same balances as the service reads from an Esplora with the node's blocks and mempool", function* () {
      const { rpc } = yield* Litecoind
      const miner = yield* rpc<string>("getnewaddress", "", "bech32")
      yield* rpc("generatetoaddress", 101, miner)
      const [saved, spent, waiting] = yield* Effect.all([
        rpc<string>("getnewaddress", "saved", "legacy"),
        rpc<string>("getnewaddress", "spent", "p2sh-segwit"),
        rpc<string>("getnewaddress", "waiting", "bech32")
      ])
      yield* rpc("sendmany", "", { [saved]: 1.23456789, [spent]: 0.1 })
      yield* rpc("generatetoaddress", 1, miner)
      // Spends the output to another address, less the fee. The transaction remains in the mempool.
      const [output] = yield* rpc<ReadonlyArray<{ txid: string; vout: number }>>("listunspent", 1, 999, [spent])
      const raw = yield* rpc<string>("createrawtransaction", [output], { [waiting]: 0.0999 })
      const { hex } = yield* rpc<{ hex: string }>("signrawtransactionwithwallet", raw)
      yield* rpc("sendrawtransaction", hex)

      const all = yield* transactions(rpc)
      const returned = (text: string) => {
        const own = scriptOf(Either.getOrThrow(UtxoAddress.decode(regtest, text)))
        const stats = (confirmed: boolean) => {
          const some = all.filter((transaction) => transaction.confirmed === confirmed)
          const funded = some.flatMap(({ vout }) => vout.filter(({ scriptPubKey }) => scriptPubKey.hex === own))
          const taken = some.flatMap(({ vin }) =>
            vin.flatMap((input) => {
              const output = all.find(({ txid }) => txid === input.txid)?.vout[input.vout ?? 0]
              return output?.scriptPubKey.hex === own ? [output] : []
            })
          )
          const sum = (outputs: Transaction["vout"]) =>
            Number(outputs.reduce((total, paid) => total + units(paid.value), 0n))
          return { funded_txo_sum: sum(funded), spent_txo_sum: sum(taken), tx_count: funded.length + taken.length }
        }
        return { chain_stats: stats(true), mempool_stats: stats(false) }
      }

      const mainnet = (text: string) =>
        UtxoAddress.encode(Litecoin.info.coding, Either.getOrThrow(UtxoAddress.decode(regtest, text)))
      const byMainnet = new Map([saved, spent, waiting].map((text) => [mainnet(text), text]))
      const made = yield* network(Litecoin, {
        "litecoinspace.org": ({ url }) => {
          const address = url.pathname.split("/").at(-1) ?? ""
          return json({ address, ...returned(byMainnet.get(address) ?? "") })
        }
      })
      for (const [address, text] of byMainnet) {
        const { amount } = yield* made.holding(address, Option.none())
        const unspent = yield* rpc<ReadonlyArray<{ amount: number }>>("listunspent", 0, 999, [text])
        const wallet = unspent.reduce((total, one) => total + units(one.amount), 0n)
        assert.strictEqual(Either.getOrThrow(amount), wallet, text)
      }
      const [first, second, third] = yield* Effect.forEach([...byMainnet.keys()], (address) =>
        Effect.map(made.holding(address, Option.none()), ({ amount }) => Amount.format(Either.getOrThrow(amount), 8))
      )
      assert.deepStrictEqual([first, second, third], ["1.23456789", "0", "0.0999"])
    })

    it.scoped(
      "estimates fees after it has seen transactions, and confirms a transaction with the rate of a level",
      () =>
        Effect.gen(function* () {
          const { rpc, url } = yield* Litecoind
          const node = yield* Upstream.make({ name: "node", urls: [url], canary: () => Effect.void })
          const source = fees(Litecoin.info, [FeeRates.make(Litecoin.info, node, feeCalls)])
          const none = yield* Effect.flip(source.current)
          assert.deepInclude(none, { reason: "upstream_error" })
          assert.match(none.message, /no estimate/)
          const own = yield* rpc<string>("getnewaddress", "", "bech32")
          for (let block = 0; block < 5; block++) {
            yield* Effect.all(
              Array.from({ length: 5 }, () => rpc("sendtoaddress", own, 0.5)),
              { concurrency: 5 }
            )
            yield* rpc("generatetoaddress", 1, own)
          }
          const found = yield* source.current
          assert(found.family === "utxo")
          for (const name of levelNames) {
            const { satPerVbyte } = found.levels[name]
            // The node refuses the ninth decimal that a quotient of floats may have.
            yield* rpc("settxfee", Number((Number(satPerVbyte) / 1e5).toFixed(8)))
            const hash = yield* rpc<string>("sendtoaddress", own, 0.25)
            const { fee, hex } = yield* rpc<{ fee: number; hex: string }>("gettransaction", hash)
            const { vsize } = yield* rpc<{ vsize: number }>("decoderawtransaction", hex)
            // The node rounds the rate to fewer decimals.
            assert.closeTo(Number(units(-fee)), Number(satPerVbyte) * vsize, 1, name)
            yield* rpc("generatetoaddress", 1, own)
            const { confirmations } = yield* rpc<{ confirmations: number }>("gettransaction", hash)
            assert.strictEqual(confirmations, 1, name)
          }
        }).pipe(Effect.provide([FetchClient.layer, Settings.layer({}), Upstreams.layer]))
    )
  })
})

const transactions = Effect.fnUntraced(function* (rpc: Litecoind["Type"]["rpc"]) {
  const height = yield* rpc<number>("getblockcount")
  const confirmed = yield* Effect.forEach(
    Array.from({ length: height }, (_, index) => index + 1),
    (at) =>
      Effect.flatMap(rpc<string>("getblockhash", at), (hash) =>
        rpc<{ tx: ReadonlyArray<Transaction & { txid: string }> }>("getblock", hash, 2)
      ),
    { concurrency: 4 }
  )
  const pool = yield* Effect.flatMap(rpc<ReadonlyArray<string>>("getrawmempool"), (ids) =>
    Effect.forEach(ids, (id) => rpc<Transaction & { txid: string }>("getrawtransaction", id, true))
  )
  return [
    ...confirmed.flatMap(({ tx }) => tx.map((transaction) => ({ ...transaction, confirmed: true }))),
    ...pool.map((transaction) => ({ ...transaction, confirmed: false }))
  ]
})
