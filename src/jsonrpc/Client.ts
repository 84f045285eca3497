import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../upstream/ResponseDecoder.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"

// JSON-RPC 2.0 (jsonrpc.org/specification) with the habits of real nodes: see test/fixtures and test/upstreams.

export interface ClientCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>
}

/** The node understood the call and says no: a revert, a method it lacks, parameters it refuses. */
export class RpcError extends Schema.TaggedError<RpcError>()("RpcError", {
  code: Schema.Number,
  detail: Schema.String,
  data: Schema.optional(Schema.Unknown)
}) {
  override get message() {
    return `the node rejected the call (${this.code})`
  }
}

/** What a call brought: the node's result (never undefined), or the node's refusal. */
export type Outcome = Either.Either<unknown, RpcError>

/** `exact`: integers beyond 2^53 come as bare JSON numbers and are read as bigint. */
export type NumberFormat = Pick<ResponseDecoder.DecodeOptions, "exact">

/** The id of a call that is alone in its request. */
export const onlyId = 1

/** One call at one address. A refusal by the node is a value; only a node that did not do its job is a failure. */
export const call = (
  address: Endpoint,
  clientCall: ClientCall,
  reading: NumberFormat = {}
): Effect.Effect<Outcome, UpstreamError> =>
  address.read(post({ jsonrpc: "2.0", id: onlyId, ...clientCall }), single(reading))

/**
 * Many calls in one request, the outcomes in the order of the calls. A call that the node left out of its answer is a
 * refusal of its own; a batch refused as a whole refuses each of its calls.
 */
export const batch = (
  address: Endpoint,
  calls: ReadonlyArray<ClientCall>,
  reading: NumberFormat = {}
): Effect.Effect<ReadonlyArray<Outcome>, UpstreamError> =>
  calls.length === 0
    ? Effect.succeed([])
    : address.read(
        post(calls.map((item, index) => ({ jsonrpc: "2.0", id: index + 1, ...item }))),
        many(calls.length, reading)
      )

const post = (body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), body)

const single =
  (reading: NumberFormat): ResponseDecoder.Decoder<Outcome> =>
  (answer) =>
    Either.flatMap(enveloped(answer, reading), (body) =>
      Either.filterOrLeft(
        outcome(body, answer),
        () => isRecord(body) && isResponseTo(onlyId, body),
        () => bad("returned the response of another call")
      )
    )

const many =
  (size: number, reading: NumberFormat): ResponseDecoder.Decoder<ReadonlyArray<Outcome>> =>
  (answer) =>
    Either.flatMap(enveloped(answer, reading), (body) => {
      if (!Array.isArray(body))
        return Either.flatMap(outcome(body, answer), (refused) =>
          Either.isLeft(refused)
            ? Either.right(Array.from({ length: size }, () => refused))
            : Either.left(bad("returned a single result for a batch"))
        )
      const outcomes = new Array<Outcome | undefined>(size)
      for (const element of body as ReadonlyArray<unknown>) {
        const id = isRecord(element) ? Number(element.id) : Number.NaN
        const isOurs = isRecord(element) && isResponseTo(id, element)
        if (!isOurs || !Number.isInteger(id) || id < 1 || id > size || outcomes[id - 1] !== undefined)
          return Either.left(bad("returned a batch with an id that was not requested"))
        const result = outcome(element, answer)
        if (Either.isLeft(result)) return Either.left(result.left)
        outcomes[id - 1] = result.right
      }
      return Either.right(Array.from(outcomes, (item) => item ?? missing))
    })

/**
 * Whether an answer is to the call with this id, which some nodes write as a text. An error may have none, or null, where
 * the node could not read the id (JSON-RPC 2.0, section 5); a result without its id may be anybody's.
 */
export const isResponseTo = (id: number, { error, id: own }: Readonly<Record<string, unknown>>): boolean =>
  own === id || own === String(id) || ((own === null || own === undefined) && error !== undefined && error !== null)

