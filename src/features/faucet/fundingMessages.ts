import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Schema from "effect/Schema"
import * as Client from "../../jsonrpc/Client.ts"
import { isRejectedByGateway, RpcError } from "../../jsonrpc/errors.ts"
import * as ResponseDecoder from "../../upstream/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"

const id = 1

const post = (call: Client.ClientCall) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { jsonrpc: "2.0", id, ...call })

/** A call that changes something at the node: goes out once. A failure leaves open what became of it. */
export const tell = (upstream: Upstream, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  upstream.once((node) => node.send(post(call), said))

/** A question; an answer to another one is none. */
export const ask = (node: Endpoint, call: Client.ClientCall): Effect.Effect<Client.Outcome, UpstreamError> =>
  node.read(post(call), said)

/** Many of them, in one request where the node takes such: one that it fails at must not cost the others. */
export const askAll = (
  node: Endpoint,
  calls: ReadonlyArray<Client.ClientCall>
): Effect.Effect<ReadonlyArray<Client.Outcome>, UpstreamError> => {
  const alone = Effect.forEach(calls, (call) => ask(node, call), { concurrency: calls.length })
  return Client.batch(node, calls).pipe(
    Effect.flatMap((outcomes) => (outcomes.every(Either.isLeft) ? alone : Effect.succeed(outcomes))),
    Effect.catchIf(
      ({ reason, unsent }) => reason !== "timeout" && reason !== "rate_limited" && unsent !== true,
      () => alone
    )
  )
}

const Refused = Schema.Struct({
  id: Schema.NullOr(Schema.Literal(id, String(id))),
  error: Schema.Struct({ code: Schema.optional(Schema.Number), message: Schema.optional(Schema.String) })
})
const Done = Schema.Struct({ id: Schema.Literal(id, String(id)), result: Schema.Unknown })

const isRefused = Schema.is(Refused)
const isDone = Schema.is(Done)

/** A node says no under almost any HTTP status, but yes only under a good one and with the id that was asked. */
const said: ResponseDecoder.Decoder<Client.Outcome> = (answer) => {
  const fault = ResponseDecoder.statusFault(answer)
  if (fault !== undefined && isRejectedByGateway(answer.status)) return Either.left(fault)
  const body = Either.getOrUndefined(ResponseDecoder.json(answer))
  if (isRefused(body)) {
    const { code = 0, message = "" } = body.error
    return limitedCodes.includes(code) || limited.test(message)
      ? Either.left({ reason: "rate_limited", detail: "rate limit reached", unsent: true })
      : Either.right(Either.left(new RpcError({ code, detail: message })))
  }
  if (fault !== undefined) return Either.left(fault)
  return isDone(body) && "result" in body
    ? Either.right(Either.right(body.result))
    : Either.left({ reason: "bad_answer", detail: "returned a response in an unexpected format" })
}

const limitedCodes = [-32005, -32029, 429]
const limited = /rate limit|too many requests/i

/** What a refusal means for what was sent. */
export type Meaning = "known" | "occupied" | "outdated" | "dry" | "absent" | "unclear" | "refused"

/** In order: the words of geth, Nethermind, Besu, Erigon, Reth and Anvil come before the codes, which they share. */
const meanings: ReadonlyArray<readonly [Meaning, RegExp]> = [
  [
    "known",
    /already (known|imported)|transaction already exists|\bknown transaction|alreadyknown|already in (the )?\w* ?pool/i
  ],
  ["dry", /insufficient (funds|balance)|enough funds|upfront cost exceeds|insufficientfunds|exceeds balance/i],
  ["occupied", /nonce.{0,20}too low|oldnonce|nonce.{0,20}(already|used)|replace|same nonce/i],
  [
    "outdated",
    /nonce.{0,20}(too high|gap)|invalid nonce|underpriced|fee.{0,20}too low|less than (the )?block base fee|feetoolow|gas price.{0,20}(low|below)/i
  ],
  [
    "absent",
    /method.{0,80}(not (found|supported|available|exist|allowed|whitelisted)|unknown|unsupported)|(unknown|unsupported|unrecognized).{0,20}method/i
  ]
]

const unclear = /internal|timeout|timed out|unavailable|overloaded|upstream|backend|bad gateway/i
const unclearCodes = [-32603, -32001, -32002]

export const meaningOf = ({ code, detail }: RpcError): Meaning => {
  const said = meanings.find(([, words]) => words.test(detail))
  if (said !== undefined) return said[0]
  if (code === -32601) return "absent"
  return unclearCodes.includes(code) || unclear.test(detail) ? "unclear" : "refused"
}

/** For the log. */
export const words = ({ code, detail }: RpcError) =>
  `the node of the test network refused (${code}): ${detail.slice(0, 200)}`
