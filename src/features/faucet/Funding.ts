import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import { alreadyKnown } from "../../chains/evm/rpc/EvmMethodPolicy.ts"
import { refusals } from "../../chains/evm/submit/refusals.ts"
import { reasonIn } from "../../chains/kit/sending/refusals.ts"
import type { SendReason } from "../../domain/SendReason.ts"
import * as Client from "../../jsonrpc/Client.ts"
import { type RpcError, rpcErrorOf } from "../../jsonrpc/errors.ts"
import * as Response from "../../jsonrpc/Response.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

/**
 * Why an account was not funded, or why that is unknown. `detail` is for people and is returned to clients.
 *
 * - `not_configured`: the operator must set something first
 * - `invalid_address`: it is not an address, or does not accept coins
 * - `too_soon`: it was funded before, and `retryAfter` must pass
 * - `not_sent`: no coins were sent
 * - `uncertain`: the coins may have arrived
 * - `timed_out`: the node timed out; `detail` says whether the coins may have arrived
 */
export class FundingError extends Schema.TaggedError<FundingError>()("FundingError", {
  reason: Schema.Literal("not_configured", "invalid_address", "too_soon", "not_sent", "uncertain", "timed_out"),
  detail: Schema.String,
  /** When the address may be funded, ms from now. */
  retryAfter: Schema.optional(Schema.Number)
}) {
  override get message() {
    return this.detail
  }
}

export const notSent = (why: string) =>
  new FundingError({ reason: "not_sent", detail: `${why} Nothing was sent: try again.` })

/** The node failed before the coins were sent, or the send call did not reach it. */
export const unreached = ({ detail, retryAfter }: UpstreamError) =>
  new FundingError({
    reason: "not_sent",
    detail: `The node of the test network returned no usable answer: ${detail}. Nothing was sent: try again.`,
    ...(retryAfter === undefined ? {} : { retryAfter })
  })

const uncertainty = (hash: string | undefined) =>
  hash === undefined
    ? "The coins may have arrived anyway: check the balance"
    : `The transaction ${hash} may have arrived anyway: look it up`

export const uncertain = (hash: string | undefined) =>
  new FundingError({
    reason: "uncertain",
    detail: `The node of the test network did not report the result of the funding. ${uncertainty(hash)} before trying again.`
  })

export const timedOut = (sent: boolean, hash: string | undefined) =>
  new FundingError({
    reason: "timed_out",
    detail: sent
      ? `The node of the test network timed out. ${uncertainty(hash)} before trying again.`
      : "The node of the test network timed out. Nothing was sent: try again."
  })

export interface Job {
  /** Deadline for sending its transaction, ms. */
  readonly until: number
  /** Whether the transaction was sent and not certainly refused, so that the coins may arrive. */
  sent: boolean
  hash: string | undefined
}

/** How to give coins to an address (in lower case), for one funding at a time. */
export interface FundingMethod {
  /** Returns the hash of the transaction that the node has accepted, or null if the method sends no transaction. */
  readonly give: (address: `0x${string}`, job: Job) => Effect.Effect<string | null, FundingError>
}

/** Marks a job as sent: a waiting client is then informed that the coins may arrive. */
export const markSent = (job: Job, hash?: string): Effect.Effect<void, FundingError> =>
  Effect.flatMap(Clock.currentTimeMillis, (now) => {
    if (now >= job.until) return timedOut(false, undefined)
    job.sent = true
    job.hash = hash
    return Effect.void
  })

/** Marks a job as not sent, after the node has certainly refused it. */
export const markNotSent = (job: Job): Effect.Effect<void> =>
  Effect.sync(() => {
    job.sent = false
    job.hash = undefined
  })

const post = (call: Client.ClientCall) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "2.0", id: Client.onlyId, ...call })

/** A call that changes the state of the node: sent once. After a failure it is unknown whether it was processed. */
export const send = (upstream: Upstream, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  upstream.once((node) => node.send(post(call), decode))

export const read = (node: Endpoint, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  node.read(post(call), decode)

/** Several read-only calls, in one request if the node accepts batches. A failed call does not fail the others. */
export const readAll = (
  node: Endpoint,
  calls: ReadonlyArray<Client.ClientCall>
): Effect.Effect<ReadonlyArray<Client.Outcome>, UpstreamError> => {
  const separately = Effect.forEach(calls, (call) => read(node, call), { concurrency: calls.length })
  return Client.batch(node, calls).pipe(
    Effect.flatMap((outcomes) => (outcomes.every(Either.isLeft) ? separately : Effect.succeed(outcomes))),
    Effect.catchIf(
      ({ reason, unsent }) => reason !== "timeout" && reason !== "rate_limited" && unsent !== true,
      () => separately
    )
  )
}

/** Unlike {@link Client.call}, returns almost every error of the node: only some of them mean that it may have acted. */
const decode: ResponseDecoder.Decoder<Client.Outcome> = (response) =>
  Either.map(Response.unlessLimited()(response), ({ reply: { member, text } }) =>
    member === "result" ? Either.right(parsedJson(text)) : Either.left(rpcErrorOf(parsedJson(text)))
  )

/** Meaning of an error for the transaction or the method that was sent; `unclear`: it may have been accepted. */
export type Meaning = SendReason | "duplicate" | "unknownMethod" | "unclear"

const unknownMethod =
  /method.{0,80}(not (found|supported|available|exist|allowed|whitelisted)|unknown|unsupported)|(unknown|unsupported|unrecognized).{0,20}method/i

export const meaningOf = (error: RpcError): Meaning => {
  if (alreadyKnown.test(error.detail)) return "duplicate"
  if (error.code === -32601 || unknownMethod.test(error.detail)) return "unknownMethod"
  return reasonIn(refusals, `${error.code}: ${error.detail}`) ?? "unclear"
}

export const describe = ({ code, detail }: RpcError) =>
  `the node of the test network refused (${code}): ${detail.slice(0, 200)}`
