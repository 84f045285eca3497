import * as Schema from "effect/Schema"
import { DelegatedTo } from "./AddressForm.ts"
import { enumOf, flag, number, numberOrNull, optional, text, textOrNull } from "./fields.ts"

/** Maximum length of a list in a context: outputs, coins, token accounts. */
export const maxEntries = 500

/** The fields next to each list of a context that say whether it is complete. */
export const completenessFields = (entries: string) => ({
  truncated: flag(
    `Whether more ${entries} exist than the list contains. It has at most ${maxEntries}, the largest first.`,
    false
  ),
  count: numberOrNull(`Number of ${entries}; null if the list is truncated and no source returns the number.`, 1)
})

/** A native asset in an output. */
const AssetQuantity = Schema.Struct({
  unit: text(
    "Policy id and name of the asset, in hex.",
    "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f534e454b"
  ),
  quantity: text("Base units of the asset.", "25")
}).annotations({ identifier: "AssetQuantity", description: "A native asset in an output." })

/** Transactions that the service may have sent. */
const undecided = optional(
  Schema.Array(
    Schema.Struct({
      hash: text("Its hash.", "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"),
      nonce: numberOrNull("Its nonce; null on networks without nonces.", 7),
      timestamp: number("When it was sent, UNIX seconds.", 1790000000)
    })
  ).annotations({
    description:
      "Transactions of the address that this service sent in the last ten minutes without a decision: a node may have accepted them. The other members ignore them. Look them up before you sign another. Absent if the list is empty.",
    examples: [[]]
  })
)

/** An output of the ledger that is not spent yet. */
export const CardanoOutput = Schema.Struct({
  txHash: text(
    "Id of the transaction that created the output.",
    "39a7a284c2a0948189dc45dec670211cd4d72f7b66c5726c08d9b3df11e44d58"
  ),
  index: number("Index among the outputs of that transaction.", 0),
  address: text("Address of the output.", "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"),
  lovelace: text("Amount of ada, in lovelace.", "5000000"),
  assets: Schema.Array(AssetQuantity).annotations({ description: "Native assets in the output.", examples: [[]] }),
  datumHash: textOrNull("Hash of the datum; null if absent.", null),
  inlineDatum: textOrNull("CBOR of the inline datum, hex; null if absent.", null),
  referenceScript: textOrNull("Hash of the reference script; null if absent.", null),
  referenceScriptSize: numberOrNull("Its size, bytes; null without a script, or if no source returns it.", null)
}).annotations({ identifier: "CardanoOutput", description: "An output that is not spent yet." })
export type CardanoOutput = typeof CardanoOutput.Type

/** Data for building a Cardano transaction. */
export const CardanoContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["cardano"]),
  slot: number("Slot of the newest block; validity intervals are counted from it in slots of one second.", 160000000),
  epoch: number("The epoch of that block.", 580),
  block: number("The height of that block.", 12600000),
  utxos: Schema.Array(CardanoOutput).annotations({
    description:
      "Unspent outputs, most ada first, without those that a transaction spends which this service has sent. For a stake address, those of all its payment addresses.",
    examples: [
      [
        {
          txHash: "39a7a284c2a0948189dc45dec670211cd4d72f7b66c5726c08d9b3df11e44d58",
          index: 0,
          address: "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8",
          lovelace: "5000000",
          assets: [],
          datumHash: null,
          inlineDatum: null,
          referenceScript: null,
          referenceScriptSize: null
        }
      ]
    ]
  }),
  ...completenessFields("outputs"),
  minFeeA: number("Fee per byte of a transaction, lovelace.", 44),
  minFeeB: number("Fixed fee per transaction, lovelace.", 155381),
  minFeeRefScriptCostPerByte: numberOrNull("Fee per byte of reference scripts, lovelace; null if unknown.", 15),
  coinsPerUtxoByte: text("Lovelace required per byte of an output, plus 160 bytes for its entry.", "4310"),
  maxTransactionSize: number("Maximum size of a transaction, bytes.", 16384),
  undecided
}).annotations({
  identifier: "CardanoContext",
  description:
    "Data for building a Cardano transaction. One that spends an output with a reference script, or refers to it, pays `minFeeRefScriptCostPerByte` for each byte of the script, 1.2 times more after each 25,600 bytes; if its size is null, the fee is unknown. All protocol parameters, which scripts need, are at GET /utils/protocol-parameters."
})
export type CardanoContext = typeof CardanoContext.Type

