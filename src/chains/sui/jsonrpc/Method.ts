import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import type { Endpoint, Upstream } from "../../../upstream/Upstream.ts"
import type { UpstreamError } from "../../../upstream/UpstreamError.ts"
import { ofMainnet } from "../Client.ts"
import * as GraphQl from "../GraphQl.ts"

/** What a client gets instead of a result: an error of JSON-RPC, for people. */
export class SuiRefusal extends Schema.TaggedError<SuiRefusal>()("Refusal", {
  code: Schema.Int,
  message: Schema.String
}) {}

/** As nodes said it of what they could not read or find. */
export const invalid = (what: string) => new SuiRefusal({ code: -32602, message: `Invalid Params: ${what}` })

export type SuiParams = ReadonlyArray<unknown>

/** A method of JSON-RPC, answered by GraphQL. */
export type SuiMethod = (hosts: Upstream, params: SuiParams) => Effect.Effect<unknown, UpstreamError | SuiRefusal>

/** The text of a query; every answer tells of which network it is. */
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

/** Several queries to one host; what it refuses as wrong in itself is refused at once, and no other host is asked. */
export const over = <A>(hosts: Upstream, use: (host: Endpoint) => Effect.Effect<A, UpstreamError | SuiRefusal>) =>
  Effect.flatten(
    hosts.over((host) =>
      use(host).pipe(
        Effect.map((value): Effect.Effect<A, SuiRefusal> => Effect.succeed(value)),
        Effect.catchTag("Refusal", (refusal) => Effect.succeed(Effect.fail(refusal)))
      )
    )
  )

/** One query, at the first host that answers it. */
export const run = <A, I>(
  hosts: Upstream,
  query: string,
  variables: Readonly<Record<string, unknown>>,
  schema: Schema.Schema<A, I>
) => over(hosts, (host) => on(host, query, variables, schema))
