import type { Refusals } from "../sending/refusals.ts"

/**
 * Refusals of TON Center v2 and of its lite servers (ton 2026.02), as `code: words`: exit codes of the standard wallets
 * (versions 3 to 5), then messages that no contract accepted. Not listed: LITE_SERVER_NETWORK,
 * NOTREADY and CANCELLED, after which the message may have arrived.
 */
export const refusals: Refusals = [
  ["nonce_too_low", /exitcode=1?33\b/],
  ["expired", /exitcode=1?36\b/],
  // 35: another wallet id, or an expired order of version 3; 34: a wrong signature.
  [
    "invalid",
    /exitcode=\d+|not accepted|rejected by (transaction|account)|cannot apply external message|(cannot|failed to) (unpack|deserialize|parse)|invalid (boc|bag)|deserial|decod/i
  ]
]