/** Data for building a transaction on an EVM network. Amounts are wei. */
export const EvmContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["evm"]),
  chainId: number("The id of the chain, which the signature contains (EIP-155), as the node returned it.", 1),
  nonce: number("Number of confirmed transactions of the address: the next nonce if none is pending.", 7),
  pendingNonce: number(
    "The same including pending transactions in the node's mempool, and those that this service has sent: the nonce of the next transaction. If it is above `nonce`, the nonces in between belong to pending transactions.",
    8
  ),
  balance: text("The native balance in the newest block, wei.", "1500000000000000000"),
  block: number("The number of the newest block.", 23800000),
  baseFeePerGas: textOrNull(
    "The base fee of the newest block (EIP-1559), wei; null if the network has no base fee: it then accepts only transactions with a gas price.",
    "1200000000"
  ),
  gasPrice: text("Gas price that the node suggests (eth_gasPrice), including the base fee, wei.", "1300000000"),
  delegatedTo: optional(DelegatedTo),
  undecided
}).annotations({
  identifier: "EvmContext",
  description: "Data for building a transaction on an EVM network, read from one node at one time."
})
export type EvmContext = typeof EvmContext.Type

/** A mortal era. */
const Era = Schema.Struct({
  period: number("Number of blocks for which the transaction is valid.", 256),
  phase: number("Position of the block in the period.", 64),
  encoded: text("The two bytes of the era in a transaction (SCALE), hex.", "0x0704")
}).annotations({ identifier: "Era", description: "A mortal era that starts at the block." })

/** Data for building an extrinsic of Polkadot Asset Hub. Amounts are planck. */
export const PolkadotContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["polkadot"]),
  nonce: number(
    "Nonce of the next transaction, after those pending in the node's pool and those that this service has sent.",
    5
  ),
  genesisHash: text(
    "Hash of the first block of the chain.",
    "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"
  ),
  specName: text("Name of the runtime.", "statemint"),
  specVersion: number("Version of the runtime, which the signature contains.", 2000001),
  transactionVersion: number("Version of the transaction format, which the signature contains.", 15),
  block: number("Height of the newest finalized block.", 11000000),
  blockHash: text(
    "Hash of that block: the checkpoint of the era, which the signature contains.",
    "0x1fb6b2a1d0e3f4958677a8b9cadbecfd0e1f2031425364758697a8b9cadbecfd"
  ),
  era: Era,
  metadataHash: textOrNull(
    "Hash of the runtime's metadata (RFC-0078), for the extension CheckMetadataHash; null if the service does not have it: send the extension with mode 0 (Disabled), which nodes accept.",
    null
  ),
  metadataHashReason: optional(text("Why the hash is null, for people.", "nodes do not return it")),
  balance: text("Free and reserved balance of the account, planck.", "25000000000"),
  undecided
}).annotations({ identifier: "PolkadotContext", description: "Data for building an extrinsic of Polkadot Asset Hub." })
export type PolkadotContext = typeof PolkadotContext.Type

/** Data for building a transaction on the XRP Ledger. Amounts are drops. */
export const RippleContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["ripple"]),
  activated: flag("Whether the account exists in the ledger. A payment of `reserveBase` creates an account.", true),
  sequence: numberOrNull(
    "Sequence of the next transaction, after those in the open ledger and those that this service has sent; null if the account does not exist yet.",
    95000000
  ),
  balance: text("Balance of the account including the reserve, drops.", "25000000"),
  ownerCount: number("Number of objects that the account owns in the ledger; each requires a reserve.", 2),
  ledger: number("Index of the newest validated ledger; `LastLedgerSequence` is counted from it.", 99500000),
  reserveBase: text("Minimum reserve of an account, drops.", "1000000"),
  reserveIncrement: text("Reserve per object that the account owns, drops.", "200000"),
  reserve: text("Total reserve of this account, drops.", "1400000"),
  baseFee: text("Minimum fee of a transaction without load, drops.", "10"),
  openLedgerFee: text("Fee at which a transaction enters the open ledger immediately, drops.", "12"),
  undecided
}).annotations({ identifier: "RippleContext", description: "Data for building a transaction on the XRP Ledger." })
export type RippleContext = typeof RippleContext.Type

/** A token account of an owner. */
export const SolanaTokenAccount = Schema.Struct({
  address: text("Address of the token account.", "7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi"),
  mint: text("The mint of the token.", "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"),
  program: text(
    "The program that owns the account: Token or Token-2022.",
    "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA"
  ),
  amount: text("Base units of the token.", "2500000"),
  decimals: number("Decimals of the token.", 6),
  state: text("initialized or frozen; a frozen account cannot send.", "initialized")
}).annotations({ identifier: "SolanaTokenAccount", description: "A token account of the address." })
export type SolanaTokenAccount = typeof SolanaTokenAccount.Type

