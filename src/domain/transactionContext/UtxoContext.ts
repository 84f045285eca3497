import * as Schema from "effect/Schema"
import { flag, number, optional, text, word } from "../fields.ts"
import { completeness } from "./outputs.ts"

/** An output that is not spent yet. */
export const UnspentOutput = Schema.Struct({
  txid: text(
    "Hash of the transaction that made it. What spends an output of a script without a witness commits to that whole transaction: POST /utils/getrawtransaction has it.",
    "f4184fc596403b9d638783cf57adfe4c75c605f6356fbc91338530e9831e9e16"
  ),
  vout: number("Its place among the outputs of that transaction.", 0),
  value: text("Base units (satoshi).", "150000"),
  script: text(
    "The script that it has to satisfy (scriptPubKey), in hex.",
    "0014751e76e8199196d454941c45d1b3a323f1433bd6"
  ),
  address: text("The address that the script pays, in canonical form.", "bc1qw508d6qejxtdg4y5r3zarvary0c5xw7kv8f3t4"),
  confirmations: number("0 while its transaction waits in the pool.", 6),
  coinbase: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether it is newly mined. Null where the source does not say it; it is looked up where it decides whether the output can be spent, for at most ten transactions of an address.",
    examples: [false]
  }),
  spendable: flag(
    "Whether a transaction that spends it is accepted now: false for a newly mined output that is not mature, for one of which that is not known, and where `reason` says why. Outputs that wait in the pool are spendable, and may still disappear.",
    true
  ),
  reason: optional(
    text(
      "Why it is not spendable, where its age is not the reason: it carries CashTokens, or its script is not known.",
      "it carries CashTokens, which a transaction of coins alone would destroy"
    )
  ),
  path: optional(
    text("Of an extended public key: the derivation of the address, as Blockbook writes it.", "m/84'/0'/0'/1/24")
  )
}).annotations({
  identifier: "UnspentOutput",
  description: "An output that is not spent yet, also not by what waits in the pool."
})
export type UnspentOutput = typeof UnspentOutput.Type

/** What a transaction of the Bitcoin family is built from. */
export const UtxoContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["utxo"]),
  height: number("The height of the newest block of the source.", 925000),
  coinbaseMaturity: number("Confirmations after which a newly mined output can be spent.", 100),
  utxos: Schema.Array(UnspentOutput).annotations({
    description: "Outputs that are not spent, the largest first. Of an extended public key those of all its addresses.",
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
  ...completeness("outputs")
}).annotations({
  identifier: "UtxoContext",
  description: "What a transaction of the Bitcoin family is built from; of an extended public key too."
})
export type UtxoContext = typeof UtxoContext.Type
