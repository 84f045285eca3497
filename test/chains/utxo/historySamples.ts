import { rowOf } from "../../support/histories.ts"
import { Bch, Bitcoin, Dogecoin, Litecoin } from "../../support/networks.ts"
import { accountOf, addressOf, legacyOf, type Module } from "./made.ts"

// Expected rows for the sample histories in test/fixtures.

export const b = (byte: number) => addressOf(Bitcoin.info, byte)
const old = (byte: number) => legacyOf(Bitcoin.info, byte)
export const nested = (byte: number) => addressOf(Bitcoin.info, byte, "scriptHash")
const bch = (byte: number) => addressOf(Bch.info, byte)
export const doge = (byte: number) => addressOf(Dogecoin.info, byte)
const [bchScript, dogeScript] = [Bch, Dogecoin].map(({ info }) => addressOf(info, 1, "scriptHash")) as [string, string]
const ltc = (byte: number) => addressOf(Litecoin.info, byte)
const account = accountOf(Litecoin.info, "zpub", 1)

const names = new Map([
  ...Object.entries({ b, old, nested, bch, doge, ltc }).flatMap(([name, of]) =>
    Array.from({ length: 9 }, (_, index) => [of(index + 1), `${name}${index + 1}`] as const)
  ),
  ...Object.entries({ bchScript, dogeScript, account }).map(([name, address]) => [address, name] as const)
])

/** A transaction in a line: `b1` is the address of Bitcoin whose hash is the byte 1, and so on. */
export const row = rowOf((address) => names.get(address) ?? address)

