import * as Schema from "effect/Schema"
import { numberOrNull, text, textOrNull, word } from "../fields.ts"

/** The states of an account of TON. */
export const tonStates = ["nonexist", "uninit", "active", "frozen"] as const

/** What a message of a TON wallet is built from. Amounts are nanotons. */
export const TonContext = Schema.Struct({
  family: word("The kind of network, which says what the other members are.", ["ton"]),
  state: word(
    "active: its contract runs; uninit and nonexist: the first message has to bring the contract along; frozen: it has not paid for its storage.",
    tonStates,
    "active"
  ),
  seqno: numberOrNull(
    "The number of the next message of the wallet; 0 before its contract is deployed; null where the contract is not a wallet that is known.",
    12
  ),
  wallet: textOrNull(
    "The kind of wallet, such as v3r2, v4r2 and v5r1; null before its contract is deployed, and for other contracts.",
    "v4r2"
  ),
  walletId: numberOrNull(
    "The wallet's id (subwallet), which its messages contain; null where no source says it.",
    698983191
  ),
  balance: text("Nanotons of the account.", "2500000000")
}).annotations({ identifier: "TonContext", description: "What a message of a TON wallet is built from." })
export type TonContext = typeof TonContext.Type
