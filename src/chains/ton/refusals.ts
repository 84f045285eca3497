import type { Refusals } from "../kit/sending/refusals.ts"

/**
 * Refusals of TON Center v2 and of its lite servers, as `code: words`: exit codes of the standard wallets (versions 3 to
 * 5), then messages that no contract accepted, in the words of validator/impl/external-message.cpp and of recorded
 * responses. Not listed: LITE_SERVER_NETWORK, NOTREADY and CANCELLED, after which the message may have arrived, and a node
 * that could not read its configuration.
 */
export const refusals: Refusals = [
  ["nonce_too_low", /exitcode=1?33\b/],
  ["expired", /exitcode=1?36\b/],
  // 35: another wallet id, or an expired order of version 3; 34: a wrong signature.
  [
    "invalid",
    /^(?!.*fetch config).*(exitcode=\d+|not accepted|rejected by (transaction|account)|cannot apply external message|(cannot|failed to) (unpack|deserialize|parse)|invalid (boc|bag)|deserial|decod)/is
  ]
]
