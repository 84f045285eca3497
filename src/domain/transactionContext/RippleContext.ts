import * as Schema from "effect/Schema"
import { enumOf, flag, number, numberOrNull, text } from "../fields.ts"

/** Data for building a transaction on the XRP Ledger. Amounts are drops. */
export const RippleContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["ripple"]),
  activated: flag("Whether the account exists in the ledger. A payment of `reserveBase` creates an account.", true),
  sequence: numberOrNull(
    "Sequence of the next transaction, after those in the open ledger; null if the account does not exist yet.",
    95000000
  ),
  balance: text("Balance of the account including the reserve, drops.", "25000000"),
  ownerCount: number("Number of objects that the account owns in the ledger; each requires a reserve.", 2),
  ledger: number("Index of the newest validated ledger; `LastLedgerSequence` is counted from it.", 99500000),
  reserveBase: text("Minimum reserve of an account, drops.", "1000000"),
  reserveIncrement: text("Reserve per object that the account owns, drops.", "200000"),
  reserve: text("Total reserve of this account, drops.", "1400000"),
  baseFee: text("Minimum fee of a transaction without load, drops.", "10"),
  openLedgerFee: text("Fee at which a transaction enters the open ledger immediately, drops.", "12")
}).annotations({ identifier: "RippleContext", description: "Data for building a transaction on the XRP Ledger." })
export type RippleContext = typeof RippleContext.Type
