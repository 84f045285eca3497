import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { accountOf, addressOf, legacyOf, type Module } from "./made.ts"

// Expected rows for the sample histories in test/fixtures.

type Sides = ReadonlyArray<ReadonlyArray<string | bigint>>

/** Transaction as the tests compare it: the start of its hash, and each party's address with its base units. */
export interface Row {
  readonly hash: string
  readonly type: string
  readonly fee: bigint | null
  readonly status: string
  readonly timestamp: number
  readonly from: Sides
  readonly to: Sides
}

/** Confirmed payment. The hashes of samples are one repeated byte. */
export const sent = (byte: string, fee: bigint, timestamp: number, from: Sides, to: Sides): Row => ({
  hash: byte.repeat(4),
  type: "Send",
  fee,
  status: "Success",
  timestamp,
  from,
  to
})

export const received = (...row: Parameters<typeof sent>): Row => ({ ...sent(...row), type: "Receive" })

const waiting = (row: Row): Row => ({ ...row, status: "Pending" })

export const b = (byte: number) => addressOf(Bitcoin.info, byte)
const old = (byte: number) => legacyOf(Bitcoin.info, byte)
export const nested = (byte: number) => addressOf(Bitcoin.info, byte, "scriptHash")
const bch = (byte: number) => addressOf(Bch.info, byte)
export const doge = (byte: number) => addressOf(Dogecoin.info, byte)
const [bchScript, dogeScript] = [Bch, Dogecoin].map(({ info }) => addressOf(info, 1, "scriptHash")) as [string, string]
const account = accountOf(Litecoin.info, "zpub", 1)

interface Case {
  readonly holder: string
  readonly rows: ReadonlyArray<Row>
  /** Overrides the module, the host and the query of the provider. */
  readonly at?: { readonly module: Module; readonly host: string; readonly query?: Readonly<Record<string, string>> }
  readonly missing?: ReadonlyArray<string>
  readonly limit?: number
}

interface Provider {
  readonly module: Module
  readonly host: string
  readonly environment?: Readonly<Record<string, string>>
  /** Query parameters of the first call for 500 transactions. */
  readonly query: Readonly<Record<string, string>>
  readonly cases: Readonly<Record<string, Case>>
}

const own = {
  module: Bch,
  host: "mine.test",
  environment: { BCH_ESPLORA_URLS: "http://mine.test/api", BCH_BLOCKBOOK_URLS: ",", BCH_HASKOIN_URLS: "," }
}
const atDogecoin = { module: Dogecoin, host: "blockbook.doge.zelcore.io" }
const book = { details: "txs", pageSize: "500", page: "1" }
const partly = ["some parties of transactions with very many inputs or outputs"]

