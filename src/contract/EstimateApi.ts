import * as HttpApiEndpoint from "@effect/platform/HttpApiEndpoint"
import * as Schema from "effect/Schema"
import { Estimate } from "../domain/Estimate.ts"
import { optional, singleMessage, text, textOrNull } from "../domain/fields.ts"
import { BodyProblems, NotImplemented, UpstreamFailed } from "./Problem.ts"
import { bytes, formed } from "./simulation/SimulationApi.ts"
import { asObject, described, HasSideEffect, inRequest } from "./wire.ts"

const sender = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

const wei = formed("^\\d{1,78}$", (value) =>
  /^\d{1,78}$/.test(value) && BigInt(value) < 2n ** 256n ? undefined : "must be a decimal whole number below 2^256"
)

/** Maximum length of the data: nodes accept no larger transaction. */
const maxDataBytes = 131_072

export const EstimateRequest = Schema.Struct({
  network: text("Id or alias of an EVM network.", "ethereum"),
  transaction: Schema.Struct({
    from: text("The sender.", sender),
    to: optional(
      textOrNull(
        "The recipient or contract. Absent or null: the transaction creates a contract.",
        "0xdAC17F958D2ee523a2206206994597C13D831ec7"
      ).annotations({ message: singleMessage("a string or null") })
    ),
    value: optional(wei("Amount of the native coin to send, wei, decimal; 0 if absent.", "0")),
    data: optional(
      bytes(
        "Call data, or the code that creates a contract: at most 131,072 bytes, hexadecimal.",
        "0xa9059cbb00000000000000000000000000000000219ab540356cbb839cbe05303d7705fa0000000000000000000000000000000000000000000000000000000000000001"
      ).pipe(
        Schema.filter((value) => value.length <= 2 + 2 * maxDataBytes || `must have at most ${maxDataBytes} bytes`)
      )
    )
  }).annotations({ ...asObject, identifier: "UnsignedTransaction", description: "The transaction." })
}).annotations({ ...inRequest, identifier: "EstimateRequest", description: "A transaction to estimate." })
export type EstimateRequest = typeof EstimateRequest.Type

const failed = {
  network: "ethereum",
  gas: null,
  accessList: null,
  gasWithAccessList: null,
  accessListError: "the transaction cannot be executed",
  reason: null,
  nodeMessage: null
} as const

export const TransactionEstimate = Schema.Struct({
  network: text("Id of the network.", "ethereum"),
  ...Estimate.fields
}).annotations({
  identifier: "TransactionEstimate",
  description: "The gas of a transaction and its fee for data, or why it cannot be executed.",
  examples: [
    {
      network: "ethereum",
      gas: "21000",
      accessList: [],
      gasWithAccessList: "21000",
      reason: null,
      nodeMessage: null
    },
    { ...failed, reverts: { reason: "ERC20: transfer amount exceeds balance", data: null } },
    { ...failed, reason: "insufficient_funds", nodeMessage: "insufficient funds for transfer" }
  ]
})
export type TransactionEstimate = typeof TransactionEstimate.Type

/** The gas of a transaction before it is signed. */
export const estimate = HttpApiEndpoint.post("estimate", "/transactions/estimate")
  .annotate(HasSideEffect, false)
  .setPayload(EstimateRequest)
  .addSuccess(TransactionEstimate)
  .addError(BodyProblems)
  .addError(UpstreamFailed.schema)
  .addError(NotImplemented.schema)
  .annotateContext(
    described(
      "Gas of a transaction",
      "Returns the gas that a transaction needs on an EVM network, its access list, and on networks of the OP stack its fee for data, as one node computes them in its newest block. A transaction that reverts has `gas: null` and `reverts`; one that nodes refuse, such as for a lack of funds, has `gas: null` and `reason`. Many nodes return no access list: then it is null. The state may change before the transaction is included: add a margin to `gas`. If no node can be read, the response is 502. A network of another family is 400."
    )
  )
