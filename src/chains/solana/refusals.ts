import type { Refusals } from "../kit/sending/refusals.ts"

/**
 * Refusals of Agave, as `code: words`; codes as in rpc-client-api/src/custom_error.rs. The words of -32002, a failed
 * simulation, are those of a transaction error (sdk, TransactionError).
 */
export const refusals: Refusals = [
  [
    "insufficient_funds",
    /insufficient (lamports|funds)|InsufficientFunds|credit\b.*debit|debit an account|custom program error: 0x1$/i
  ],
  ["expired", /blockhash ?not ?found|block height exceeded/i],
  // A failed simulation, a wrong signature, parameters that cannot be decoded.
  ["invalid", /^(-32002|-32003|-32602):/]
]
