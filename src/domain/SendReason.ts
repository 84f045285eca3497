import * as Schema from "effect/Schema"

/**
 * Why a signed transaction was not accepted.
 *
 * - `nonce_too_low`: another transaction of the account used its nonce, sequence number or ticket
 * - `nonce_gap`: earlier transactions of the account are missing
 * - `replacement_underpriced`: it pays too little to replace a pending transaction
 * - `insufficient_funds`: the account cannot pay the amount or the fee
 * - `fee_too_low`: it pays less than the network or the node requires
 * - `already_spent`: an output or object that it spends is spent, locked or missing
 * - `expired`: its last block, time or recent block has passed
 * - `wrong_chain`: it is signed for another chain
 * - `invalid`: it breaks another rule of the network
 * - `unknown`: for a reason that this service does not recognise
 */
export const SendReason = Schema.Literal(
  "nonce_too_low",
  "nonce_gap",
  "replacement_underpriced",
  "insufficient_funds",
  "fee_too_low",
  "already_spent",
  "expired",
  "wrong_chain",
  "invalid",
  "unknown"
)
export type SendReason = typeof SendReason.Type
