import * as Schema from "effect/Schema"
import { number, optional, text, textOrNull, word } from "../fields.ts"

/** A mortal era. */
const Era = Schema.Struct({
  period: number("Blocks for which the transaction is valid.", 256),
  phase: number("Where in the period the block is.", 64),
  encoded: text("Its two bytes in a transaction (SCALE), hex.", "0x0704")
}).annotations({ identifier: "Era", description: "A mortal era that begins at the block." })

/** What an extrinsic of Polkadot Asset Hub is built from. Amounts are planck. */
export const PolkadotContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["polkadot"]),
  nonce: number("The nonce of the next transaction, after those that wait in the node's pool.", 5),
  genesisHash: text(
    "Hash of the first block of the chain.",
    "0x68d56f15f85d3136970ec16946040bc1752654e906147f7e43e9d539d7c3de2f"
  ),
  specName: text("Name of the runtime.", "statemint"),
  specVersion: number("Version of the runtime, which the signature contains.", 2000001),
  transactionVersion: number("Version of the form of transactions, which the signature contains.", 15),
  block: number("Height of the newest final block.", 11000000),
  blockHash: text(
    "Its hash: the checkpoint of the era, which the signature contains.",
    "0x1fb6b2a1d0e3f4958677a8b9cadbecfd0e1f2031425364758697a8b9cadbecfd"
  ),
  era: Era,
  metadataHash: textOrNull(
    "Hash of the runtime's metadata (RFC-0078), for the extension CheckMetadataHash; null where the service does not have it: the extension is then sent with mode 0 (Disabled), which nodes accept.",
    null
  ),
  metadataHashReason: optional(text("Why it is null, for people.", "nodes do not return it")),
  balance: text("Free and reserved planck of the account.", "25000000000")
}).annotations({ identifier: "PolkadotContext", description: "What an extrinsic of Polkadot Asset Hub is built from." })
export type PolkadotContext = typeof PolkadotContext.Type
