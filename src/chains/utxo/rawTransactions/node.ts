import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as Client from "../../../jsonrpc/Client.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { eachLevel } from "../../kit/fees/feeLevels.ts"
import { isRejectedByGateway, otherTransaction, unchanged, wrongCall } from "../../kit/sending/nodeResponse.ts"
import { eachTarget, type FeeCalls, ofCoins, ownRank } from "../fees/FeeRates.ts"
import {
  acceptedAs,
  isHash,
  isTransaction,
  lookupOutcome,
  type NodeError,
  noAnswer,
  type RelayCalls,
  sendOutcome
} from "./Relay.ts"

// `estimatesmartfee` and `getmempoolinfo` of bitcoind; `estimatefee` of nodes without the former (Bitcoin Cash Node).

const Estimate = Schema.Struct({ feerate: Schema.optional(Schema.Number) })
const Pool = Schema.Struct({ mempoolminfee: Schema.Number })

const estimate = Schema.decodeUnknownOption(Estimate)
const pool = Schema.decodeUnknownOption(Pool)
const coins = Schema.decodeUnknownOption(Schema.Number)

const noMethod = -32601

/** The result of a call; undefined if the node rejects it. */
const result = (node: Endpoint, method: string, params: ReadonlyArray<unknown>) =>
  Effect.map(Client.call(node, { method, params }), Either.getOrUndefined)

const smart = (node: Endpoint) => (blocks: number) =>
  Effect.flatMap(Client.call(node, { method: "estimatesmartfee", params: [blocks] }), (outcome) => {
    if (Either.isLeft(outcome))
      return outcome.left.code === noMethod
        ? Effect.map(result(node, "estimatefee", []), (found) => Option.getOrUndefined(coins(found)))
        : Effect.succeed(undefined)
    return Effect.succeed(Option.getOrUndefined(estimate(outcome.right))?.feerate)
  })

/** The operator's node. No rate is below the minimum that its mempool accepts. */
export const feeCalls: FeeCalls = {
  rank: ownRank,
  read: (node) =>
    Effect.gen(function* () {
      const rates = yield* eachTarget((blocks) =>
        Effect.map(smart(node)(blocks), (feerate) => (feerate === undefined ? undefined : ofCoins(feerate)))
      )
      const minimum = Option.getOrUndefined(pool(yield* result(node, "getmempoolinfo", [])))?.mempoolminfee
      const least = (minimum === undefined ? undefined : ofCoins(minimum)) ?? 0n
      return eachLevel((name) => {
        const rate = rates[name]
        return rate === undefined || rate > least ? rate : least
      })
    })
}

// JSON-RPC of bitcoind and its forks: `sendrawtransaction`, `getrawtransaction`. Errors have the HTTP status 500.

const id = 1

const call = (method: string, parameter: string) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "1.0", id, method, params: [parameter] })

type NodeResponseBody = Readonly<Record<string, unknown>>

const isRecord = (value: unknown): value is NodeResponseBody =>
  typeof value === "object" && value !== null && !Array.isArray(value)

/** Some gateways in front of a node return ids as strings; an error may have no id. */
const isOurs = ({ id: answered }: NodeResponseBody, isError: boolean) =>
  answered === id || answered === String(id) || (isError && (answered === null || answered === undefined))

interface Readings<A> {
  readonly result: (result: unknown, answer: ResponseDecoder.UpstreamResponse) => Either.Either<A, Fault>
  readonly error: (error: NodeError, answer: ResponseDecoder.UpstreamResponse, id: unknown) => Either.Either<A, Fault>
}

const reading =
  <A>({ error, result }: Readings<A>): ResponseDecoder.Decoder<A> =>
  (answer) => {
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (isRejectedByGateway(answer) || !isRecord(body)) return Either.left(noAnswer(answer))
    const refusal = body.error ?? undefined
    if (!isOurs(body, refusal !== undefined)) return Either.left(wrongCall)
    if (refusal === undefined)
      return ResponseDecoder.statusFault(answer) === undefined
        ? result(body.result, answer)
        : Either.left(noAnswer(answer))
    const { code, message } = isRecord(refusal) ? refusal : {}
    return typeof code === "number"
      ? error({ code, words: typeof message === "string" ? message : "" }, answer, body.id)
      : Either.left(noAnswer(answer))
  }

/** The operator's node. */
export const calls: RelayCalls = {
  rank: 0,
  send: (_, raw) => ({
    request: call("sendrawtransaction", raw.hex),
    decode: reading({
      result: (result, answer) =>
        isHash(result)
          ? acceptedAs(result, raw, unchanged("done", answer))
          : Either.left({ reason: "bad_answer", detail: "did not report whether it accepted the transaction" }),
      error: (error, answer, id) => sendOutcome(Either.right(error), answer, raw, id)
    })
  }),
  find: (facts, hash) => ({
    request: call("getrawtransaction", hash),
    decode: reading({
      result: (result, answer) =>
        isTransaction(facts.transactions, result, hash)
          ? Either.right(unchanged("done", answer))
          : Either.left(otherTransaction),
      error: (error, answer) => lookupOutcome(Either.right(error), answer)
    })
  })
}
