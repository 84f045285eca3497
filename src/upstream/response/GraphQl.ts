import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type { GraphQlCall } from "../Call.ts"
import type { Fault } from "../UpstreamError.ts"
import * as ResponseDecoder from "./ResponseDecoder.ts"

// GraphQL over HTTP (spec.graphql.org, section 7): data and errors may occur together, usually with HTTP 200.

/** A path in the data: names of fields or aliases, and indices of lists. */
export type Path = ReadonlyArray<string | number>

/** The response to a query. */
export interface GraphQlResponse {
  /** The part of the data at a path, or why it is missing. */
  readonly at: <A, I>(path: Path, schema: Schema.Schema<A, I>) => Either.Either<A, Fault>
}

/** A document and its variables. */
export type GraphQlRequest<P> = Pick<GraphQlCall<P, unknown, unknown>, "document" | "variables">

/** The HTTP request of a query or a mutation. */
export const request = <P>({ document, variables }: GraphQlRequest<P>, parameters: P) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), {
    query: document(parameters),
    variables: variables(parameters)
  })

const GraphQlError = Schema.Struct({
  message: Schema.String,
  path: Schema.optional(Schema.NullOr(Schema.Array(Schema.Union(Schema.String, Schema.Number)))),
  extensions: Schema.optional(Schema.NullOr(Schema.Struct({ code: Schema.optional(Schema.Unknown) })))
})

export type GraphQlError = typeof GraphQlError.Type

const GraphQlBody = Schema.Struct({
  data: Schema.optional(Schema.Unknown),
  errors: Schema.optional(Schema.NullOr(Schema.Array(GraphQlError)))
})

const decodeBody = Schema.decodeUnknownEither(GraphQlBody)

/** Decodes the response to a query; fails if the query as a whole failed. */
export const decoding =
  (faultOf: (error: GraphQlError) => Fault): ResponseDecoder.Decoder<GraphQlResponse> =>
  (answer) =>
    Either.flatMap(bodyOf(answer), ({ data, errors }) => {
      const faults = (errors ?? []).map((error) => ({ path: error.path ?? [], fault: faultOf(error) }))
      // An error without a path concerns the whole query.
      const overall = faults.find(({ path }) => path.length === 0)?.fault
      if (overall !== undefined) return Either.left({ retryAfter: answer.retryAfter, ...overall })
      if (!Predicate.isRecord(data)) return Either.left(faults[0]?.fault ?? bad("returned no data"))
      return Either.right<GraphQlResponse>({
        at: (path, schema) => {
          const fault = faults.find((error) => concerns(error.path, path))?.fault
          return fault === undefined
            ? Either.mapLeft(
                Schema.decodeUnknownEither(schema)(valueAt(data, path)),
                () => ResponseDecoder.notUnderstood
              )
            : Either.left(fault)
        }
      })
    })

/** Errors may have any HTTP status; the status counts only without errors, or as a rate limit. No status is final. */
export const bodyOf = (answer: ResponseDecoder.UpstreamResponse): Either.Either<typeof GraphQlBody.Type, Fault> => {
  const body = Either.flatMap(ResponseDecoder.json(answer), (parsed) =>
    Either.mapLeft(decodeBody(parsed), () => ResponseDecoder.notUnderstood)
  )
  const hasErrors = Either.isRight(body) && (body.right.errors ?? []).length > 0
  const { final: _, ...fault } = ResponseDecoder.statusFault(answer) ?? { reason: undefined }
  return fault.reason === undefined || (hasErrors && fault.reason !== "rate_limited") ? body : Either.left(fault)
}

/** True for errors above the path (its data is missing) and below it (its data is incomplete). */
const concerns = (failed: Path, path: Path) => failed.slice(0, path.length).every((step, index) => step === path[index])

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce((value: unknown, step) => (Predicate.isObject(value) ? Reflect.get(value, step) : undefined), data)

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })
