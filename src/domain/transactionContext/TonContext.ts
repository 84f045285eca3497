import * as Schema from "effect/Schema"
import { enumOf, numberOrNull, text, textOrNull } from "../fields.ts"

/** The states of an account of TON. */
export const tonStates = ["nonexist", "uninit", "active", "frozen"] as const

/** Data for building a message of a TON wallet. Amounts are nanotons. */
export const TonContext = Schema.Struct({
  family: enumOf("Network family, which determines the other fields.", ["ton"]),
  state: enumOf(
    "active: the contract is deployed; uninit and nonexist: the first message must include the contract; frozen: storage fees are unpaid.",
    tonStates,
    "active"
  ),
  seqno: numberOrNull(
    "Number of the wallet's next message; 0 before the contract is deployed; null if the contract is not a known wallet.",
    12
  ),
  wallet: textOrNull(
    "Version of the wallet, such as v3r2, v4r2 and v5r1; null before the contract is deployed, and for other contracts.",
    "v4r2"
  ),
  walletId: numberOrNull(
    "Id of the wallet (subwallet), which its messages contain; null if no source returns it.",
    698983191
  ),
  balance: text("Balance of the account, nanotons.", "2500000000")
}).annotations({ identifier: "TonContext", description: "Data for building a message of a TON wallet." })
export type TonContext = typeof TonContext.Type
