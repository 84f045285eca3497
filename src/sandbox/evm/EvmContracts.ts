import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import {
  decodeFunctionData,
  encodeErrorResult,
  encodeFunctionResult,
  numberToHex,
  parseAbi,
  size,
  toFunctionSelector
} from "viem/utils"
import type { EvmFacts } from "../../catalogue/evm/EvmFacts.ts"
import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import { oracleAbi, oracleAddress } from "../../chains/evm/fees/l1Fee.ts"
import { multicall3Address } from "../../chains/evm/multicall.ts"
import { scannerBytecode } from "../../chains/evm/scanner/bytecode.ts"
import * as World from "../world/World.ts"
import { type Refusal, refused } from "../world/wire.ts"
import { timeOf } from "./EvmChain.ts"
import { dataFeeOf, hasOperatorFee, operatorFeeOf } from "./rollupFees.ts"

const addressChars = 40

/** Response of the balance scanner (format: Scanner.yul). `balance` returns undefined if the token has no contract. */
const scanned = (
  input: string,
  chainId: bigint,
  timestamp: bigint,
  balance: (holder: string, token: string | "native") => bigint | undefined
): string => {
  const number = (from: number, bytes: number) => Number.parseInt(input.slice(2 * from, 2 * (from + bytes)), 16)
  const [start, holderCount, tokenCount] = [number(4, 4), number(8, 2), number(10, 2)]
  const address = (index: number) =>
    `0x${input.slice(24 + index * addressChars, 24 + (index + 1) * addressChars)}`.toLowerCase()
  const width = tokenCount + 1
  let next = start
  let records = ""
  for (; next < holderCount * width && records.length / 2 + 23 + 36 <= 24_576; next++) {
    const holder = address(Math.floor(next / width))
    const token = next % width
    const amount = balance(holder, token === 0 ? "native" : address(holderCount + token - 1))
    if (amount === undefined) records += unsigned(next + 2 ** 31, 4)
    else if (amount > 0n) records += unsigned(next, 4) + unsigned(amount, 32)
  }
  const size = 23 + records.length / 2
  return `0x02${unsigned(chainId, 8)}${unsigned(timestamp, 8)}${unsigned(next, 4)}${unsigned(size, 2)}${records}`
}

const unsigned = (value: number | bigint, bytes: number) => value.toString(16).padStart(2 * bytes, "0")

/** Facts that a simulated chain needs. */
export type ContractFacts = World.InWorld<
  Pick<NetworkFacts, "id" | "native" | "platform" | "chainId"> &
    Pick<Partial<EvmFacts>, "dataFee" | "genesis" | "blobsSince">
> & {
  /** Address of Multicall3 if it is not the usual one. */
  readonly multicall?: string
  /** Converts an address in a contract call to the world's spelling, if the two differ. */
  readonly spelled?: (address: string) => string
  /** Time of the block, seconds; from its height if absent. */
  readonly time?: bigint
}

/** Call of `eth_call` or a transaction; addresses in lower case. */
export interface ContractCall {
  readonly from: string
  readonly to: string | undefined
  readonly data: Hex
}

/** Return data of a call, or why it reverts. */
type CallOutcome = Either.Either<Hex, Refusal>

const erc20 = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
  "function name() view returns (string)",
  "function totalSupply() view returns (uint256)",
  "function allowance(address, address) view returns (uint256)",
  "function approve(address, uint256) returns (bool)",
  "function transfer(address, uint256) returns (bool)"
])

const reason = parseAbi(["error Error(string)"])

const multicall = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
  "function getEthBalance(address addr) view returns (uint256 balance)",
  "function getCurrentBlockTimestamp() view returns (uint256 timestamp)",
  "function getChainId() view returns (uint256 chainid)"
])

const aggregate3 = toFunctionSelector(multicall[0])

const isMulticall = ({ multicall = multicall3Address }: ContractFacts, address: string) =>
  address === multicall.toLowerCase()

