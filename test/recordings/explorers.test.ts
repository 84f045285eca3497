import { arbitrum } from "../../src/catalogue/evm/arbitrum.ts"
import { base } from "../../src/catalogue/evm/base.ts"
import { bsc } from "../../src/catalogue/evm/bsc.ts"
import { ethereum } from "../../src/catalogue/evm/ethereum.ts"
import { optimism } from "../../src/catalogue/evm/optimism.ts"
import { polygon } from "../../src/catalogue/evm/polygon.ts"
import * as calls from "../../src/chains/evm/providers/etherscan/calls.ts"
import { tokensOwned } from "../../src/chains/evm/providers/etherscan/indexedTokens.ts"
import type { Exchange } from "../support/fixtures.ts"
import { checked, everywhere, failure, fallback, history, receiptIn, rowsIn } from "./readers/evm.ts"
import { firstAt, firstNever, notFirst } from "./readers/firstTransaction.ts"
import { by, type Row, recordingsOf, row } from "./table.ts"

const genesis = history({
  network: ethereum,
  shows: "genesis coins have no transaction and are reported as unavailable",
  calls: 3,
  rows: [],
  unavailable: "coins allocated in the first block, without a transaction"
})

const empty = history({
  network: ethereum,
  shows: "no results are no error, and take three calls",
  lists: everywhere,
  calls: 3,
  rows: []
})

/** No node has the receipts of this many of the rows. */
const withoutReceipts = (network: string, count: number) => [
  `fees and results of some transactions: ${network}-rpc: no node has ${count} of the receipts`
]

// A call that creates a contract without coins is not a transaction of the address.
const partial = history({
  network: ethereum,
  shows: "partially processed internal transfers are accepted, and reported as incomplete",
  rows: [],
  missing: ["internal transfers: etherscan: some are not processed yet"]
})

/** Polygon lists its native coin also as a token. */
const polygonOnce = (rows: ReadonlyArray<string>) =>
  history({
    network: polygon,
    shows: "Polygon's native coin counts once",
    lists: ([list]) => {
      const [first] = list === undefined ? [] : rowsIn(list)
      const contractAddress = "0x0000000000000000000000000000000000001010"
      return { txlist: [first], tokentx: [{ ...first, contractAddress, input: "deprecated" }] }
    },
    rows
  })

const onArbitrum = (rows: ReadonlyArray<string>) =>
  history({
    network: arbitrum,
    shows: "Arbitrum needs no receipts",
    lists: ([list]) => ({ txlist: list === undefined ? [] : rowsIn(list).slice(0, 1) }),
    rows,
    calls: 3
  })

const [spam, nobody] = [`0x${"5a".repeat(20)}`, `0x${"00".repeat(20)}`]
const made = `0x222222 Receive Success 1664000039 fee ${21_000n * 8_000_000_009n}: stranger:7100000000000001 -> me:7100000000000001`
const hash = (digit: number) => `0x${String(digit).repeat(64)}`

/** The recorded receipt, with another transaction and its gas. */
const receipt = (recordings: ReadonlyArray<Exchange>, changes: object) => {
  const last = recordings.find(({ provider }) => provider === "evm-rpc")
  return last === undefined ? {} : { ...receiptIn(last), ...changes }
}

/** Since blobs, only a receipt has the whole fee of a call. */
const called = history({
  network: ethereum,
  shows: "the same transactions in both formats",
  receipts: (all) => [
    receipt(all, { l1Fee: null, transactionHash: hash(1), gasUsed: "0xee48", effectiveGasPrice: "0x9502f903" })
  ],
  orders: [20_100_007 * 65_536 + 12, 15_600_003 * 65_536 + 3],
  nonces: [4, 0],
  rows: [
    `0x111111 Contract Call Success 1720000087 fee ${61_000n * 2_500_000_003n}: me:5000000000000000 + contract:1200000000000007 -> contract:5000000000000000 + me:1200000000000007`,
    made
  ]
})

const bedrock = { transactionHash: hash(4), gasUsed: "0xb3b0", effectiveGasPrice: "0x47" }
const opRow = (fee: bigint | null) => [`0x444444 Send Success 1720000005 fee ${fee}: me:90 -> stranger:90`]

