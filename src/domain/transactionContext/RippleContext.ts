import * as Schema from "effect/Schema"
import { flag, number, numberOrNull, text, word } from "../fields.ts"

/** What a transaction of the XRP Ledger is built from. Amounts are drops. */
export const RippleContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["ripple"]),
  activated: flag(
    "Whether the ledger has the account. One that it has not is made by a payment of `reserveBase`.",
    true
  ),
  sequence: numberOrNull(
    "The sequence of the next transaction, after those in the open ledger; null where there is no account yet.",
    95000000
  ),
  balance: text("Drops of the account, reserve included.", "25000000"),
  ownerCount: number("Objects that the account owns in the ledger, each of which takes a reserve.", 2),
  ledger: number("Index of the newest validated ledger: `LastLedgerSequence` is counted from it.", 99500000),
  reserveBase: text("Drops that an account must keep.", "1000000"),
  reserveIncrement: text("Drops that it must keep for each object that it owns.", "200000"),
  reserve: text("What this account must keep, drops.", "1400000"),
  baseFee: text("The least fee of a transaction without load, drops.", "10"),
  openLedgerFee: text("The fee with which a transaction gets into the open ledger at once, drops.", "12")
}).annotations({ identifier: "RippleContext", description: "What a transaction of the XRP Ledger is built from." })
export type RippleContext = typeof RippleContext.Type
