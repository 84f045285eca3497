import * as HttpApiSchema from "@effect/platform/HttpApiSchema"
import * as Data from "effect/Data"
import * as Record from "effect/Record"
import * as Schema from "effect/Schema"
import { enumOf, optional, text } from "../domain/fields.ts"

/** The reason why one value of a request is invalid. */
export const Issue = Schema.Struct({
  path: text("The path of the value; empty for the whole body.", "networks.bitcoin.0"),
  message: text("Why the value was rejected.", "must be a string; it is 5")
}).annotations({ identifier: "Issue", description: "The reason why one value of a request is invalid." })
export type Issue = typeof Issue.Type

/** The body of a problem of one kind. */
interface ProblemBody<Slug extends string, Status extends number> {
  readonly type: `urn:problem-type:${Slug}`
  readonly title: string
  readonly status: Status
  readonly detail: string
  readonly requestId: string
  readonly issues?: ReadonlyArray<Issue>
}

const requestId = "9b0a5c1e-63f0-4b7e-9d3c-0b6f0c9a7f11"

const refusal = {
  detail: "The request is not valid: networks: is missing",
  issues: [{ path: "networks", message: "is missing" }]
} as const

/** Schemas of the further members of a problem's body. */
type MemberSchemas<Members> = { readonly [Name in keyof Members]: Schema.Schema<Members[Name]> }

/** Schema of the body of these problems, which share one status. */
const problemSchema = <const Types extends readonly [string, ...Array<string>], const Status extends number, Members>(
  name: string,
  types: Types,
  status: Status,
  title: string,
  description: string,
  members?: MemberSchemas<Members>
) =>
  Schema.Struct({
    type: enumOf("Kind of the problem: a stable identifier for programs.", types),
    title: text("Human-readable kind of the problem.", title),
    status: Schema.Literal(status).annotations({
      description: "The HTTP status of the response.",
      examples: [status]
    }),
    detail: text("Human-readable description of this occurrence.", description),
    requestId: text("The id of the request, as in the header x-request-id.", requestId),
    issues: optional(
      Schema.Array(Issue).annotations({
        description: "The rejected values, each with its path and the reason.",
        examples: [refusal.issues]
      })
    ),
    ...members
  }).annotations({
    identifier: `${name}Problem`,
    description,
    ...(members === undefined
      ? {
          examples: [
            { type: types[0], title, status, detail: description, requestId, ...(status === 400 ? refusal : {}) }
          ]
        }
      : {})
  })

/** Details of one occurrence of a problem. */
export interface Content {
  readonly detail: string
  readonly issues?: ReadonlyArray<Issue>
  /** Set by the HTTP layer; present in problems that a client decodes. */
  readonly requestId?: string
  /** Further members of the body (extension members, RFC 9457 §3.2). */
  readonly extensions?: Readonly<Record<string, unknown>>
  /** Header fields of the response (`retry-after`, `allow`); not part of the body. */
  readonly headers?: Readonly<Record<string, string>>
}

/** A failure that a client may see. Handlers fail with a class below; the HTTP layer turns it into the response. */
export abstract class Problem extends Data.Error<Content> {
  abstract readonly _tag: string
  abstract readonly type: string
  abstract readonly title: string
  abstract readonly status: number
  override get message() {
    return this.detail
  }
}

/** The body of a problem: RFC 9457, with the id of the request and the rejected values. */
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

/** The members of a body that each problem has; the others are extensions. */
const contentOf = ({
  detail,
  issues,
  requestId,
  status: _,
  title: __,
  type: ___,
  ...extensions
}: ProblemBody<string, number>): Content => ({
  detail,
  requestId,
  ...(issues === undefined ? {} : { issues }),
  ...(Object.keys(extensions).length === 0 ? {} : { extensions })
})

/** The schema of a problem as a response with this status. */
export const asResponse = <A, I>(schema: Schema.Schema<A, I>, status: number, description: string) =>
  HttpApiSchema.withEncoding(schema.annotations(HttpApiSchema.annotations({ status, description })), {
    kind: "Json",
    contentType
  })

/** A problem of one kind. */
export type ProblemOf<Tag extends string, Slug extends string, Status extends number, Members> = Problem &
  Members & { readonly _tag: Tag; readonly type: `urn:problem-type:${Slug}`; readonly status: Status }

/** Constructor of the problems of one kind, and their wire schema. */
export interface ProblemClass<Tag extends string, Slug extends string, Status extends number, Members> {
  readonly type: `urn:problem-type:${Slug}`
  readonly schema: Schema.Schema<ProblemOf<Tag, Slug, Status, Members>, ProblemBody<Slug, Status> & Members>
  new (content: Content & Members): ProblemOf<Tag, Slug, Status, Members>
}

