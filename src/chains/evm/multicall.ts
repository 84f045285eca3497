import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { decodeFunctionResult, encodeFunctionData, parseAbi } from "viem/utils"

/** The call data of ERC-20 `balanceOf(holder)`. */
export const encodeBalanceOf = (holder: Address): Hex => `0x70a08231${holder.slice(2).padStart(64, "0")}`

/**
 * The first word of a response of 32 to 1,024 bytes, as ABI decoders read it. `0x`, which an address without code
 * returns, decodes to none, not to zero.
 */
export const decodeWord = (hex: string): Option.Option<bigint> =>
  /^0x(?:[0-9a-fA-F]{2}){32,1024}$/.test(hex) ? Option.some(BigInt(hex.slice(0, 66))) : Option.none()

/** A quantity of JSON-RPC, as `eth_getBalance` returns it: `0x0` decodes to zero, `0x` to none. */
export const decodeQuantity = (hex: string): Option.Option<bigint> =>
  /^0x[0-9a-fA-F]{1,64}$/.test(hex) ? Option.some(BigInt(hex)) : Option.none()

/** The address of Multicall3 on nearly every network. */
export const multicall3Address: Address = "0xcA11bde05977b3631167028862bE2a173976CA11"

export interface BalanceCall {
  readonly holder: Address
  readonly token: Address | "native"
}

const abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
  "function getEthBalance(address addr) view returns (uint256 balance)"
])

/** A contract call; Multicall3 makes many of them at once. */
export interface MulticallCall {
  readonly target: Address
  readonly callData: Hex
}

/** The call data for Multicall3; each call may fail independently. */
export const encodeCalls = (calls: ReadonlyArray<MulticallCall>): Hex =>
  encodeFunctionData({
    abi,
    functionName: "aggregate3",
    args: [calls.map((call) => ({ ...call, allowFailure: true }))]
  })

/** The call of `getCurrentBlockTimestamp()`: the time of the block from which all results are, seconds. */
export const blockTimeCall = (multicall: Address): MulticallCall => ({ target: multicall, callData: "0x0f28c97d" })

/** The call of `getChainId()`. */
export const chainIdCall = (multicall: Address): MulticallCall => ({ target: multicall, callData: "0x3408e470" })

/** The call of a balance; `multicall` is the address of Multicall3 on the network. */
export const balanceCall = ({ holder, token }: BalanceCall, multicall: Address): MulticallCall =>
  token === "native"
    ? { target: multicall, callData: encodeFunctionData({ abi, functionName: "getEthBalance", args: [holder] }) }
    : { target: token, callData: encodeBalanceOf(holder) }

/** The call data for balances in one call of Multicall3, after the chain id and the time of the block that they are from. */
export const encodeAggregate = (calls: ReadonlyArray<BalanceCall>, multicall: Address): Hex =>
  encodeCalls([chainIdCall(multicall), blockTimeCall(multicall), ...calls.map((call) => balanceCall(call, multicall))])

/**
 * Input of the precompiled contract `blake2f` (EIP-152), which takes exactly 300,000 gas. If it succeeds as the last of
 * many calls, each of them had at least that: a contract may have used up the gas of those after it.
 */
export const gasProbe: MulticallCall = {
  target: "0x0000000000000000000000000000000000000009",
  callData: `0x000493e0${"00".repeat(208)}01`
}

const decodeResults = Option.liftThrowable((data: Hex) =>
  decodeFunctionResult({ abi, functionName: "aggregate3", data })
)

/** The outcome of a call by Multicall3. */
export interface MulticallResult {
  readonly success: boolean
  readonly returnData: Hex
}

/**
 * Returns the outcomes of all calls, in order. None if this is not the response to `count` calls, for example because
 * the contract is not deployed there.
 */
export const decodeCalls = (hex: string, count: number): Option.Option<ReadonlyArray<MulticallResult>> =>
  Option.filter(decodeResults(hex as Hex), (results) => results.length === count)

/** As {@link decodeCalls}: the first word of each outcome; it is empty if the token failed or did not return a word. */
export const decodeAggregate = (hex: string, count: number): Option.Option<ReadonlyArray<Option.Option<bigint>>> =>
  Option.map(decodeCalls(hex, count), (results) =>
    results.map(({ returnData, success }) => (success ? decodeWord(returnData) : Option.none()))
  )
