import * as Effect from "effect/Effect"
import { bch } from "../chains/utxo/historySamples.ts"
import { addressOf, legacyOf } from "../chains/utxo/made.ts"
import { Bch } from "../support/networks.ts"
import { type At, type Body, historyAt, seen } from "./readers/utxo.ts"
import { recordingsOf, row } from "./table.ts"

const prefix = "bitcoincash:"
const at: At = { provider: "haskoin", module: Bch, host: "api.haskoin.com", query: { limit: "501", offset: "0" } }
const balanceOf = (address: string): At => ({ ...at, balance: { addresses: address } })

const holder = `${prefix}qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt`
const ownRows = (body: unknown) =>
  (body as ReadonlyArray<Body>).filter((transaction) => JSON.stringify(transaction).includes(holder))

recordingsOf("haskoin", {
  samples: {
    "address-balances": seen(balanceOf(addressOf(Bch.info, 3, "scriptHash").slice(prefix.length)), {
      amount: 734_500_000n,
      spelling: legacyOf(Bch.info, 3, "scriptHash")
    }),
    "transactions-full-same-block": seen(at, {
      shows: "a spending transaction is before the spent one",
      holder: bch(1),
      rows: [
        "e3e3e3e3 Send Success 1760008000 fee 500: bch1:999500 -> bch2:999500",
        "e4e4e4e4 Receive Success 1760008000 fee 250: bch3:1000000 -> bch1:1000000"
      ]
    }),
    "transactions-full-pool": seen(at, {
      holder: bch(1),
      rows: ["e1e1e1e1 Send Pending 1760010000 fee 226: bch1:1499774 -> bch2:1499774"]
    }),
    "transactions-full-coinbase": seen(at, {
      holder: bch(1),
      rows: ["e5e5e5e5 Receive Success 1760007000 fee 0: coinbase:500500 -> bch1:500500"]
    })
  },
  recorded: {
    "bch-address-balances": seen(balanceOf("pp8skudq3x5hzw8ew7vzsw8tn4k8wxsqsv0lt0mf3g"), {
      shows: "the address is found by its hash, not by its spelling",
      amount: 533_798_911n,
      spelling: "38ty1qB68gHsiyZ8k3RPeCJ1wYQPrUCPPr"
    }),
    "bch-multiaddr-filtered-outputs": row(
      ({ response }) => {
        const { addresses, txs } = response.body as {
          readonly addresses: ReadonlyArray<{ readonly final_balance: number }>
          readonly txs: ReadonlyArray<{ readonly vout_sz: number; readonly out: ReadonlyArray<unknown> }>
        }
        return [addresses[0]?.final_balance, txs.some(({ out, vout_sz }) => out.length < vout_sz)]
      },
      [533_798_911, true],
      "has the same balance, but leaves out outputs to other addresses"
    ),
    "bch-transactions-full-multi-address": [
      ...seen(at, {
        shows: "is requested with one row more than needed",
        holder,
        body: ownRows,
        count: 3,
        rows: [
          `8ee15aaa Receive Success 1663343032 fee 255: ${prefix}qrelay224c3ptllfl7k9yu6c9nvv3agjvswykg0xpc:1559391 -> me:1559391`,
          `03601a38 Receive Success 1657064906 fee 219: ${prefix}qzn29wvfk6undghjecet476gtvsh29fhwsrx2ycj2c:9605 -> me:9605`
        ]
      }),
      row(
        (recording) =>
          Effect.map(historyAt(at, { holder }, recording), ({ requests, transactions }) => {
            const rows = ownRows(recording.response.body)
            return [
              requests[0]?.url.pathname,
              transactions.length === rows.length,
              transactions.every(({ fee, hash }, index) => {
                const { fee: own, txid } = rows[index] ?? {}
                return hash === txid && fee === BigInt(Number(own))
              })
            ]
          }),
        ["/bch/address/qpplh0vyfn67cupcmhq4g2dt3s50rlarmclu9vnndt/transactions/full", true, true],
        "the order of a block is retained, and all fees are those of the rows"
      ),
      ...seen(at, {
        shows: "a deleted transaction is omitted, and one of the mempool is pending",
        holder,
        body: (all) => {
          const [first = {}, second = {}] = ownRows(all)
          return [
            { ...first, block: { mempool: 1_663_343_032 } },
            { ...second, deleted: true }
          ]
        },
        rows: [
          `8ee15aaa Receive Pending 1663343032 fee 255: ${prefix}qrelay224c3ptllfl7k9yu6c9nvv3agjvswykg0xpc:1559391 -> me:1559391`
        ]
      })
    ]
  }
})
