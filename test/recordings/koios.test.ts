import * as calls from "../../src/chains/cardano/providers/koios/calls.ts"
import { refusals } from "../../src/chains/cardano/submit/refusals.ts"
import { height, seconds } from "../../src/domain/units.ts"
import { enterprise, stake } from "../support/cardano.ts"
import { noStatus } from "../support/rawTransactions.ts"
import { largest, listedAt, parametersAtKoios, seenAtKoios, sent, sentAs } from "./readers/cardano.ts"
import { meaning } from "./readers/refusals.ts"
import { by, fails, type Row, recordingsOf, row } from "./table.ts"

const koios = by({ exact: true })

const [first, second, third] = [enterprise(1), enterprise(2), enterprise(3)]
const [made, max] = ["5a".repeat(28), "9223372036854775807"]
const holder = "addr1q8wv876ptu0qhujmh2awdcnpcc0ctgdz8e8qvv29k8hucwft99azzjfn9l2658p483uljfdd00ef5rzg58y5km6gj9jqcp0ws7"

/** Other responses are not read as balances. */
const noBalance = row(koios(calls.addressInfo, { addresses: [first] }), fails("bad_answer"), "is no balance")

/** The older format of assets: a list in each row. */
const grouped = (address: string) =>
  row(koios(calls.addressAssets, { addresses: [address], index: 0 }), [null], "is not read as a list without assets")

const noTransaction = row(koios(calls.txCbor, { hashes: [] }), fails("bad_answer"), "is no transaction")

const taken: ReadonlyArray<Row> = [
  row(sentAs("koios", "confirmed"), "done", "is a success if the transaction is found"),
  ...(["not_found", noStatus] as const).map((status) =>
    row(sentAs("koios", status), fails("upstream_error", /may have arrived/), "fails otherwise")
  )
]

const rejected = (reason: string) => [
  row(sent("koios"), ["refused", true, "text/plain; charset=utf-8", 1], "is returned unchanged"),
  row(meaning(refusals), reason)
]

recordingsOf("koios", {
  samples: {
    "tx-info": row(seenAtKoios(first), [
      `d4d4d4d4 Receive Success 1750008000 fee 168600: ${third}:608000000 -> me:608000000, in 12000400 at 7`
    ]),
    "tx-info-assets": row(seenAtKoios(first), [
      `d5d5d5d5 Receive Success 1750010000 fee 200000: ${second}:10000000 + ${second}:${max} ${made} -> me:10000000 + me:${max} ${made}, in 12000500 at 0`
    ]),
    "tx-info-script": [
      row(seenAtKoios(first), [
        `d6d6d6d6 Withdrawal Success 1750010200 fee 200000: ${stake(1)}:1000000 + me:0 -> me:1000000, in 12000510 at 0`
      ]),
      row(
        seenAtKoios(stake(1)),
        ["d6d6d6d6 Withdrawal Success 1750010200 fee 200000: me:0 -> me:0, in 12000510 at 0"],
        "rewards that go to an address of the account are zero"
      )
    ],
    "tx-info-script-failed": row(seenAtKoios(first), [
      "d7d7d7d7 Send Failed 1750010400 fee 450000: me:0 -> , in 12000520 at 0"
    ]),
    "address-assets-grouped": grouped(first),
    tip: noBalance,
    "tx-status": noTransaction,
    "submittx-400-undecodable": rejected("invalid"),
    "submittx-400-known": taken
  },
  recorded: {
    "address-info": row(koios(calls.addressInfo, { addresses: [holder] }), [{ address: holder, balance: 15_418_617n }]),
    "address-assets": grouped(
      "addr1qywp2795uk4uusknpseu3fcwy8ew57dnuaeutnxaa5j6ulp4u2anham4xet066yjc6xjxcymujvvwlfhj8k8gxfl2nvs73rvzh"
    ),
    "address-txs": row(
      listedAt("koios", holder, 3),
      [true, "c626fe02", "bf685dde", "2534b92a"],
      "the newest are requested"
    ),
    "address-utxos-null-asset-list": row(
      koios(calls.addressUtxos, { address: holder, index: 0 }, (rows) =>
        largest(
          rows.map(({ asset_list, tx_index, value }) => ({ index: tx_index, coins: value, tokens: asset_list ?? [] }))
        )
      ),
      [7, [1, 25_618_819n], [1, 19_778_509n], [1, 16_173_935n]]
    ),
    "epoch-params": row(parametersAtKoios, [448, "10000000000", 0.0000721, []], "has Blockfrost's names and types"),
    tip: [
      row(koios(calls.tip, {}), [
        {
          hash: "442765ab5660346a6af3ba7667bbd35934e6219a52f0f53a80f28d27a70309c1",
          height: height(8_129_347),
          time: seconds(1_670_832_173)
        }
      ]),
      noBalance
    ],
    "tx-info-two-outputs-same-address": row(
      seenAtKoios("addr1v94725lv4umktv89cg2t04qjn4qq3p6l6zegvtx5esu2zuqfd487u"),
      [
        "5ecf1335 Receive Success 1684231960 fee 168500: addr1v8djv8h2ws084wc92rwau0u73wtnsw8x3fm6uw292npscwsx2xc98:608782432 -> me:608782432, in 8780451 at 7"
      ],
      "two outputs to one address are one party, without the fee"
    ),
    "tx-status": noTransaction,
    "submittx-accepted-202": row(sent("koios"), fails("bad_answer"), "accepts another transaction"),
    "submittx-inputs-spent-400": taken,
    "submittx-raw-cbor-error-400": rejected("invalid")
  }
})
