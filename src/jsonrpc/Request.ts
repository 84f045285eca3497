import * as Either from "effect/Either"
import { elements, members } from "./jsonMembers.ts"
import type { RpcCall, RpcReply } from "./proxy/Rpc.ts"

// JSON-RPC 2.0 as clients speak it (jsonrpc.org/specification).

/** What a client asked for: a call and the id it comes back with, as it was written; or what is wrong with it. */
export interface RequestedCall {
  /** Undefined for a notification, which nobody answers. */
  readonly id: string | undefined
  readonly call: Either.Either<RpcCall, string>
}

/** What a body holds. */
export type RequestBody =
  | { readonly kind: "single"; readonly call: RequestedCall }
  | { readonly kind: "batch"; readonly all: ReadonlyArray<RequestedCall> }
  /** A batch of more calls than are taken. */
  | { readonly kind: "crowded"; readonly count: number }
  /** No JSON at all. */
  | { readonly kind: "malformed"; readonly problem: string }

/** The codes of the specification, and -32000, which is left to servers, for nodes that do not answer. */
export const codes = { parse: -32700, invalid: -32600, refused: -32601, unanswered: -32000 } as const

/** Calls in one batch; more than a node takes in one request go to it in several. */
export const maxCalls = 1_000

/** Reads the body of a request. */
export const read = (text: string): RequestBody =>
  Either.match(
    Either.try({ try: () => JSON.parse(text) as unknown, catch: (error) => String((error as Error).message) }),
    {
      onLeft: (problem): RequestBody => ({ kind: "malformed", problem }),
      onRight: (value): RequestBody => {
        if (!Array.isArray(value)) return { kind: "single", call: asked(value, text) }
        if (value.length > maxCalls) return { kind: "crowded", count: value.length }
        return { kind: "batch", all: (elements(text) ?? []).map((part, index) => asked(value[index], part)) }
      }
    }
  )

const asked = (value: unknown, text: string): RequestedCall => {
  if (typeof value !== "object" || value === null || Array.isArray(value))
    return { id: "null", call: Either.left("a call is an object") }
  const { id, jsonrpc, method, params } = value as Readonly<Record<string, unknown>>
  const parts = members(text)
  const isId = id === null || typeof id === "string" || typeof id === "number"
  const own = id === undefined ? undefined : isId ? (parts?.id ?? JSON.stringify(id)) : "null"
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
        id: own,
        call: Either.right({
          method: method as string,
          // Clients that have none to give write null, which nodes take for none.
          params: params === undefined || params === null ? undefined : (parts?.params ?? JSON.stringify(params))
        })
      }
    : { id: own ?? "null", call: Either.left(problem) }
}

/** An answer with what a node said. */
export const response = (id: string, { member, more, text }: RpcReply): string =>
  `{"jsonrpc":"2.0","id":${id},"${member}":${text}${more === undefined ? "" : `,${more}`}}`

/** An error of the service itself. */
export const failure = (id: string, code: number, message: string): string =>
  `{"jsonrpc":"2.0","id":${id},"error":${JSON.stringify({ code, message })}}`
