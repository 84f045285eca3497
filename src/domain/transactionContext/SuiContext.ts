import * as Schema from "effect/Schema"
import { number, text, textOrNull, word } from "../fields.ts"
import { completeness } from "./outputs.ts"

/** A coin object of SUI. */
export const GasCoin = Schema.Struct({
  objectId: text("Id of the object.", "0x5d5b3a1e5f3e2c0f6a1b7c8d9e0f1a2b3c4d5e6f708192a3b4c5d6e7f8091a2b"),
  version: text("Its version.", "412345678"),
  digest: text("Its digest at this version.", "8ZQGdUBM7G7LYoWJ8SDx6vk2xW7vE1nV4sBYBJRvcz5C"),
  balance: text("MIST in it.", "2500000000")
}).annotations({
  identifier: "GasCoin",
  description: "A coin object of SUI, as a reference in a transaction needs it."
})
export type GasCoin = typeof GasCoin.Type

/** What a transaction of Sui is built from. Amounts are MIST. */
export const SuiContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["sui"]),
  chainIdentifier: text("The first bytes of the digest of the genesis checkpoint.", "35834a8a"),
  epoch: number("The current epoch.", 960),
  referenceGasPrice: text("The gas price of this epoch below which no transaction is accepted, MIST.", "500"),
  balance: text("All SUI of the address, in MIST.", "2500000000"),
  addressBalance: textOrNull(
    "What of it belongs to the address itself and is in no coin object; null where the source does not say it.",
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
  ...completeness("gas coins")
}).annotations({ identifier: "SuiContext", description: "What a transaction of Sui is built from." })
export type SuiContext = typeof SuiContext.Type
