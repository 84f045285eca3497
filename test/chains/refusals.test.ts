import { wordsIn } from "../../src/chains/sending/outcomes.ts"
import { reasonOf, shown } from "../../src/chains/sending/refusals.ts"
import type { SendReason } from "../../src/domain/SendReason.ts"
import { rpcErrorOf } from "../../src/jsonrpc/errors.ts"
import { fixture, recorded } from "../support/fixtures.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Errors as nodes word them, by their meaning. */
const errors: Readonly<Record<SendReason, ReadonlyArray<string>>> = {
  nonce_too_low: [
    "nonce too low: next nonce 10, tx nonce 9",
    "Nonce too low",
    "OldNonce, Current nonce: 5, nonce of rejected tx: 3",
    "nonce is too low",
    "tefPAST_SEQ: This sequence number has already passed.",
    "tefNO_TICKET",
    "External message was not accepted\nexitcode=33, steps=23",
    "exitcode=133, steps=20",
    "Invalid Transaction: Transaction is outdated"
  ],
  nonce_gap: [
    "nonce too high",
    "NonceGap, Future nonce. Expected nonce: 3",
    "gapped-nonce tx from delegated accounts",
    "tx nonce is too high",
    "terPRE_SEQ: Missing/inapplicable prior transaction.",
    "Invalid Transaction: Transaction will be valid in the future"
  ],
  replacement_underpriced: [
    "replacement transaction underpriced",
    "could not replace existing tx",
    "ReplacementNotAllowed",
    "insufficient fee, rejecting replacement 5ab, not enough additional fees to relay; 0.00 < 0.00",
    "Priority is too low: (12 vs 13)",
    "telCAN_NOT_QUEUE_FEE"
  ],
  insufficient_funds: [
    "insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5",
    "InsufficientFunds, Account balance: 0, cumulative cost: 5",
    "Upfront cost exceeds account balance",
    "sender doesn't have enough funds to send tx",
    "bad-txns-in-belowout, value in (50.00) < value out (60.00)",
    "Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.",
    "Transaction results in an account (0) with insufficient funds for rent",
    "custom program error: 0x1: Transfer: insufficient lamports 5, need 6",
    "Balance of gas object 5 is lower than the needed amount: 10",
    "Invalid Transaction: Inability to pay some fees , e.g. account balance too low",
    "CONTRACT_VALIDATE_ERROR: Contract validate error : Validate TransferContract error, balance is not sufficient.",
    "BANDWITH_ERROR: Account resource insufficient error",
    "terINSUF_FEE_B"
  ],
  fee_too_low: [
    "transaction underpriced",
    "transaction underpriced: gas tip cap 1, minimum needed 25000000000",
    "max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2",
    "Gas price below configured minimum gas price",
    "FeeTooLow, MaxFeePerGas too low",
    "min relay fee not met, 2210 < 2215",
    "mempool min fee not met",
    "FeeTooSmallUTxO (Mismatch (RelGTEQ) {supplied: Coin 1, expected: Coin 170000})",
    "telINSUF_FEE_P: Fee insufficient.",
    "Gas price 500 under reference gas price (RGP) 1000",
    "CONTRACT_EXE_ERROR: Contract execute error : Not enough energy for 'PUSH1' operation executing"
  ],
  already_spent: [
    "bad-txns-inputs-missingorspent",
    "bad-txns-inputs-spent",
    "Missing inputs",
    "txn-mempool-conflict",
    "ConwayUtxowFailure (UtxoFailure (BadInputsUTxO (fromList [TxIn 5 1])))",
    "Object (0x5, SequenceNumber(7)) is not available for consumption, its current version: SequenceNumber(8)",
    "Could not find the referenced object 0x5 at version Some(SequenceNumber(6))",
    "Failed to sign transaction by a quorum of validators because of locked objects: locked by a different transaction"
  ],
  expired: [
    "Transaction simulation failed: Blockhash not found",
    "OutsideValidityIntervalUTxO (ValidityInterval {})",
    "tefMAX_LEDGER: Ledger sequence too high.",
    "TRANSACTION_EXPIRATION_ERROR: Transaction expired",
    "Invalid Transaction: Transaction has an ancient birth block",
    "Transaction Expired",
    "exitcode=36, steps=20"
  ],
  wrong_chain: [
    "invalid sender: invalid chain id for signer: have 5 want 1",
    "invalid chainid",
    "Incorrect ChainId",
    "TAPOS_ERROR: Tapos check error.",
    "WrongNetwork Mainnet",
    "telREQUIRES_NETWORK_ID"
  ],
  invalid: [
    "intrinsic gas too low: gas 1, minimum needed 21000",
    "exceeds block gas limit",
    "oversized data: transaction size 200000, limit 131072",
    "max priority fee per gas higher than max fee per gas",
    "transaction type not supported",
    "mandatory-script-verify-flag-failed (Signature must be zero)",
    "dust",
    "scriptpubkey",
    "non-final",
    "TX decode failed",
    "MissingVKeyWitnessesUTXOW",
    "temBAD_FEE",
    "tefBAD_AUTH",
    "SIGERROR: Validate signature error",
    "Invalid user signature: Signature is not valid",
    "Error processing Instruction 0: custom program error: 0x1771",
    "exitcode=35, steps=20",
    "Invalid Transaction: Transaction has a bad signature"
  ],
  unknown: ["", "no", "too-long-mempool-chain"]
}

