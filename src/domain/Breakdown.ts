import * as Schema from "effect/Schema"
import { errorCode, optional, text, textOrNull } from "./fields.ts"

/** Parts of a native balance, or amounts outside of it; docs/networks.md has the rule for each network. */
export const parts = ["spendable", "reserved", "staked", "rewards", "unconfirmed", "immature"] as const
export type Part = (typeof parts)[number]

const part = (description: string, example: string) =>
  optional(textOrNull(`${description} Null when it could not be read.`, example))

/** Exact decimals, like `balance`. A part is absent if the network does not have it or if it was not read. */
export const Breakdown = Schema.Struct({
  spendable: part("Amount that can be sent now, including fees.", "0.4"),
  reserved: part(
    "Amount that the network locks in the account, as long as the account exists or until something is released.",
    "0.1"
  ),
  staked: part("Staked amount, including amounts being unstaked.", "12.5"),
  rewards: part("Staking rewards that have not been withdrawn.", "0.25"),
  unconfirmed: part("Incoming amount in the mempool.", "0"),
  immature: part(
    "Mining rewards that are not mature yet, and coins that left the extension block of Litecoin (MWEB) less than 6 blocks ago.",
    "0"
  ),
  error: optional(text("Why a part is null, for people.", "solana-rpc: timed out")),
  errorCode: optional(errorCode)
}).annotations({
  identifier: "Breakdown",
  description: "Spendable and other parts of a native balance."
})
export type Breakdown = typeof Breakdown.Type