const spelled = ({ spelled = (same) => same }: ContractFacts, address: string) => spelled(address.toLowerCase())

const contractAt = (facts: ContractFacts, address: string) =>
  World.contractsOn(facts.platform).find((contract) => contract.address === spelled(facts, address))

/** Returns placeholder code that compares the selectors of a token and then reverts; `call` simulates the contracts. */
export const codeAt = (facts: ContractFacts, address: string): Hex => {
  if (isMulticall(facts, address)) return "0x60006000fd"
  return contractAt(facts, address) === undefined ? "0x" : tokenCode
}

const tokenCode: Hex = `0x60003560e01c${erc20
  .map((fragment) => `63${toFunctionSelector(fragment).slice(2)}8114602157`)
  .join("")}60006000fd`

/** Executes a call at a block. */
export const call = (facts: ContractFacts, contractCall: ContractCall, block: bigint): CallOutcome => {
  const { data, to } = contractCall
  if (to !== undefined) return called({ ...facts, time: facts.time ?? timeOf(block) }, { ...contractCall, to })
  if (!data.startsWith(scannerBytecode)) return Either.right("0x")
  const input = data.slice(scannerBytecode.length)
  const result = scanned(input, BigInt(facts.chainId ?? 0), timeOf(block), (holder, token) =>
    token === "native" ? World.native(facts, holder) : balance(facts, token, holder)
  )
  return Either.right(result as Hex)
}

/** The precompiled contract of EIP-152; the sandbox has no gas to count. */
const blake2f = `0x${"9".padStart(40, "0")}`
const zeros: Hex = `0x${"00".repeat(64)}`

/** Returns `0x` if there is no contract; reverts if the contract lacks the function. */
const called = (facts: ContractFacts, { data, from, to }: ContractCall & { readonly to: string }): CallOutcome => {
  if (isMulticall(facts, to)) return aggregated(facts, data)
  if (to === oracleAddress && facts.dataFee === "always") return charged(facts, data)
  if (to === blake2f) return Either.right(zeros)
  const contract = contractAt(facts, to)
  if (contract === undefined) return Either.right("0x")
  const decoded = Option.getOrUndefined(erc20Call(data))
  if (decoded === undefined) return Either.left(reverted())
  const [first, second] = decoded.args ?? []
  if (decoded.functionName === "transfer" && World.tokenBalance(facts, contract, from) < BigInt(second ?? 0))
    return Either.left(reverted("ERC20: transfer amount exceeds balance"))
  const result = {
    balanceOf: () => World.tokenBalance(facts, contract, spelled(facts, String(first))),
    decimals: () => contract.decimals,
    symbol: () => contract.coin.symbol.toUpperCase(),
    name: () => contract.coin.name,
    totalSupply: () => 10n ** BigInt(contract.decimals + 9),
    allowance: () => 0n,
    approve: () => true,
    transfer: () => true
  }[decoded.functionName]()
  return Either.right(encodeFunctionResult({ abi: erc20, functionName: decoded.functionName, result } as never))
}

/** GasPriceOracle, which adds 68 bytes for the signature. */
const charged = (facts: ContractFacts, data: Hex): CallOutcome => {
  const decoded = Option.getOrUndefined(oracleCall(data))
  if (decoded === undefined) return Either.left(reverted())
  const isData = decoded.functionName === "getL1Fee"
  if (!isData && !hasOperatorFee(facts)) return Either.left(reverted())
  const result = isData ? dataFeeOf(size(decoded.args[0]) + 68) : operatorFeeOf(facts, decoded.args[0])
  return Either.right(encodeFunctionResult({ abi: oracleAbi, functionName: decoded.functionName, result }))
}

/** Models the node's gas limit: maximum hex digits of an aggregated call, and of all its inner calls' data in total. */
const maxDigits = 256 * 1024

