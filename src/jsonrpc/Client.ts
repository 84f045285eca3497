import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../upstream/response/ResponseSize.ts"
import type { Endpoint } from "../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../upstream/UpstreamError.ts"
import { badResponse, faultOf, isRejectedByGateway, RpcError, rateLimited, rpcErrorOf, withoutFinal } from "./errors.ts"

// JSON-RPC 2.0 (jsonrpc.org/specification), with the deviations of real nodes: see test/fixtures and test/upstreams.

export type { RpcError } from "./errors.ts"

export interface ClientCall {
  readonly method: string
  readonly params: ReadonlyArray<unknown> | Readonly<Record<string, unknown>>
}

/** The result of a call (never undefined), or the error with which the node rejected it. */
export type Outcome = Either.Either<unknown, RpcError>

/** `exact`: integers beyond 2^53 are bare JSON numbers and are read as bigint. */
export interface CallFormat extends Pick<ResponseDecoder.DecodeOptions, "exact"> {
  /** Contracts determine the length of their results: a result that is too large is not a fault of the node. */
  readonly ofContracts?: boolean
  /** Errors of the node, except rate limits, fail only their own calls: for callers to whom every error is unknown. */
  readonly perCall?: boolean
}

/** The id of the only call in a request. */
export const onlyId = 1

/** Sends one call to one node. A rejection is a value; the effect fails only if the node did not process the call. */
export const call = (
  node: Endpoint,
  clientCall: ClientCall,
  format: CallFormat = {}
): Effect.Effect<Outcome, UpstreamError> =>
  unlessLimited(node, [clientCall], () =>
    node.read(post({ jsonrpc: "2.0", id: onlyId, ...clientCall }), single(clientCall.method, format), sizeOf(format))
  )

/** Does not send calls of a method that the node refused a moment ago. */
const unlessLimited = <A>(
  node: Endpoint,
  calls: ReadonlyArray<ClientCall>,
  read: () => Effect.Effect<A, UpstreamError>
): Effect.Effect<A, UpstreamError> =>
  Effect.suspend(() => (calls.some(({ method }) => node.limits(method)) ? node.fault(rateLimited) : read()))

/**
 * Sends many calls in one request and returns the outcomes in the order of the calls. A call without a response is
 * {@link missing}, and so is one whose response cannot be used. If the node rejects the whole batch, every call is rejected.
 */
export const batch = (
  node: Endpoint,
  calls: ReadonlyArray<ClientCall>,
  format: CallFormat = {}
): Effect.Effect<ReadonlyArray<Outcome>, UpstreamError> =>
  calls.length === 0
    ? Effect.succeed([])
    : unlessLimited(node, calls, () =>
        node.read(
          post(calls.map((clientCall, index) => ({ jsonrpc: "2.0", id: index + 1, ...clientCall }))),
          many(calls, format),
          sizeOf(format),
          calls.length
        )
      )

const sizeOf = ({ ofContracts = false }: CallFormat) => (ofContracts ? ResponseSize.ofContracts : undefined)

const post = (body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), body)

const single =
  (method: string, format: CallFormat): ResponseDecoder.Decoder<Outcome> =>
  (response) =>
    Either.flatMap(bodyOf(response, format), (body) =>
      Either.filterOrLeft(
        outcome(body, response, method),
        () => Predicate.isRecord(body) && isResponseTo(onlyId, body),
        () => badResponse("returned the response of another call")
      )
    )

