import type { Refusals } from "../kit/sending/refusals.ts"

/** Refusals of java-tron, as `code: words`, by `response_code` of `Return` in its api.proto. */
export const refusals: Refusals = [
  // TAPOS_ERROR: the reference block is older than the last 65,536 blocks, or was rolled back.
  ["expired", /^(TRANSACTION_EXPIRATION_ERROR|TAPOS_ERROR)/],
  ["insufficient_funds", /^BANDWITH_ERROR|balance is not sufficient|no OwnerAccount|account.* not exist/i],
  ["fee_too_low", /not enough energy/i],
  ["invalid", /^(SIGERROR|CONTRACT_VALIDATE_ERROR|CONTRACT_EXE_ERROR|TOO_BIG_TRANSACTION_ERROR)/]
]
