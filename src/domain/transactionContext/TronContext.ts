import * as Schema from "effect/Schema"
import { flag, number, text, word } from "../fields.ts"

/** The newest block, as a transaction refers to it. */
const ReferenceBlock = Schema.Struct({
  number: number("Its height.", 77500000),
  hash: text("Its id, hex.", "00000000049e8ce0b2c43e9b5f4a3d2c1b0a99887766554433221100ffeeddcc"),
  timestamp: number("When it was made, UNIX time in milliseconds: the expiration is counted from it.", 1793450000000),
  refBlockBytes: text("`ref_block_bytes` of a transaction: bytes 6 and 7 of the height, hex.", "8ce0"),
  refBlockHash: text("`ref_block_hash` of a transaction: bytes 8 to 15 of the id, hex.", "b2c43e9b5f4a3d2c")
}).annotations({ identifier: "ReferenceBlock", description: "The newest block, as a transaction refers to it." })

/** What a transaction of Tron is built from. Amounts are sun. */
export const TronContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["tron"]),
  activated: flag("Whether the account exists: one that does not cannot send, and a payment to it costs more.", true),
  balance: text("Spendable TRX, in sun.", "25000000"),
  block: ReferenceBlock,
  freeBandwidth: number("Bytes left today that every account has for nothing.", 600),
  stakedBandwidth: number("Bytes left of those that the account has staked for, or was lent.", 0),
  energy: number("Energy left of what the account has staked for, or was lent.", 0)
}).annotations({
  identifier: "TronContext",
  description:
    "What a transaction of Tron is built from. What a byte or energy beyond the resources costs is part of the fees."
})
export type TronContext = typeof TronContext.Type
