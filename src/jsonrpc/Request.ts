import * as Either from "effect/Either"
import { parsedJson, tryOrElse } from "../kernel/tryOrElse.ts"
import { elements, members } from "./jsonMembers.ts"
import type { RpcCall } from "./Rpc.ts"

// JSON-RPC 2.0 requests (jsonrpc.org/specification), from clients to the service and from the service to nodes.

/** A client's call with its id, as written by the client; or the reason why it is invalid. */
export interface RequestedCall {
  /** Undefined for a notification, which has no response. */
  readonly id: string | undefined
  readonly call: Either.Either<RpcCall, string>
}

export type RequestBody =
  | { readonly kind: "single"; readonly call: RequestedCall }
  | { readonly kind: "batch"; readonly all: ReadonlyArray<RequestedCall> }
  /** A batch of more than {@link maxCalls}. */
  | { readonly kind: "crowded"; readonly count: number }
  | { readonly kind: "malformed"; readonly problem: string }

/** Maximum number of calls in one batch. Batches larger than a node accepts are sent in several requests. */
export const maxCalls = 1_000

/** Reads the body of a client's request. */
export const parse = (text: string): RequestBody => usualBody(text) ?? tryOrElse(body, text, malformed)

const malformed = (error: unknown): RequestBody => ({ kind: "malformed", problem: String((error as Error).message) })

/** Texts that most clients write before, between and after the id, the method and the parameters of a call. */
const usualTexts = [
  // viem, web3.js, curl
  { start: '{"jsonrpc":"2.0","id":', method: ',"method":"', params: '","params":', id: undefined, end: "}" },
  // ethers
  { start: "", method: '{"method":"', params: '","params":', id: ',"id":', end: ',"jsonrpc":"2.0"}' }
] as const

/** Maximum length of such a body, characters; longer bodies are rare. */
const maxUsual = 64 * 1024

const usualId = /^(?:0|[1-9]\d{0,15})$/
const usualMethod = /^\w{1,100}$/

/**
 * Parses a single call as most clients write it; returns undefined for any other body. The parts between the known
 * texts must be an id, a name and one JSON array: so there are no other members, and only the array needs parsing.
 */
const usualBody = (text: string): RequestBody | undefined => {
  if (text.length > maxUsual) return undefined
  for (const { end, id: beforeId, method: beforeMethod, params: beforeParams, start } of usualTexts) {
    if (!text.startsWith(start) || !text.endsWith(end)) continue
    const methodAt = text.indexOf(beforeMethod, start.length)
    const paramsAt = text.indexOf(beforeParams, methodAt + beforeMethod.length)
    if (methodAt === -1 || paramsAt === -1 || (beforeId !== undefined && methodAt !== 0)) continue
    const last = text.length - end.length
    const idAt = beforeId === undefined ? last : text.lastIndexOf(beforeId, last)
    const id = beforeId === undefined ? text.slice(start.length, methodAt) : text.slice(idAt + beforeId.length, last)
    const method = text.slice(methodAt + beforeMethod.length, paramsAt)
    const params = text.slice(paramsAt + beforeParams.length, idAt)
    if (!usualId.test(id) || !usualMethod.test(method) || !Array.isArray(parsedJson(params))) return undefined
    return { kind: "single", call: { id, call: Either.right({ method, params: params.trim() }) } }
  }
  return undefined
}

/** Throws if the text is not JSON. */
const body = (text: string): RequestBody => {
  const value = JSON.parse(text) as unknown
  if (!Array.isArray(value)) return { kind: "single", call: requestedCall(value, text) }
  if (value.length > maxCalls) return { kind: "crowded", count: value.length }
  return {
    kind: "batch",
    all: (elements(text) ?? []).map((part, index) => requestedCall(value[index], part))
  }
}

/** `value` is the parsed `text`. Id and parameters are taken from the text, to preserve their digits and escapes. */
const requestedCall = (value: unknown, text: string): RequestedCall => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { id: "null", call: Either.left("a call must be an object") }
  const { id, jsonrpc, method, params } = value as Readonly<Record<string, unknown>>
  const parts = members(text)
  const isId = id === null || typeof id === "string" || typeof id === "number"
  const writtenId = id === undefined ? undefined : isId ? (parts?.id ?? JSON.stringify(id)) : "null"
  const problem =
    id !== undefined && !isId
      ? "id must be a string, a number or null"
      : jsonrpc !== undefined && jsonrpc !== "2.0"
        ? 'jsonrpc must be "2.0"'
        : typeof method !== "string" || method === ""
          ? "method must be the name of a method"
          : params !== undefined && typeof params !== "object"
            ? "params must be an array or an object"
            : undefined
  return problem === undefined
    ? {
        id: writtenId,
        call: Either.right({
          method: method as string,
          // Some clients write null if there are no parameters, which nodes do not accept.
          params: params === undefined || params === null ? undefined : (parts?.params ?? JSON.stringify(params))
        })
      }
    : { id: writtenId ?? "null", call: Either.left(problem) }
}

/** Writes a call for a node with an id of this service: the client's id is only in the response to the client. */
export const write = ({ method, params }: RpcCall, id: number, isTextId = false): string =>
  `{"jsonrpc":"2.0","id":${isTextId ? `"${id}"` : id},"method":${JSON.stringify(method)}${params === undefined ? "" : `,"params":${params}`}}`
