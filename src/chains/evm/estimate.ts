import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import { decodeErrorResult, numberToHex } from "viem/utils"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { Estimate, Unsigned } from "../../domain/Estimate.ts"
import type { L1Fee } from "../../domain/fees/fields.ts"
import { resultOf } from "../../jsonrpc/boundCalls.ts"
import type * as Client from "../../jsonrpc/Client.ts"
import { callAll } from "../../jsonrpc/callAll.ts"
import { codes, type RpcError } from "../../jsonrpc/errors.ts"
import { span } from "../../kernel/span.ts"
import * as Call from "../../upstream/Call.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../upstream/UpstreamError.ts"
import type { ReadFailure } from "../Chain.ts"
import { unread } from "../kit/holdings/tokenList.ts"
import { reasonIn, shown } from "../kit/sending/refusals.ts"
import { dataFee, l1FeeCalls } from "./fees/l1Fee.ts"
import * as calls from "./providers/node/calls.ts"
import { currentBlock, newestBlockCalls } from "./providers/node/newestBlock.ts"
import { ofContracts, quantity } from "./providers/node/results.ts"
import { refusals } from "./submit/refusals.ts"

/** Estimates a transaction at the first node that can. `off` is the reason if there are no nodes. */
export const estimate =
  (facts: EvmFacts, nodes: Upstream, off: ReadFailure | undefined) =>
  (transaction: Unsigned): Effect.Effect<Estimate, ReadFailure> =>
    off === undefined
      ? nodes
          .over((node) => atNode(node, facts, transaction), { isWhole: ({ reason }) => reason !== "unknown" })
          .pipe(Effect.mapError(unread), span("Evm.estimate", { attributes: { network: facts.id } }))
      : Effect.fail(off)

const atNode = (node: Endpoint, facts: EvmFacts, transaction: Unsigned): Effect.Effect<Estimate, UpstreamError> =>
  Effect.gen(function* () {
    const { data, from, to, value } = transaction
    const unsigned = { from, to, value: numberToHex(value), data }
    const outcomes = yield* callAll(
      node,
      [
        ...newestBlockCalls,
        Call.methodOf(calls.estimateGas, { transaction: unsigned, block: "latest" }),
        Call.methodOf(calls.accessList, unsigned)
      ],
      { ...ofContracts, perCall: true }
    )
    const { gasLimit = usualGasLimit } = yield* currentBlock(node, facts, outcomes)
    const [estimated, listed] = outcomes.slice(newestBlockCalls.length)
    if (estimated !== undefined && Either.isLeft(estimated)) {
      const refusal = refusalOf(estimated.left)
      if (refusal === undefined) return yield* node.fault(noEstimate)
      return { ...without(facts), ...refusal }
    }
    const isGas = (units: bigint) => units >= leastGas && units <= gasLimit
    const gas = Option.getOrUndefined(Option.filter(quantity(estimated), isGas))
    if (gas === undefined) return yield* node.fault(implausible)
    return {
      gas: String(gas),
      ...accessListOf(listed, isGas),
      ...(facts.dataFee === undefined ? {} : { l1Fee: yield* l1FeeAt(node, facts, { ...transaction, gas }) }),
      reason: null,
      nodeMessage: null
    }
  })

/** The gas of every transaction before its execution. */
const leastGas = 21_000n

/** Maximum gas if the block of the node has no limit. */
const usualGasLimit = 100_000_000n

const noEstimate: Fault = { reason: "bad_answer", detail: "the node did not estimate the gas" }
const implausible: Fault = { reason: "bad_answer", detail: "the node returned an amount of gas that cannot be right" }

const without = ({ dataFee }: EvmFacts) => ({
  gas: null,
  accessList: null,
  gasWithAccessList: null,
  accessListError: "the transaction cannot be executed",
  ...(dataFee === undefined ? {} : { l1Fee: null }),
  reason: null,
  nodeMessage: null
})

