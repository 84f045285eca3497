import * as Either from "effect/Either"
import * as ResponseDecoder from "../../upstream/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import { asNode, nodeFault, noHistory, refusalOf, turnedAway } from "../Client.ts"
import { elements, type Members, members } from "../jsonMembers.ts"
import type { RpcCall, RpcReply } from "./Rpc.ts"

// JSON-RPC 2.0 (jsonrpc.org/specification), the results handed on as they are written.

/** What a node said; with a fault where it says so about itself, and another node should be asked: then perhaps no more. */
export type ParsedResponse =
  | { readonly reply: RpcReply; readonly fault?: Fault }
  | { readonly reply?: undefined; readonly fault: Fault }

/** The id of the only call in a request. */
const onlyId = 1

/** The call as it goes to a node. Its id is ours: what the client called it stays with the client's answer. */
export const request = ({ method, params }: RpcCall, id = onlyId, asText = false): string =>
  `{"jsonrpc":"2.0","id":${asText ? `"${id}"` : id},"method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`

/** Smaller answers are read as JSON once, to be sure that they are. */
const wholly = 64 * 1024

/** Errors are read as JSON; what a contract reverts with may be long, but not as long as this, characters. */
const longestError = 1024 * 1024

const isJson = (text: string) => text.length > wholly || Either.isRight(parsed(text))

const parsed = (text: string) => Either.try(() => JSON.parse(text) as unknown)

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })

/** Nodes have an envelope under any HTTP status; without one the status speaks. */
const withoutEnvelope = (answer: ResponseDecoder.UpstreamResponse): Fault =>
  asNode(ResponseDecoder.statusFault(answer) ?? bad("returned a response that is not JSON-RPC"))

/** Public nodes refuse calls about old blocks with the status that others have for callers whom they refuse altogether. */
const refusesHistory = ({ status, text }: ResponseDecoder.UpstreamResponse, historical: boolean) =>
  status === 403 && (historical || noHistory.test(text))

const withoutHistory: ParsedResponse = {
  fault: { reason: "upstream_error", detail: "does not serve historical state", status: 403 }
}

/** The answer to one call; a refusal of one that is `historical` says nothing about the node otherwise. */
export const single =
  (historical = false): ResponseDecoder.Decoder<ParsedResponse> =>
  (answer) => {
    if (refusesHistory(answer, historical)) return Either.right(withoutHistory)
    const body = turnedAway.includes(answer.status) ? undefined : members(answer.text)
    if (body === undefined || !isJson(answer.text)) return Either.left(withoutEnvelope(answer))
    return heard(body, answer, onlyId)
  }

const heard = (
  body: Members,
  answer: ResponseDecoder.UpstreamResponse,
  id: number
): Either.Either<ParsedResponse, Fault> => {
  // TON Center leaves out what is null.
  const { error, id: own, jsonrpc, result = body.ok === "true" ? "null" : undefined, ...others } = body
  const also = Object.entries(others).map(([name, text]) => `${JSON.stringify(name)}:${text}`)
  const more = also.length === 0 ? {} : { more: also.join(",") }
  if (error !== undefined && error !== "null") {
    // Whoever could not read the id answers null, or nothing.
    if (own !== undefined && own !== "null" && !isId(own, id))
      return Either.left(bad("returned the response of another call"))
    if (error.length > longestError) return Either.left(bad("returned an error that is too large"))
    const fault = nodeFault(refusalOf(Either.getOrNull(parsed(error))), { jsonrpc, id: own })
    // Somebody else's error: of a gateway, say. Another node may answer, and a client that expects JSON-RPC is not shown it.
    if (jsonrpc === undefined && own === undefined && fault?.reason !== "rate_limited")
      return Either.left(withoutEnvelope(answer))
    const reply: RpcReply = { member: "error", text: error, ...more }
    return Either.right(fault === undefined ? { reply } : { reply, fault: { retryAfter: answer.retryAfter, ...fault } })
  }
  if (result === undefined || answer.status < 200 || answer.status > 299) return Either.left(withoutEnvelope(answer))
  return isId(own, id)
    ? Either.right({ reply: { member: "result", text: result, ...more } })
    : Either.left(bad("returned the response of another call"))
}

const isId = (text: string | undefined, id: number) => text === String(id) || text === `"${id}"`

/** A limit is about the address, which is then left alone; all else that a node says is about the call. */
export const limited =
  (
    interpret: ResponseDecoder.Decoder<ParsedResponse>,
    found: (heard: ParsedResponse) => void
  ): ResponseDecoder.Decoder<ParsedResponse> =>
  (answer) =>
    Either.flatMap(interpret(answer), (heard) => {
      if (heard.fault?.reason !== "rate_limited") return Either.right(heard)
      found(heard)
      return Either.left({ ...heard.fault, unsent: true })
    })

/** For what must not arrive twice: who says that it takes no more calls has taken none. */
export const unlessLimited: ResponseDecoder.Decoder<{ readonly reply: RpcReply }> = (answer) =>
  Either.flatMap(limited(single(), () => {})(answer), ({ fault, reply }) =>
    reply === undefined ? Either.left(fault) : Either.right({ reply })
  )

/** The answers to the calls 1 to `size`; undefined for those that were left out, or for all where a batch is not taken. */
export const several =
  (size: number, historical = false): ResponseDecoder.Decoder<ReadonlyArray<ParsedResponse | undefined>> =>
  (answer) => {
    if (refusesHistory(answer, historical)) return Either.right(Array.from({ length: size }, () => undefined))
    if (turnedAway.includes(answer.status)) return Either.left(withoutEnvelope(answer))
    const answers = elements(answer.text, size)
    const none = new Array<ParsedResponse | undefined>(size).fill(undefined)
    if (answers === undefined || !isJson(answer.text)) {
      const fault = Either.getOrUndefined(single()(answer))?.fault
      if (fault?.reason === "rate_limited" && !/batch/i.test(answer.text)) return Either.left(fault)
      return refusesBatches(answer) ? Either.right(none) : Either.left(withoutEnvelope(answer))
    }
    for (const text of answers) {
      const body = members(text)
      const id = Number((body?.id ?? "").replaceAll('"', ""))
      if (body === undefined || !Number.isInteger(id) || id < 1 || id > size || none[id - 1] !== undefined)
        return Either.left(bad("returned a batch with an id that was not requested"))
      const item = heard(body, answer, id)
      if (Either.isLeft(item)) return Either.left(item.left)
      none[id - 1] = item.right
    }
    return Either.right(none)
  }

/** Nodes that take no batches say so with one error for all, or with the status of a request that they do not read. */
const refusesBatches = ({ status, text }: ResponseDecoder.UpstreamResponse) =>
  status === 400 || status === 413 || status === 422 || members(text)?.error !== undefined
