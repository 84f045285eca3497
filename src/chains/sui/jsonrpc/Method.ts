import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { ofMainnet } from "../Client.ts"
import * as GraphQl from "../GraphQl.ts"

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

/** The text of a query, which always requests the network's id. */
export const queryText = (declared: string, fields: string) =>
  `query ${declared === "" ? "" : `(${declared}) `}{ chainIdentifier ${fields} }`

/** Sends one query to one host. */
export const queryHost = <A, I>(
  host: Endpoint,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: Schema.Schema<A, I>
): Effect.Effect<A, UpstreamError | SuiRefusal> =>
  Effect.gen(function* () {
    const response = yield* host.read(GraphQl.request(query, variables), GraphQl.refusable)
    const reply = yield* ofMainnet(host, yield* Either.mapLeft(response, invalid))
    return yield* Either.mapLeft(reply.at([], schema), host.fault)
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
export const queryFirst = <A, I>(
  hosts: Upstream,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: Schema.Schema<A, I>
) => withFallback(hosts, (host) => queryHost(host, query, variables, schema))