/** The meaning of a node's error; undefined if it does not concern the transaction. */
export const refusalOf = (
  error: Pick<RpcError, "code" | "detail" | "data">
): Pick<Estimate, "reverts"> | Pick<Estimate, "reason" | "nodeMessage"> | undefined => {
  const { code, detail } = error
  // Nethermind's message is `VM execution error.`, and its data starts with `Reverted`.
  if (code === 3 || /revert/i.test(detail) || (typeof error.data === "string" && /^revert/i.test(error.data)))
    return { reverts: revertOf(error) }
  const reason = reasonIn(refusals, detail) ?? "unknown"
  return code === codes.refused || (code === 0 && reason === "unknown")
    ? undefined
    : { reason, nodeMessage: shown(detail) }
}

/** Maximum length of the data of a revert, bytes. */
const maxRevertBytes = 4_096

const revertOf = ({ data: found, detail }: Pick<RpcError, "detail" | "data">): NonNullable<Estimate["reverts"]> => {
  const [, hex = ""] = /^(?:reverted )?(0x[0-9a-f]*)$/i.exec(String(found)) ?? []
  const data = hex !== "" && hex.length % 2 === 0 && hex.length <= 2 + 2 * maxRevertBytes ? (hex as Hex) : null
  const [, words = ""] = /revert(?:ed)?\b[:\s]*(.*)/is.exec(detail) ?? []
  return { reason: shown(data === null ? words : (textOf(data) ?? words)), data }
}

/** The text of `Error(string)` and `Panic(uint256)`, which every Solidity contract may return. */
const textOf = (data: Hex): string | undefined => {
  const decoded = Either.getOrUndefined(Either.try(() => decodeErrorResult({ data })))
  if (decoded === undefined) return undefined
  const [value] = decoded.args ?? []
  if (typeof value === "string") return value
  const code = numberToHex(BigInt(String(value)), { size: 32 }).replace(/^0x0*(?=..)/, "0x")
  return `panic ${code}: ${panics[code] ?? "unknown code"}`
}

/** Codes of `Panic(uint256)` (docs.soliditylang.org, "Panic via assert and Error via require"). */
const panics: Readonly<Record<string, string>> = {
  "0x01": "an assertion failed",
  "0x11": "arithmetic overflow",
  "0x12": "division by zero",
  "0x21": "invalid enum value",
  "0x22": "invalid storage encoding",
  "0x31": "pop from an empty array",
  "0x32": "index out of bounds",
  "0x41": "too much memory",
  "0x51": "call of an uninitialized function"
}

const accessListOf = (outcome: Client.Outcome | undefined, isGas: (units: bigint) => boolean) => {
  const none = { accessList: null, gasWithAccessList: null }
  if (outcome === undefined || Either.isLeft(outcome))
    return { ...none, accessListError: "the node does not return access lists" }
  const found = Option.getOrUndefined(resultOf(calls.accessList, outcome))
  const gas = Option.getOrUndefined(Option.filter(quantity(Either.right(found?.gasUsed)), isGas))
  return found === undefined || gas === undefined
    ? { ...none, accessListError: "the node returned no usable access list" }
    : { accessList: found.accessList, gasWithAccessList: String(gas) }
}

interface Priced extends Unsigned {
  readonly gas: bigint
}

/** The gas was read: a failure of these calls must not lose it. */
const l1FeeAt = (node: Endpoint, facts: EvmFacts, transaction: Priced) =>
  Effect.match(callAll(node, l1FeeCalls(facts, transaction), ofContracts), {
    onFailure: (error) => withoutL1Fee(unread(error)),
    onSuccess: (outcomes) => l1FeeOf(facts, outcomes, transaction)
  })

const unknownL1Fee = { feeWei: null, operatorFeeWei: null, transactionBytes: null }

const withoutL1Fee = ({ message, reason }: ReadFailure): L1Fee => ({
  ...unknownL1Fee,
  error: message,
  errorCode: reason
})

/** The data fee of the transaction, from the results of `l1FeeCalls`; null with a reason if the network may have none. */
export const l1FeeOf = (facts: EvmFacts, outcomes: ReadonlyArray<Client.Outcome>, transaction: Priced): L1Fee => {
  const { fee, l1Fee } = dataFee(facts, outcomes, transaction)
  return l1Fee ?? Either.match(fee, { onLeft: withoutL1Fee, onRight: () => unknownL1Fee })
}
