import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { sui } from "../../../../catalogue/sui.ts"
import { distance, type Millis, now, secondsOf } from "../../../../domain/units.ts"
import type { GraphQlCall } from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"

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

/** Sends one query to one host; fails if the query as a whole failed, or if the host reports another network. */
export const read = <P>(host: Endpoint, call: GraphQlRequest<P>, parameters: P) =>
  Effect.flatMap(host.read(request(call, parameters), decodeReply), (reply) => ofMainnet(host, reply))

const Newest = Schema.Struct({ timestamp: Schema.String })

/** Fails if the newest checkpoint of a host does not fit the clock; the query contains `checkpoint { timestamp }`. */
export const requireFresh = (host: Endpoint, reply: GraphQlResponse) =>
  Either.match(reply.at(["checkpoint"], Newest), {
    onLeft: () => Effect.void,
    onRight: ({ timestamp }) =>
      Effect.tapError(requireCurrent(host, sui, secondsOf(timestamp)), (error) =>
        Effect.map(now, (clock) => stalled.set(host, { error, at: clock }))
      )
  })

/** The hosts whose newest checkpoint did not fit the clock. */
const stalled = new WeakMap<Endpoint, { readonly error: UpstreamError; readonly at: Millis }>()

/** How long such a host gets no further request for a history, ms. */
const stalledFor = 10_000

/** Fails without a call if the newest checkpoint of a host did not fit the clock a moment ago. */
export const requireNotStalled = (host: Endpoint) =>
  Effect.flatMap(now, (clock) => {
    const found = stalled.get(host)
    return found === undefined || Math.abs(distance(found.at, clock)) >= stalledFor ? Effect.void : found.error
  })

/** The first bytes of the digest of the main network's first checkpoint. */
export const chainIdentifier = "35834a8a"

/** The ids of the main network: older hosts return only the first bytes of the digest. */
export const mainnet: ReadonlyArray<string> = [chainIdentifier, "4btiuiMPvEENsttpZC7CZ53DruC3MAgfznDbASZ7DR6S"]

const networkOf = (reply: GraphQlResponse) => reply.at(["chainIdentifier"], Schema.String)

/** Left if the host reports another network: its data must not be used. */
export const ofMainnet = (host: Endpoint, reply: GraphQlResponse): Either.Either<GraphQlResponse, UpstreamError> =>
  mainnet.includes(Either.getOrElse(networkOf(reply), () => chainIdentifier))
    ? Either.right(reply)
    : Either.left(host.fault(bad("serves another network")))

const Refusal = Schema.Struct({
  message: Schema.String,
  path: Schema.optional(Schema.NullOr(Schema.Array(Schema.Union(Schema.String, Schema.Number)))),
  extensions: Schema.optional(Schema.NullOr(Schema.Struct({ code: Schema.optional(Schema.Unknown) })))
})

const GraphQlBody = Schema.Struct({
  data: Schema.optional(Schema.Unknown),
  errors: Schema.optional(Schema.NullOr(Schema.Array(Refusal)))
})

const decodeBody = Schema.decodeUnknownEither(GraphQlBody)

const decodeReply: ResponseDecoder.Decoder<GraphQlResponse> = (answer) =>
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
          ? Either.mapLeft(Schema.decodeUnknownEither(schema)(valueAt(data, path)), () =>
              bad("returned a response in an unexpected format")
            )
          : Either.left(fault)
      }
    })
  })

/**
 * Like {@link read}, for requests with client input: left is the message with which the host, or the node behind it,
 * rejects that input.
 */
export const refusable: ResponseDecoder.Decoder<Either.Either<GraphQlResponse, string>> = (answer) => {
  const refused = Either.getOrUndefined(bodyOf(answer))?.errors?.find(isRefusal)
  return refused === undefined
    ? Either.map(decodeReply(answer), (reply) => Either.right(reply))
    : refusal(refused.message)
}

/** Codes as in the indexer's error.rs; rejections by the node contain its gRPC status (tonic, Status). */
const isRefusal = ({ extensions, message }: typeof Refusal.Type) =>
  extensions?.code === "BAD_USER_INPUT" || /status: '?(InvalidArgument|NotFound|FailedPrecondition)/.test(message)

const longestWords = 1_000

const refusal = (words: string) =>
  Either.right(Either.left(words.replace(/\bhttps?:\/\/\S+/g, "(address)").slice(0, longestWords)))

/** Errors may have any HTTP status; the status counts only without errors, or as a rate limit. No status is final. */
const bodyOf = (answer: ResponseDecoder.UpstreamResponse): Either.Either<typeof GraphQlBody.Type, Fault> => {
  const body = Either.flatMap(ResponseDecoder.json(answer), (parsed) =>
    Either.mapLeft(decodeBody(parsed), () => bad("returned a response in an unexpected format"))
  )
  const hasErrors = Either.isRight(body) && (body.right.errors ?? []).length > 0
  const { final: _, ...fault } = ResponseDecoder.statusFault(answer) ?? { reason: undefined }
  return fault.reason === undefined || (hasErrors && fault.reason !== "rate_limited") ? body : Either.left(fault)
}

/** True for errors above the path (its data is missing) and below it (its data is incomplete). */
const concerns = (failed: Path, path: Path) => failed.slice(0, path.length).every((step, index) => step === path[index])

const valueAt = (data: unknown, path: Path): unknown =>
  path.reduce((value: unknown, step) => (Predicate.isObject(value) ? Reflect.get(value, step) : undefined), data)

/** Codes as in the indexer's error.rs; the error text is not returned to clients. */
const faultOf = ({ extensions, message }: typeof Refusal.Type): Fault => {
  const code = typeof extensions?.code === "string" ? extensions.code : ""
  if (/rate.?limit|too many requests|quota/i.test(`${code} ${message}`))
    return { reason: "rate_limited", detail: "rate limit reached" }
  if (code === "REQUEST_TIMEOUT") return { reason: "timeout", detail: "exceeded its own time limit" }
  return {
    reason: "upstream_error",
    detail: `returned an error${/^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ""}`
  }
}

const bad = (detail: string): Fault => ({ reason: "bad_answer", detail })
