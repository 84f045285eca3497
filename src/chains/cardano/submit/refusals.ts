import type { Refusals } from "../../kit/sending/refusals.ts"

/**
 * Refusals of cardano-node, which cardano-submit-api passes on as the names of failed ledger rules (recorded responses).
 *
 * Not listed: `All inputs are spent. Transaction has probably already been included`, which the mempool also returns for
 * the transaction itself (Conway/Rules/Mempool.hs), and errors of the connection to the node (`TxCmdSocketEnvError`).
 */
export const refusals: Refusals = [
  ["wrong_chain", /WrongNetwork/],
  ["insufficient_funds", /InsufficientCollateral|InsufficientFunds/],
  ["fee_too_low", /FeeTooSmall/],
  ["already_spent", /BadInputs/],
  ["expired", /OutsideValidityInterval/],
  [
    "invalid",
    /^(?!.*All inputs are spent).*(ValidationError|ValueNotConserved|MissingVKey|InvalidWitness|InvalidTxIn|BadlyFormed|[a-z]UTXO|UtxoFailure|UTxO|Delegs?Failure|CertsFailure|GovFailure|TxTooBig|OutputTooSmall|MaxTxSize|ScriptWitness|ReadError|read error|DecoderFailure|decod|deserial|invalid address|not valid CBOR|CborError)/is
  ]
]
