import * as Schema from "effect/Schema"
import { errorCode, optional, text, textOrNull } from "./fields.ts"

/** What a native balance is made of, or what there is beside it; docs/networks.md has the rule of each network. */
export const parts = ["spendable", "reserved", "staked", "rewards", "unconfirmed", "immature"] as const
export type Part = (typeof parts)[number]

const part = (description: string, example: string) =>
  optional(textOrNull(`${description} Null when it could not be read.`, example))

/** Exact decimals, as `balance`. A part that the network does not have, or that was not read, is absent. */
export const Breakdown = Schema.Struct({
  spendable: part("What can be sent now, fees included.", "0.4"),
  reserved: part(
    "What the network keeps in the account for as long as it exists, or until something is released.",
    "0.1"
  ),
  staked: part("What is staked, and what is being unstaked.", "12.5"),
  rewards: part("Rewards of staking that have not been withdrawn.", "0.25"),
  unconfirmed: part("What waits in the pool to be received.", "0"),
  immature: part("Rewards of mining that are too young to be spent.", "0"),
  error: optional(text("Why a part is null, for people.", "solana-rpc: timed out")),
  errorCode: optional(errorCode)
}).annotations({
  identifier: "Breakdown",
  description: "What of a native balance can be spent, and what cannot."
})
export type Breakdown = typeof Breakdown.Type
