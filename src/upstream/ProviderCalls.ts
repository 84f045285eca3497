import * as Predicate from "effect/Predicate"
import * as Record from "effect/Record"
import type * as Call from "./Call.ts"

/** The module of a provider's calls: each of them is an export. */
export interface ProviderCalls {
  /** The address of the documentation. */
  readonly documentation: string
}

/** What a provider offers, at one path, by one method of a JSON-RPC API or one field of a GraphQL API. */
export interface OfferedCall {
  /** Such as `GET /txs/{hash}`, `account_info`, or `multiGetAddresses`. */
  readonly endpoint: string
  /** Limits, cost and oddities; empty if none are known. */
  readonly note: string
  readonly perOpen: Call.PerOpen
}

type AnyCall =
  | Pick<Call.Call<string, never, unknown, unknown, unknown>, "method" | "note" | "path" | "perOpen">
  | Pick<Call.RpcCall<never, unknown, unknown, unknown>, "note" | "perOpen" | "rpc">
  | Pick<Call.GraphQlCall<never, unknown, unknown>, "graphql" | "note" | "perOpen">

const isCall = (exported: unknown): exported is AnyCall =>
  Predicate.isRecord(exported) &&
  ("rpc" in exported || "graphql" in exported || ("method" in exported && "path" in exported))

/** The path of a call, its method of a JSON-RPC API, or its field of a GraphQL API. */
const nameOf = (call: AnyCall) => ("rpc" in call ? call.rpc : "graphql" in call ? call.graphql : call.path || "/")
const endpointOf = (call: AnyCall) => ("path" in call ? `${call.method} ${nameOf(call)}` : nameOf(call))

/** The calls of a provider, by path or method. Several calls may read different members of one response. */
export const offered = (calls: ProviderCalls | undefined): ReadonlyArray<OfferedCall> => {
  const all = Object.values<unknown>({ ...calls }).filter(isCall)
  const sorted = all.sort((call, other) => (nameOf(call) < nameOf(other) ? -1 : 1))
  return Array.from(Map.groupBy(sorted, endpointOf), ([endpoint, same]) => ({
    endpoint,
    note: same.flatMap(({ note }) => note ?? []).join(" "),
    perOpen: same.map(({ perOpen = {} }) => perOpen).reduce(added)
  }))
}

const sum = (a: number | "varies", b: number | "varies") => (a === "varies" || b === "varies" ? "varies" : a + b)

const added = (some: Call.PerOpen, more: Call.PerOpen): Call.PerOpen => ({
  ...some,
  ...Record.map(more as Required<Call.PerOpen>, (often, ability) => sum(some[ability] ?? 0, often))
})

/** Matches paths of a call below any base address; its groups are the parameters. */
export const patternOf = (path: string): RegExp =>
  new RegExp(`${path.replace(/\/$/, "").replace(/\{(\w+)\}/g, "(?<$1>[^/]+)")}/?$`)

/** The fields at the first level of a GraphQL document. */
const fieldsOf = (document: string): ReadonlyArray<string> => {
  let depth = 0
  let fields = ""
  for (const character of document) {
    if ("{(".includes(character)) depth++
    if (depth === 1) fields += character
    if ("})".includes(character)) depth--
  }
  return fields.match(/\w+/g) ?? []
}

/** What a request is for, in all words that {@link isFor} compares: its path, its methods of a JSON-RPC API, and fields. */
export const wordsOf = ({
  body,
  method,
  path
}: {
  readonly method: string
  readonly path: string
  readonly body: unknown
}): ReadonlyArray<string> => [
  `${method} ${path}`,
  ...[body].flat().flatMap((each) => (Predicate.isRecord(each) && typeof each.method === "string" ? each.method : [])),
  ...(Predicate.isRecord(body) && typeof body.query === "string" ? fieldsOf(body.query) : [])
]

/** Whether a word of a request is for an offered call. */
const isFor = ({ endpoint }: OfferedCall, word: string): boolean => {
  const [verb, path] = endpoint.split(" ")
  return path === undefined ? word === endpoint : word.startsWith(`${verb} `) && patternOf(path).test(word)
}

/** The characters of a path that are no parameters. */
const literals = ({ endpoint }: OfferedCall) => endpoint.replace(/\{\w+\}/g, "").length

/** The call that each word is for: the one with the longest path that it fits. Words for none are left out. */
export const used = (calls: ReadonlyArray<OfferedCall>, words: Iterable<string>): ReadonlyArray<OfferedCall> => {
  const longest = calls.toSorted((call, other) => literals(other) - literals(call))
  return [...words].flatMap((word) => longest.find((call) => isFor(call, word)) ?? [])
}
