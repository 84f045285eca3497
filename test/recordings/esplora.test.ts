import { history as esplora } from "../../src/chains/utxo/providers/esplora/EsploraHistory.ts"
import { refusals } from "../../src/chains/utxo/rawTransactions/refusals.ts"
import { height, seconds } from "../../src/domain/units.ts"
import { b, bch, bchScript, nested, old } from "../chains/utxo/historySamples.ts"
import { Bch, Bitcoin } from "../support/networks.ts"
import { meaning } from "./readers/refusals.ts"
import { type At, type Body, pageOf, said, seen } from "./readers/utxo.ts"
import { recordingsOf, row } from "./table.ts"

const provider = "esplora"
const bitcoin: At = { provider, module: Bitcoin, host: "mempool.space" }
const electrum: At = { provider, module: Bch, host: "explorer.melroy.org" }
const mine: At = {
  provider,
  module: Bch,
  host: "mine.test",
  environment: { BCH_ESPLORA_URLS: "http://mine.test/api", BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," }
}

const btc = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
const prefix = "bitcoincash:"
const alone = (body: Body = {}) => [body]

/** The same transaction as at BlockCypher. */
const nestedPage = (address: string, expected: object) =>
  row(
    pageOf(
      esplora((_, text) => text),
      Bitcoin.info,
      address,
      ({ next, transactions: [first] }) => ({
        hash: first?.hash,
        block: first?.block,
        time: first?.time,
        next
      })
    ),
    { next: undefined, ...expected },
    "is the same transaction as at BlockCypher"
  )

recordingsOf(provider, {
  samples: {
    "address-never-used": seen(bitcoin, { amount: 0n }),
    "address-spending-all": seen(bitcoin, { amount: 0n }),
    "address-electrum-backend": seen(electrum, { amount: 734_512_906n }),
    "txs-op-return-empty-address": seen(bitcoin, {
      holder: b(1),
      rows: ["a3a3a3a3 Send Success 1760000200 fee 7300: b1:0 -> "]
    }),
    "txs-height-zero-coinbase": seen(bitcoin, {
      holder: old(1),
      rows: ["a4a4a4a4 Receive Success 1300000000 fee 0: coinbase:5000000000 -> Unknown:5000000000 + old1:0"]
    }),
    "txs-pool-extra-members": seen(bitcoin, {
      holder: b(2),
      rows: ["a5a5a5a5 Receive Pending 1760000300 fee 10000: b1:90990000 -> b2:90990000"]
    }),
    "txs-replaced": seen(bitcoin, {
      shows: "of two transactions that spend one output, the one that pays more is shown, without a time",
      holder: b(1),
      rows: ["a7a7a7a7 Send Pending 0 fee 1250: b1:58750 -> b2:58750"]
    }),
    "txs-nested-segwit": [
      ...seen(bitcoin, {
        holder: nested(7),
        rows: ["a8a8a8a8 Receive Success 1700000145 fee 250: nested6:3599750 -> nested7:3200000 + nested8:399750"]
      }),
      nestedPage(nested(7), { hash: "a8".repeat(32), block: height(820_345), time: seconds(1_700_000_145) })
    ],
    "txs-two-payers": seen(mine, {
      holder: bchScript,
      rows: ["a1a1a1a1 Send Success 1760000000 fee 0: bch2:40000000 + bchScript:300000000 -> bch3:340000000"]
    }),
    "txs-pool-first-seen": seen(mine, {
      holder: bch(1),
      rows: ["a2a2a2a2 Send Pending 1760000100 fee 5557: bch1:49994444 -> bch4:30000000 + bch5:19994444"]
    }),
    "post-tx-taken": said("ESPLORA", "done"),
    "post-tx-error-25": said("ESPLORA", "refused"),
    "post-tx-error-26-json": said("ESPLORA", "refused"),
    "post-tx-error-26-plain": said("ESPLORA", "refused"),
    "post-tx-error-27": said("ESPLORA", "done"),
    "tx-hex": said("ESPLORA", "done"),
    "tx-not-found-404": said("ESPLORA", "unknown")
  },
  recorded: {
    "btc-address-never-used": [
      ...seen(bitcoin, { amount: 0n }),
      ...seen(bitcoin, { shows: "has no history", holder: btc, body: () => [], rows: [] })
    ],
    "btc-address-pending-spend-all": seen(bitcoin, { shows: "without the pending spend", amount: 0n }),
    "bch-address-electrum-backend": seen(electrum, {
      shows: "no counts, the balance as the funded sum, CashAddr for a legacy address",
      amount: 533_798_911n
    }),
    "bch-address-txs-p2sh-multisig": seen(mine, {
      shows: "the format of a fork, with the requested address and another one among the inputs",
      // The public instance accepts only the legacy form, not CashAddr.
      path: /^\/api\/address\/[13][^/]+\/txs$/,
      holder: `${prefix}prxsnmzaer7whacy04arcu4jtlm83xfvf5fxdvr36d`,
      rows: [
        `0f4cb812 Send Success 1769007389 fee 1278: ${prefix}pq2klmc0sarndpvymenhl5ywpvgtkxynmgwgn6nv9s:27328696 + me:309617948 -> ${prefix}qr3u8szwdl4el5ur428t3qs3cn8kqyhlesjqfjmp7k:336946644`
      ]
    }),
    "bch-address-txs-mempool-pending": seen(mine, {
      shows: "a mempool transaction is pending since it was first seen, and four inputs of one address are one party",
      path: /^\/api\/address\/[13][^/]+\/txs$/,
      holder: `${prefix}qrfteder6s5flm8guuwkxs3vyrk5rn22dum3h8j8f7`,
      rows: [
        `6cda8ef8 Send Pending 1769222712 fee 6660: me:839993340 -> ${prefix}qzyg7zc3a846hhzk6ppc3rzarm782n8tlqstnsytu3:39332651 + ${prefix}qq6lt0da0979aeekrruy2vqsudkjdznejcyvrsvpv8:800660689`
      ]
    }),
    "btc-tx-core-backend-opreturn-empty-address": seen(bitcoin, {
      shows: "an output without an address and coins has no recipient: the whole input is the fee",
      holder: "bc1p3zfekshja5gnm4r4vp2mz7wd0pxze7jjetffq3jprs5rxk4zq4wqesykl2",
      body: alone,
      rows: ["f859a4e6 Send Success 1746868490 fee 11586: me:0 -> "]
    }),
    "btc-tx-genesis-coinbase-p2pk": seen(bitcoin, {
      shows: "the genesis transaction is confirmed at height 0, with new coins for a bare public key",
      holder: "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa",
      body: alone,
      rows: ["4a5e1e4b Receive Success 1231006505 fee 0: coinbase:5000000000 -> Unknown:5000000000 + me:0"]
    }),
    "btc-tx-unconfirmed-mempool-extra-fields": seen(bitcoin, {
      shows: "members of forks and versions beyond 32 bits are ignored, and the time is that of first seen",
      holder: "bc1qak63vld8a97884unr6epxzkrud8xs3dfdqswy2",
      body: (transaction) => [{ ...transaction, version: 2 ** 40 }],
      rows: [
        "21518a98 Receive Pending 1683864993 fee 8794: bc1qmxr9gxrtjrv4mflrrgcf986mtd4q4ujss432tk:253008854 -> me:253008854"
      ]
    }),
    "btc-tx-replaced-cached + btc-tx-unconfirmed-rbf-replacement": seen(bitcoin, {
      shows: "a replaced transaction is left out; its replacement, which has no time, is pending since now",
      holder: "1stAprEZapjCYGUACUcXohQqSHF9MU5Kj",
      body: (...transactions) => transactions,
      rows: ["b6a53d8a Send Pending 0 fee 960: me:49040 -> me:49040"]
    }),
    "btc-testnet-address-txs-p2sh-segwit": nestedPage("2N8fMsws2pTGfNzkFTLWdUYM5RTWEAphieb", {
      hash: "5037ff3fe8e6a0349da5a0c77d1c07ed3ab7dc6cc3509ccc71c1dbd009380508",
      block: height(2_195_753),
      time: seconds(1_650_020_138)
    }),
    "post-tx-error-25-missing-inputs": [said("ESPLORA", "refused"), row(meaning(refusals), "already_spent")],
    "post-tx-error-26-blockstream-spelling": [said("ESPLORA", "refused"), row(meaning(refusals), "fee_too_low")],
    "post-tx-error-26-min-relay-fee": [said("ESPLORA", "refused"), row(meaning(refusals), "fee_too_low")],
    "post-tx-error-27-already-in-utxo-set": said("ESPLORA", "done")
  }
})
