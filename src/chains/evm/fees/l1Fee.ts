import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { encodeFunctionData, parseAbi, serializeTransaction, size } from "viem/utils"
import { type EvmFacts, evmSample, transferGas } from "../../../catalogue/evm/EvmFacts.ts"
import type { Unsigned } from "../../../domain/Estimate.ts"
import type { L1Fee } from "../../../domain/fees/fields.ts"
import type * as Client from "../../../jsonrpc/Client.ts"
import * as Call from "../../../upstream/Call.ts"
import type { ReadFailure } from "../../Chain.ts"
import * as calls from "../providers/node/calls.ts"
import { word } from "../providers/node/results.ts"

// The data fee of the OP stack (specs.optimism.io, "L1-Cost Fees" and "Operator Fee"), from its predeploy
// GasPriceOracle. It depends on the bytes of the transaction, and is not part of its gas.

/** The address of GasPriceOracle on every network of the OP stack. */
export const oracleAddress = "0x420000000000000000000000000000000000000f"

export const oracleAbi = parseAbi([
  "function getL1Fee(bytes transaction) view returns (uint256)",
  "function getOperatorFee(uint256 gasUsed) view returns (uint256)"
])

/** The transaction whose fee is read. */
interface Priced extends Pick<Unsigned, "to" | "value" | "data"> {
  readonly gas: bigint
}

/** A transfer with as many digits as a real one, because zeros would be compressed. */
const example: Priced = { to: evmSample, value: 123_456_789_012_345_678n, data: undefined, gas: transferGas }

/** The bytes of a transaction with a nonce and prices of usual size. The oracle adds the signature. */
const serialized = (chainId: number, { data, gas, to, value }: Priced) =>
  serializeTransaction({
    type: "eip1559",
    chainId,
    nonce: 137,
    to: to as Address | undefined,
    value,
    data: data as Hex | undefined,
    gas,
    maxFeePerGas: 1_234_567_891n,
    maxPriorityFeePerGas: 1_234_567n
  })

const oracleCall = (data: string) => Call.methodOf(calls.contract, { to: oracleAddress, data })

/** Empty for a network whose transactions pay only for gas. For the example transfer, or another transaction. */
export const l1FeeCalls = ({ chainId, dataFee }: EvmFacts, priced = example): ReadonlyArray<Client.ClientCall> =>
  dataFee === undefined
    ? []
    : [
        oracleCall(
          encodeFunctionData({ abi: oracleAbi, functionName: "getL1Fee", args: [serialized(chainId, priced)] })
        ),
        oracleCall(encodeFunctionData({ abi: oracleAbi, functionName: "getOperatorFee", args: [priced.gas] }))
      ]

/** The data fee of a transaction, in addition to gas. */
export interface DataFee {
  /** The part that all levels share; absent if the network has no such fee. */
  readonly l1Fee?: L1Fee
  /** Added to the cost of gas, wei. */
  readonly fee: Either.Either<bigint, ReadFailure>
}

/** The data fee, from the results of {@link l1FeeCalls}. */
export const dataFee = (
  { chainId, dataFee: kind }: EvmFacts,
  [data, operator]: ReadonlyArray<Client.Outcome>,
  priced = example
): DataFee => {
  if (kind === undefined) return { fee: Either.right(0n) }
  const feeWei = Option.getOrUndefined(word(data))
  // No contract at that address: it is not an OP-stack network, and may charge for data in another way.
  if (kind === "perhaps" && feeWei === undefined && isNothing(data)) return { fee: Either.left(unknownKind) }
  // Networks before Isthmus do not have this function.
  const operatorFeeWei = Option.getOrUndefined(word(operator)) ?? (isReverted(operator) ? 0n : undefined)
  const missing = feeWei === undefined || operatorFeeWei === undefined
  return {
    l1Fee: {
      feeWei: feeWei === undefined ? null : String(feeWei),
      operatorFeeWei: operatorFeeWei === undefined ? null : String(operatorFeeWei),
      transactionBytes: size(serialized(chainId, priced)),
      ...(missing ? { error: unreadable.message, errorCode: unreadable.reason } : {})
    },
    fee: missing ? Either.left(unreadable) : Either.right(feeWei + operatorFeeWei)
  }
}

const isNothing = (outcome: Client.Outcome | undefined) =>
  outcome !== undefined && Either.isRight(outcome) && outcome.right === "0x"

const isReverted = (outcome: Client.Outcome | undefined) =>
  outcome !== undefined && Either.isLeft(outcome) && (outcome.left.code === 3 || /revert/i.test(outcome.left.detail))

const unreadable: ReadFailure = {
  reason: "bad_answer",
  message: "the fee for data could not be read from GasPriceOracle"
}

const unknownKind: ReadFailure = {
  reason: "bad_answer",
  message: "the network may charge a fee for data in addition to gas, and has no GasPriceOracle that returns it"
}
