import * as Schema from "effect/Schema"
import { number, text, textOrNull, word } from "../fields.ts"
import { completeness } from "./outputs.ts"

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
    "Id of the transaction that made it.",
    "39a7a284c2a0948189dc45dec670211cd4d72f7b66c5726c08d9b3df11e44d58"
  ),
  index: number("Its place among the outputs of that transaction.", 0),
  address: text("The address that it pays.", "addr1vx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzers66hrl8"),
  lovelace: text("Its ada, in lovelace.", "5000000"),
  assets: Schema.Array(AssetQuantity).annotations({ description: "Its native assets.", examples: [[]] }),
  datumHash: textOrNull("Hash of its datum; null where it has none.", null),
  inlineDatum: textOrNull("CBOR of the datum that is in it, hex; null where there is none.", null),
  referenceScript: textOrNull("Hash of the script that is in it; null where there is none.", null)
}).annotations({ identifier: "CardanoOutput", description: "An output that is not spent yet." })
export type CardanoOutput = typeof CardanoOutput.Type

/** What a transaction of Cardano is built from. */
export const CardanoContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["cardano"]),
  slot: number("The slot of the newest block: validity intervals are counted in slots of a second from it.", 160000000),
  epoch: number("The epoch of that block.", 580),
  block: number("The height of that block.", 12600000),
  utxos: Schema.Array(CardanoOutput).annotations({
    description:
      "Outputs that are not spent, the most ada first. Of a stake address those of all its payment addresses.",
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
  ...completeness("outputs"),
  minFeeA: number("Lovelace of the fee for each byte of a transaction.", 44),
  minFeeB: number("Lovelace of the fee for each transaction.", 155381),
  coinsPerUtxoByte: text("Lovelace that each byte of an output needs, 160 bytes for its entry included.", "4310"),
  maxTransactionSize: number("Bytes that a transaction may have.", 16384)
}).annotations({
  identifier: "CardanoContext",
  description:
    "What a transaction of Cardano is built from. All protocol parameters, as scripts need them, are at GET /utils/protocol-parameters."
})
export type CardanoContext = typeof CardanoContext.Type
