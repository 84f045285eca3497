import * as Either from "effect/Either"
import { closeBrace, copied } from "../kernel/text/jsonText.ts"
import { parsedJson } from "../kernel/tryOrElse.ts"
import * as ResponseDecoder from "../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../upstream/UpstreamError.ts"
import { byId, onlyId } from "./Client.ts"
import { badResponse, faultOf, isRejectedByGateway, refusesHistory, rpcErrorOf, withoutFinal } from "./errors.ts"
import { elements, type Members, members } from "./jsonMembers.ts"
import type { RpcCall, RpcReply } from "./Rpc.ts"

// JSON-RPC 2.0 responses (jsonrpc.org/specification), whose results are passed on as written by the nodes.

/** Response of a node. With a fault, another node should get the call, and the reply may be missing. */
export type ParsedResponse =
  | { readonly reply: RpcReply; readonly fault?: Fault }
  | { readonly reply?: undefined; readonly fault: Fault }

/** Writes the response to a client, with the reply of a node. */
export const write = (id: string, { member, more, text }: RpcReply): string =>
  `{"jsonrpc":"2.0","id":${id},"${member}":${text}${more === undefined ? "" : `,${more}`}}`

/** Writes an error of the service itself. */
export const writeError = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`

/** Responses up to this length are parsed once to verify that they are JSON, characters. */
const maxValidated = 64 * 1024

/** Maximum length of an error, characters. Errors are parsed, and the data of a revert may be long. */
const maxErrorLength = 1024 * 1024

const isJson = (text: string) => text.length > maxValidated || parsedJson(text) !== undefined

/** Fault of a response that is not JSON-RPC: the fault of its HTTP status, if any. */
const notJsonRpc = (response: ResponseDecoder.UpstreamResponse): Fault =>
  withoutFinal(ResponseDecoder.statusFault(response) ?? badResponse("returned a response that is not JSON-RPC"))

const withoutHistory: ParsedResponse = {
  fault: { reason: "upstream_error", detail: "does not serve historical state", status: 403 }
}

/** A part of a response. Copied if it is less than half of it, all of which would stay in memory with a stored reply. */
const partOf = (response: string, part: string): string => (2 * part.length < response.length ? copied(part) : part)

/** Start of most nodes' response with a result to the call with {@link onlyId}. */
const usualStart = `{"jsonrpc":"2.0","id":${onlyId},"result":`

/**
 * Result of a response as most nodes write it; undefined for any other response. The text between its start and its end
 * must be one JSON value: so there are no other members, and one parse also validates it.
 */
const usualResult = (text: string): string | undefined => {
  if (!text.startsWith(usualStart) || text.length > maxValidated) return undefined
  const end = text.endsWith("\n") ? text.length - 2 : text.length - 1
  if (text.charCodeAt(end) !== closeBrace) return undefined
  const result = text.slice(usualStart.length, end)
  return parsedJson(result) === undefined ? undefined : partOf(text, result.trim())
}

/**
 * Decodes the response to one call of a client. The refusal of a historical call has no effect on other calls to the
 * node.
 */
export const single =
  (isHistorical = false, call?: RpcCall): ResponseDecoder.Decoder<ParsedResponse> =>
  (response) => {
    const usual = response.status === 200 ? usualResult(response.text) : undefined
    if (usual !== undefined) return Either.right({ reply: { member: "result", text: usual } })
    if (refusesHistory(response, isHistorical)) return Either.right(withoutHistory)
    const body = isRejectedByGateway(response.status) ? undefined : members(response.text)
    if (body === undefined || !isJson(response.text)) return Either.left(notJsonRpc(response))
    return parse(body, response, onlyId, call)
  }

/** Members of a response that are not passed on unchanged. */
const own = new Set(["jsonrpc", "id", "result", "error"])

const noMore = {}

const parse = (
  body: Members,
  response: ResponseDecoder.UpstreamResponse,
  id: number,
  call?: RpcCall
): Either.Either<ParsedResponse, Fault> => {
  // TON Center omits a result of null.
  const { error, id: responseId, jsonrpc, result = body.ok === "true" ? "null" : undefined } = body
  const also = Object.keys(body).flatMap((name) => (own.has(name) ? [] : `${JSON.stringify(name)}:${body[name]}`))
  const more = also.length === 0 ? noMore : { more: copied(also.join(",")) }
  if (error !== undefined && error !== "null") {
    // A node that could not read the id returns null, or no id.
    if (responseId !== undefined && responseId !== "null" && !isId(responseId, id))
      return Either.left(badResponse("returned the response of another call"))
    if (error.length > maxErrorLength) return Either.left({ ...ResponseDecoder.tooLarge, final: true })
    const fault = faultOf(rpcErrorOf(parsedJson(error) ?? null), { jsonrpc, id: responseId }, call?.method, call)
    // An error of a gateway must not reach a client that expects JSON-RPC.
    if (jsonrpc === undefined && responseId === undefined && fault?.reason !== "rate_limited")
      return Either.left(notJsonRpc(response))
    const reply: RpcReply = { member: "error", text: partOf(response.text, error), ...more }
    return Either.right(
      fault === undefined ? { reply } : { reply, fault: { retryAfter: response.retryAfter, ...fault } }
    )
  }
  if (result === undefined || response.status < 200 || response.status > 299) return Either.left(notJsonRpc(response))
  return isId(responseId, id)
    ? Either.right({ reply: { member: "result", text: partOf(response.text, result), ...more } })
    : Either.left(badResponse("returned the response of another call"))
}

const isId = (text: string | undefined, id: number) => text === String(id) || text === `"${id}"`

/** A rate limit is a fault of the address, which is then not called for a while. Other faults concern only the call. */
export const limited =
  (
    decode: ResponseDecoder.Decoder<ParsedResponse>,
    onLimit: (response: ParsedResponse) => void
  ): ResponseDecoder.Decoder<ParsedResponse> =>
  (response) => {
    const decoded = decode(response)
    if (Either.isLeft(decoded) || decoded.right.fault?.reason !== "rate_limited") return decoded
    onLimit(decoded.right)
    return Either.left({ ...decoded.right.fault, unsent: true })
  }

/** For calls that must not arrive twice: only what is certainly a rate limit means that the node did not get the call. */
export const unlessLimited =
  (call?: RpcCall): ResponseDecoder.Decoder<{ readonly reply: RpcReply }> =>
  (response) =>
    Either.flatMap(single(false, call)(response), ({ fault, reply }) => {
      if (reply === undefined) return Either.left(fault)
      return fault?.unsent === true ? Either.left(fault) : Either.right({ reply })
    })

const none = (size: number) => Array.from({ length: size }, () => undefined)

/** Decodes the responses to calls 1 to `size`; undefined if missing, unusable, or if the batch is rejected or has other ids. */
export const several =
  (size: number, isHistorical = false): ResponseDecoder.Decoder<ReadonlyArray<ParsedResponse | undefined>> =>
  (response) => {
    if (refusesHistory(response, isHistorical)) return Either.right(none(size))
    if (isRejectedByGateway(response.status)) return Either.left(notJsonRpc(response))
    const texts = elements(response.text, size)
    if (texts === undefined || !isJson(response.text)) {
      const fault = Either.getOrUndefined(single()(response))?.fault
      if (fault?.reason === "rate_limited" && !/batch/i.test(response.text)) return Either.left(fault)
      return rejectsBatches(response) ? Either.right(none(size)) : Either.left(notJsonRpc(response))
    }
    return Either.right(
      byId(
        size,
        texts.map((text) => members(text) ?? {}),
        ({ id = "" }) => Number(id.replaceAll('"', "")),
        (body, id) => Either.getOrUndefined(parse(body, response, id))
      ) ?? none(size)
    )
  }

/** Nodes that do not support batches return one error for all calls, or the status of an invalid request. */
const rejectsBatches = ({ status, text }: ResponseDecoder.UpstreamResponse) =>
  status === 400 || status === 413 || status === 422 || members(text)?.error !== undefined
