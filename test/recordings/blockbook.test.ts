import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { history as blockbook } from "../../src/chains/utxo/providers/blockbook/BlockbookHistory.ts"
import { refusals } from "../../src/chains/utxo/rawTransactions/refusals.ts"
import * as UtxoAddress from "../../src/chains/utxo/UtxoAddress.ts"
import { account, b, doge, dogeScript } from "../chains/utxo/historySamples.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../support/networks.ts"
import { meaning } from "./readers/refusals.ts"
import { type At, type Body, historyAt, isFound, nextAfter, pageOf, said, seen } from "./readers/utxo.ts"
import { fails, recordingsOf, row } from "./table.ts"

const query = { details: "txs", pageSize: "500", page: "1" }
const at = { provider: "blockbook", balance: { details: "basic" }, query }
const bitcoin: At = { ...at, module: Bitcoin, host: "blockbook.btc.zelcore.io" }
const bch: At = { ...at, module: Bch, host: "blockbook.bch.zelcore.io" }
const dogecoin: At = { ...at, module: Dogecoin, host: "blockbook.doge.zelcore.io" }
const litecoin: At = {
  ...at,
  module: Litecoin,
  host: "blockbook.ltc.zelcore.io",
  balance: { details: "tokens", tokens: "derived" },
  query: { ...query, tokens: "used" }
}

const prefix = "bitcoincash:"
const rich = `${prefix}qq07l6rr5lsdm3m80qxw80ku2ex0tj76vvsxpvmgme`
const recent = "bc1prs529jr4v69hlm35u305j6tnk6erk6n9s48nl3raw0gz54k9twls6pvnee"

/** A page with one transaction of an address. */
const pageWith =
  (address: string) =>
  (transaction: Body = {}) => ({
    address,
    page: 1,
    totalPages: 1,
    txs: 1,
    transactions: [transaction]
  })

const words = ({ error }: Body) => (error as { readonly message?: unknown }).message ?? error
const refused = said("BLOCKBOOK", "refused")
const notFound = [
  said("BLOCKBOOK", "unknown", "find"),
  row(
    nextAfter,
    [
      "blockbook.doge.zelcore.io",
      "api.blockcypher.com",
      "dogecoin-blockcypher: could not be reached: connection refused"
    ],
    "is an error, not a balance of zero"
  )
]
const found = row(isFound, [true, true], "has the hash that Blockbook returns, and is found by it")
const mayHaveArrived = said(
  "BLOCKBOOK",
  fails(/returned a response in an unexpected format; the transaction may have arrived/)
)

