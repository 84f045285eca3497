import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { enumOf, mustBe, numberOrNull, optional, text, textOrNull } from "../domain/fields.ts"
import { transactionStates } from "../domain/Transaction.ts"
import { BodyProblems } from "./Problem.ts"
import { described, HasSideEffect, inRequest, recordOf } from "./wire.ts"

const hash = "0x5c504ed432cb51138bcf09aa5e8a410dd4a1e204ef84bfed1be16dfba1b22060"

const HashesByNetwork = Schema.Record({
  key: Schema.String,
  value: Schema.Array(text("Hash of a transaction, as a wallet or an explorer shows it.", hash)).annotations({
    description: "The transactions of one network.",
    message: mustBe("a list of transaction hashes"),
    examples: [[hash]]
  })
}).annotations({
  description:
    "Transaction hashes by network id. Ids, aliases and chain ids (CAIP-2) are case-insensitive; unsupported ids are skipped, and named in the header `x-partial-failures`.",
  message: mustBe("an object with a list of transaction hashes for each network id"),
  examples: [{ ethereum: [hash] }]
})

export const TransactionStatusRequest = Schema.Struct({ networks: HashesByNetwork }).annotations({
  ...inRequest,
  identifier: "TransactionStatusRequest",
  description: "The transactions to look up."
})
export type TransactionStatusRequest = typeof TransactionStatusRequest.Type

export const TransactionStatus = Schema.Struct({
  status: Schema.NullOr(Schema.Literal(...transactionStates)).annotations({
    description:
      "pending: known, or sent by this service and not refused, but in no block; confirmed: in a block, and successful; failed: in a block, without effect except for the fee; replaced: another transaction has spent its nonce or its inputs; expired: no block can include it anymore, even if blocks that are not final are replaced; not_found: the sources certainly do not have it. Null if it could not be read; `error` then has the reason.",
    examples: ["confirmed"]
  }),
  confirmations: numberOrNull(
    "Number of blocks from its block to the newest, both included; 0 while it is pending; null if unknown or not in a block.",
    12
  ),
  block: numberOrNull(
    "Height of its block: the slot on solana, the ledger on ripple, the checkpoint on sui, the block of the masterchain on ton. Null if it is in no block, or if the source does not return it.",
    21_000_000
  ),
  timestamp: numberOrNull("Time of its block, UNIX time in seconds; null if it is in no block.", 1793450000),
  at: numberOrNull("The former name of `timestamp`, which the next release removes.", 1793450000),
  fee: textOrNull(
    "Fee that was paid, in base units, including the cost of data on another chain (L1 fee); null if nothing was paid yet or if it is not certain.",
    "441000000000000"
  ),
  final: Schema.NullOr(Schema.Boolean).annotations({
    description:
      "Whether a confirmed or failed transaction is final: the protocol says so, or it is older than the time of the network in `docs/networks.md` and two sources, or the only one, have it in the same block. False while it is pending or has too few sources; null if it cannot be known.",
    examples: [true]
  }),
  replacedBy: textOrNull("Hash of the transaction that replaced it, if known.", null),
  error: optional(text("Human-readable reason why the status is null.", "timed out")),
  errorCode: optional(
    enumOf(
      "Why the status is null, for programs. invalid_hash: not a transaction hash of that network; timeout: there was no response within the time limit; rate_limited: the upstream accepts no more calls for now; upstream_error: the upstream could not be reached or returned an error; bad_answer: the upstream returned an unusable response; sunset: the network was shut down; not_configured: the operator must set something.",
      ["invalid_hash", "timeout", "rate_limited", "upstream_error", "bad_answer", "sunset", "not_configured"],
      "timeout"
    )
  )
}).annotations({ identifier: "TransactionStatus", description: "The status of one transaction." })
export type TransactionStatus = typeof TransactionStatus.Type

export const TransactionStatuses = recordOf(
  "ethereum",
  recordOf(hash, TransactionStatus, "By hash, spelled as in the request."),
  "By network and hash; the keys are those of the request. Unsupported networks are left out."
)
export type TransactionStatuses = typeof TransactionStatuses.Type

/** The status of transactions by hash. */
export const status = HttpApiEndpoint.post("status", "/transactions/status")
  .annotate(HasSideEffect, false)
  .setPayload(TransactionStatusRequest)
  .addSuccess(TransactionStatuses)
  .addError(BodyProblems)
  .annotateContext(
    described(
      "Status of transactions",
      "Returns the status of transactions of many networks, by hash. A request may have as many hashes as addresses (MAX_ADDRESSES). The form of each hash is checked before any upstream is called: an invalid hash has `status: null` with `errorCode: invalid_hash`. A transaction that could not be looked up also has `status: null`, with `error` and `errorCode`, and does not affect the others. `not_found` means that the sources responded and do not have the transaction: two of them, if the network has several. Statuses are never cached; request a pending transaction again after the block time of its network."
    )
  )
