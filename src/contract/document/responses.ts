import * as Record from "effect/Record"
import { exampleOf, isObject, type Json } from "./schemas.ts"

const text = (description: string, example: string) => ({
  description,
  schema: { type: "string", examples: [example] }
})

/** A whole number, at least 1 if the example is. */
const count = (description: string, example = 1) => ({
  description,
  schema: { type: "integer", minimum: Math.min(1, example), examples: [example] }
})

/** The documented header fields of responses. */
export const headers = {
  "x-request-id": {
    ...text(
      "The id of the request, which is also on every line of the log: the id that the client sent, if valid, else a new id.",
      "9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11"
    ),
    required: true
  },
  "x-partial-failures": text(
    "Missing data that the body does not report: a JSON array; the description of the route defines its elements. Absent if nothing is missing.",
    '[{"network":"zkevm","address":"0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045","message":"Polygon zkEVM was shut down on 2026-07-01","errorCode":"sunset"}]'
  ),
  etag: text(
    "Version of the response, to be sent as `if-none-match`. Absent if the response must not be cached.",
    'W/"3q2XvTq3nQh0c1m2n4b5aA"'
  ),
  "cache-control": text("How long the response may be reused without revalidation.", "public, max-age=60"),
  "retry-after": count("Seconds to wait before a retry; absent if the time is not known."),
  "ratelimit-limit": count("RATE_LIMIT_PER_MINUTE; present only if the request has exceeded this limit.", 600),
  "ratelimit-remaining": count("Number of remaining requests: 0 whenever the field is present.", 0),
  "ratelimit-reset": count("Seconds until the next request is accepted.")
} as const

type Header = keyof typeof headers

const componentOf = (name: Header) => name.replace(/(^|-)([a-z])/g, (_, __, letter: string) => letter.toUpperCase())

/** The header fields as entries of `components`. */
export const headerComponents: Json = Object.fromEntries(
  Object.entries(headers).map(([name, header]) => [componentOf(name as Header), header])
)

const fields = (names: ReadonlyArray<Header>): Json =>
  Object.fromEntries(names.map((name) => [name, { $ref: `#/components/headers/${componentOf(name)}` }]))

/** Ids of operations whose response may lack data that its body does not report. */
const partial: ReadonlySet<string> = new Set([
  "balances.balances",
  "history.history",
  "history.historyWithMeta",
  "portfolio.chart",
  "prices.chain",
  "prices.coin",
  "prices.marketChart",
  "tokens.search",
  "transactions.context",
  "transactions.first",
  "transactions.status",
  "charts.data",
  "charts.list"
])

/** Ids of operations whose response has an ETag, and is 304 to a request with the same tag. */
const tagged: ReadonlySet<string> = new Set([
  "prices.chain",
  "prices.coin",
  "prices.marketChart",
  "prices.nativeDetails",
  "prices.tokenDetails",
  "charts.metadata",
  "charts.data",
  "charts.item",
  "charts.list",
  "nodes.protocolParameters"
])

const retried: ReadonlySet<string> = new Set(["502", "503"])

const headersOf = (operationId: string, status: string): ReadonlyArray<Header> => {
  if (status === "429")
    return ["x-request-id", "retry-after", "ratelimit-limit", "ratelimit-remaining", "ratelimit-reset"]
  if (retried.has(status)) return ["x-request-id", "retry-after"]
  if (status !== "200") return ["x-request-id"]
  return [
    "x-request-id",
    ...(partial.has(operationId) ? (["x-partial-failures"] as const) : []),
    ...(tagged.has(operationId) ? (["etag", "cache-control"] as const) : [])
  ]
}

/** Adds a complete example to each body, so that documentation pages do not make up values. */
const withExamples = (content: Json, schemas: Json): Json =>
  Record.map(content, (media) => {
    const example = isObject(media) ? exampleOf(media.schema, schemas) : undefined
    return example === undefined ? media : { ...(media as Json), example }
  })

const bodied = (part: Json, schemas: Json): Json =>
  isObject(part.content) ? { ...part, content: withExamples(part.content, schemas) } : part

const notModified = {
  description: "Nothing has changed since the response with the tag in `if-none-match`. There is no body.",
  headers: fields(["x-request-id", "etag", "cache-control"])
}

const ifNoneMatch = {
  name: "if-none-match",
  in: "header",
  required: false,
  description: "The `etag` of an earlier response. The response is 304 without a body if nothing has changed since.",
  schema: { type: "string", examples: [headers.etag.schema.examples[0]] }
}

interface DocumentedOperation {
  readonly operationId: string
  readonly parameters: ReadonlyArray<unknown>
  readonly requestBody?: Json
  readonly responses: Record.ReadonlyRecord<string, Json>
}

/** Adds header fields, examples and the 304 to the responses of an operation. */
export const completed = <A extends DocumentedOperation>(operation: A, schemas: Json) => {
  const { operationId, parameters, requestBody } = operation
  const isTagged = tagged.has(operationId)
  const responses = Record.map(operation.responses, (response, status) => ({
    ...bodied(response, schemas),
    headers: fields(headersOf(operationId, status))
  }))
  return {
    ...operation,
    parameters: isTagged ? [...parameters, ifNoneMatch] : parameters,
    ...(requestBody === undefined ? {} : { requestBody: bodied(requestBody, schemas) }),
    responses: isTagged ? { ...responses, "304": notModified } : responses
  }
}

const problemIn = (response: Json) =>
  JSON.stringify(response.content ?? null).match(
    /^\{"application\/problem\+json":\{"schema":\{"\$ref":"[^"]+\/(\w+)Problem"\}/
  )?.[1]

/** Moves repeated problem responses into one component per problem; `paths` refers to them. */
export const shareProblems = (
  paths: Record.ReadonlyRecord<string, Record.ReadonlyRecord<string, DocumentedOperation>>
) => {
  const responses = new Map<string, Json>()
  const moved = (response: Json): Json => {
    const name = problemIn(response)
    if (name === undefined) return response
    const known = responses.get(name) ?? response
    if (JSON.stringify(known) !== JSON.stringify(response)) return response
    responses.set(name, known)
    return { $ref: `#/components/responses/${name}` }
  }
  return {
    paths: Record.map(
      paths,
      Record.map((operation) => ({ ...operation, responses: Record.map(operation.responses, moved) }))
    ),
    responses: Object.fromEntries(responses)
  }
}