/** Nodes report faults in an envelope under any HTTP status; without an envelope the status speaks. */
const enveloped = (
  answer: ResponseDecoder.UpstreamResponse,
  { exact = false }: NumberFormat
): Either.Either<unknown, Fault> => {
  const fault = ResponseDecoder.statusFault(answer)
  const body = exact ? ResponseDecoder.exactJson(answer) : ResponseDecoder.json(answer)
  const answered = Either.isRight(body) && (Array.isArray(body.right) || isRecord(body.right))
  if (answered && (fault === undefined || !turnedAway.includes(answer.status))) return body
  if (fault !== undefined) return Either.left(asNode(fault))
  return Either.isLeft(body) ? body : Either.left(bad("returned no JSON object"))
}

/** Statuses about the caller, or of a gateway before the node: whatever the body says, the call was not looked at. */
export const turnedAway = [401, 402, 403, 408, 429, 502, 503, 504]

/** For a node no HTTP status is a verdict about the call: a closed path, a full body limit: the next node may do it. */
export const asNode = ({ final: _, ...fault }: Fault): Fault => fault

const outcome = (body: unknown, answer: ResponseDecoder.UpstreamResponse): Either.Either<Outcome, Fault> => {
  if (!isRecord(body)) return Either.left(bad("returned no JSON object"))
  const error = body.error
  if (error === undefined || error === null) {
    const fault = ResponseDecoder.statusFault(answer)
    if (fault !== undefined) return Either.left(asNode(fault))
    return "result" in body && body.result !== undefined
      ? Either.right(Either.right(body.result))
      : Either.left(bad("returned neither a result nor an error"))
  }
  const refusal = refusalOf(error)
  const fault = nodeFault(refusal, body)
  return fault === undefined
    ? Either.right(Either.left(refusal))
    : Either.left({ retryAfter: answer.retryAfter, ...fault })
}

/** What an error object says; some nodes write a text in its place. */
export const refusalOf = (error: unknown): RpcError => {
  const { code, data, message } = isRecord(error) ? error : { code: 0, data: undefined, message: error }
  return new RpcError({ code: Number(code ?? 0) || 0, detail: typeof message === "string" ? message : "", data })
}

const limited = /rate limit|too many requests|exceeded|limit reached|quota|capacity|credits/i
const unable =
  /missing trie node|no state available|header not found|unfinalized|tenant disabled|api key|unauthorized|not synced|pruned|internal error|timeout|timed out|deadline|unavailable|no response|upstream|backend/i

/** A node that has no state of old blocks, or none for callers without a key: another one may have it. */
export const noHistory = /no historical|historical (state|data|rpc)|archive|personal token/i

const behind = /node is (behind|unhealthy)/i

/** Resource not found or unavailable, internal error; -28 is bitcoind while it starts. */
const unableCodes = [-32001, -32002, -32603, -28]

/** How the call itself ended in the virtual machine, under whatever code: some nodes say -32603. */
const execution = /revert|out of ?gas|invalid ?(fe ?)?opcode|invalid ?jump|stack ?(under|over)flow|evm error/i

/**
 * Errors that are about the node and not about the call, so that another node should be asked. Code 3 is a revert
 * (EIP-1474 and geth's practice) and always about the call.
 */
export const nodeFault = ({ code, detail }: RpcError, body: Readonly<Record<string, unknown>>): Fault | undefined => {
  if (code === 3 || execution.test(detail)) return undefined
  // Solana's code for a node that lags is the one that others have for a limit.
  if (behind.test(detail)) return { reason: "upstream_error", detail: "the node is behind the network" }
  if (code === 429 || code === -32029 || (!ofCall.test(detail) && (code === -32005 || limited.test(detail))))
    return { reason: "rate_limited", detail: "rate limit reached" }
  if (unable.test(detail) || noHistory.test(detail) || unableCodes.includes(code))
    return { reason: "upstream_error", detail: "the node cannot answer at the moment" }
  return body.jsonrpc === undefined && body.id === undefined
    ? { reason: "upstream_error", detail: "returned an error outside of JSON-RPC" }
    : undefined
}

/** Limits of a call are not limits of the caller: `gas limit exceeded`, `max initcode size exceeded`. */
const ofCall = /gas|size|initcode|depth|memory|stack|budget|range|results|deadline|timed? ?(out|limit)/i

/** A call that the answer to its batch left out. */
export const missing: Outcome = Either.left(new RpcError({ code: 0, detail: "missing in the response to the batch" }))

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })

const isRecord = (value: unknown): value is Readonly<Record<string, unknown>> =>
  typeof value === "object" && value !== null && !Array.isArray(value)