/** Data for building a Solana transaction. Amounts are lamports. */
export const SolanaContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["solana"]),
  blockhash: text("A recent block hash, at the commitment confirmed.", "EkSnNWid2cvwEVnVx9aBqawnmiCNiDgp3gUdkDPTKN1N"),
  lastValidBlockHeight: number(
    "The last block height at which a transaction with this block hash is accepted.",
    355000150
  ),
  slot: number("Slot at which the data was read.", 377000000),
  balance: text("Balance of the address, lamports.", "5000000000"),
  rentExemptMinimum: text("Minimum lamports of an account without data, unless it is emptied to zero.", "890880"),
  tokenAccountRent: text("Cost of a new token account of 165 bytes, lamports; extensions cost more.", "2039280"),
  tokenAccounts: Schema.Array(SolanaTokenAccount).annotations({
    description: "Token accounts of both token programs, including empty ones, largest amounts of base units first.",
    examples: [
      [
        {
          address: "7UX2i7SucgLMQcfZ75s3VXmZZY4YRUyJN9X1RgfMoDUi",
          mint: "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v",
          program: "TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA",
          amount: "2500000",
          decimals: 6,
          state: "initialized"
        }
      ]
    ]
  }),
  ...completenessFields("token accounts")
}).annotations({ identifier: "SolanaContext", description: "Data for building a Solana transaction." })
export type SolanaContext = typeof SolanaContext.Type

/** A coin object of SUI. */
export const GasCoin = Schema.Struct({
  objectId: text("Id of the object.", "0x5d5b3a1e5f3e2c0f6a1b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b"),
  version: text("Its version.", "412345678"),
  digest: text("Its digest at this version.", "8ZQGdUBM7G7LYoWJ8SDx6vk2xW7vE1nV4sBYBJRvcz5C"),
  balance: text("Balance in MIST.", "2500000000")
}).annotations({
  identifier: "GasCoin",
  description: "A coin object of SUI, with the fields of an object reference in a transaction."
})
export type GasCoin = typeof GasCoin.Type

/** Data for building a Sui transaction. Amounts are MIST. */
export const SuiContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["sui"]),
  chainIdentifier: text("The first bytes of the digest of the genesis checkpoint.", "35834a8a"),
  epoch: number("The current epoch.", 960),
  referenceGasPrice: text("Minimum gas price of this epoch, MIST.", "500"),
  balance: text("All SUI of the address, in MIST.", "2500000000"),
  addressBalance: textOrNull(
    "Part of the balance that belongs to the address itself and is in no coin object; null if the source does not return it.",
    "0"
  ),
  gasCoins: Schema.Array(GasCoin).annotations({
    description: "Coin objects of SUI, the largest first. A transaction takes at most 256 of them as gas.",
    examples: [
      [
        {
          objectId: "0x5d5b3a1e5f3e2c0f6a1b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b",
          version: "412345678",
          digest: "8ZQGdUBM7G7LYoWJ8SDx6vk2xW7vE1nV4sBYBJRvcz5C",
          balance: "2500000000"
        }
      ]
    ]
  }),
  ...completenessFields("gas coins")
}).annotations({ identifier: "SuiContext", description: "Data for building a Sui transaction." })
export type SuiContext = typeof SuiContext.Type

/** The states of an account of TON. */
export const tonStates = ["nonexist", "uninit", "active", "frozen"] as const

/** Data for building a message of a TON wallet. Amounts are nanotons. */
export const TonContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["ton"]),
  state: enumOf(
    "active: the contract is deployed; uninit and nonexist: the first message must include the contract; frozen: storage fees are unpaid.",
    tonStates,
    "active"
  ),
  seqno: numberOrNull(
    "Number of the wallet's next message. It does not count messages that were sent and are not executed yet: the wallet refuses higher numbers until then. 0 before the contract is deployed; null if the contract is not a known wallet.",
    12
  ),
  wallet: textOrNull(
    "Version of the wallet, such as v3r2, v4r2 and v5r1; null before the contract is deployed, and for other contracts.",
    "v4r2"
  ),
  walletId: numberOrNull(
    "Id of the wallet (subwallet), which its messages contain; null if no source returns it.",
    698983191
  ),
  balance: text("Balance of the account, nanotons.", "2500000000"),
  undecided
}).annotations({ identifier: "TonContext", description: "Data for building a message of a TON wallet." })
export type TonContext = typeof TonContext.Type