describe("the refusal of a node", () => {
  for (const [reason, texts] of Object.entries(errors))
    it(`means ${reason}`, () => {
      for (const text of texts) assert.strictEqual(reasonOf(text), reason, text)
    })

  it("is shown in one line, without addresses and secrets, and at most 500 characters long", () => {
    for (const [words, expected] of [
      ["nonce\n\ttoo\u0000low ", "nonce too low"],
      ["see https://user:secret@node.example/v2/key: refused", "see (address) refused"],
      ["dial tcp 10.0.0.7:8545: no", "dial tcp (address): no"],
      ["from eth.node.example/v3/0123abc", "from (address)"],
      ["api_key=0123 is wrong, Authorization: xyz", "api_key (removed) is wrong, Authorization (removed)"],
      [
        "bad-txns-in-belowout, value in (50.00) < value out (60.00)",
        "bad-txns-in-belowout, value in (50.00) < value out (60.00)"
      ],
      ["refused \u202edesrever", "refused desrever"],
      [" \n", null],
      [`${"x".repeat(498)}😀😀`, `${"x".repeat(498)}…`],
      ["x".repeat(500), "x".repeat(500)],
      ["x".repeat(20_000), `${"x".repeat(499)}…`]
    ] as const)
      assert.strictEqual(shown(words), expected)
  })

  it("is read from every form of response", () => {
    for (const [body, words] of [
      [
        'sendrawtransaction RPC error: {"code":-26,"message":"dust"}',
        'sendrawtransaction RPC error: {"code":-26,"message":"dust"}'
      ],
      ['{"result":null,"error":{"code":-26,"message":"dust"},"id":1}', "dust"],
      ['{"error":"-26: dust"}', "-26: dust"],
      ['{"code":"SIGERROR","txid":"9e48","message":"6e6f7065"}', "SIGERROR: nope"],
      [
        '{"error":"Bad Request","message":"{\\"contents\\":{\\"tag\\":\\"T\\",\\"contents\\":{\\"error\\":[\\"A\\",\\"B\\"]}}}"}',
        "Bad Request: A: B"
      ],
      ['{"result":{"engine_result":"temBAD_FEE","engine_result_message":"","tx_json":{"message":"no"}}}', "temBAD_FEE"],
      [`{"error":${"[".repeat(50)}"deep"${"]".repeat(50)}}`, ""],
      ["[1]", ""],
      ["null", ""]
    ] as const)
      assert.strictEqual(wordsIn(body), words)
  })
})

recorded("a recorded refusal", () => {
  for (const [provider, name, reason] of [
    ["bitcoind", "sendraw-error-25-empty-message", "unknown"],
    ["bitcoind", "sendraw-error-25-fee-exceeds-maximum", "invalid"],
    ["bitcoind", "sendraw-error-26-in-below-out", "insufficient_funds"],
    ["bitcoind", "sendraw-error-26-script-flag", "invalid"],
    ["bitcoind", "sendraw-error-26-script-new-text", "invalid"],
    ["blockbook", "sendtx-invalid-data-400", "invalid"],
    ["blockfrost", "tx-submit-2022-bad-inputs-400", "already_spent"],
    ["blockfrost", "tx-submit-invalid-cbor-400", "invalid"],
    ["blockfrost", "tx-submit-platform-details-400", "already_spent"],
    ["esplora", "post-tx-error-25-missing-inputs", "already_spent"],
    ["esplora", "post-tx-error-26-blockstream-spelling", "fee_too_low"],
    ["esplora", "post-tx-error-26-min-relay-fee", "fee_too_low"],
    ["koios", "submittx-raw-cbor-error-400", "invalid"],
    ["rippled", "submit-failed", "invalid"],
    ["rippled", "submit-tefmax-ledger", "expired"],
    ["rippled", "submit-tem-malformed", "invalid"],
    ["solana", "sendtransaction-simulation-failed", "invalid"],
    ["substrate-rpc", "submit-extrinsic-error-1010-bad-signature", "invalid"],
    ["substrate-rpc", "submit-extrinsic-error-1010-fees", "insufficient_funds"],
    ["toncenter-v2", "sendboc-error-500", "nonce_too_low"],
    ["trongrid", "broadcast-error-hex-message", "invalid"]
  ] as const)
    it(`means ${reason}: ${provider} ${name}`, () => {
      const { body } = fixture(provider, name).response
      const words =
        provider === "solana"
          ? rpcErrorOf((body as { readonly error: unknown }).error).detail
          : wordsIn(typeof body === "string" ? body : JSON.stringify(body))
      assert.strictEqual(reasonOf(words), reason)
      assert.isAtMost(shown(words)?.length ?? 0, 500)
    })
})