const found = "0x706a70067be19bdadbea3600db0626859ff25d74"
const registrar = "0x253553366da8546fc250f225fe3d25d0c782303b"
const exchange = "0x267be1c1d684f78cb4f6a176c4911b741e4ffdc0"
const usdt = "0xdac17f958d2ee523a2206206994597c13d831ec7"
const first = `0x94045a Receive Success 1723813415 fee ${21000n * 5781918924n}: ${exchange}:20049160000000000 -> me:20049160000000000`
const positions = [
  [21065947, 51],
  [21065935, 126],
  [20542478, 18],
  [20542456, 197],
  [20542446, 125],
  [20541368, 45]
] as const
const hex = (text = "0") => `0x${BigInt(text).toString(16)}`

const six = history({
  network: ethereum,
  holder: found,
  shows: "the same transactions in both formats",
  receipts: (all) =>
    all
      .slice(0, 1)
      .flatMap(rowsIn)
      .map(({ gasPrice, gasUsed, hash }) =>
        receipt(all, { l1Fee: null, transactionHash: hash, gasUsed: hex(gasUsed), effectiveGasPrice: hex(gasPrice) })
      ),
  orders: positions.map(([block, index]) => block * 65536 + index),
  rows: [
    `0x7122b6 Contract Call Success 1730140427 fee ${467122n * 17630088123n}: me:0 -> 0x626fb210bf50e201ed62ca2705c16de2a53dc966:0`,
    `0x6cbb31 Receive Success 1730140283 fee ${21000n * 22280236579n}: ${exchange}:15693680000000000 -> me:15693680000000000`,
    `0xae57c6 Send Success 1723826819 fee ${21000n * 4294527457n}: me:9636000000000000 -> 0x56a1a34f0d33788eba53e2706854a37a5f275536:9636000000000000`,
    // The coins that the contract returns are listed next to the coins that it received.
    `0x0aa66c Contract Call Success 1723826543 fee ${413604n * 4097489782n}: me:3927431387104229 + ${registrar}:77008458570671 -> ${registrar}:3927431387104229 + me:77008458570671`,
    `0x34c7c8 Contract Call Success 1723826423 fee ${44194n * 4210506074n}: me:0 -> ${registrar}:0`,
    first
  ]
})

/** The receipt of the first row, whose L1 fee is that of the transaction in another format. */
const withL1Fee = (all: ReadonlyArray<Exchange>) => {
  const [list, , whole] = all
  const { fee } = (whole?.response.body ?? {}) as { readonly fee: { readonly value: string } }
  return [
    receipt(all, {
      transactionHash: list === undefined ? "" : rowsIn(list)[0]?.hash,
      gasUsed: "0xb894",
      effectiveGasPrice: "0x42",
      l1Fee: hex(String(BigInt(fee.value) - 47252n * 66n))
    })
  ]
}
const opRows = (...fees: ReadonlyArray<bigint | null>) => [
  `0x6eb136 Contract Call Success 1689113567 fee ${fees[0]}: me:0 -> 0xdef1abe32c034e558cdd535791643c58a13acc10:0`,
  `0x07797f Contract Call Success 1689113567 fee ${fees[1]}: me:0 -> 0x4200000000000000000000000000000000000042:0`
]

const noPlan = failure("upstream_error", "does not serve this network")
const noKey = failure("upstream_error", "the API key is not accepted")
const limited = failure("rate_limited", "rate limit reached")
const fromReceipt = "the L1 fee of an OP-stack transaction is read from its receipt"

const refusal = (...rows: ReadonlyArray<Row>) => [...rows, notFirst]
const ofEtherscan = (at?: number) => firstAt(ethereum, "etherscan.test", at)
const ofBlockscout = (at?: number, uncertainty?: string) => firstAt(base, "blockscout.test", at, uncertainty)