const aggregated = (facts: ContractFacts, data: Hex): CallOutcome => {
  const decoded = data.length > maxDigits ? undefined : Option.getOrUndefined(multicallCall(data))
  if (decoded === undefined) return Either.left(reverted())
  if (decoded.functionName === "getCurrentBlockTimestamp")
    return Either.right(numberToHex(facts.time ?? 0n, { size: 32 }))
  if (decoded.functionName === "getChainId") return Either.right(numberToHex(facts.chainId ?? 0, { size: 32 }))
  if (decoded.functionName === "getEthBalance") {
    const result = World.native(facts, spelled(facts, decoded.args[0]))
    return Either.right(encodeFunctionResult({ abi: multicall, functionName: "getEthBalance", result }))
  }
  const [calls] = decoded.args
  if (calls.reduce((sum, { callData }) => sum + callData.length, 0) > maxDigits) return Either.left(reverted())
  const outcomes = calls.map(({ callData, target }) => {
    const inner = { from: multicall3Address, to: target.toLowerCase(), data: callData }
    // Rejects nested aggregates, whose cost could multiply.
    return isMulticall(facts, inner.to) && callData.startsWith(aggregate3)
      ? Either.left(reverted())
      : called(facts, inner)
  })
  if (outcomes.some((outcome, index) => Either.isLeft(outcome) && calls[index]?.allowFailure === false))
    return Either.left(reverted("Multicall3: call failed"))
  return Either.right(
    encodeFunctionResult({
      abi: multicall,
      functionName: "aggregate3",
      result: outcomes.map((outcome) => ({
        success: Either.isRight(outcome),
        returnData: Either.getOrElse(outcome, ({ data }) => data as Hex)
      }))
    })
  )
}

/** Movement by a contract in a transaction: of a token, or of native coins that the contract pays out. */
export interface Moved {
  readonly contract?: World.Contract
  readonly from: string
  readonly to: string
  readonly amount: bigint
  /** Why the call failed, so that nothing moved, in a transaction that succeeded. */
  readonly error?: string
  /** Whether it repeats the value of its caller, by a delegated call. */
  readonly delegated?: true
  /** Whether it creates the recipient, a contract. */
  readonly creates?: true
}

/** Token movement of a call; undefined if it moves no token. */
export const transferred = (facts: ContractFacts, { data, from, to }: ContractCall): Moved | undefined => {
  const decoded = Option.getOrUndefined(erc20Call(data))
  const contract = to === undefined ? undefined : contractAt(facts, to)
  return contract === undefined || decoded?.functionName !== "transfer"
    ? undefined
    : { contract, from, to: spelled(facts, decoded.args[0]), amount: decoded.args[1] }
}

/** Allowance that a call sets; undefined if it sets none. */
export const approvedBy = (facts: ContractFacts, { data, from, to }: ContractCall) => {
  const decoded = Option.getOrUndefined(erc20Call(data))
  const contract = to === undefined ? undefined : contractAt(facts, to)
  return contract === undefined || decoded?.functionName !== "approve"
    ? undefined
    : { contract, owner: from, spender: spelled(facts, decoded.args[0]), amount: decoded.args[1] }
}

const reverted = (text?: string): Refusal =>
  text === undefined
    ? refused(3, "execution reverted", "0x")
    : refused(3, `execution reverted: ${text}`, encodeErrorResult({ abi: reason, errorName: "Error", args: [text] }))

/** Token balance; undefined if there is no such contract. */
const balance = (facts: ContractFacts, token: string, holder: string): bigint | undefined => {
  const contract = contractAt(facts, token)
  return contract === undefined ? undefined : World.tokenBalance(facts, contract, holder)
}

const oracleCall = Option.liftThrowable((data: Hex) => decodeFunctionData({ abi: oracleAbi, data }))
const erc20Call = Option.liftThrowable((data: Hex) => decodeFunctionData({ abi: erc20, data }))
const multicallCall = Option.liftThrowable((data: Hex) => decodeFunctionData({ abi: multicall, data }))
