import * as Effect from "effect/Effect"
import { history as blockCypher } from "../../src/chains/utxo/providers/blockcypher/BlockCypher.ts"
import { height, seconds, secondsOf } from "../../src/domain/units.ts"
import { doge, nested } from "../chains/utxo/historySamples.ts"
import { Bitcoin, Dogecoin } from "../support/networks.ts"
import { type At, type Body, historyAt, pageOf, seen } from "./readers/utxo.ts"
import { recordingsOf, row } from "./table.ts"

const at: At = {
  provider: "blockcypher",
  module: Dogecoin,
  host: "api.blockcypher.com",
  environment: { DOGECOIN_BLOCKBOOK_URLS: "," },
  query: { limit: "50", txlimit: "200" }
}
const partly = ["some parties of transactions with very many inputs or outputs"]

const [btc, free] = ["bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4", "1PJJygLB42VsaTgo2twFPgRT8CNz1bpGNE"]
const holder = Dogecoin.info.sampleAddress

/** Recorded on Bitcoin. All networks have the same members, and addresses of other parties are returned unchanged. */
const onDogecoin = (value: object): Body =>
  JSON.parse(
    JSON.stringify({ address: btc, n_tx: 0, ...value })
      .replaceAll(btc, holder)
      .replaceAll(free, holder)
  )
const alone = (transaction: Body = {}) => onDogecoin({ txs: [transaction] })
const firstOf = ({ txs }: Body = {}) => (txs as ReadonlyArray<Body>)[0]

/** Queries of the calls for a page, and whether there is more. */
const nextPage = (what: Parameters<typeof historyAt>[1], last: string) =>
  row(
    (recording) =>
      Effect.map(historyAt(at, what, recording), ({ more, requests }) => [
        more,
        ...requests.slice(0, 2).map(({ url }) => url.search)
      ]),
    [true, "?limit=50&txlimit=200", `?limit=50&txlimit=200&before=${last}`],
    "the next page starts with the last block of this page"
  )

