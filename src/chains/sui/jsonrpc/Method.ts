import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { ofMainnet } from "../Client.ts"
import * as GraphQl from "../GraphQl.ts"

/** An error of JSON-RPC, returned to the client. */
export class SuiRefusal extends Schema.TaggedError<SuiRefusal>()("Refusal", {
  code: Schema.Int,
  message: Schema.String
}) {}

/** In the wording of nodes, for parameters that are invalid or not found. */
export const invalid = (what: string) => new SuiRefusal({ code: -32602, message: `Invalid Params: ${what}` })

export type SuiParams = ReadonlyArray<unknown>

/** A method of JSON-RPC, implemented by GraphQL. */
export type SuiMethod = (hosts: Upstream, params: SuiParams) => Effect.Effect<unknown, UpstreamError | SuiRefusal>

/** The text of a query; it always includes the network's id. */
export const queryText = (declared: string, fields: string) =>
  `query ${declared === "" ? "" : `(${declared}) `}{ chainIdentifier ${fields} }`

/** One query to one host. */
export const on = <A, I>(
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

/** Several queries to one host; a rejection of the client's input is final, and no other host is tried. */
export const over = <A>(hosts: Upstream, use: (host: Endpoint) => Effect.Effect<A, UpstreamError | SuiRefusal>) =>
  Effect.flatten(
    hosts.over((host) =>
      use(host).pipe(
        Effect.map((value): Effect.Effect<A, SuiRefusal> => Effect.succeed(value)),
        Effect.catchTag("Refusal", (refusal) => Effect.succeed(Effect.fail(refusal)))
      )
    )
  )

/** One query, to the first host that returns a response. */
export const run = <A, I>(
  hosts: Upstream,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: Schema.Schema<A, I>
) => over(hosts, (host) => on(host, query, variables, schema))
