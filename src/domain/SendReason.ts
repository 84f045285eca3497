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
 * - `too_early`: its lock time, or the age that an input needs, is not reached yet
 * - `account_busy`: too many transactions of the account, or before it in its chain, are pending
 * - `wrong_chain`: it is signed for another chain
 * - `invalid`: it breaks another rule of the network
 */
export const SendReason = Schema.Literal(
  "nonce_too_low",
  "nonce_gap",
  "replacement_underpriced",
  "insufficient_funds",
  "fee_too_low",
  "already_spent",
  "expired",
  "too_early",
  "account_busy",
  "wrong_chain",
  "invalid"
)
export type SendReason = typeof SendReason.Type
