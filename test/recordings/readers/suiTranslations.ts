import { base58 } from "@scure/base"
import { digestOf } from "../../../src/chains/sui/jsonrpc/TransactionData.ts"
import { type Exchange, sample } from "../../support/fixtures.ts"
import { fails, type Rows, row } from "../table.ts"
import { translated } from "./suiRpc.ts"

const transactionBcsOf = ({ response: { body } }: Exchange) =>
  (body as { readonly data: { readonly transaction: { readonly transactionBcs: string } } }).data.transaction
    .transactionBcs

const digest = (byte: number) => base58.encode(new Uint8Array(32).fill(byte))
const [owner, peer, third, coin] = ["a1", "b2", "c3", "d4"].map((digits) => `0x${digits.repeat(32)}`)
const coinOf = (type: string) => `0x2::coin::Coin<${type}>`
const [sui, made] = ["0x2::sui::SUI", "0xe5::made::MADE"]

/** Bytes and digest of a payment of 250 MIST that was built offline. */
const signed = {
  bytes: transactionBcsOf(sample("sui", "rpc-transaction-input")),
  digest: "2uS2GPYWWLiFzEFuftAAj6gM9bpUZWUuNDESzkWcEnbV"
}

const gasUsed = {
  computationCost: "1000000",
  storageCost: "988000",
  storageRebate: "978120",
  nonRefundableStorageFee: "0"
}

const effects = (of: string, status: object, epoch: string) => ({
  messageVersion: "v1",
  status,
  executedEpoch: epoch,
  gasUsed,
  modifiedAtVersions: [],
  transactionDigest: of,
  gasObject: {
    owner: { AddressOwner: `0x${"0".repeat(64)}` },
    reference: { objectId: `0x${"0".repeat(64)}`, version: 0, digest: digest(0) }
  },
  dependencies: []
})

const input = {
  messageVersion: "v1",
  transaction: {
    kind: "ProgrammableTransaction",
    inputs: [
      { type: "pure", valueType: "u64", value: "250" },
      { type: "pure", valueType: "address", value: peer }
    ],
    transactions: [
      { SplitCoins: ["GasCoin", [{ Input: 0 }]] },
      { TransferObjects: [[{ NestedResult: [0, 0] }], { Input: 1 }] }
    ]
  },
  sender: owner,
  gasData: {
    payment: [{ objectId: coin, version: 7, digest: digest(19) }],
    owner,
    price: "750",
    budget: "2000000"
  }
}

const refusal = (message: string, code = -32602) => ({ error: { code, message } })

/** A response of GraphQL becomes the result of this call. */
const becomes = (method: string, params: ReadonlyArray<unknown>, expected: unknown, shows?: string) =>
  row(translated(method, params), [expected, [], 0], shows)

