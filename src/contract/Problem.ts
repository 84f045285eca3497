import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Data from "effect/Data"
import * as Schema from "effect/Schema"
import { optional, text, word } from "../domain/fields.ts"

/** What is wrong with one value of a request. */
export const Issue = Schema.Struct({
  path: text("The path of the value; empty for the whole body.", "networks.bitcoin.0"),
  message: text("Why it was refused.", "must be a string; it is 5")
}).annotations({ identifier: "Issue", description: "What is wrong with one value of a request." })
export type Issue = typeof Issue.Type

interface Content {
  readonly detail: string
  readonly issues?: ReadonlyArray<Issue>
  /** Set by the edge; what a client decodes carries it. */
  readonly requestId?: string
  /** Members of the body beside those of every problem (RFC 9457 §3.2). */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Header fields that belong to the answer (`retry-after`, `allow`); not part of the body. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure that a client may see. Handlers fail with one of the classes below; the edge makes the answer of it. */
export abstract class Problem extends Data.Error<Content> {
  abstract readonly _tag: string
  abstract readonly type: string
  abstract readonly title: string
  abstract readonly status: number
  override get message() {
    return this.detail
  }
}

/** The body of a problem: RFC 9457, with the request's id and the values that were refused. */
export const document = <Type extends string, Title extends string, Status extends number>(
  problem: Content & { readonly type: Type; readonly title: Title; readonly status: Status },
  requestId = problem.requestId ?? ""
) => ({
  type: problem.type,
  title: problem.title,
  status: problem.status,
  detail: problem.detail,
  requestId,
  ...(problem.issues === undefined ? {} : { issues: problem.issues }),
  ...problem.extensions
})

export const contentType = "application/problem+json"

const requestId = "9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11"

const refusal = {
  detail: "The request is not valid: networks: is missing",
  issues: [{ path: "networks", message: "is missing" }]
} as const

/** The body of the answers with this status that are these problems. */
const wireOf = <const Types extends readonly [string, ...Array<string>], const Status extends number>(
  name: string,
  types: Types,
  status: Status,
  title: string,
  description: string
) =>
  Schema.Struct({
    type: word("What kind of problem it is; stable, to be compared by programs.", types),
    title: text("The same in words.", title),
    status: Schema.Literal(status).annotations({
      description: "The HTTP status of the answer.",
      examples: [status]
    }),
    detail: text("What happened to this request.", description),
    requestId: text("The id of the request, as in the header x-request-id.", requestId),
    issues: optional(
      Schema.Array(Issue).annotations({
        description: "The values that were refused, each with its place and the reason.",
        examples: [refusal.issues]
      })
    )
  }).annotations({
    identifier: `${name}Problem`,
    description,
    examples: [{ type: types[0], title, status, detail: description, requestId, ...(status === 400 ? refusal : {}) }]
  })

const answered = <A, I>(schema: Schema.Schema<A, I>, status: number, description: string) =>
  HttpApiSchema.withEncoding(schema.annotations(HttpApiSchema.annotations({ status, description })), {
    kind: "Json",
    contentType
  })

const problem = <const Tag extends string, const Slug extends string, const Status extends number>(
  tag: Tag,
  slug: Slug,
  status: Status,
  title: string,
  description: string
) => {
  const type = `urn:problem-type:${slug}` as const
  class Failure extends Problem {
    readonly _tag: Tag = tag
    readonly type = type
    readonly title: string = title
    readonly status: Status = status
    override readonly name = tag
  }
  const wire = wireOf(tag, [type], status, title, description)
  const schema = Schema.transform(wire, Schema.instanceOf(Failure), {
    strict: true,
    decode: (body) => new Failure(body),
    encode: (failure) => document(failure)
  })
  return Object.assign(Failure, { type, schema: answered(schema, status, description) })
}

export const InvalidRequest = problem(
  "InvalidRequest",
  "invalid-request",
  400,
  "Invalid request",
  "The request is not what this route expects; issues names every value that was refused."
)
export const Unauthorized = problem(
  "Unauthorized",
  "unauthorized",
  401,
  "API key needed",
  "The service requires a key in the header x-api-key and the request has none."
)
export const Forbidden = problem(
  "Forbidden",
  "forbidden",
  403,
  "API key refused",
  "The key in the header x-api-key is not one of the accepted ones."
)
export const NotFound = problem("NotFound", "not-found", 404, "Not found", "There is nothing at this address.")
export const MethodNotAllowed = problem(
  "MethodNotAllowed",
  "method-not-allowed",
  405,
  "Method not allowed",
  "The route exists, but not for this method; the header Allow lists those it has."
)
export const TooLarge = problem(
  "TooLarge",
  "too-large",
  413,
  "Request too large",
  "The body is larger than MAX_BODY_BYTES, names more addresses than MAX_ADDRESSES, or has many more values than that."
)
export const UnsupportedMediaType = problem(
  "UnsupportedMediaType",
  "unsupported-media-type",
  415,
  "Unsupported media type",
  "Bodies are JSON: content-type application/json."
)
export const TooManyRequests = problem(
  "TooManyRequests",
  "too-many-requests",
  429,
  "Too many requests",
  "The limit is used up; the header Retry-After says in how many seconds to come back."
)
export const Internal = problem("Internal", "internal", 500, "Internal error", "A fault of the service.")
/** Not configured by the operator, or not there in this version. */
export const NotImplemented = problem(
  "NotImplemented",
  "not-implemented",
  501,
  "Not available",
  "The operator has not configured what this route needs, or this version does not have it."
)
export const UpstreamFailed = problem(
  "UpstreamFailed",
  "upstream-failed",
  502,
  "No upstream answered",
  "No upstream returned a usable response."
)
export const ShuttingDown = problem(
  "ShuttingDown",
  "shutting-down",
  503,
  "Shutting down",
  "This instance finishes what it has begun and takes nothing new."
)
export const Overloaded = problem(
  "Overloaded",
  "overloaded",
  503,
  "Overloaded",
  "As many requests as MAX_REQUESTS allows are under way; the header Retry-After says when to try again."
)
export const DeadlineExceeded = problem(
  "DeadlineExceeded",
  "deadline-exceeded",
  504,
  "Deadline exceeded",
  "The answer was not ready within REQUEST_DEADLINE_MS."
)

const unavailable = "This instance takes no request now: it shuts down, or has too many under way."

/** The contract has one schema for each status. */
const UnavailableProblem = answered(
  Schema.transform(
    wireOf("Unavailable", [ShuttingDown.type, Overloaded.type], 503, "Overloaded", unavailable),
    Schema.Union(Schema.instanceOf(ShuttingDown), Schema.instanceOf(Overloaded)),
    {
      strict: true,
      decode: (body) => (body.type === Overloaded.type ? new Overloaded(body) : new ShuttingDown(body)),
      encode: (failure) => document(failure)
    }
  ),
  503,
  unavailable
)

/** What the edge may answer on every route, whatever its handler does. */
export const EdgeProblems = Schema.Union(
  Unauthorized.schema,
  Forbidden.schema,
  TooManyRequests.schema,
  Internal.schema,
  UnavailableProblem,
  DeadlineExceeded.schema
)

/** What the edge may answer on every route that takes a body. */
export const BodyProblems = Schema.Union(TooLarge.schema, UnsupportedMediaType.schema)

export type InvalidRequest = InstanceType<typeof InvalidRequest>
export type NotFound = InstanceType<typeof NotFound>
export type TooLarge = InstanceType<typeof TooLarge>
export type TooManyRequests = InstanceType<typeof TooManyRequests>
export type NotImplemented = InstanceType<typeof NotImplemented>
export type UpstreamFailed = InstanceType<typeof UpstreamFailed>
export type DeadlineExceeded = InstanceType<typeof DeadlineExceeded>