/** The newest block, in the form in which a transaction references it. */
const ReferenceBlock = Schema.Struct({
  number: number("Block height.", 77500000),
  hash: text("Block id, hex.", "00000000049e8ce0b2c43e9b5f4a3d2c1b0a99887766554433221100ffeeddcc"),
  timestamp: number("Block time, UNIX time in milliseconds; the expiration is counted from it.", 1793450000000),
  refBlockBytes: text("`ref_block_bytes` of a transaction: bytes 6 and 7 of the height, hex.", "8ce0"),
  refBlockHash: text("`ref_block_hash` of a transaction: bytes 8 to 15 of the id, hex.", "b2c43e9b5f4a3d2c")
}).annotations({
  identifier: "ReferenceBlock",
  description: "The newest block, in the form in which a transaction references it."
})

/** Data for building a Tron transaction. Amounts are sun. */
export const TronContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["tron"]),
  activated: flag("Whether the account exists. If not, it cannot send, and payments to it cost more.", true),
  balance: text("Spendable TRX, in sun.", "25000000"),
  block: ReferenceBlock,
  freeBandwidth: number("Remaining bytes of the daily free bandwidth of every account.", 600),
  stakedBandwidth: number("Remaining bytes of bandwidth from the account's stake or delegated to it.", 0),
  energy: number("Remaining energy from the account's stake or delegated to it.", 0)
}).annotations({
  identifier: "TronContext",
  description:
    "Data for building a Tron transaction. Prices of bandwidth and energy beyond these resources are part of the fees."
})
export type TronContext = typeof TronContext.Type

/** An unspent output. */
export const UnspentOutput = Schema.Struct({
  txid: text(
    "Hash of the transaction that created it. An input that spends a non-witness output commits to that whole transaction, which POST /utils/getrawtransaction returns.",
    "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16"
  ),
  vout: number("Index among the outputs of that transaction.", 0),
  value: text("Base units (satoshi).", "150000"),
  script: text(
    "The script that a spender has to satisfy (scriptPubKey), in hex.",
    "0014751e76e8199196d454941c45d1b3a323f1433bd6"
  ),
  address: text("The address that the script pays, in canonical form.", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
  confirmations: number("0 while its transaction is in the mempool.", 6),
  coinbase: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether the output is newly mined. If the source does not return it and it decides whether the output can be spent, it is looked up for at most ten transactions of an address; otherwise null.",
    examples: [false]
  }),
  spendable: flag(
    "Whether a transaction that spends it is accepted now. False if it is newly mined and not mature, or for the given `reason`. Outputs in the mempool are spendable, but may still disappear.",
    true
  ),
  reason: optional(
    text(
      "Why it is not spendable, unless it is newly mined: it carries CashTokens, it left the extension block of Litecoin less than 6 blocks ago, it is unknown whether it is newly mined, or its script is unknown.",
      "it carries CashTokens, which a transaction that only moves coins would destroy"
    )
  ),
  path: optional(
    text("For an extended public key: derivation path of the address, as Blockbook writes it.", "m/84'/0'/0'/1/24")
  )
}).annotations({
  identifier: "UnspentOutput",
  description: "An output that is unspent, also by transactions in the mempool."
})
export type UnspentOutput = typeof UnspentOutput.Type

/** Data for building a transaction of the Bitcoin family. */
export const UtxoContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["utxo"]),
  height: number("Height of the newest block at the source.", 925000),
  coinbaseMaturity: number("Confirmations after which a newly mined output can be spent.", 100),
  utxos: Schema.Array(UnspentOutput).annotations({
    description:
      "Unspent outputs, largest first, without those that a transaction spends which this service has sent. For an extended public key, those of all its addresses.",
    examples: [
      [
        {
          txid: "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16",
          vout: 0,
          value: "150000",
          script: "0014751e76e8199196d454941c45d1b3a323f1433bd6",
          address: "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4",
          confirmations: 6,
          coinbase: false,
          spendable: true
        }
      ]
    ]
  }),
  ...completenessFields("outputs"),
  undecided
}).annotations({
  identifier: "UtxoContext",
  description: "Data for building a transaction of the Bitcoin family, also for an extended public key."
})
export type UtxoContext = typeof UtxoContext.Type

/** Data for signing a transaction of an address. Amounts are base units as strings; `family` is the discriminator. */
export const TransactionContext = Schema.Union(
  EvmContext,
  UtxoContext,
  CardanoContext,
  SolanaContext,
  SuiContext,
  TonContext,
  TronContext,
  RippleContext,
  PolkadotContext
)
export type TransactionContext = typeof TransactionContext.Type