export const translations: Rows = {
  "rpc-all-balances": becomes(
    "suix_getAllBalances",
    [owner],
    [
      {
        coinType: sui,
        coinObjectCount: 2,
        totalBalance: "812000000000007",
        lockedBalance: {},
        fundsInAddressBalance: "0"
      },
      {
        coinType: made,
        coinObjectCount: 0,
        totalBalance: "3000000",
        lockedBalance: {},
        fundsInAddressBalance: "3000000"
      },
      { coinType: "0xf::coin::COIN", coinObjectCount: 0, totalBalance: "0", lockedBalance: {} }
    ]
  ),
  "rpc-balance": becomes("suix_getBalance", [owner], {
    coinType: sui,
    coinObjectCount: 1,
    totalBalance: "7",
    lockedBalance: {}
  }),
  "rpc-coins": becomes("suix_getCoins", [owner], {
    data: [
      {
        coinType: sui,
        coinObjectId: coin,
        version: "9007199254740995",
        digest: digest(11),
        balance: "18446744073709551614",
        previousTransaction: digest(12)
      }
    ],
    nextCursor: "Mg==",
    hasNextPage: false
  }),
  "rpc-coins-none": becomes("suix_getAllCoins", [owner, "Mg==", 7], { data: [], nextCursor: null, hasNextPage: false }),
  "rpc-metadata": becomes("suix_getCoinMetadata", [made], {
    decimals: 255,
    name: "Made up",
    symbol: "MADE",
    description: "",
    iconUrl: null,
    id: coin
  }),
  "rpc-metadata-null": becomes("suix_getCoinMetadata", [made], null),
  "rpc-supply": becomes("suix_getTotalSupply", [made], { value: "10000000000000000000" }),
  "rpc-transaction-null": becomes(
    "sui_getTransactionBlock",
    [digest(14)],
    refusal(`Could not find the referenced transaction [TransactionDigest(${digest(14)})].`)
  ),
  "rpc-transactions": becomes("suix_queryTransactionBlocks", [{ filter: { FromAddress: owner } }, null, 2, true], {
    data: [{ digest: digest(16) }, { digest: digest(15) }],
    nextCursor: "NA==",
    hasNextPage: true
  }),
  "rpc-transactions-none": becomes(
    "suix_queryTransactionBlocks",
    [{ filter: { ToAddress: owner } }, null, null, true],
    { data: [], nextCursor: null, hasNextPage: false }
  ),
  "rpc-transaction-failed": becomes(
    "sui_getTransactionBlock",
    [digest(18), { showEffects: true, showBalanceChanges: true }],
    {
      digest: digest(18),
      effects: effects(digest(18), { status: "failure", error: "InsufficientCoinBalance in command 1" }, "704"),
      balanceChanges: [{ owner: { AddressOwner: owner }, coinType: sui, amount: "-1009880" }],
      timestampMs: "1770091506250",
      checkpoint: "210000018"
    }
  ),
  "rpc-transaction-input": [
    becomes("sui_getTransactionBlock", [signed.digest, { showInput: true }], {
      digest: signed.digest,
      transaction: { data: input, txSignatures: ["AAEC"] }
    }),
    row(
      (recording) => digestOf(Buffer.from(transactionBcsOf(recording), "base64")),
      signed.digest,
      "the digest of the bytes"
    )
  ],
  "rpc-transaction-events": becomes("sui_getTransactionBlock", [digest(20), { showEvents: true }], {
    digest: digest(20),
    events: [
      {
        id: { txDigest: digest(20), eventSeq: "0" },
        packageId: "0xe5",
        transactionModule: "made",
        sender: owner,
        type: "0xe5::made::Paid",
        parsedJson: { amount: "42" },
        bcsEncoding: "base64",
        bcs: "KgAAAAAAAAA="
      }
    ]
  }),
  "rpc-simulation": becomes("sui_dryRunTransactionBlock", [signed.bytes], {
    effects: effects(signed.digest, { status: "success" }, "0"),
    events: [],
    objectChanges: [],
    balanceChanges: [],
    input
  }),
  "rpc-executed": becomes("sui_executeTransactionBlock", [signed.bytes, ["AAEC"], { showEffects: true }], {
    digest: signed.digest,
    confirmedLocalExecution: false,
    errors: ["effects: not available"]
  }),
  "rpc-refused": becomes(
    "sui_executeTransactionBlock",
    [signed.bytes, ["AAEC"]],
    refusal("Invalid signature, see (address)", -32002)
  ),
  "rpc-object": becomes("sui_getObject", [coin, { showType: true, showOwner: true, showStorageRebate: true }], {
    data: {
      objectId: coin,
      version: "7",
      digest: digest(19),
      type: coinOf(sui),
      owner: { AddressOwner: owner },
      storageRebate: "988000"
    }
  }),
  "rpc-object-null": becomes("sui_getObject", [coin], { error: { code: "notExists", object_id: coin } }),
  "rpc-owned-objects": becomes("suix_getOwnedObjects", [owner, { options: { showType: true, showOwner: true } }], {
    data: [
      {
        data: {
          objectId: third,
          version: "9",
          digest: digest(21),
          type: `0x${"e5".repeat(32)}::made::Thing`,
          owner: { Shared: { initial_shared_version: 3 } }
        }
      }
    ],
    nextCursor: "OQ==",
    hasNextPage: true
  }),
  "rpc-checkpoint": becomes("sui_getCheckpoint", ["210000018"], {
    epoch: "704",
    sequenceNumber: "210000018",
    digest: digest(22),
    networkTotalTransactions: "4400000000",
    previousDigest: digest(23),
    epochRollingGasCostSummary: { ...gasUsed, nonRefundableStorageFee: "9880" },
    timestampMs: "1770091506250",
    transactions: [digest(18)],
    checkpointCommitments: [],
    validatorSignature: "AAEC"
  }),
  "rpc-gas-price": becomes("suix_getReferenceGasPrice", [], "742"),
  "rpc-chain": becomes("sui_getChainIdentifier", [], "35834a8a"),
  "rpc-name": becomes("suix_resolveNameServiceAddress", ["made.sui"], peer),
  "rpc-name-null": becomes("suix_resolveNameServiceAddress", ["none.sui"], null),
  "rpc-names": becomes("suix_resolveNameServiceNames", [peer], {
    data: ["made.sui"],
    nextCursor: null,
    hasNextPage: false
  }),
  "rpc-newest-checkpoint": [
    becomes("sui_getLatestCheckpointSequenceNumber", [], "210000019", "the sequence number"),
    becomes("sui_getTotalTransactionBlocks", [], "4400000007", "the number of transactions")
  ],
  "rpc-system-state": row(
    translated("suix_getLatestSuiSystemState"),
    fails("bad_answer", /: returned a state of an unknown version$/)
  )
}
