import * as Schema from "effect/Schema"
import { enumOf, flag, number, optional, text } from "../fields.ts"
import { completenessFields } from "./outputs.ts"

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
    "Whether a transaction that spends it is accepted now. False if it is newly mined and not mature, if that is unknown, or for the given `reason`. Outputs in the mempool are spendable, but may still disappear.",
    true
  ),
  reason: optional(
    text(
      "Why it is not spendable, if its age is not the reason: it carries CashTokens, or its script is unknown.",
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
    description: "Unspent outputs, largest first. For an extended public key, those of all its addresses.",
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
  ...completenessFields("outputs")
}).annotations({
  identifier: "UtxoContext",
  description: "Data for building a transaction of the Bitcoin family, also for an extended public key."
})
export type UtxoContext = typeof UtxoContext.Type
