import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Hex } from "viem"
import { decodeFunctionData, encodeFunctionResult, parseAbi } from "viem/utils"
import * as calls from "../../src/chains/tron/providers/trongrid/calls.ts"
import * as indexCalls from "../../src/chains/tron/providers/trongrid/indexCalls.ts"
import * as TronAddress from "../../src/chains/tron/TronAddress.ts"
import { type Answered, answered, answerOf } from "../../src/sandbox/world/answers.ts"
import type { SentRequest } from "./http.ts"

// A simulated TronGrid with responses from memory.

export interface Ledger {
  /** Seconds by which the newest block is behind the clock. */
  readonly lag?: number
  /** Balances in sun, by address; an address without an entry was never activated. */
  readonly trx?: Readonly<Record<string, bigint>>
  /** Tokens by contract; `broken` reverts. An address without an entry has no code. */
  readonly tokens?: Readonly<Record<string, Token>>
}
type Token = "broken" | { readonly decimals: number; readonly balances: Readonly<Record<string, bigint>> }

const abi = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)",
  "function getEthBalance(address addr) view returns (uint256 balance)",
  "function balanceOf(address) view returns (uint256)",
  "function decimals() view returns (uint8)",
  "function getCurrentBlockTimestamp() view returns (uint256 timestamp)"
])

export const multicall = "TEazPvZwDjDtFeJupyo7QunvnrnUjPH8ED"

const base58 = (address: string) => Either.getOrThrow(TronAddress.parse(`41${address.slice(2)}`))

const word = (value: bigint): Hex => `0x${value.toString(16).padStart(64, "0")}`

/** The time of the newest block, seconds. */
const timeOf = ({ lag = 0 }: Ledger, now: number) => Math.max(0, Math.floor(now / 1000) - lag)

/** The return data of a contract call; undefined if it reverts. */
const called = (ledger: Ledger, contract: string, data: Hex, now: number): Hex | undefined => {
  const token = ledger.tokens?.[contract]
  if (contract !== multicall && token === undefined) return "0x"
  if (token === "broken") return undefined
  const call = decodeFunctionData({ abi, data })
  if (call.functionName === "aggregate3")
    return encodeFunctionResult({
      abi,
      functionName: "aggregate3",
      result: call.args[0].map(({ callData, target }) => {
        const returnData = called(ledger, base58(target), callData, now)
        return { success: returnData !== undefined, returnData: returnData ?? "0x" }
      })
    })
  if (call.functionName === "getCurrentBlockTimestamp") return word(BigInt(timeOf(ledger, now)))
  if (call.functionName === "getEthBalance") return word(ledger.trx?.[base58(call.args[0])] ?? 0n)
  if (call.functionName === "decimals") return word(BigInt(token?.decimals ?? 0))
  return word(token?.balances[base58(call.args[0])] ?? 0n)
}

/** JSON in which a bigint is a bare number with all its digits. */
const exact = (value: unknown) =>
  JSON.stringify(value, (_, member) => (typeof member === "bigint" ? `<${member}>` : member)).replace(
    /"<(\d+)>"/g,
    "$1"
  )

export const reverted = {
  result: { result: true, message: "REVERT opcode executed" },
  energy_used: 0,
  constant_result: [""],
  transaction: { ret: [{ ret: "FAILED" }] }
}

export const returning = (hex: string) => ({ result: { result: true }, constant_result: [hex.slice(2)] })

/** Number of balances in a Multicall3 call; undefined for any other call. */
export const balancesRequested = (body: string): number | undefined => {
  const { contract_address, data } = body === "" ? {} : JSON.parse(body)
  if (contract_address !== multicall) return undefined
  const call = decodeFunctionData({ abi, data: `0x${data}` })
  return call.functionName === "aggregate3"
    ? call.args[0].filter(({ callData }) => /^0x(70a08231|4d2301cc)/.test(callData)).length
    : undefined
}

const answersOf = (ledger: Ledger): ReadonlyArray<Answered> => {
  const of = (address: string) => {
    const balance = ledger.trx?.[address]
    return balance === undefined ? undefined : { address, ...(balance === 0n ? {} : { balance }) }
  }
  const trc20Of = (address: string) =>
    Object.entries(ledger.tokens ?? {}).flatMap(([contract, token]) => {
      const balances = token === "broken" ? undefined : token.balances[address]
      return balances === undefined ? [] : [{ [contract]: String(balances) }]
    })
  return [
    answered(calls.constantContract, ({ body: { contract_address = "", data = "" }, now }) => {
      const returned = called(ledger, contract_address, `0x${data}`, now)
      return returned === undefined ? reverted : returning(returned)
    }),
    answered(calls.newestBlock, ({ now }) => ({
      blockID: "1".padStart(16, "0").padEnd(64, "0"),
      block_header: { raw_data: { number: 1, timestamp: 1000 * timeOf(ledger, now) } }
    })),
    answered(calls.account, ({ body: { address = "" } }) => of(address) ?? {}),
    answered(indexCalls.tokenBalances, ({ parameters: { address } }) => ({
      data: trc20Of(address),
      success: true as const
    })),
    answered(indexCalls.indexedAccount, ({ parameters: { address } }) => {
      const account = of(address)
      return { data: account === undefined ? [] : [{ ...account, trc20: trc20Of(address) }], success: true as const }
    })
  ]
}

/** TronGrid's response to a request. */
export const speaking =
  (ledger: Ledger) =>
  ({ body, url }: Pick<SentRequest, "body" | "url">) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const request = { method: "", path: url.pathname, query: url.searchParams, body, now }
      return new Response(exact(Option.getOrNull(answerOf(answersOf(ledger), request))))
    })
