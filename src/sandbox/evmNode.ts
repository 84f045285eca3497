import * as Option from "effect/Option"
import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionResult, numberToHex, parseAbi } from "viem/utils"
import { multicall3Address } from "../networks/evm/multicall.ts"
import { scannerBytecode } from "../networks/evm/scanner/bytecode.ts"
import type { NetworkInfo } from "../networks/Network.ts"
import { scanned } from "./scanned.ts"
import * as World from "./World.ts"
import { json, type Simulated } from "./wire.ts"

type Facts = Pick<NetworkInfo, "id" | "native" | "platform" | "chainId">

const erc20 = parseAbi([
  "function balanceOf(address) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function symbol() view returns (string)",
  "function name() view returns (string)"
])

const multicall = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
  "function getEthBalance(address addr) view returns (uint256 balance)"
])

/** A node of an EVM network, as far as the service asks one. */
export const evmNode =
  (facts: Facts): Simulated =>
  ({ body, now }) => {
    const asked = Option.getOrUndefined(parsed(body))
    if (asked === undefined) return json({ jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } })
    return json(Array.isArray(asked) ? asked.map((one) => answer(facts, one, now)) : answer(facts, asked, now))
  }

const answer = (facts: Facts, call: unknown, now: number) => {
  const {
    id = null,
    method,
    params = []
  } = call as {
    readonly id?: unknown
    readonly method?: string
    readonly params?: ReadonlyArray<unknown>
  }
  const result = method === undefined ? undefined : methods[method]?.(facts, params, now)
  return result === undefined
    ? { jsonrpc: "2.0", id, error: { code: -32601, message: `the method ${method} does not exist/is not available` } }
    : { jsonrpc: "2.0", id, result }
}

/** About one block in two seconds since 2020. */
const blockNumber = (now: number) => BigInt(Math.max(1, Math.floor((now - 1_577_836_800_000) / 2_000)))

const methods: Readonly<Record<string, (facts: Facts, params: ReadonlyArray<unknown>, now: number) => unknown>> = {
  eth_chainId: ({ chainId }) => numberToHex(chainId ?? 0),
  net_version: ({ chainId }) => String(chainId),
  web3_clientVersion: () => "sandbox/1.0",
  eth_blockNumber: (_, __, now) => numberToHex(blockNumber(now)),
  eth_getBalance: (facts, [address]) => numberToHex(World.native(facts, String(address).toLowerCase())),
  // Of any transaction: it is asked only for those of others, whose fee no balance depends on.
  eth_getTransactionReceipt: (_, [hash]) => ({
    transactionHash: hash,
    blockNumber: "0x1",
    status: "0x1",
    gasUsed: "0x61a8",
    effectiveGasPrice: "0x3b9aca00",
    l1Fee: "0x0"
  }),
  eth_call: (facts, [transaction], now) => {
    const { data = "0x", to } = transaction as { readonly data?: Hex; readonly to?: string }
    if (to === undefined && data.startsWith(scannerBytecode))
      return scanned(
        data.slice(scannerBytecode.length),
        BigInt(facts.chainId ?? 0),
        blockNumber(now),
        (holder, token) => (token === "native" ? World.native(facts, holder) : balance(facts, token, holder))
      )
    return to === undefined ? "0x" : called(facts, to.toLowerCase(), data)
  }
}

/** What a contract returns; `0x` where there is none or where it lacks the function. */
const called = (facts: Facts, to: string, data: Hex): Hex => {
  if (to === multicall3Address.toLowerCase()) return aggregated(facts, data)
  const contract = World.contractsOn(facts.platform).find(({ address }) => address === to)
  const call = Option.getOrUndefined(erc20Call(data))
  if (contract === undefined || call === undefined) return "0x"
  const result = {
    balanceOf: () => World.held(facts, contract, String(call.args?.[0]).toLowerCase()),
    decimals: () => contract.decimals,
    symbol: () => contract.coin.symbol.toUpperCase(),
    name: () => contract.coin.name
  }[call.functionName]()
  return encodeFunctionResult({ abi: erc20, functionName: call.functionName, result } as never)
}

const aggregated = (facts: Facts, data: Hex): Hex => {
  const call = Option.getOrUndefined(multicallCall(data))
  if (call === undefined) return "0x"
  if (call.functionName === "getEthBalance")
    return encodeFunctionResult({
      abi: multicall,
      functionName: "getEthBalance",
      result: World.native(facts, call.args[0].toLowerCase())
    })
  return encodeFunctionResult({
    abi: multicall,
    functionName: "aggregate3",
    result: call.args[0].map(({ callData, target }) => ({
      success: true,
      returnData: called(facts, target.toLowerCase(), callData)
    }))
  })
}

/** Undefined where a real chain would have no code. */
const balance = (facts: Facts, token: string, holder: string): bigint | undefined => {
  const contract = World.contractsOn(facts.platform).find(({ address }) => address === token)
  return contract === undefined ? undefined : World.held(facts, contract, holder)
}

const parsed = Option.liftThrowable((body: string): unknown => JSON.parse(body))

const erc20Call = Option.liftThrowable((data: Hex) => decodeFunctionData({ abi: erc20, data }))
const multicallCall = Option.liftThrowable((data: Hex) => decodeFunctionData({ abi: multicall, data }))
