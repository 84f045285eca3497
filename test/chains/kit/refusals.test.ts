import { refusals as cardano } from "../../../src/chains/cardano/submit/refusals.ts"
import { refusals as evm } from "../../../src/chains/evm/submit/refusals.ts"
import { type Refusals, reasonIn, shown } from "../../../src/chains/kit/sending/refusals.ts"
import { refusals as polkadot } from "../../../src/chains/polkadot/refusals.ts"
import { refusals as ripple } from "../../../src/chains/ripple/submit/refusals.ts"
import { refusals as solana } from "../../../src/chains/solana/refusals.ts"
import { refusals as sui } from "../../../src/chains/sui/refusals.ts"
import { refusals as ton } from "../../../src/chains/ton/refusals.ts"
import { refusals as tron } from "../../../src/chains/tron/refusals.ts"
import { refusals as utxo } from "../../../src/chains/utxo/rawTransactions/refusals.ts"
import type { SendReason } from "../../../src/domain/SendReason.ts"
import { assert, describe, it } from "../../support/vitest.ts"

type Errors = Readonly<Partial<Record<SendReason | "undecided", ReadonlyArray<string>>>>

/** Errors as the nodes of each family word them, after their code if they have one, by their meaning. */
const families: Readonly<Record<string, readonly [Refusals, Errors]>> = {
  evm: [
    evm,
    {
      nonce_too_low: [
        "-32000: nonce too low: next nonce 10, tx nonce 9",
        "-32001: Nonce too low",
        "-32010: OldNonce, Current nonce: 5, nonce of rejected tx: 3",
        "-32000: nonce is too low"
      ],
      nonce_gap: [
        "-32000: nonce too high",
        "-32010: NonceGap, Future nonce. Expected nonce: 3",
        "-32010: nonce too far in future",
        "-32010: delegation nonce gap",
        "-32000: gapped-nonce tx from delegated accounts",
        "-32000: future transaction tries to replace pending"
      ],
      replacement_underpriced: [
        "-32000: replacement transaction underpriced",
        "-32000: could not replace existing tx",
        "-32010: ReplacementNotAllowed"
      ],
      account_busy: [
        "-32000: in-flight transaction limit reached for delegated accounts",
        "-32000: account limit exceeded",
        "-32010: delegation authority has pending transaction",
        "-32010: pending transaction type conflict",
        "-32000: authority already reserved"
      ],
      insufficient_funds: [
        "-32000: insufficient funds for gas * price + value: balance 0, tx cost 5, overshot 5",
        "-32010: InsufficientFunds, Account balance: 0, cumulative cost: 5",
        "-32004: Upfront cost exceeds account balance",
        "-32000: sender doesn't have enough funds to send tx"
      ],
      fee_too_low: [
        "-32000: transaction underpriced",
        "-32000: transaction underpriced: gas tip cap 1, minimum needed 25000000000",
        "-32000: max fee per gas less than block base fee: address 0x1, maxFeePerGas: 1, baseFee: 2",
        "-32009: Gas price below configured minimum gas price",
        "-32010: FeeTooLow, MaxFeePerGas too low"
      ],
      wrong_chain: [
        "-32000: invalid sender: invalid chain id for signer: have 5 want 1",
        "-32000: invalid chainid",
        "-32000: Incorrect ChainId"
      ],
      invalid: [
        "-32000: intrinsic gas too low: gas 1, minimum needed 21000",
        "-32000: insufficient gas for floor data gas cost: gas 21000, minimum needed 40000",
        "-32000: transaction gas limit too high (cap: 16777216, tx: 30000000)",
        "-32000: exceeds block gas limit",
        "-32010: gas limit reached",
        "-32010: TxGasLimitCapExceeded: Gas limit 30000000 exceeded cap of 16777216.",
        "-32000: Transaction gas limit exceeds block gas limit",
        "-32010: transaction cost overflow",
        "-32010: transaction invalid",
        "-32010: failed to recover sender",
        "-32000: oversized data: transaction size 200000, limit 131072",
        "-32000: max priority fee per gas higher than max fee per gas: address 0x1",
        "-32000: transaction type not supported",
        "-32000: invalid sender",
        "-32602: invalid argument 0: json: cannot unmarshal"
      ],
      undecided: [
        '-32000: Post "https://mainnet-sequencer.optimism.io": EOF',
        '-32000: Post "https://mainnet-sequencer.optimism.io": read tcp 10.0.0.1:443: connection reset by peer',
        '-32000: Post "https://sequencer.test/": nonce too low',
        "-32000: insufficient funds: connection reset by peer",
        "-32000: context canceled",
        "-32000: failed to forward tx to sequencer",
        "-32000: database is closed",
        "-32603: internal error",
        "-32603: Internal error: invalid state",
        "-32000: request timed out",
        "-32000: the node is stale",
        "-32000: failed to get chain id from backend",
        "-32000: could not decode response of sequencer",
        "-32000: blob store is read-only",
        "-32603: replication of the pool failed",
        "-32000: no",
        "0: "
      ]
    }
  ],
  utxo: [
    utxo,
    {
      too_early: [
        "-26: non-final",
        "-26: non-BIP68-final",
        "-26: bad-txns-premature-spend-of-coinbase, tried to spend coinbase at depth 5",
        "-26: bad-txns-premature-spend-of-pegout"
      ],
      account_busy: [
        "-26: too-long-mempool-chain, too many descendants for tx 5ab [limit: 25]",
        "-26: TRUC-violation, tx 5ab would exceed descendant count limit"
      ],
      replacement_underpriced: [
        "-26: insufficient fee, rejecting replacement 5ab, not enough additional fees to relay; 0.00 < 0.00"
      ],
      insufficient_funds: ["-26: bad-txns-in-belowout, value in (50.00) < value out (60.00)"],
      fee_too_low: [
        "-26: min relay fee not met, 2210 < 2215",
        "-26: mempool min fee not met",
        "66: insufficient priority"
      ],
      already_spent: [
        "-25: bad-txns-inputs-missingorspent",
        "-26: bad-txns-inputs-spent",
        "-25: Missing inputs",
        "-26: 258: txn-mempool-conflict"
      ],
      invalid: [
        "-26: mandatory-script-verify-flag-failed (Signature must be zero)",
        "-26: dust",
        "-26: scriptpubkey",
        "-22: TX decode failed",
        "-25: Fee exceeds maximum configured by user (e.g. -maxtxfee, maxfeerate)",
        "-26: a rule of tomorrow"
      ],
      undecided: ["-25: ", "-1: std::bad_alloc", "failed to read status", "context deadline exceeded", "unexpected EOF"]
    }
  ],
  cardano: [
    cardano,
    {
      wrong_chain: ["WrongNetwork Mainnet (fromList [Addr 5])"],
      fee_too_low: ["FeeTooSmallUTxO (Mismatch (RelGTEQ) {supplied: Coin 1, expected: Coin 170000})"],
      already_spent: ["ConwayUtxowFailure (UtxoFailure (BadInputsUTxO (fromList [TxIn 5 1])))"],
      expired: ["OutsideValidityIntervalUTxO (ValidityInterval {})"],
      invalid: ["MissingVKeyWitnessesUTXOW (fromList [])", "transaction read error RawCborDecodeError"],
      undecided: [
        '{"tag":"TxSubmitFail","contents":{"tag":"TxCmdSocketEnvError"}}',
        'transaction submit error ShelleyTxValidationError (ApplyTxError (ConwayMempoolFailure "All inputs are spent. Transaction has probably already been included"))'
      ]
    }
  ],
  solana: [
    solana,
    {
      insufficient_funds: [
        "-32002: Transaction simulation failed: Attempt to debit an account but found no record of a prior credit.",
        "-32002: Transaction results in an account (0) with insufficient funds for rent",
        "-32002: custom program error: 0x1: Transfer: insufficient lamports 5, need 6"
      ],
      expired: ["-32002: Transaction simulation failed: Blockhash not found"],
      invalid: [
        "-32002: Transaction simulation failed: Error processing Instruction 0: custom program error: 0x1771",
        "-32003: Transaction signature verification failure",
        "-32602: invalid base64 encoding"
      ],
      undecided: ["-32603: Internal error", "-32005: Node is behind by 42 slots"]
    }
  ],
  sui: [
    sui,
    {
      already_spent: [
        "-32002: Object (0x5, SequenceNumber(7)) is not available for consumption, its current version: SequenceNumber(8)",
        "-32002: Invalid argument: Transaction needs to be rebuilt because object 0x5 version 0x7 is unavailable for consumption",
        "-32002: ObjectVersionUnavailableForConsumption { provided_obj_ref: 5 }",
        "-32002: Invalid argument: provided version doesn't match for object 0x5",
        "-32002: Could not find the referenced object 0x5 at version Some(SequenceNumber(6))",
        "-32002: Failed to sign transaction by a quorum of validators because of locked objects: locked by a different transaction"
      ],
      insufficient_funds: [
        "-32002: Balance of gas object 5 is lower than the needed amount: 10",
        "-32002: Invalid argument: Invalid withdraw reservation: Available amount in account for object id 0x5 is less than requested: 5 < 6"
      ],
      wrong_chain: ["-32002: Invalid chain ID 5 in transaction expiration, expected 35834a8a"],
      fee_too_low: ["-32002: Gas price 500 under reference gas price (RGP) 1000"],
      expired: ["-32002: Transaction Expired"],
      invalid: ["-32002: Invalid user signature: Signature is not valid"],
      undecided: [
        "0: failed to get chain id",
        "0: the certificate has expired",
        "-32050: Transaction failed to reach finality with transient error after 10 attempts.",
        "-32002: Transaction timed out before reaching finality"
      ]
    }
  ],
  ton: [
    ton,
    {
      nonce_too_low: ["500: External message was not accepted\nexitcode=33, steps=23", "500: exitcode=133, steps=20"],
      expired: ["500: exitcode=36, steps=20"],
      invalid: [
        "500: exitcode=35, steps=20",
        "500: LITE_SERVER_UNKNOWN: cannot apply external message to current state : Failed to unpack account state"
      ],
      undecided: [
        "500: LITE_SERVER_UNKNOWN: cannot apply external message to current state : External message was not accepted: cannot fetch config params: timeout",
        "500: LITE_SERVER_NOTREADY: block not found",
        "500: timeout",
        "500: LITE_SERVER_NETWORK"
      ]
    }
  ],
  tron: [
    tron,
    {
      expired: ["TRANSACTION_EXPIRATION_ERROR: Transaction expired", "TAPOS_ERROR: Tapos check error."],
      insufficient_funds: [
        "CONTRACT_VALIDATE_ERROR: Contract validate error : Validate TransferContract error, balance is not sufficient.",
        "BANDWITH_ERROR: Account resource insufficient error"
      ],
      fee_too_low: ["CONTRACT_EXE_ERROR: Contract execute error : Not enough energy for 'PUSH1' operation executing"],
      invalid: ["SIGERROR: Validate signature error", "TOO_BIG_TRANSACTION_ERROR"],
      undecided: ["OTHER_ERROR", "NOT_ENOUGH_EFFECTIVE_CONNECTION"]
    }
  ],
  ripple: [
    ripple,
    {
      nonce_too_low: ["tefPAST_SEQ: This sequence number has already passed.", "tefNO_TICKET"],
      nonce_gap: ["terPRE_SEQ: Missing/inapplicable prior transaction."],
      replacement_underpriced: ["telCAN_NOT_QUEUE_FEE"],
      account_busy: ["telCAN_NOT_QUEUE_BLOCKED"],
      insufficient_funds: ["terINSUF_FEE_B"],
      fee_too_low: ["telINSUF_FEE_P: Fee insufficient.", "telCAN_NOT_QUEUE_FULL"],
      expired: ["tefMAX_LEDGER: Ledger sequence too high."],
      wrong_chain: ["telREQUIRES_NETWORK_ID"],
      invalid: ["temBAD_FEE", "tefBAD_AUTH", "invalidTransaction"],
      undecided: ["terRETRY", "telLOCAL_ERROR", "tecPATH_DRY", "tefEXCEPTION", "terOF_TOMORROW", "tefOF_TOMORROW"]
    }
  ],
  polkadot: [
    polkadot,
    {
      nonce_gap: [
        "1010: Invalid Transaction: Transaction will be valid in the future",
        "1021: The pool is not accepting future transactions"
      ],
      replacement_underpriced: ["1014: Priority is too low: (12 vs 13)"],
      insufficient_funds: ["1010: Invalid Transaction: Inability to pay some fees , e.g. account balance too low"],
      expired: ["1010: Invalid Transaction: Transaction has an ancient birth block"],
      invalid: [
        "1010: Invalid Transaction: Transaction has a bad signature",
        "1001: ",
        "-32602: Invalid params",
        "1002: Verification Error: Runtime error: Execution failed: wasm trap: unreachable"
      ],
      undecided: [
        "1010: Invalid Transaction: Transaction is outdated",
        "1012: Transaction is temporarily banned",
        "1011: Unknown Transaction Validity: Could not lookup information required to validate the transaction",
        "1002: Verification Error: Api called for an unknown Block: State already discarded",
        "-32603: Internal error"
      ]
    }
  ]
}

describe("the error of a node", () => {
  for (const [family, [refusals, errors]] of Object.entries(families))
    for (const [reason, texts] of Object.entries(errors))
      it(`means ${reason} on ${family}`, () => {
        for (const text of texts) assert.strictEqual(reasonIn(refusals, text) ?? "undecided", reason, text)
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
})