recordingsOf("blockbook", {
  samples: {
    "btc-address-txs": seen(bitcoin, {
      amount: 1n,
      holder: b(1),
      rows: ["c1c1c1c1 Send Success 1760001000 fee 3100: b1:35000 -> b2:35000"]
    }),
    "btc-address-txs-to-itself": seen(bitcoin, {
      amount: 99_100n,
      holder: b(1),
      rows: ["c2c2c2c2 Send Success 1760001000 fee 900: b1:99100 -> b1:99100"]
    }),
    "btc-address-txs-coinbase-op-return": seen(bitcoin, {
      amount: 312_500_000n,
      holder: b(1),
      rows: [
        "cbcbcbcb Receive Success 1760005100 fee 0: coinbase:312500000 -> b1:300000000 + b4:12500000",
        "cccccccc Receive Success 1760005000 fee 0: coinbase:12500000 -> b1:12500000"
      ]
    }),
    "btc-tx": [
      found,
      ...seen(bitcoin, {
        shows: "the new members of a recent Blockbook",
        holder: b(1),
        body: pageWith(b(1)),
        rows: ["3f807e3b Receive Success 1760006000 fee 540: b5:5460 -> b1:5460"]
      })
    ],
    "doge-address-txs": seen(dogecoin, {
      amount: 71_234_567_890n,
      holder: dogeScript,
      rows: ["c4c4c4c4 Send Success 1760002000 fee 150000000: dogeScript:19850000000 -> doge2:19850000000"]
    }),
    "doge-address-first-page": seen(dogecoin, {
      amount: 0n,
      holder: doge(4),
      query: { ...query, pageSize: "1" },
      limit: 1,
      more: true,
      rows: ["c6c6c6c6 Send Success 1760003000 fee 100000000: doge4:13900000001 -> doge5:13900000001"]
    }),
    "ltc-xpub-txs": seen(litecoin, {
      amount: 2_481_000n,
      derived: ["ltc1qqyqszqgpqyqszqgpqyqszqgpqyqszqgpq4933p"],
      holder: account,
      rows: ["c7c7c7c7 Send Success 1760004000 fee 1000: account:518000 -> ltc9:518000"]
    }),
    "sendtx-taken": said("BLOCKBOOK", "done"),
    "sendtx-taken-as-a-word": mayHaveArrived,
    "sendtx-refused-400": refused,
    "sendtx-unreadable-400": refused,
    "sendtx-empty-400": refused,
    "tx-not-found-400": notFound
  },
  recorded: {
    "btc-address-details-txs": seen(bitcoin, {
      shows: "all transactions add up to the balance, and those of one block retain their order",
      amount: 16_245n,
      holder: "bc1qrfr44n2j4czd5c9txwlnw0yj2h82x9566fglqj",
      count: 13,
      // In two transactions with other payers, the others bear the larger part of the fee.
      sum: 16_245n - (8784n - 4018n) - (28956n - 3518n),
      rows: [
        "36b1e721 Send Success 1586299624 fee 1130: me:3699 -> 34DBwkzPz6yeqU1LoZLVzdCm91oeyxq37T:1000 + bc1q3u68k04pecgnkz0qjcf95wknxyxap2287gyzrg:2699",
        "81805450 Receive Success 1584485709 fee 226: bc1q3230a7cqt2drewuza8qff4c4gpt4muy9qyqknw:1473 -> me:1473",
        // A payment of everything to itself, in two outputs.
        "c6a4c82d Send Success 1584485709 fee 226: me:5829 -> me:5829"
      ]
    }),
    "btc-address-txs-coinbase-opreturn": [
      row(
        pageOf(blockbook, Bitcoin.info, b(1), ({ transactions }) =>
          transactions.map(({ inputs, outputs }) => [inputs.length, outputs.map(({ address }) => address)])
        ),
        [
          [2, ["mzB8cYrfRwFRFAGTDzV8LkUQy5BQicxGhX", "mtR97eM2HPWVM6c8FGLGcukgaHHQv7THoL", undefined]],
          [
            0,
            [
              "mv9uLThosiEnGRbVPS7Vhyw6VssbVRsiAw",
              "2MzmAKayJmja784jyHvRUW1bXPget1csRRG",
              "2NEVv9LJmAnY99W1pFoc5UJjVdypBqdnvu1"
            ]
          ]
        ],
        "no address for OP_RETURN, and no inputs for a transaction with new coins"
      ),
      row(
        ({ response }) => Either.isLeft(UtxoAddress.parse(Bitcoin.info)(String((response.body as Body).address))),
        true,
        "an address of a test network is refused"
      )
    ],
    "btc-tx-by-hash-brc20-commit": [
      found,
      ...seen(bitcoin, {
        shows: "the new members of a recent Blockbook",
        holder: recent,
        body: pageWith(recent),
        rows: [
          "654c6a28 Receive Success 1733199947 fee 1694: bc1p8l0xktmerqgwgrq6l6cejzc3dhph5z8cv6ae083cuvcjhpnten7s2wjswr:546 -> me:546"
        ]
      })
    ],
    "bch-address-115-inputs-huge-total": [
      ...seen(bch, { amount: 0n }),
      row(
        (recording) =>
          Effect.map(
            historyAt(bch, { holder: rich, limit: 5 }, recording),
            ({ missing, more, rows: [first = "", ...others] }) => {
              const [from = "", to] = first.split(" -> ")
              const parties = from.split(" + ")
              return [others.length, more, missing, parties.length, parties[0], to]
            }
          ),
        [
          4,
          true,
          [],
          24,
          `0284cb9b Send Success 1575319726 fee 17098: me:${115030693723n - 17098n}`,
          `${prefix}qzdzvtgxyxqeerqh6d98lm9pkwdnj9t6lydxqg82t6:32902 + ${prefix}qqhdntka6w4x9kfz6vcztyq4x835fy22vg3yc55de7:115067302350`
        ],
        "24 parties are shown"
      ),
      ...seen(bch, {
        shows: "transactions after the first page are missing",
        holder: rich,
        more: true,
        count: 5,
        rows: [],
        missing: ["older transactions: bch-blockbook: could not be reached: connection refused"]
      })
    ],
    "doge-address-details-txs": seen(dogecoin, {
      shows: "all transactions add up to the balance, with fees of more than one coin",
      amount: 50_394_795_942n,
      holder: "D5dAUAx3Ezg1q4dRgzKTBsxp4VJietWkDh",
      count: 12,
      sum: 50_394_795_942n,
      rows: [
        "fee8381f Send Success 1585794154 fee 158200000: me:841800000 -> D97xcKB9EAPmgNExbB5nAXDAQ9s5ZJ91J4:134700000 + DMVPBRTD6bgqr3fk2yTdz97hS4AA2gzj8g:707100000"
      ]
    }),
    "ltc-xpub-details-txs": [
      ...seen(litecoin, { amount: 1_818_078n }),
      ...seen(litecoin, {
        shows: "the addresses of an extended public key are one holder",
        limit: 10,
        query: { ...litecoin.query, pageSize: "10" },
        more: true,
        count: 10,
        rows: [
          "bfce02fd Send Success 1583910871 fee 452: me:100000 -> ltc1qenc97w7y20mlvma53vfyh4ukjz7rp83zf892wx:100000",
          "674092ed Send Success 1583831802 fee 452: me:1788530 -> me:1788530"
        ]
      })
    ],
    "sendtx-invalid-data-400": [refused, row(meaning(refusals, words), "invalid")],
    "sendtx-missing-blob-400": refused,
    // Recorded from a test of Blockbook, which returns a word instead of a hash.
    "sendtx-ok": said("BLOCKBOOK", fails(/may have arrived/)),
    "tx-not-found-400": notFound
  }
})