interface Case {
  readonly holder: string
  readonly rows: ReadonlyArray<string>
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
      "txs-op-return-empty-address": {
        holder: b(1),
        rows: ["a3a3a3a3 Send Success 1760000200 fee 7300: b1:0 -> "]
      },
      "txs-height-zero-coinbase": {
        holder: old(1),
        rows: ["a4a4a4a4 Receive Success 1300000000 fee 0: coinbase:5000000000 -> Unknown:5000000000 + old1:0"]
      },
      "txs-pool-extra-members": {
        holder: b(2),
        rows: ["a5a5a5a5 Receive Pending 1760000300 fee 10000: b1:90990000 -> b2:90990000"]
      },
      // Of two transactions that spend one output, only the one that pays more is shown. It has no first-seen time.
      "txs-replaced": { holder: b(1), rows: ["a7a7a7a7 Send Pending 0 fee 1250: b1:58750 -> b2:58750"] },
      "txs-nested-segwit": {
        holder: nested(7),
        rows: ["a8a8a8a8 Receive Success 1700000145 fee 250: nested6:3599750 -> nested7:3200000 + nested8:399750"]
      }
    }
  },
  "esplora of the operator": {
    ...own,
    query: {},
    cases: {
      "txs-two-payers": {
        holder: bchScript,
        rows: ["a1a1a1a1 Send Success 1760000000 fee 0: bch2:40000000 + bchScript:300000000 -> bch3:340000000"]
      },
      "txs-pool-first-seen": {
        holder: bch(1),
        rows: ["a2a2a2a2 Send Pending 1760000100 fee 5557: bch1:49994444 -> bch4:30000000 + bch5:19994444"]
      }
    }
  },
  blockbook: {
    module: Bitcoin,
    host: "blockbook.btc.zelcore.io",
    query: book,
    cases: {
      "btc-address-txs": { holder: b(1), rows: ["c1c1c1c1 Send Success 1760001000 fee 3100: b1:35000 -> b2:35000"] },
      "btc-address-txs-to-itself": {
        holder: b(1),
        rows: ["c2c2c2c2 Send Success 1760001000 fee 900: b1:99100 -> b1:99100"]
      },
      "btc-address-txs-coinbase-op-return": {
        holder: b(1),
        rows: [
          "cbcbcbcb Receive Success 1760005100 fee 0: coinbase:312500000 -> b1:300000000 + b4:12500000",
          "cccccccc Receive Success 1760005000 fee 0: coinbase:12500000 -> b1:12500000"
        ]
      },
      "doge-address-txs": {
        holder: dogeScript,
        at: atDogecoin,
        rows: ["c4c4c4c4 Send Success 1760002000 fee 150000000: dogeScript:19850000000 -> doge2:19850000000"]
      },
      "doge-address-first-page": {
        holder: doge(4),
        at: { ...atDogecoin, query: { ...book, pageSize: "1" } },
        limit: 1,
        rows: ["c6c6c6c6 Send Success 1760003000 fee 100000000: doge4:13900000001 -> doge5:13900000001"]
      },
      "ltc-xpub-txs": {
        holder: account,
        at: { module: Litecoin, host: "blockbook.ltc.zelcore.io", query: { ...book, tokens: "used" } },
        rows: ["c7c7c7c7 Send Success 1760004000 fee 1000: account:518000 -> ltc9:518000"]
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
          "e3e3e3e3 Send Success 1760008000 fee 500: bch1:999500 -> bch2:999500",
          "e4e4e4e4 Receive Success 1760008000 fee 250: bch3:1000000 -> bch1:1000000"
        ]
      },
      "transactions-full-pool": {
        holder: bch(1),
        rows: ["e1e1e1e1 Send Pending 1760010000 fee 226: bch1:1499774 -> bch2:1499774"]
      },
      "transactions-full-coinbase": {
        holder: bch(1),
        rows: ["e5e5e5e5 Receive Success 1760007000 fee 0: coinbase:500500 -> bch1:500500"]
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
          "a4a4a4a4 Send Success 1760020000 fee 1000: old1:117000 -> old4:100000 + old5:17000",
          "a3a3a3a3 Receive Success 1760020000 fee 2000: old3:118000 -> old1:118000"
        ]
      },
      "rawaddr-op-return-zero-fee": {
        holder: old(1),
        rows: [
          "a5a5a5a5 Send Success 1760021000 fee 1200: old1:0 -> ",
          "a6a6a6a6 Send Success 1300001000 fee 0: old1:4000000000 -> old6:4000000000"
        ]
      },
      "rawaddr-beyond-2-53": {
        holder: old(1),
        rows: ["a9a9a9a9 Send Success 1760022500 fee 100: old1:1400 -> old8:1400"]
      },
      "rawaddr-pool-coinbase-cut": {
        holder: old(1),
        rows: [
          "a7a7a7a7 Send Pending 1760022000 fee 700: old1:49300 -> old7:20000 + Unknown:29300",
          "a8a8a8a8 Receive Success 1760021500 fee 0: coinbase:50000 -> old1:50000"
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
        rows: ["b4b4b4b4 Send Success 1729772000 fee 700000: doge1:0 -> "]
      },
      "address-full-zero-fee": {
        holder: doge(1),
        rows: ["b5b5b5b5 Send Success 1393545600 fee 0: doge1:600000000 -> doge4:600000000"]
      },
      "address-full-beyond-2-53": {
        holder: doge(1),
        rows: ["b6b6b6b6 Receive Success 1760054400 fee 882: doge5:9007199254740993 -> doge1:9007199254740993"]
      },
      "address-full-pool-cut-outputs": {
        holder: doge(1),
        rows: [
          "b7b7b7b7 Receive Pending 1760140800 fee 3000000: doge6:897000000 -> doge1:500000000 + Unknown:397000000"
        ],
        missing: partly
      },
      "address-full-page": {
        holder: doge(1),
        at: { module: Dogecoin, host: "api.blockcypher.com", query: { limit: "1", txlimit: "200" } },
        limit: 1,
        rows: ["b1b1b1b1 Send Success 1760000000 fee 40000000: doge1:1000000 -> Unknown:1000000"]
      }
    }
  }
}