recordingsOf("blockcypher", {
  samples: {
    "address-balance": seen(at, { amount: 9_007_198_754_740_993n }),
    "address-full-double-spend": seen(at, {
      holder: doge(1),
      rows: ["b4b4b4b4 Send Success 1729772000 fee 700000: doge1:0 -> "]
    }),
    "address-full-zero-fee": seen(at, {
      holder: doge(1),
      rows: ["b5b5b5b5 Send Success 1393545600 fee 0: doge1:600000000 -> doge4:600000000"]
    }),
    "address-full-beyond-2-53": seen(at, {
      holder: doge(1),
      rows: ["b6b6b6b6 Receive Success 1760054400 fee 882: doge5:9007199254740993 -> doge1:9007199254740993"]
    }),
    "address-full-pool-cut-outputs": seen(at, {
      holder: doge(1),
      rows: ["b7b7b7b7 Receive Pending 1760140800 fee 3000000: doge6:897000000 -> doge1:500000000 + Unknown:397000000"],
      missing: partly
    }),
    "address-full-page": [
      ...seen(at, {
        holder: doge(1),
        limit: 1,
        query: { limit: "1", txlimit: "200" },
        more: true,
        rows: ["b1b1b1b1 Send Success 1760000000 fee 40000000: doge1:1000000 -> Unknown:1000000"]
      }),
      ...seen(at, {
        holder: doge(1),
        more: true,
        rows: [
          "b1b1b1b1 Send Success 1760000000 fee 40000000: doge1:1000000 -> Unknown:1000000",
          "b3b3b3b3 Receive Success 1759999900 fee 0: coinbase:1000000000000 -> doge1:1000000000000"
        ],
        missing: ["older transactions: dogecoin-blockcypher: could not be reached: connection refused"]
      }),
      nextPage({ holder: doge(1) }, "5000002")
    ],
    "address-full-same-as-esplora": row(
      pageOf(blockCypher, Bitcoin.info, nested(7), ({ transactions: [first] }) => [
        first?.hash,
        first?.block,
        first?.time
      ]),
      ["a8".repeat(32), height(820_345), seconds(1_700_000_145)],
      "is the same transaction as at Esplora"
    )
  },
  recorded: {
    "btc-tx-opreturn-only-double-spend-flag": seen(at, {
      shows: "a confirmed double spend is a success",
      holder,
      body: alone,
      rows: ["eb4d2def Send Success 1729677861 fee 1000: me:0 -> "]
    }),
    "btc-tx-p2pk-legacy-zero-fee": seen(at, {
      shows: "a fee of zero is 0",
      holder,
      body: alone,
      rows: ["1db6251a Send Success 1313042188 fee 0: me:5000000000 -> 15WvMGm9qG1wDb54TMcvgzZsfvz9KdxzoN:5000000000"]
    }),
    "btc-testnet-tx-same-as-esplora": row(
      ({ response }) => {
        const { block_height, confirmed, hash } = response.body as Body
        return [hash, block_height, secondsOf(String(confirmed))]
      },
      ["5037ff3fe8e6a0349da5a0c77d1c07ed3ab7dc6cc3509ccc71c1dbd009380508", height(2_195_753), seconds(1_650_020_138)],
      "is the same transaction as at Esplora"
    ),
    "btc-address-full-page": [
      ...seen(at, {
        shows: "the balance includes unconfirmed amounts",
        amount: 120_000_000_001n,
        body: (body) => ({ ...body, address: holder, final_balance: 120_000_000_001 })
      }),
      ...seen(at, {
        shows: "the order of a block is retained, and OP_RETURN with coins is shown",
        holder,
        body: (body = {}) => onDogecoin(body),
        more: true,
        count: 18,
        missing: ["older transactions: dogecoin-blockcypher: could not be reached: connection refused"],
        // Everything was spent. The fee of 67c97abe has another payer, too; the holder's share of it is 109.
        sum: 109n - 390n,
        rows: [
          "a3b6b354 Send Success 1752575357 fee 42996: me:48 -> Unknown:48",
          "de9ed2ac Receive Success 1752575357 fee 882: 1C6XJtNXiuXvk4oUAVMkKF57CRpaTrN5Ra:43044 -> me:43044"
        ]
      }),
      row(
        (recording) => {
          const body = (found: Body = {}) => onDogecoin(found)
          return Effect.map(historyAt(at, { holder, body }, recording), ({ transactions }) => {
            const { txs } = recording.response.body as { readonly txs: ReadonlyArray<Body> }
            return transactions.every(({ hash }, index) => hash === txs[index]?.hash)
          })
        },
        true,
        "all rows are in its order"
      ),
      nextPage({ holder, body: (body = {}) => onDogecoin(body) }, "883682"),
      ...seen(at, {
        shows: "all digits of JSON numbers beyond 2^53 are retained",
        holder,
        body: ({ txs } = {}) =>
          JSON.stringify(onDogecoin({ n_tx: 1, txs: [(txs as ReadonlyArray<Body>)[1]] }))
            .replace('"output_value":10213884', '"output_value":9007199264911833')
            .replace('"value":43044', '"value":9007199254740993'),
        rows: [
          "de9ed2ac Receive Success 1752575357 fee 882: 1C6XJtNXiuXvk4oUAVMkKF57CRpaTrN5Ra:9007199254740993 -> me:9007199254740993"
        ]
      }),
      ...seen(at, {
        shows: "parties of a large transaction that are not listed are missing",
        holder,
        body: (body) => alone({ ...firstOf(body), vout_sz: 400, fees: 77 }),
        rows: ["a3b6b354 Send Success 1752575357 fee 77: me:42967 -> Unknown:42967"],
        missing: partly
      }),
      ...seen(at, {
        shows: "a transaction without a block is pending",
        holder,
        body: (body) => alone({ ...firstOf(body), block_height: -1, confirmed: undefined }),
        rows: ["a3b6b354 Send Pending 1752575357 fee 42996: me:48 -> Unknown:48"]
      })
    ]
  }
})
