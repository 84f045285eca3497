import type { SendReason } from "../../domain/SendReason.ts"

/**
 * The meaning of nodes' errors, of all families: the first pattern that matches an error decides. Sources are the error
 * texts of geth, erigon, nethermind, besu and anvil; of bitcoind; of the ledger rules of Cardano; of Agave; of the Sui
 * validator; and the codes of rippled, java-tron, TON's wallets (exit codes) and Substrate.
 */
const reasons: ReadonlyArray<readonly [SendReason, RegExp]> = [
  [
    "wrong_chain",
    /chain ?-?id|wrong ?network|TAPOS_ERROR|telREQUIRES_NETWORK_ID|telNETWORK_ID_MAKES_TX_NON_CANONICAL/i
  ],
  [
    "nonce_gap",
    /nonce[ _](is )?too[ _](high|far|distant)|nonce (has a )?gap|nonce ?-?gap|gapped|terPRE_SEQ|valid in the future/i
  ],
  [
    "nonce_too_low",
    /nonce[ _](is )?too[ _]low|old ?nonce|nonce.* already (been )?used|tefPAST_SEQ|tefNO_TICKET|\boutdated\b|\bstale\b|exitcode=1?33\b/i
  ],
  [
    "replacement_underpriced",
    /replacement|replacing|to replace|could not replace|priority is too low|telCAN_NOT_QUEUE_FEE/i
  ],
  [
    "insufficient_funds",
    /insufficient (funds|balance|lamports|collateral|account balance)|InsufficientFunds|InsufficientCollateral|enough (funds|balance)|upfront cost|balance is not sufficient|not sufficient|balance too low|inability to pay|in-belowout|BANDWITH_ERROR|needed amount|terINSUF_FEE_B|telCAN_NOT_QUEUE_BALANCE|credit\b.*debit|debit an account|no OwnerAccount/i
  ],
  [
    "fee_too_low",
    /underpriced|fee per gas less than|FeeTooLow|(fee|tip|price)\b.* (less|lower|below|under|too low|minimum)|(less|lower|below|minimum)\b.* (base fee|gas price|tip)|fee not met|insufficient (priority )?fee|telINSUF_FEE_P|FeeTooSmall|GasPriceUnderRGP|gas price under|gas budget.* (low|minimum|less)|not enough energy/i
  ],
  [
    "already_spent",
    /missing-?or-?spent|inputs-spent|missing[- ]inputs|mempool-conflict|BadInputs|not available for consumption|referenced object|locked by|reserved for another|equivocat|double[- ]spend/i
  ],
  [
    "expired",
    /expir|tefMAX_LEDGER|OutsideValidityInterval|blockhash ?not ?found|block height exceeded|ancient birth|exitcode=1?36\b/i
  ],
  [
    "invalid",
    /invalid|malformed|\bbad[- _]|decod|deserial|unpack|signature|SIGERROR|exceeds|too (large|big)|too_big|oversized|intrinsic|not supported|non-?standard|mandatory|dust|scriptpubkey|non-?final|verify|\btem[A-Z]|\btef[A-Z]|CONTRACT_(VALIDATE|EXE)_ERROR|Failure|ValueNotConserved|MissingVKey|exitcode=1?3[45]\b|custom program error|InstructionError|Error processing|would (exhaust|fail)|reverted|higher than max fee/i
  ]
]

/** The reason that a node's error means; `unknown` for an error that this service does not recognise. */
export const reasonOf = (words: string): SendReason =>
  reasons.find(([, pattern]) => pattern.test(words))?.[0] ?? "unknown"

/** Maximum length of a node's words, characters. */
const maxLength = 500

/** Longer texts are cut off before the patterns below run. */
const maxRead = 10_000

/** URLs, and hosts with a path or a port: the address of a node may contain a key. */
const addresses =
  /\b[a-z][a-z0-9+.-]{1,20}:\/\/\S+|\b(?:[a-z0-9-]{1,63}\.){1,9}[a-z]{2,24}[:/]\S+|\b\d{1,3}(?:\.\d{1,3}){3}(?::\d+)?\b/gi

/** A key or password that an error quotes. */
const secrets =
  /\b((?:api|access|project|secret)[-_ ]?(?:key|id|token)|authorization|bearer|password|token)\b["']?\s*[:=]\s*["']?\S+/gi

/** A node's words as shown to clients: in one line, without addresses and secrets, at most 500 characters. */
export const shown = (words: string): string | null => {
  const text = words
    .slice(0, maxRead)
    // Also characters that change the direction of the text after them.
    .replace(/[\s\p{C}]+/gu, " ")
    .replace(addresses, "(address)")
    .replace(secrets, "$1 (removed)")
    .trim()
  if (text === "") return null
  return text.length > maxLength ? `${text.slice(0, maxLength - 1).replace(/\p{Cs}$/u, "")}…` : text
}
