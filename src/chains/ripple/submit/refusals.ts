import type { Refusals } from "../../kit/sending/refusals.ts"

/**
 * Refusals of rippled, as `code: words`, by the codes of transaction results (TER.h). With `accepted: true` in its response,
 * most of them decide nothing. Nor do codes of the classes ter, tel and tef that are not listed, such as tefEXCEPTION.
 */
export const refusals: Refusals = [
  ["wrong_chain", /^(telREQUIRES_NETWORK_ID|telNETWORK_ID_MAKES_TX_NON_CANONICAL|telWRONG_NETWORK)/],
  ["nonce_gap", /^(terPRE_SEQ|terPRE_TICKET)/],
  ["nonce_too_low", /^(tefPAST_SEQ|tefNO_TICKET)/],
  ["replacement_underpriced", /^telCAN_NOT_QUEUE_FEE/],
  ["insufficient_funds", /^(terINSUF_FEE_B|terNO_ACCOUNT|telCAN_NOT_QUEUE_BALANCE)/],
  // The queue of the node is full of transactions that pay more.
  ["fee_too_low", /^(telINSUF_FEE_P|telCAN_NOT_QUEUE_FULL)/],
  ["account_busy", /^telCAN_NOT_QUEUE/],
  ["expired", /^tefMAX_LEDGER/],
  // Errors of `submit` for a text that is no transaction; codes of malformed transactions, and of failed checks.
  [
    "invalid",
    /^(invalidTransaction|invalidParams|jsonInvalid|tem[A-Z]|tef(BAD_|CREATED|FAILURE|INVARIANT_FAILED|MASTER_DISABLED|NFTOKEN_IS_NOT_TRANSFERABLE|NOT_MULTI_SIGNING|NO_AUTH_REQUIRED|TOO_BIG|WRONG_PRIOR|INVALID_LEDGER_FIX_TYPE))/
  ]
]
