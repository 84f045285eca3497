import * as Schema from "effect/Schema"
import { enumOf, number, text, textOrNull } from "../fields.ts"
import { completenessFields } from "./outputs.ts"

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
