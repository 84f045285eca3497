import type { Refusals } from "../../kit/sending/refusals.ts"

/**
 * Refusals of the Bitcoin family, as `code: words`: the words of Bitcoin Core and its forks (validation.cpp), which
 * Blockbook and Esplora pass on; some are recorded, those of litecoind 0.21 are tested with the node.
 */
export const refusals: Refusals = [
  // `non-final`, `non-BIP68-final`; `bad-txns-premature-spend-of-coinbase`, litecoind: `…-of-pegout`.
  ["too_early", /non-?final|non-?BIP68-?final|premature-spend/i],
  // Limits of packages: `too-long-mempool-chain`, `TRUC-violation`, and `too-large-cluster` since Core 31.
  [
    "account_busy",
    /too-long-mempool-chain|TRUC-violation|too-large-cluster|exceeds (ancestor|descendant)|too many (unconfirmed|descendants)/i
  ],
  [
    "replacement_underpriced",
    /rejecting replacement|too many potential replacements|replacement-failed|insufficient feerate/i
  ],
  ["insufficient_funds", /in-?belowout/i],
  // Old versions of Core, and dogecoind: `66: insufficient priority`.
  ["fee_too_low", /fee not met|insufficient (priority )?fee|insufficient priority|mempool full/i],
  ["already_spent", /missing-?or-?spent|inputs-spent|missing[- ]inputs|mempool-conflict|double-?spend/i],
  [
    "invalid",
    /fee exceeds maximum|max-fee-exceeded|absurdly-high-fee|TX decode failed|bad-txns?|scriptpubkey|scriptsig|dust|mandatory-script|script-verify|tx-size|tx-version|missing-ephemeral|unreadable data|empty transaction|missing tx blob|invalid (data|tx|transaction|hex)|decod|deserial/i
  ],
  // Codes of src/rpc/protocol.h with which a node only refuses: parameters, decoding, rules of the mempool.
  ["invalid", /^(-3|-8|-22|-26|-32602):/]
]
