import type { Refusals } from "../kit/sending/refusals.ts"

/**
 * Refusals of Sui, as `code: words`: the errors of validators (sui-types/src/error.rs), in the words of JSON-RPC nodes or of
 * GraphQL hosts, which start with `Invalid argument:`. Not listed: -32050, after which the transaction may be executed.
 */
export const refusals: Refusals = [
  ["wrong_chain", /(invalid|incorrect|wrong|different|unsupported|mismatch\w*).{0,40}chain ?-?id/i],
  // `is unavailable for consumption`, in older versions `is not available for consumption`.
  [
    "already_spent",
    /(not |un)available for consumption|ObjectVersionUnavailableForConsumption|provided version doesn't match|referenced object|locked by|reserved for another|equivocat/i
  ],
  // Withdrawals from address balances (SIP-58): `Invalid withdraw reservation: Available amount …`.
  ["insufficient_funds", /withdraw reservation|needed amount|insufficient (gas|coin|balance)|GasBalanceTooLow/i],
  ["fee_too_low", /GasPriceUnderRGP|gas price.* under|gas budget.*(low|minimum|less)/i],
  ["expired", /transaction.{0,20} expired|TransactionExpired/i],
  // -32002: validators refuse it (sui-json-rpc, TRANSACTION_EXECUTION_CLIENT_ERROR_CODE); -32602: parameters.
  ["invalid", /^(-32002|-32602):(?!.*(timed? ?out|transient|finality))/is]
]
