import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { Address, Hex } from "viem"
import { decodeFunctionData, encodeFunctionResult, numberToHex, parseAbi } from "viem/utils"
import { multicall3Address } from "../../src/chains/evm/multicall.ts"
import * as calls from "../../src/chains/evm/providers/node/calls.ts"
import { scannerBytecode } from "../../src/chains/evm/scanner/bytecode.ts"
import { answeredRpc, rpcAnswerOf } from "../../src/sandbox/world/answers.ts"
import type { Refusal } from "../../src/sandbox/world/wire.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"

// Simulated nodes: each host is a node, and its responses come from memory.

export interface RpcCall {
  readonly id: unknown
  readonly method: string
  readonly params: ReadonlyArray<unknown>
}

/** A node's HTTP response to a body; simulations of other upstreams also use the URL. */
export type SimulatedHost = (
  body: RpcCall | ReadonlyArray<RpcCall>,
  request: { readonly method: string; readonly url: URL; readonly text: string }
) => Effect.Effect<Response, HttpClientError.RequestError["reason"]>

export interface Exchange {
  readonly host: string
  /**
   * Methods of the calls in the body: an `eth_call` without `to` is `scan`, an `eth_call` to Multicall3 is `aggregate`.
   */
  readonly methods: ReadonlyArray<string>
  readonly batch: boolean
}

/** An HttpClient in which only these hosts exist, and the requests sent with it. */
export const clientOver = (hosts: Readonly<Record<string, SimulatedHost>>) => {
  const seen: Array<Exchange> = []
  const client = FetchClient.client((request, url) =>
    Effect.gen(function* () {
      const text = request.body._tag === "Uint8Array" ? new TextDecoder().decode(request.body.body) : ""
      const body = Option.getOrElse(parsed(text), () => [])
      const calls: ReadonlyArray<RpcCall> = Array.isArray(body) ? body : [body]
      seen.push({ host: url.host, methods: calls.map(callKindOf), batch: Array.isArray(body) })
      const answer = hosts[url.host] ?? down
      const response = yield* Effect.mapError(
        answer(body, { method: request.method, url, text }),
        (reason) => new HttpClientError.RequestError({ request, reason })
      )
      return yield* FetchClient.received(request, response)
    })
  )
  return { seen, layer: Layer.succeed(HttpClient.HttpClient, client) }
}

const parsed = Option.liftThrowable((text: string) => JSON.parse(text))

export const callKindOf = ({ method, params }: RpcCall): string => {
  // Requests to other upstreams have other parameters.
  if (method !== "eth_call") return method
  const [call] = params as ReadonlyArray<{ readonly to?: string; readonly data?: string }>
  return call?.to === undefined ? "scan" : call.to === multicall3Address ? "aggregate" : "eth_call"
}

/** Refuses the connection. */
export const down: SimulatedHost = () => Effect.fail("Transport")

export const hanging: SimulatedHost = () => Effect.never

/** Returns the same response to every request. */
export const always =
  (text: string, init: ResponseInit = {}): SimulatedHost =>
  () =>
    Effect.sync(() => new Response(text, init))

/** The outcome of a call: its result, or a JSON-RPC error. */
export type Reply =
  | { readonly result: unknown }
  | { readonly error: { readonly code: number; readonly message: string } }

export const result = (value: unknown): Reply => ({ result: value })
export const error = (message: string, code = -32000): Reply => ({ error: { code, message } })

/** A node that answers JSON-RPC calls and batches. */
export const rpcNode =
  (reply: (call: RpcCall, now: number) => Reply): SimulatedHost =>
  (body) =>
    Effect.map(Clock.currentTimeMillis, (now) => {
      const item = (call: RpcCall) => ({ jsonrpc: "2.0", id: call.id, ...reply(call, now) })
      return Response.json(Array.isArray(body) ? body.map(item) : item(body as RpcCall))
    })

/** The balances of a simulated chain; all addresses are in lower case. */
export interface Ledger {
  readonly chainId: number
  /** Time of the newest block, UNIX seconds; the current time if absent. */
  readonly timestamp?: number
  readonly native?: Readonly<Record<string, bigint>>
  /** Tokens by contract; `broken` reverts. An address without an entry has no code. */
  readonly tokens?: Readonly<Record<string, Token>>
}
type Token =
  | "broken"
  | {
      readonly decimals: number
      readonly held: Readonly<Record<string, bigint>>
      /** Return values of further functions, by selector. */
      readonly others?: Readonly<Record<string, bigint>>
    }