recordingsOf("etherscan", {
  samples: {
    "txlist-contract-call + txlist-first + txlistinternal-refund + evm-rpc/receipt-op-bedrock": called,
    "txlist-genesis": [genesis, ofEtherscan(1_438_269_973)],
    "txlist-none": [empty, firstNever(ethereum, "etherscan.test"), checked("bad_answer")],
    "tokentx-send + tokentx-advertisement": history({
      network: ethereum,
      shows: "raw token amounts, the fee of the whole transaction and no call data; token names are ignored",
      rows: [
        `0x444444 Receive Success 1720000147 fee ${900_000n * 1_500_000_000n}: ${nobody}:1000000000000000000 ${spam} -> me:1000000000000000000 ${spam}`,
        `0x333333 Send Success 1720000135 fee ${46_109n * 3_100_000_007n}: me:12345678900 token -> stranger:12345678900 token`
      ]
    }),
    "txlist-validator": history({
      network: bsc,
      shows: "system transactions of a validator have a zero fee, newest first within a block",
      rows: [
        "0x888888 Contract Call Success 1626000001 fee 0: me:0 -> contract:0",
        "0x777777 Send Success 1626000001 fee 0: me:2100000000000000 -> contract:2100000000000000"
      ]
    }),
    "txlist-first": [onArbitrum([made]), polygonOnce([made]), ofEtherscan(1_664_000_039)],
    "txlist-first + tokennfttx-receive": ofEtherscan(1_663_000_001),
    "txlist-first + tokennfttx-receive + token1155tx-receive": ofEtherscan(1_662_999_989),
    "network-not-in-plan": refusal(noPlan),
    "network-not-in-plan + txlist-first": fallback("0x222222"),
    "node-not-in-plan": noPlan,
    "limit-of-a-second": refusal(limited, checked("rate_limited")),
    "limit-of-a-day": refusal(failure("rate_limited", "daily call limit reached")),
    "key-missing": refusal(noKey, checked("upstream_error")),
    "old-version": refusal(failure("bad_answer", "rejected the call")),
    balance: checked()
  },
  recorded: {
    "txlist-mainnet-6 + txlistinternal-mainnet-1 + evm-rpc/receipt-optimism-bedrock-l1feescalar": six,
    "txlist-mainnet-6": [onArbitrum([first]), polygonOnce([first])],
    "txlist-genesis": [genesis, ofEtherscan(1_438_269_973)],
    "txlist-empty": [empty, firstNever(ethereum, "etherscan.test")],
    "txlist-first-tx-offset-1": [
      history({
        network: ethereum,
        shows: "`functionName` may be missing, as in 2023",
        rows: [
          `0xf97d03 Send Success 1665052355 fee ${21000n * 4835293352n}: me:58111783231682072 -> 0x0b3b161b8abeb6b04cb95c3e6047f80c120a0292:58111783231682072`
        ]
      }),
      ofEtherscan(1_665_052_355)
    ],
    "tokentx-two-rows": history({
      network: ethereum,
      shows: "raw token amounts, the fee of the whole transaction and no call data",
      rows: [
        `0x38ed9c Send Success 1642802735 fee ${41309n * 428256230488n}: me:1166000000 ${usdt} -> 0xb5d85cbf7cb3ee0d56b3bb207d5fc4b82f43f511:1166000000 ${usdt}`,
        `0xccb6a4 Receive Success 1642802286 fee ${58409n * 455565462350n}: 0xe21c192cd270286dbbb0fba10a8b8d9957d431e5:1166000000 ${usdt} -> me:1166000000 ${usdt}`
      ]
    }),
    "tokentx-gnosis-spam": history({
      network: ethereum,
      shows: "advertisements as token names are ignored",
      rows: [
        "0x3d4ce2 Receive Success 1714564705 fee 157849107200060: 0xd9c242f6ca08fe45c58ca9e9a8558cfe7497e7c2:150000000000000000000 0x8786b9c1a0c676b191284a4bc7e448321197bb05 -> me:150000000000000000000 0x8786b9c1a0c676b191284a4bc7e448321197bb05",
        "0x6dd944 Receive Success 1701636825 fee 6351764377785832: 0xddafbb505ad214d7b80b1f830fccc89b60fb7a83:1000 0xc1bec4618b212441e367ed363540d5d665e8e4f0 -> me:1000 0xc1bec4618b212441e367ed363540d5d665e8e4f0"
      ]
    }),
    "bscscan-txlist-validator-system-txs": history({
      network: bsc,
      shows: "system transactions of a validator have a zero fee, the later of a block first",
      rows: [
        "0x06b67d Contract Call Success 1598863564 fee 0: me:511368750000000 -> 0x0000000000000000000000000000000000001000:511368750000000",
        "0x6c5ee5 Send Success 1598863564 fee 0: me:34091250000000 -> 0x0000000000000000000000000000000000001002:34091250000000",
        "0xc495d5 Contract Call Success 1598863375 fee 0: me:495731250000000 -> 0x0000000000000000000000000000000000001000:495731250000000",
        "0x796cff Send Success 1598863375 fee 0: me:33048750000000 -> 0x0000000000000000000000000000000000001002:33048750000000",
        "0x4f64b0 Contract Call Success 1598862367 fee 0: me:511368750000000 -> 0x0000000000000000000000000000000000001000:511368750000000",
        "0xc135d0 Send Success 1598862367 fee 0: me:34091250000000 -> 0x0000000000000000000000000000000000001002:34091250000000",
        "0xc39d10 Contract Call Success 1598854744 fee 0: me:393750000000000 -> 0x0000000000000000000000000000000000001000:393750000000000",
        "0x745467 Send Success 1598854744 fee 0: me:26250000000000 -> 0x0000000000000000000000000000000000001002:26250000000000",
        "0x4974a5 Contract Call Success 1598681758 fee 0: me:3110259375000000 -> 0x0000000000000000000000000000000000001000:3110259375000000",
        "0xd638d3 Send Success 1598681758 fee 0: me:207350625000000 -> 0x0000000000000000000000000000000000001002:207350625000000"
      ]
    }),
    "notok-chain-not-free": refusal(noPlan),
    "notok-chain-not-free + txlist-mainnet-6": fallback(
      "0x7122b6",
      "0x6cbb31",
      "0xae57c6",
      "0x0aa66c",
      "0x34c7c8",
      "0x94045a"
    ),
    "rate-limit-per-second": refusal(limited),
    "missing-api-key": refusal(noKey),
    "v1-deprecated": refusal(failure("bad_answer", "rejected the call")),
    "proxy-notok-instead-of-jsonrpc": noPlan,
    balance: checked(),
    "bscscan-balance-huge": checked()
  }
})

