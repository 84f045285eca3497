import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Schema from "effect/Schema"
import type { Address, Hex } from "viem"
import { numberToHex } from "viem/utils"
import { multicall3Bytecode } from "./contracts/bytecode.ts"
import { freeze, start } from "./process.ts"
import { tool } from "./tools.ts"

export class RpcError extends Data.TaggedError("RpcError")<{
  readonly method: string
  readonly message: string
  readonly cause?: unknown
}> {}

type Call = readonly [method: string, params: ReadonlyArray<unknown>]

const Answers = Schema.Array(
  Schema.Struct({
    id: Schema.Number,
    result: Schema.optional(Schema.Unknown),
    error: Schema.optional(Schema.Struct({ message: Schema.String }))
  })
)

/** A local node with chain id 1, without peers. Stops when the layer's scope closes. */
export class Anvil extends Context.Tag("test/Anvil")<
  Anvil,
  {
    readonly url: string
    readonly rpc: (method: string, params: ReadonlyArray<unknown>) => Effect.Effect<unknown, RpcError>
    /**
     * Sends all calls in one batch; returns the results in the order of the calls. Fails with the first failed call.
     */
    readonly rpcs: (calls: ReadonlyArray<Call>) => Effect.Effect<ReadonlyArray<unknown>, RpcError>
    /** Suspends the process: it accepts connections but no longer responds. */
    readonly freeze: Effect.Effect<void>
    /** Kills the process; open requests get no response. */
    readonly kill: Effect.Effect<void>
  }
>() {}

const make = Effect.fnUntraced(function* (args: ReadonlyArray<string>) {
  const binary = yield* Effect.fromNullable(tool("anvil"))
  const http = HttpClient.withTracerPropagation(yield* HttpClient.HttpClient, false)
  const { child, until } = yield* start([binary, "--chain-id", "1", "--port", "0", ...args])
  const [, address = ""] = yield* until(/Listening on ([\d.:]+)/)
  const url = `http://${address}`
  const kill = Effect.promise(() => {
    child.kill("SIGKILL")
    return child.exited
  })

  const rpcs = Effect.fnUntraced(function* (calls: ReadonlyArray<Call>) {
    const body = calls.map(([method, params], id) => ({ jsonrpc: "2.0", id, method, params }))
    const answers = yield* http.execute(HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(url), body)).pipe(
      Effect.flatMap(HttpClientResponse.schemaBodyJson(Answers)),
      Effect.mapError((cause) => new RpcError({ method: calls[0]?.[0] ?? "", message: cause.message, cause }))
    )
    const byId = new Map(answers.map((answer) => [answer.id, answer]))
    return yield* Effect.forEach(calls, ([method], id) => {
      const answer = byId.get(id)
      return answer === undefined || answer.error !== undefined
        ? Effect.fail(new RpcError({ method, message: answer?.error?.message ?? "no answer" }))
        : Effect.succeed(answer.result)
    })
  })
  const rpc = (method: string, params: ReadonlyArray<unknown>) =>
    Effect.map(rpcs([[method, params]]), ([result]) => result)

  return { url, rpc, rpcs, freeze: freeze(child), kill }
})

/** Starts anvil with more arguments; suites that use it are under `describe.skipIf(isMissing("anvil"))`. */
export const layerWith = (args: ReadonlyArray<string>) =>
  Layer.scoped(Anvil, make(args)).pipe(Layer.provide(FetchHttpClient.layer))

export const layer = layerWith([])

const word = (value: bigint): Hex => numberToHex(value, { size: 32 })

/** The call that puts code at an address, for `rpcs`. */
export const withCode = (address: Address, code: Hex): Call => ["anvil_setCode", [address, code]]

/** The call that sets a holder's native balance. */
export const withNative = (holder: Address, value: bigint): Call => ["anvil_setBalance", [holder, numberToHex(value)]]

/** The call that sets a holder's balance of a token made of `tokenBytecode`. */
export const withBalance = (token: Address, holder: Address, value: bigint): Call => [
  "anvil_setStorageAt",
  [token, word(BigInt(holder)), word(value)]
]

/** The call that sets the decimals of a token made of `tokenBytecode`. */
export const withDecimals = (token: Address, decimals: number): Call => [
  "anvil_setStorageAt",
  [token, word(2n ** 256n - 1n), word(BigInt(decimals))]
]

/** The call that puts Multicall3 at its address on real networks. */
export const withMulticall3: Call = withCode("0xcA11bde05977b3631167028862bE2a173976CA11", multicall3Bytecode)
