import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import type { UtxoFacts } from "../../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../../domain/NetworkId.ts"
import * as Client from "../../../../jsonrpc/Client.ts"
import * as declare from "../../../../settings/declare.ts"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import * as Upstream from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { eachLevel } from "../../../kit/fees/feeLevels.ts"
import { isRejectedByGateway, otherTransaction, unchanged, wrongCall } from "../../../kit/sending/nodeResponse.ts"
import * as FeeRates from "../../fees/FeeRates.ts"
import { eachTarget, type FeeCalls, ofCoins, ownRank } from "../../fees/FeeRates.ts"
import * as Relay from "../../rawTransactions/Relay.ts"
import {
  acceptedAs,
  isHash,
  isTransaction,
  lookupOutcome,
  type NodeError,
  noAnswer,
  type RelayCalls,
  sendOutcome
} from "../../rawTransactions/Relay.ts"
import * as calls from "./calls.ts"

type Method<P, A, I> = Call.RpcCall<P, ReadonlyArray<unknown>, A, I>

const called = <P, A, I>(node: Upstream.Endpoint, method: Method<P, A, I>, parameters: P) =>
  Client.call(node, Call.methodOf(method, parameters))

/** The result of a call; undefined if the node rejects it, or if it cannot be read. */
const result = <P, A, I>(node: Upstream.Endpoint, method: Method<P, A, I>, parameters: P) =>
  Effect.map(called(node, method, parameters), (outcome) =>
    Option.getOrUndefined(Option.flatMap(Either.getRight(outcome), Schema.decodeUnknownOption(method.response)))
  )

const smartFee = Schema.decodeUnknownOption(calls.smartFee.response)

const noMethod = -32601

const smart = (node: Upstream.Endpoint) => (blocks: number) =>
  Effect.flatMap(called(node, calls.smartFee, { blocks }), (outcome) => {
    if (Either.isLeft(outcome))
      return outcome.left.code === noMethod ? result(node, calls.estimateFee, {}) : Effect.succeed(undefined)
    return Effect.succeed(Option.getOrUndefined(smartFee(outcome.right))?.feerate)
  })

/** The operator's node. No rate is below the minimum that its mempool accepts. */
export const feeCalls: FeeCalls = {
  rank: ownRank,
  read: (node) =>
    Effect.gen(function* () {
      const rates = yield* eachTarget((blocks) =>
        Effect.map(smart(node)(blocks), (feerate) => (feerate === undefined ? undefined : ofCoins(feerate)))
      )
      const minimum = (yield* result(node, calls.mempoolInfo, {}))?.mempoolminfee
      const least = (minimum === undefined ? undefined : ofCoins(minimum)) ?? 0n
      return eachLevel((name) => {
        const rate = rates[name]
        return rate === undefined || rate > least ? rate : least
      })
    })
}

const id = 1

/** A request of version 1.0, whose responses have the HTTP status of errors in all versions of the node. */
const requestOf = <P, A, I>(method: Method<P, A, I>, parameters: P) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), {
    jsonrpc: "1.0",
    id,
    ...Call.methodOf(method, parameters)
  })

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

/** How raw transactions are sent and looked up. */
const relay: RelayCalls = {
  rank: 0,
  send: (_, raw) => ({
    request: requestOf(calls.submit, raw),
    decode: reading({
      result: (result, answer) =>
        isHash(result)
          ? acceptedAs(result, raw, unchanged("done", answer))
          : Either.left({ reason: "bad_answer", detail: "did not report whether it accepted the transaction" }),
      error: (error, answer, id) => sendOutcome(Either.right(error), answer, raw, id)
    })
  }),
  find: (facts, hash) => ({
    request: requestOf(calls.raw, { hash }),
    decode: reading({
      result: (result, answer) =>
        isTransaction(facts.transactions, result, hash)
          ? Either.right(unchanged("done", answer))
          : Either.left(otherTransaction),
      error: (error, answer) => lookupOutcome(Either.right(error), answer)
    })
  })
}

/** The operator's own nodes; there are no public ones. */
export const make = (facts: UtxoFacts) =>
  Effect.gen(function* () {
    const urls = yield* declare.urls({
      name: `${variablePrefix(facts.id)}_RPC_URLS`,
      default: [],
      meaning: `Nodes of ${facts.name} (JSON-RPC of bitcoind; user:password@ is allowed), used first for raw transactions and fees`
    })
    const upstream = yield* Upstream.make({
      name: `${facts.id}-rpc`,
      urls,
      calls,
      canary: (address) =>
        Effect.flatMap(
          called(address, calls.blockCount, {}),
          Either.match({
            onLeft: () =>
              Effect.fail(address.fault({ reason: "upstream_error", detail: "did not return its block height" })),
            onRight: () => Effect.void
          })
        )
    })
    return urls.length > 0
      ? { relay: Relay.make(facts, upstream, relay), fees: FeeRates.make(facts, upstream, feeCalls) }
      : undefined
  })
