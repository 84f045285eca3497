import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Client from "../../jsonrpc/Client.ts"
import { isRejectedByGateway, RpcError } from "../../jsonrpc/errors.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type FundingError, timedOut } from "./FundingError.ts"

/** The state of one funding. */
export interface Job {
  /** Deadline for sending its transaction, ms. */
  readonly until: number
  /** Whether the transaction was sent and not certainly refused, so that the coins may arrive. */
  sent: boolean
  /** Hash of the last transaction. */
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

const id = 1

const post = (call: Client.ClientCall) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "2.0", id, ...call })

/** A call that changes the state of the node: sent once. After a failure it is unknown whether it was processed. */
export const send = (upstream: Upstream, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  upstream.once((node) => node.send(post(call), decode))

/** A read-only call. */
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

const ErrorResponse = Schema.Struct({
  id: Schema.NullOr(Schema.Literal(id, String(id))),
  error: Schema.Struct({ code: Schema.optional(Schema.Number), message: Schema.optional(Schema.String) })
})
const ResultResponse = Schema.Struct({ id: Schema.Literal(id, String(id)), result: Schema.Unknown })

const isError = Schema.is(ErrorResponse)
const isResult = Schema.is(ResultResponse)

/**
 * Accepts an error with almost any HTTP status, a result only with a 2xx status and the id of the call. Stricter than
 * {@link Client.call}, because a wrong verdict costs coins here.
 */
const decode: ResponseDecoder.Decoder<Client.Outcome> = (response) => {
  const fault = ResponseDecoder.statusFault(response)
  if (fault !== undefined && isRejectedByGateway(response.status)) return Either.left(fault)
  const body = Either.getOrUndefined(ResponseDecoder.json(response))
  if (isError(body)) {
    const { code = 0, message = "" } = body.error
    return rateLimitCodes.includes(code) || rateLimit.test(message)
      ? Either.left({ reason: "rate_limited", detail: "rate limit reached", unsent: true })
      : Either.right(Either.left(new RpcError({ code, detail: message })))
  }
  if (fault !== undefined) return Either.left(fault)
  return isResult(body) && "result" in body
    ? Either.right(Either.right(body.result))
    : Either.left({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
}

const rateLimitCodes = [-32005, -32029, 429]
const rateLimit = /rate limit|too many requests/i

/** Meaning of a node's error for the transaction or the method that was sent. */
export type Meaning =
  | "duplicate"
  | "nonceTaken"
  | "outdated"
  | "outOfFunds"
  | "unknownMethod"
  /** The transaction may have been accepted. */
  | "unclear"
  | "refused"

/** In order of precedence. Texts of geth, Nethermind, Besu, Erigon, Reth and Anvil precede their shared codes. */
const meanings: ReadonlyArray<readonly [Meaning, RegExp]> = [
  [
    "duplicate",
    /already (known|imported)|transaction already exists|\bknown transaction|alreadyknown|already in (the )?\w* ?pool/i
  ],
  ["outOfFunds", /insufficient (funds|balance)|enough funds|upfront cost exceeds|insufficientfunds|exceeds balance/i],
  ["nonceTaken", /nonce.{0,20}too low|oldnonce|nonce.{0,20}(already|used)|replace|same nonce/i],
  [
    "outdated",
    /nonce.{0,20}(too high|gap)|invalid nonce|underpriced|fee.{0,20}too low|less than (the )?block base fee|feetoolow|gas price.{0,20}(low|below)/i
  ],
  [
    "unknownMethod",
    /method.{0,80}(not (found|supported|available|exist|allowed|whitelisted)|unknown|unsupported)|(unknown|unsupported|unrecognized).{0,20}method/i
  ]
]

const unclear = /internal|timeout|timed out|unavailable|overloaded|upstream|backend|bad gateway/i
const unclearCodes = [-32603, -32001, -32002]

export const meaningOf = ({ code, detail }: RpcError): Meaning => {
  const [meaning] = meanings.find(([, text]) => text.test(detail)) ?? []
  if (meaning !== undefined) return meaning
  if (code === -32601) return "unknownMethod"
  return unclearCodes.includes(code) || unclear.test(detail) ? "unclear" : "refused"
}

/** Text of an error for the log. */
export const describe = ({ code, detail }: RpcError) =>
  `the node of the test network refused (${code}): ${detail.slice(0, 200)}`
