import { old } from "../chains/utxo/historySamples.ts"
import { Bitcoin } from "../support/networks.ts"
import { type At, type Body, seen } from "./readers/utxo.ts"
import { recordingsOf } from "./table.ts"

const at: At = {
  provider: "blockchain-info",
  module: Bitcoin,
  host: "blockchain.info",
  query: { limit: "50", offset: "0" }
}
const balanceOf = (address: string): At => ({ ...at, balance: { active: address, n: "1" } })
const partly = ["some parties of transactions with very many inputs or outputs"]

const btc = "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"
const free = "1PJJygLB42VsaTgo2twFPgRT8CNz1bpGNE"
const emptied = "bc1qdlt2jrplkf0v7ucvhhjhs0qf7cqr0j27k7j7p0"
const alone = (address: string) => (transaction: Body) => ({ address, n_tx: 1, txs: [transaction] })

recordingsOf("blockchain-info", {
  samples: {
    multiaddr: seen(balanceOf(old(1)), { amount: 0n, spelling: old(1) }),
    "rawaddr-same-block": seen(at, {
      holder: old(1),
      rows: [
        "a4a4a4a4 Send Success 1760020000 fee 1000: old1:117000 -> old4:100000 + old5:17000",
        "a3a3a3a3 Receive Success 1760020000 fee 2000: old3:118000 -> old1:118000"
      ]
    }),
    "rawaddr-op-return-zero-fee": seen(at, {
      holder: old(1),
      rows: [
        "a5a5a5a5 Send Success 1760021000 fee 1200: old1:0 -> ",
        "a6a6a6a6 Send Success 1300001000 fee 0: old1:4000000000 -> old6:4000000000"
      ]
    }),
    "rawaddr-beyond-2-53": seen(at, {
      holder: old(1),
      rows: ["a9a9a9a9 Send Success 1760022500 fee 100: old1:1400 -> old8:1400"]
    }),
    "rawaddr-pool-coinbase-cut": seen(at, {
      holder: old(1),
      rows: [
        "a7a7a7a7 Send Pending 1760022000 fee 700: old1:49300 -> old7:20000 + Unknown:29300",
        "a8a8a8a8 Receive Success 1760021500 fee 0: coinbase:50000 -> old1:50000"
      ],
      missing: partly
    })
  },
  recorded: {
    "btc-multiaddr-same-block-chain": [
      ...seen(balanceOf(emptied), {
        shows: "an emptied address",
        amount: 0n,
        spelling: emptied,
        at: 1_785_276_308_000
      }),
      // It leaves out the other output, which is reported.
      ...seen(at, {
        shows: "a spending transaction is before the spent one in the same block",
        holder: emptied,
        body: ({ txs } = {}) => ({ address: emptied, n_tx: 2, txs }),
        missing: partly,
        rows: [
          "3281f96f Send Success 1631333672 fee 31350: me:112010 + bc1q5242kk7ut5nkyv74g765amvwqnglrya6xgj6mz:3431826 -> 3CXosf9wCHdSkGieziJ4BVg8g9HpwbX45t:1000000 + bc1qm4lpczdpkcs6j4twpzd2lgguy0sd8zzsm6puhl:2543836",
          "c12f6f1e Receive Success 1631333672 fee 21300: bc1qehqxp54z5232t42knqs6wfrynm46697d5dstzu:1113000 -> me:113000 + Unknown:1000000"
        ]
      })
    ],
    "btc-rawtx-opreturn-only": seen(at, {
      shows: "an output without an address and coins has no recipient",
      holder: btc,
      body: alone(btc),
      rows: ["eb4d2def Send Success 1729677861 fee 1000: me:0 -> "]
    }),
    "btc-rawtx-p2pk-zero-fee": seen(at, {
      shows: "a fee of zero is 0",
      holder: free,
      body: alone(free),
      rows: ["1db6251a Send Success 1313042188 fee 0: me:5000000000 -> 15WvMGm9qG1wDb54TMcvgzZsfvz9KdxzoN:5000000000"]
    })
  }
})
