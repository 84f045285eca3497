import type { Refusals } from "../../kit/sending/refusals.ts"

/**
 * Refusals of EVM nodes, as they word them: geth (core/error.go, core/txpool/errors.go), whose words erigon, op-geth and bsc
 * use, unless a line names another node. Nethermind uses them too, with further words (TxPoolErrorMessages.cs); before 2026,
 * it had names such as `OldNonce`. Clients reject transactions that they cannot decode with -32602.
 */
export const refusals: Refusals = [
  [
    "wrong_chain",
    /(invalid|incorrect|wrong|unsupported|mismatch\w*).{0,40}chain ?-?id|chain ?-?id.{0,40}(invalid|mismatch|not match)/i
  ],
  // Limits of accounts with a delegation (EIP-7702), and of the blob pool: geth and Nethermind.
  [
    "account_busy",
    /in-?flight transaction limit|account limit exceeded|sender capacity|nonce limit reached|(address|authority) already reserved|authority has pending|type conflict/i
  ],
  // `future transaction tries to replace pending`: a gap in a full pool.
  [
    "nonce_gap",
    /nonce[ _](is )?too[ _](high|far|distant)|nonce (has a )?gap|nonce ?-?gap|gapped|future transaction tries to replace/i
  ],
  ["nonce_too_low", /nonce[ _](is )?too[ _]low|old ?nonce|nonce.* already (been )?used/i],
  // Nethermind before 2026: `ReplacementNotAllowed`.
  ["replacement_underpriced", /replacement (transaction|tx|not ?allowed|fee)|ReplacementNotAllowed|could not replace/i],
  // EIP-7623, which speaks of gas, not of a fee.
  ["invalid", /floor data gas|intrinsic gas/i],
  // Besu: `Upfront cost exceeds account balance`.
  [
    "insufficient_funds",
    /insufficient (funds|balance|account balance)|InsufficientFunds|enough (funds|balance)|upfront cost|overshot/i
  ],
  // Besu: `Gas price below configured minimum gas price`.
  [
    "fee_too_low",
    /underpriced|fee per gas less than|FeeTooLow|(fee|tip|price)\b.* (less|lower|below|under|too low|minimum)|(less|lower|below|minimum)\b.* (base fee|gas price|tip)/i
  ],
  // EIP-7825: `transaction gas limit too high (cap: 16777216, tx: 30000000)`; Nethermind: `TxGasLimitCapExceeded`.
  [
    "invalid",
    /^-32602:|gas ?limit (is )?(too high|exceed|reached)|GasLimitCapExceeded|cost overflow|transaction invalid|recover sender|exceeds (the )?(block )?gas limit|exceeds allowance|exceeds transaction gas cap|oversized|too large|transaction type|type not (supported|allowed)|invalid (sender|signature|transaction|tx\b|v, r, s|rlp)|rlp:|decod\w* (raw |signed )?(rlp|transaction|tx\b)|(rlp|transaction|tx) decod|malformed|(higher|greater|more) than (the )?max|fee cap|tip above|negative value|init ?code size|nonce has max value|sender (is )?not an eoa|(no|empty|missing|invalid|unexpected|too many|mismatched) (\w+ ){0,2}(blob|kzg|sidecar|auth)|(blob|kzg|sidecar)\w* (\w+ ){0,2}(missing|invalid|mismatch|verif)|only replay-protected|execution reverted/i
  ]
]