/** Defines a kind of problem; `members` are the further members of its body. */
export const problem = <const Tag extends string, const Slug extends string, const Status extends number, Members>(
  tag: Tag,
  slug: Slug,
  status: Status,
  title: string,
  description: string,
  members?: MemberSchemas<Members>
): ProblemClass<Tag, Slug, Status, Members> => {
  const type = `urn:problem-type:${slug}` as const
  class Failure extends Problem {
    readonly _tag: Tag = tag
    readonly type = type
    readonly title: string = title
    readonly status: Status = status
    override readonly name: string = tag

    constructor(content: Content & Members) {
      const own = Record.intersection(content as Readonly<Record<string, unknown>>, members ?? {}, (value) => value)
      super(members === undefined ? content : { ...content, extensions: { ...content.extensions, ...own } })
    }
  }
  const schema = Schema.transform(
    problemSchema(tag, [type], status, title, description, members),
    Schema.instanceOf(Failure),
    {
      strict: false,
      decode: (body) =>
        new Failure({
          ...Record.intersection(body as never, members ?? {}, (value) => value),
          ...contentOf(body as never)
        } as never),
      encode: (failure) => document(failure)
    }
  )
  return Object.assign(Failure, { type, schema: asResponse(schema, status, description) }) as never
}

export const InvalidRequest = problem(
  "InvalidRequest",
  "invalid-request",
  400,
  "Invalid request",
  "The request is not valid for this route; issues lists every rejected value."
)
export const Unauthorized = problem(
  "Unauthorized",
  "unauthorized",
  401,
  "API key required",
  "The service requires an API key in the header x-api-key, and the request has no such header."
)
export const Forbidden = problem(
  "Forbidden",
  "forbidden",
  403,
  "API key rejected",
  "The key in the header x-api-key is not an accepted key."
)
export const NotFound = problem("NotFound", "not-found", 404, "Not found", "Nothing exists at this path.")
export const MethodNotAllowed = problem(
  "MethodNotAllowed",
  "method-not-allowed",
  405,
  "Method not allowed",
  "The route does not support this method; the header Allow lists the supported methods."
)
export const TooLarge = problem(
  "TooLarge",
  "too-large",
  413,
  "Request too large",
  "The body is larger than MAX_BODY_BYTES, has more addresses than MAX_ADDRESSES, or has too many values."
)
export const UnsupportedMediaType = problem(
  "UnsupportedMediaType",
  "unsupported-media-type",
  415,
  "Unsupported media type",
  "The body must be JSON, with content-type application/json."
)
export const TooManyRequests = problem(
  "TooManyRequests",
  "too-many-requests",
  429,
  "Too many requests",
  "The rate limit is reached; the header Retry-After has the number of seconds to wait."
)
export const Internal = problem("Internal", "internal", 500, "Internal error", "An internal error of the service.")
/** Not configured by the operator, or not part of this version. */
export const NotImplemented = problem(
  "NotImplemented",
  "not-implemented",
  501,
  "Not available",
  "The operator has not configured what this route needs, or the route is not part of this version."
)
export const UpstreamFailed = problem(
  "UpstreamFailed",
  "upstream-failed",
  502,
  "Upstream failure",
  "No upstream returned a usable response."
)
export const ShuttingDown = problem(
  "ShuttingDown",
  "shutting-down",
  503,
  "Shutting down",
  "This instance completes its open requests and accepts no new requests."
)
export const Overloaded = problem(
  "Overloaded",
  "overloaded",
  503,
  "Overloaded",
  "The service has as many requests in progress as it completes in time, at most MAX_REQUESTS; the header Retry-After says when to try again."
)
export const DeadlineExceeded = problem(
  "DeadlineExceeded",
  "deadline-exceeded",
  504,
  "Deadline exceeded",
  "The response was not ready within REQUEST_DEADLINE_MS."
)

const unavailable = "This instance accepts no request now: it is shutting down, or has too many requests in flight."

/** One schema for both problems: the contract allows one per status. */
const UnavailableProblem = asResponse(
  Schema.transform(
    problemSchema("Unavailable", [ShuttingDown.type, Overloaded.type], 503, "Overloaded", unavailable),
    Schema.Union(Schema.instanceOf(ShuttingDown), Schema.instanceOf(Overloaded)),
    {
      strict: true,
      decode: (body) => new (body.type === Overloaded.type ? Overloaded : ShuttingDown)(contentOf(body)),
      encode: (failure) => document(failure)
    }
  ),
  503,
  unavailable
)

/** Problems that the HTTP layer may return on every route, independent of the handler. */
export const EdgeProblems = Schema.Union(
  Unauthorized.schema,
  Forbidden.schema,
  TooManyRequests.schema,
  Internal.schema,
  UnavailableProblem,
  DeadlineExceeded.schema
)

/** Problems that the HTTP layer may return on every route with a request body. */
export const BodyProblems = Schema.Union(TooLarge.schema, UnsupportedMediaType.schema)

export type InvalidRequest = InstanceType<typeof InvalidRequest>
export type NotFound = InstanceType<typeof NotFound>
export type TooLarge = InstanceType<typeof TooLarge>
export type TooManyRequests = InstanceType<typeof TooManyRequests>
export type NotImplemented = InstanceType<typeof NotImplemented>
export type UpstreamFailed = InstanceType<typeof UpstreamFailed>
export type DeadlineExceeded = InstanceType<typeof DeadlineExceeded>