const answersOf = (ledger: Ledger) => {
  const timed = (now: number) => ({ ...ledger, timestamp: ledger.timestamp ?? Math.floor(now / 1000) })
  return [
    answeredRpc(calls.chainId, () => numberToHex(ledger.chainId)),
    answeredRpc(calls.newestBlock, ({ now }) => ({
      number: "0x3e8",
      timestamp: numberToHex(timed(now).timestamp),
      baseFeePerGas: "0x0"
    })),
    answeredRpc(calls.balance, ({ params: [address] }) => numberToHex(ledger.native?.[String(address)] ?? 0n)),
    answeredRpc(calls.contract, ({ now, params: [call] }) => {
      const { data, to } = call as { readonly to?: string; readonly data: Hex }
      if (to === undefined) return scanned(timed(now), data)
      if (to === multicall3Address) return aggregated(timed(now), data, ledger)
      return called(ledger, to, data) ?? Either.left({ code: 3, message: "execution reverted" })
    })
  ]
}

/** A full node's reply to a call. */
export const chain = (ledger: Ledger) => {
  const answers = answersOf(ledger)
  return ({ method, params }: RpcCall, now = 0): Reply => {
    const answer = rpcAnswerOf(answers, method, params, now)
    if (answer === undefined) return error("the method does not exist", -32601)
    return Either.isEither(answer) && Either.isLeft(answer) ? { error: answer.left as Refusal } : result(answer)
  }
}

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

/** A precompiled contract. */
const blake2f = `0x${"9".padStart(40, "0")}`

/** The return data of a contract call; undefined if it reverts. */
const called = ({ tokens }: Ledger, to: string, data: string): Hex | undefined => {
  const token = tokens?.[to]
  if (to === blake2f) return `0x${"00".repeat(64)}`
  if (token === undefined) return "0x"
  if (token === "broken") return undefined
  const other = token.others?.[data]
  if (other !== undefined) return word(other)
  if (data === "0x313ce567") return word(BigInt(token.decimals))
  return data.startsWith("0x70a08231") ? word(token.held[`0x${data.slice(-40)}`] ?? 0n) : undefined
}

const multicall = parseAbi([
  "struct Call3 { address target; bool allowFailure; bytes callData; }",
  "struct Result { bool success; bytes returnData; }",
  "function aggregate3(Call3[] calls) payable returns (Result[] returnData)"
])

/** Cache of replies per ledger: viem's coders are slow, and many tests of a ledger send the same calls. */
const newest = new WeakMap<Ledger, Map<string, Hex>>()

const aggregated = (ledger: TimedLedger, data: Hex, of: Ledger): Hex => {
  const answers = newest.get(of) ?? new Map<string, Hex>()
  newest.set(of, answers)
  const key = `${ledger.timestamp} ${data}`
  const answer = answers.get(key) ?? aggregatedNow(ledger, data)
  if (answers.size === 8) answers.clear()
  answers.set(key, answer)
  return answer
}

type TimedLedger = Ledger & { readonly timestamp: number }

/** The return data of Multicall3 itself. */
const ofMulticall = ({ chainId, native, timestamp }: TimedLedger, data: string): Hex => {
  if (data === "0x3408e470") return word(BigInt(chainId))
  return word(data === "0x0f28c97d" ? BigInt(timestamp) : (native?.[`0x${data.slice(-40)}`] ?? 0n))
}

const aggregatedNow = (ledger: TimedLedger, data: Hex): Hex => {
  const [calls] = decodeFunctionData({ abi: multicall, data }).args
  return encodeFunctionResult({
    abi: multicall,
    functionName: "aggregate3",
    result: calls.map(({ callData, target }) => {
      const returned =
        target === multicall3Address ? ofMulticall(ledger, callData) : called(ledger, target.toLowerCase(), callData)
      return { success: returned !== undefined, returnData: returned ?? "0x" }
    })
  })
}

const scanned = (ledger: TimedLedger, data: string): Hex => {
  const input = data.slice(scannerBytecode.length)
  const at = (from: number, chars: number) => Number.parseInt(input.slice(from, from + chars), 16)
  const [start, holderCount, tokenCount] = [at(8, 8), at(16, 4), at(20, 4)]
  const address = (index: number) => `0x${input.slice(24 + 40 * index, 64 + 40 * index)}` as Address
  const total = holderCount * (tokenCount + 1)
  const hex = (value: bigint | number, bytes: number) => value.toString(16).padStart(2 * bytes, "0")
  let records = ""
  for (let pair = start; pair < total; pair++) {
    const holder = address(Math.floor(pair / (tokenCount + 1)))
    const token = pair % (tokenCount + 1)
    const answered =
      token === 0
        ? word(ledger.native?.[holder] ?? 0n)
        : called(ledger, address(holderCount + token - 1), `0x70a08231${holder.slice(2).padStart(64, "0")}`)
    if (answered?.length !== 66) records += hex(pair + 0x80000000, 4)
    else if (BigInt(answered) > 0n) records += hex(pair, 4) + answered.slice(2)
  }
  const size = 23 + records.length / 2
  return `0x02${hex(ledger.chainId, 8)}${hex(ledger.timestamp, 8)}${hex(total, 4)}${hex(size, 2)}${records}`
}
