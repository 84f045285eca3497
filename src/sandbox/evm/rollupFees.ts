import type { Hex } from "viem"
import { numberToHex, size } from "viem/utils"
import type { ContractFacts } from "./EvmContracts.ts"

// Fees of rollups for their data. Oracles, estimates, receipts and the ledger use the same formulas.

/** Price of gas of the first layer, wei. */
export const l1GasPrice = 1_000_000_000n

/** OP stack data fee of a signed transaction: 16 gas of the first layer per byte. */
export const dataFeeOf = (bytes: number): bigint => BigInt(bytes) * 16n * l1GasPrice

/** Bytes of a signed transaction with an input: about 115 for the other fields and the signature. */
export const signedBytes = (input: Hex): number => 115 + size(input)

const [operatorScalar, operatorConstant] = [2_000_000n, 500_000_000_000n]

/** Optimism, which has no operator fee here: like a network before Isthmus, its oracle reverts. */
const beforeIsthmus = 10

export const hasOperatorFee = ({ chainId, dataFee }: ContractFacts): boolean =>
  dataFee === "always" && chainId !== beforeIsthmus

/** Operator fee of gas (specs.optimism.io/protocol/isthmus/exec-engine.html#operator-fee). */
export const operatorFeeOf = (facts: ContractFacts, gas: bigint): bigint =>
  hasOperatorFee(facts) ? (gas * operatorScalar) / 1_000_000n + operatorConstant : 0n

/** Members of a receipt about the operator fee. */
export const operatorMembers = (scalar = operatorScalar, constant = operatorConstant) => ({
  operatorFeeScalar: numberToHex(scalar),
  operatorFeeConstant: numberToHex(constant)
})

/** Arbitrum One and its test network, whose gas contains the data fee. */
export const isArbitrum = ({ chainId }: Pick<ContractFacts, "chainId">): boolean =>
  chainId === 42_161 || chainId === 421_614

/** Adds the gas for data: a quarter of the sum. */
export const withDataGas = (facts: Pick<ContractFacts, "chainId">, gas: bigint): bigint =>
  isArbitrum(facts) ? (gas * 4n) / 3n : gas

/** Gas for data in gas. */
export const dataGasOf = (gas: bigint): bigint => gas / 4n
