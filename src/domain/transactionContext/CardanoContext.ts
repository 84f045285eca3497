import * as Schema from "effect/Schema"
import { enumOf, number, text, textOrNull } from "../fields.ts"
import { completenessFields } from "./outputs.ts"

/** A native asset in an output. */
const AssetQuantity = Schema.Struct({
  unit: text(
    "Policy id and name of the asset, in hex.",
    "279c909f348e533da5808898f87f9a14bb2c3dfbbacccd631d927a3f534e454b"
  ),
  quantity: text("Base units of the asset.", "25")
}).annotations({ identifier: "AssetQuantity", description: "A native asset in an output." })

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
  referenceScript: textOrNull("Hash of the reference script; null if absent.", null)
}).annotations({ identifier: "CardanoOutput", description: "An output that is not spent yet." })
export type CardanoOutput = typeof CardanoOutput.Type

/** Data for building a Cardano transaction. */
export const CardanoContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["cardano"]),
  slot: number("Slot of the newest block; validity intervals are counted from it in slots of one second.", 160000000),
  epoch: number("The epoch of that block.", 580),
  block: number("The height of that block.", 12600000),
  utxos: Schema.Array(CardanoOutput).annotations({
    description: "Unspent outputs, most ada first. For a stake address, those of all its payment addresses.",
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
          referenceScript: null
        }
      ]
    ]
  }),
  ...completenessFields("outputs"),
  minFeeA: number("Fee per byte of a transaction, lovelace.", 44),
  minFeeB: number("Fixed fee per transaction, lovelace.", 155381),
  coinsPerUtxoByte: text("Lovelace required per byte of an output, plus 160 bytes for its entry.", "4310"),
  maxTransactionSize: number("Maximum size of a transaction, bytes.", 16384)
}).annotations({
  identifier: "CardanoContext",
  description:
    "Data for building a Cardano transaction. All protocol parameters, which scripts need, are at GET /utils/protocol-parameters."
})
export type CardanoContext = typeof CardanoContext.Type
