import * as Schema from "effect/Schema"
import { enumOf, number, optional, text, textOrNull } from "../fields.ts"

/** A mortal era. */
const Era = Schema.Struct({
  period: number("Number of blocks for which the transaction is valid.", 256),
  phase: number("Position of the block in the period.", 64),
  encoded: text("The two bytes of the era in a transaction (SCALE), hex.", "0x0704")
}).annotations({ identifier: "Era", description: "A mortal era that starts at the block." })

/** Data for building an extrinsic of Polkadot Asset Hub. Amounts are planck. */
export const PolkadotContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["polkadot"]),
  nonce: number("Nonce of the next transaction, after those pending in the node's pool.", 5),
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
  balance: text("Free and reserved balance of the account, planck.", "25000000000")
}).annotations({ identifier: "PolkadotContext", description: "Data for building an extrinsic of Polkadot Asset Hub." })
export type PolkadotContext = typeof PolkadotContext.Type