/** The tokens of an address, and those that are marked as a scam. */
const owned = (contracts: ReadonlyArray<string>, scams: ReadonlyArray<string> = []) =>
  row(
    by()(calls.tokenBalances, { address: "" }, tokensOwned),
    { contracts, isWhole: true, scams: new Set(scams) },
    "fungible tokens alone"
  )

recordingsOf("blockscout", {
  samples: {
    "txlist-contract-call + etherscan/txlist-first + txlistinternal-refund + evm-rpc/receipt-op-bedrock": called,
    "txlist-contract-call": ofBlockscout(1_720_000_087),
    "txlist-contract-call + tokentx-nft": ofBlockscout(1_663_000_001),
    "txlistinternal-none": empty,
    "txlistinternal-none + tokentx-none": ofBlockscout(),
    "tokentx-none": empty,
    // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
    "txlist-failed-and-creation": history({
      network: base,
      shows: "a failed call has its parties with zero amounts, and a created contract is the recipient",
      rows: [
        "0x777777 Contract Call Failed 1746000009 fee null: me:0 -> contract:0",
        "0x888888 Contract Call Success 1745999993 fee null: me:0 -> token:0"
      ],
      missing: withoutReceipts("base", 2)
    }),
    "txlist-op-stack": history({
      network: optimism,
      shows: "the L1 fee of an OP-stack transaction is missing if no node has its receipt",
      rows: opRow(null),
      missing: withoutReceipts("optimism", 1),
      calls: 3 + optimism.nodes.length
    }),
    "txlist-op-stack + evm-rpc/receipt-op-bedrock": history({
      network: optimism,
      shows: fromReceipt,
      receipts: (all) => [receipt(all, bedrock)],
      rows: opRow(46_000n * 71n + 0x5a0e2f1c3b4dn),
      calls: 4
    }),
    "txlist-op-stack-with-l1-fee": history({
      network: optimism,
      shows: "the row has the L1 fee of an OP-stack transaction, so no receipt is read",
      rows: opRow(46_000n * 71n + 31_000_000_017n),
      calls: 3
    }),
    "txlistinternal-partial": [
      partial,
      ofBlockscout(1_724_000_009, "not all internal transfers are processed yet: there may be an older one")
    ],
    "went-wrong": refusal(failure("upstream_error", "returned an error")),
    "token-balances": owned(
      ["0x00000000000000000000000000000000000000c1"],
      ["0x00000000000000000000000000000000000000c1"]
    )
  },
  recorded: {
    "v2-token-balances": owned([
      "0xb2a90505dc6680a7a695f7975d0d32eef610f456",
      "0xc1116c98ba622a6218433ff90a2e40dea482d7a7",
      "0xcc7bb2d219a0fc08033e130629c2b854b7ba9195"
    ]),
    "v1-txlist-mainnet-6 + v1-txlistinternal-mainnet-1 + evm-rpc/receipt-optimism-bedrock-l1feescalar": six,
    "v1-txlistinternal-empty": [empty, ofBlockscout()],
    // Neither the explorer nor a node returns the data fee: a null fee is better than a wrong fee.
    "v1-txlist-base-failed-and-creation": history({
      network: base,
      shows: "a failed call has its parties with zero amounts, and a created contract is the recipient",
      rows: [
        "0xa699c3 Contract Call Success 1774448869 fee null: me:0 -> 0x3f5ac2c27bbf08522bc1f5c92237e137356a8ac8:0",
        "0x564e7f Contract Call Success 1774448861 fee null: me:0 -> 0xba5ed0000e1ca9136a695f0a848012a16008b032:0",
        "0xe5366d Contract Call Success 1774448831 fee null: me:1000000000000000 -> 0x6ff5693b99212da76ad316178a184ab56d299b43:1000000000000000",
        "0xaaa1f1 Receive Success 1771330105 fee null: 0x14a096eace221a74cf564a4a6fdd61195137f3bd:1000000000 -> me:1000000000",
        "0x683cc4 Contract Call Success 1771330099 fee null: me:0 -> 0xcbb7c0000ab88b473b1f5afd9ef808440eed33bf:0",
        "0xa04a4c Send Success 1768398997 fee null: me:20000000000000 -> 0xca80f0f1d434145ae240aba3065718a8a17393e2:20000000000000",
        "0x05faf7 Contract Call Failed 1716834817 fee null: me:0 -> 0x59c7c832e96d2568bea6db468c1aadcbbda08a52:0",
        "0xdf47a5 Contract Call Success 1696329201 fee null: me:0 -> 0x2d26d6b698f6494efdb908a2a4f11ae5fee86099:0"
      ],
      missing: withoutReceipts("base", 7)
    }),
    "v1-txlist-optimism-gasprice-66 + evm-rpc/receipt-optimism-bedrock-l1feescalar + v2-transaction-optimism-with-l1-fee":
      history({
        network: optimism,
        shows: fromReceipt,
        receipts: withL1Fee,
        rows: opRows(null, 29750381660380n),
        missing: withoutReceipts("optimism", 1),
        calls: 3 + optimism.nodes.length
      }),
    "v1-txlist-optimism-gasprice-66": history({
      network: optimism,
      shows: "rows of Etherscan have the L1 fee, so no receipt is read",
      change: { L1FeesPaid: "1000" },
      rows: opRows(322803n * 66n + 1000n, 47252n * 66n + 1000n),
      calls: 3
    }),
    "v1-txlistinternal-status-2-partial": [
      partial,
      ofBlockscout(1_735_673_171, "not all internal transfers are processed yet: there may be an older one")
    ],
    "v1-something-went-wrong": refusal(failure("upstream_error", "returned an error"))
  }
})

const unused = [empty, firstNever(ethereum, "routescan.test")]

recordingsOf("routescan", {
  samples: { none: unused, "network-unsupported": refusal(noPlan) },
  recorded: { "empty-is-status-1": unused, "chain-not-supported": refusal(noPlan) }
})