const many =
  (calls: ReadonlyArray<ClientCall>, format: CallFormat): ResponseDecoder.Decoder<ReadonlyArray<Outcome>> =>
  (response) =>
    Either.flatMap(bodyOf(response, format), (body) => {
      const size = calls.length
      if (!Array.isArray(body))
        return Either.flatMap(outcome(body, response), (refused) =>
          Either.isLeft(refused)
            ? Either.right(Array.from({ length: size }, () => refused))
            : Either.left(badResponse("returned a single result for a batch"))
        )
      const items = byId(size, body.map(Object), idOf, (reply, id) => ({
        outcome: outcome(reply, response, calls[id - 1]?.method),
        error: reply.error
      }))
      if (items === undefined) return Either.left(badResponse("returned a batch with an id that was not requested"))
      const faults = items.flatMap((reply) => (reply && Either.isLeft(reply.outcome) ? [reply.outcome.left] : []))
      const fault = faults.find(
        ({ reason }) => reason === "rate_limited" || !(format.perCall || reason === "bad_answer")
      )
      if (fault !== undefined) return Either.left(fault)
      return Either.right(
        items.map((reply): Outcome => {
          if (reply === undefined) return missing
          const { error } = reply
          return Either.getOrElse(reply.outcome, ({ reason }) =>
            reason === "bad_answer" ? missing : Either.left(rpcErrorOf(error))
          )
        })
      )
    })

const idOf = (response: Readonly<Record<string, unknown>>) => {
  const id = Number(response.id)
  return isResponseTo(id, response) ? id : Number.NaN
}

/**
 * The responses of a batch to the calls 1 to `size`. Undefined if one has the id of no call, or of a call with another
 * response: the ids of the others cannot be trusted either.
 */
export const byId = <A, B>(
  size: number,
  responses: ReadonlyArray<A>,
  idOf: (response: A) => number,
  read: (response: A, id: number) => B
): ReadonlyArray<B | undefined> | undefined => {
  const found = new Map(responses.map((response) => [idOf(response), response]))
  const ids = Array.from({ length: size }, (_, index) => index + 1)
  const known = ids.filter((id) => found.has(id))
  if (known.length < responses.length) return undefined
  return ids.map((id) => (found.has(id) ? read(found.get(id) as A, id) : undefined))
}

/**
 * True if a response belongs to the call with this id, which some nodes write as a string. An error may have no id, or
 * null, if the node could not read it (JSON-RPC 2.0, section 5). A result without an id may belong to any call.
 */
export const isResponseTo = (id: number, { error, id: own }: Readonly<Record<string, unknown>>): boolean =>
  own === id || own === String(id) || ((own === null || own === undefined) && error !== undefined && error !== null)

/** Nodes return JSON-RPC errors with any HTTP status. For any other body, the status determines the fault. */
const bodyOf = (
  response: ResponseDecoder.UpstreamResponse,
  { exact = false }: CallFormat
): Either.Either<unknown, Fault> => {
  const fault = ResponseDecoder.statusFault(response)
  const body = exact ? ResponseDecoder.exactJson(response) : ResponseDecoder.json(response)
  const isMessage = Either.isRight(body) && (Array.isArray(body.right) || Predicate.isRecord(body.right))
  if (isMessage && (fault === undefined || !isRejectedByGateway(response.status))) return body
  if (fault !== undefined) return Either.left(withoutFinal(fault))
  return Either.isLeft(body) ? body : Either.left(badResponse("returned no JSON object"))
}

const outcome = (
  body: unknown,
  response: ResponseDecoder.UpstreamResponse,
  method?: string
): Either.Either<Outcome, Fault> => {
  if (!Predicate.isRecord(body)) return Either.left(badResponse("returned no JSON object"))
  const { error } = body
  if (error === undefined || error === null) {
    const fault = ResponseDecoder.statusFault(response)
    if (fault !== undefined) return Either.left(withoutFinal(fault))
    return "result" in body && body.result !== undefined
      ? Either.right(Either.right(body.result))
      : Either.left(badResponse("returned neither a result nor an error"))
  }
  const refusal = rpcErrorOf(error)
  const fault = faultOf(refusal, body, method)
  return fault === undefined
    ? Either.right(Either.left(refusal))
    : Either.left({ retryAfter: response.retryAfter, ...fault })
}

/** Outcome of a call that is missing from the response to its batch. */
export const missing: Outcome = Either.left(new RpcError({ code: 0, detail: "missing in the response to the batch" }))
