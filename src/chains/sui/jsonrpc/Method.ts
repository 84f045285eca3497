import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Call from "../../../upstream/Call.ts"
import * as GraphQl from "../../../upstream/response/GraphQl.ts"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import * as HostReads from "../providers/graphql/HostReads.ts"

/** A JSON-RPC error that is returned to the client. */
export class SuiRefusal extends Schema.TaggedError<SuiRefusal>()("Refusal", {
  code: Schema.Int,
  message: Schema.String
}) {}

/** The error for invalid parameters, or for an id that does not exist, in the wording of nodes. */
export const invalid = (what: string) => new SuiRefusal({ code: -32602, message: `Invalid Params: ${what}` })

export type SuiParams = ReadonlyArray<unknown>

/** A JSON-RPC method, implemented with GraphQL. */
export type SuiMethod = (hosts: Upstream, params: SuiParams) => Effect.Effect<unknown, UpstreamError | SuiRefusal>

type SuiVariables = Readonly<Record<string, unknown>>

/** A query with the declaration of its variables, its fields and their schemas. Always requests the network's id. */
export const query = <F extends Schema.Struct.Fields>(declared: string, fields: string, data: F) =>
  Call.graphql(/^\w*/.exec(fields)?.[0] ?? "", {
    document: () => `query ${declared === "" ? "" : `(${declared}) `}{ chainIdentifier ${fields} }`,
    variables: (given: SuiVariables) => given,
    response: Schema.Struct(data)
  })

type SuiQuery<A, I> = Call.GraphQlCall<SuiVariables, A, I>

/** Sends one query to one host. */
export const queryHost = <A, I>(
  host: Endpoint,
  query: SuiQuery<A, I>,
  variables: SuiVariables
): Effect.Effect<A, UpstreamError | SuiRefusal> =>
  Effect.gen(function* () {
    const response = yield* host.read(GraphQl.request(query, variables), HostReads.refusable)
    const reply = yield* HostReads.ofMainnet(host, yield* Either.mapLeft(response, invalid))
    return yield* Either.mapLeft(reply.at([], query.response), host.fault)
  })

/** Runs queries on one host at a time, with fallback to the next host; a rejection of the client's input is final. */
export const withFallback = <A>(
  hosts: Upstream,
  use: (host: Endpoint) => Effect.Effect<A, UpstreamError | SuiRefusal>
) =>
  Effect.flatten(
    hosts.over((host) =>
      use(host).pipe(
        Effect.map((value): Effect.Effect<A, SuiRefusal> => Effect.succeed(value)),
        Effect.catchTag("Refusal", (refusal) => Effect.succeed(Effect.fail(refusal)))
      )
    )
  )

/** Sends one query and returns the first response of a host. */
export const queryFirst = <A, I>(hosts: Upstream, query: SuiQuery<A, I>, variables: SuiVariables) =>
  withFallback(hosts, (host) => queryHost(host, query, variables))

/** A method whose result is computed from the data of one query. */
export const single =
  <A, I>(
    query: SuiQuery<A, I>,
    result: (data: A) => unknown,
    variables: (params: SuiParams) => Either.Either<SuiVariables, SuiRefusal> = () => Either.right({})
  ): SuiMethod =>
  (hosts, params) =>
    Effect.flatMap(variables(params), (given) => Effect.map(queryFirst(hosts, query, given), result))
