import * as Schema from "effect/Schema"
import { enumOf, flag, number, text } from "../fields.ts"

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