export const providers: Readonly<Record<string, Provider>> = {
  esplora: {
    module: Bitcoin,
    host: "mempool.space",
    query: {},
    cases: {
      "txs-op-return-empty-address": { holder: b(1), rows: [sent("a3", 7_300n, 1_760_000_200, [[b(1), 0n]], [])] },
      "txs-height-zero-coinbase": {
        holder: old(1),
        rows: [
          received(
            "a4",
            0n,
            1_300_000_000,
            [["coinbase", 5_000_000_000n]],
            [
              ["Unknown", 5_000_000_000n],
              [old(1), 0n]
            ]
          )
        ]
      },
      "txs-pool-extra-members": {
        holder: b(2),
        rows: [waiting(received("a5", 10_000n, 1_760_000_300, [[b(1), 90_990_000n]], [[b(2), 90_990_000n]]))]
      },
      // Of two transactions that spend one output, only the one that pays more is shown. It has no first-seen time.
      "txs-replaced": {
        holder: b(1),
        rows: [waiting(sent("a7", 1_250n, 0, [[b(1), 58_750n]], [[b(2), 58_750n]]))]
      },
      "txs-nested-segwit": {
        holder: nested(7),
        rows: [
          received(
            "a8",
            250n,
            1_700_000_145,
            [[nested(6), 3_599_750n]],
            [
              [nested(7), 3_200_000n],
              [nested(8), 399_750n]
            ]
          )
        ]
      }
    }
  },
  "esplora of the operator": {
    ...own,
    query: {},
    cases: {
      "txs-two-payers": {
        holder: bchScript,
        rows: [
          sent(
            "a1",
            0n,
            1_760_000_000,
            [
              [bch(2), 40_000_000n],
              [bchScript, 300_000_000n]
            ],
            [[bch(3), 340_000_000n]]
          )
        ]
      },
      "txs-pool-first-seen": {
        holder: bch(1),
        rows: [
          waiting(
            sent(
              "a2",
              5_557n,
              1_760_000_100,
              [[bch(1), 49_994_444n]],
              [
                [bch(4), 30_000_000n],
                [bch(5), 19_994_444n]
              ]
            )
          )
        ]
      }
    }
  },
  blockbook: {
    module: Bitcoin,
    host: "blockbook.btc.zelcore.io",
    query: book,
    cases: {
      "btc-address-txs": {
        holder: b(1),
        rows: [sent("c1", 3_100n, 1_760_001_000, [[b(1), 35_000n]], [[b(2), 35_000n]])]
      },
      "btc-address-txs-to-itself": {
        holder: b(1),
        rows: [sent("c2", 900n, 1_760_001_000, [[b(1), 99_100n]], [[b(1), 99_100n]])]
      },
      "btc-address-txs-coinbase-op-return": {
        holder: b(1),
        rows: [
          received(
            "cb",
            0n,
            1_760_005_100,
            [["coinbase", 312_500_000n]],
            [
              [b(1), 300_000_000n],
              [b(4), 12_500_000n]
            ]
          ),
          received("cc", 0n, 1_760_005_000, [["coinbase", 12_500_000n]], [[b(1), 12_500_000n]])
        ]
      },
      "doge-address-txs": {
        holder: dogeScript,
        at: atDogecoin,
        rows: [sent("c4", 150_000_000n, 1_760_002_000, [[dogeScript, 19_850_000_000n]], [[doge(2), 19_850_000_000n]])]
      },
      "doge-address-first-page": {
        holder: doge(4),
        at: { ...atDogecoin, query: { ...book, pageSize: "1" } },
        limit: 1,
        rows: [sent("c6", 100_000_000n, 1_760_003_000, [[doge(4), 13_900_000_001n]], [[doge(5), 13_900_000_001n]])]
      },
      "ltc-xpub-txs": {
        holder: account,
        at: { module: Litecoin, host: "blockbook.ltc.zelcore.io", query: { ...book, tokens: "used" } },
        rows: [sent("c7", 1_000n, 1_760_004_000, [[account, 518_000n]], [[addressOf(Litecoin.info, 9), 518_000n]])]
      }
    }
  },
  haskoin: {
    module: Bch,
    host: "api.haskoin.com",
    query: { limit: "501", offset: "0" },
    cases: {
      // A spending transaction is listed before the spent one, in whatever order they are returned.
      "transactions-full-same-block": {
        holder: bch(1),
        rows: [
          sent("e3", 500n, 1_760_008_000, [[bch(1), 999_500n]], [[bch(2), 999_500n]]),
          received("e4", 250n, 1_760_008_000, [[bch(3), 1_000_000n]], [[bch(1), 1_000_000n]])
        ]
      },
      "transactions-full-pool": {
        holder: bch(1),
        rows: [waiting(sent("e1", 226n, 1_760_010_000, [[bch(1), 1_499_774n]], [[bch(2), 1_499_774n]]))]
      },
      "transactions-full-coinbase": {
        holder: bch(1),
        rows: [received("e5", 0n, 1_760_007_000, [["coinbase", 500_500n]], [[bch(1), 500_500n]])]
      }
    }
  },
  "blockchain-info": {
    module: Bitcoin,
    host: "blockchain.info",
    query: { limit: "50", offset: "0" },
    cases: {
      "rawaddr-same-block": {
        holder: old(1),
        rows: [
          sent(
            "a4",
            1_000n,
            1_760_020_000,
            [[old(1), 117_000n]],
            [
              [old(4), 100_000n],
              [old(5), 17_000n]
            ]
          ),
          received("a3", 2_000n, 1_760_020_000, [[old(3), 118_000n]], [[old(1), 118_000n]])
        ]
      },
      "rawaddr-op-return-zero-fee": {
        holder: old(1),
        rows: [
          sent("a5", 1_200n, 1_760_021_000, [[old(1), 0n]], []),
          sent("a6", 0n, 1_300_001_000, [[old(1), 4_000_000_000n]], [[old(6), 4_000_000_000n]])
        ]
      },
      "rawaddr-beyond-2-53": {
        holder: old(1),
        rows: [sent("a9", 100n, 1_760_022_500, [[old(1), 1_400n]], [[old(8), 1_400n]])]
      },
      "rawaddr-pool-coinbase-cut": {
        holder: old(1),
        rows: [
          waiting(
            sent(
              "a7",
              700n,
              1_760_022_000,
              [[old(1), 49_300n]],
              [
                [old(7), 20_000n],
                ["Unknown", 29_300n]
              ]
            )
          ),
          received("a8", 0n, 1_760_021_500, [["coinbase", 50_000n]], [[old(1), 50_000n]])
        ],
        missing: partly
      }
    }
  },
  blockcypher: {
    module: Dogecoin,
    host: "api.blockcypher.com",
    environment: { DOGECOIN_BLOCKBOOK_URLS: "," },
    query: { limit: "50", txlimit: "200" },
    cases: {
      "address-full-double-spend": {
        holder: doge(1),
        rows: [sent("b4", 700_000n, 1_729_772_000, [[doge(1), 0n]], [])]
      },
      "address-full-zero-fee": {
        holder: doge(1),
        rows: [sent("b5", 0n, 1_393_545_600, [[doge(1), 600_000_000n]], [[doge(4), 600_000_000n]])]
      },
      "address-full-beyond-2-53": {
        holder: doge(1),
        rows: [
          received("b6", 882n, 1_760_054_400, [[doge(5), 9_007_199_254_740_993n]], [[doge(1), 9_007_199_254_740_993n]])
        ]
      },
      "address-full-pool-cut-outputs": {
        holder: doge(1),
        rows: [
          waiting(
            received(
              "b7",
              3_000_000n,
              1_760_140_800,
              [[doge(6), 897_000_000n]],
              [
                [doge(1), 500_000_000n],
                ["Unknown", 397_000_000n]
              ]
            )
          )
        ],
        missing: partly
      },
      "address-full-page": {
        holder: doge(1),
        at: { module: Dogecoin, host: "api.blockcypher.com", query: { limit: "1", txlimit: "200" } },
        limit: 1,
        rows: [sent("b1", 40_000_000n, 1_760_000_000, [[doge(1), 1_000_000n]], [["Unknown", 1_000_000n]])]
      }
    }
  }
}
