import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { sui } from "../../../../catalogue/sui.ts"
import { distance, type Millis, now, secondsOf } from "../../../../domain/units.ts"
import * as GraphQl from "../../../../upstream/response/GraphQl.ts"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../../upstream/UpstreamError.ts"
import { requireCurrent } from "../../../kit/status/currentHead.ts"

// Reads from the hosts of the main network.

/** Sends one query to one host; fails if the query as a whole failed, or if the host reports another network. */
export const read = <P>(host: Endpoint, call: GraphQl.GraphQlRequest<P>, parameters: P) =>
  Effect.flatMap(host.read(GraphQl.request(call, parameters), decodeReply), (reply) => ofMainnet(host, reply))

const Newest = Schema.Struct({ timestamp: Schema.String })

/** Fails if the newest checkpoint of a host does not fit the clock; the query contains `checkpoint { timestamp }`. */
export const requireFresh = (host: Endpoint, reply: GraphQl.GraphQlResponse) =>
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

/** Left if the host reports another network: its data must not be used. */
export const ofMainnet = (
  host: Endpoint,
  reply: GraphQl.GraphQlResponse
): Either.Either<GraphQl.GraphQlResponse, UpstreamError> =>
  mainnet.includes(Either.getOrElse(reply.at(["chainIdentifier"], Schema.String), () => chainIdentifier))
    ? Either.right(reply)
    : Either.left(host.fault(foreign))

/**
 * Like {@link read}, for requests with client input: left is the message with which the host, or the node behind it,
 * rejects that input.
 */
export const refusable: ResponseDecoder.Decoder<Either.Either<GraphQl.GraphQlResponse, string>> = (answer) => {
  const refused = Either.getOrUndefined(GraphQl.bodyOf(answer))?.errors?.find(isRefusal)
  return refused === undefined
    ? Either.map(decodeReply(answer), (reply) => Either.right(reply))
    : refusal(refused.message)
}

/** Codes as in the indexer's error.rs; rejections by the node contain its gRPC status (tonic, Status). */
const isRefusal = ({ extensions, message }: GraphQl.GraphQlError) =>
  extensions?.code === "BAD_USER_INPUT" || /status: '?(InvalidArgument|NotFound|FailedPrecondition)/.test(message)

const longestWords = 1_000

const refusal = (words: string) =>
  Either.right(Either.left(words.replace(/\bhttps?:\/\/\S+/g, "(address)").slice(0, longestWords)))

/** Codes as in the indexer's error.rs; the error text is not returned to clients. */
const faultOf = ({ extensions, message }: GraphQl.GraphQlError): Fault => {
  const code = typeof extensions?.code === "string" ? extensions.code : ""
  if (/rate.?limit|too many requests|quota/i.test(`${code} ${message}`))
    return { reason: "rate_limited", detail: "rate limit reached" }
  if (code === "REQUEST_TIMEOUT") return { reason: "timeout", detail: "exceeded its own time limit" }
  return {
    reason: "upstream_error",
    detail: `returned an error${/^[A-Z_]{1,40}$/.test(code) ? ` (${code})` : ""}`
  }
}

const decodeReply = GraphQl.decoding(faultOf)

const foreign: Fault = { reason: "bad_answer", detail: "serves another network" }
