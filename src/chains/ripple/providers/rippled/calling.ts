import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import { isRejectedByGateway, noAnswer } from "../../../kit/sending/nodeResponse.ts"
import { otherAccount } from "../../Provider.ts"

/** A call over HTTP. */
export const post = <P>(
  { params, rpc }: Pick<Call.RpcCall<P, unknown, unknown, unknown>, "params" | "rpc">,
  parameters: P
) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { method: rpc, params: [params(parameters)] })

/** Makes a call at a node; none if the account does not exist. */
export const call = <P, B, A, I>(node: Endpoint, rpc: Call.RpcCall<P, B, A, I>, parameters: P) => {
  const response: Schema.Schema<{ readonly result: A }, { readonly result: I }> = Schema.Struct({
    result: rpc.response
  })
  const about = ({ result }: { readonly result: A }) => rpc.about?.(result, parameters) ?? true
  const decode = Call.decoding({ response, about }, parameters)
  return node.read(post(rpc, parameters), (answer) =>
    ResponseDecoder.fitting(Schema.Unknown, { refusal })(answer).pipe(
      Either.flatMap((body) =>
        errorOf(body) === "actNotFound"
          ? isAbout(body, parameters)
            ? Either.right(Option.none<A>())
            : Either.left<Fault>(otherAccount)
          : Either.map(decode(answer), ({ result }) => Option.some(result))
      ),
      // An HTTP status is never final: another gateway may accept a call that one gateway rejects.
      Either.mapLeft(({ final: _, ...fault }): Fault => ({ ...fault, ...overloadOf(answer) }))
    )
  )
}

/** A node refuses the calls of an address with a text (xrpl.org, rate limiting). */
const overloadOf = ({ status, text }: ResponseDecoder.UpstreamResponse) =>
  status === 503 && text.includes("Server is overloaded")
    ? { reason: "rate_limited" as const, detail: "rate limit reached (HTTP 503)" }
    : {}

/** The error in the body: the HTTP status is 200 for all others. */
export const errorOf = (body: unknown): string | undefined => {
  const result = Predicate.isRecord(body) ? body.result : undefined
  return Predicate.isRecord(result) && typeof result.error === "string" ? result.error : undefined
}

const Account = Schema.Struct({ account: Schema.String })
const accountOf = Schema.decodeUnknownOption(Account)
const isOfAccount = Schema.is(Schema.Struct({ result: Account }))

/** True if an error names the account of the call, or no account. */
const isAbout = (body: unknown, parameters: unknown): boolean =>
  !isOfAccount(body) || Option.exists(accountOf(parameters), ({ account }) => account === body.result.account)

const refusal = (body: unknown): Fault | undefined => {
  const error = errorOf(body)
  return error === undefined || error === "actNotFound" ? undefined : faultOf(error)
}

/** Errors of an overloaded node. */
const overloadErrors = ["slowDown", "tooBusy"]

/** The node is out of sync, or does not have the requested ledger. */
const unavailableErrors = [
  "noNetwork",
  "noCurrent",
  "noClosed",
  "notSynced",
  "notReady",
  "lgrNotFound",
  "lgrNotValidated"
]

export type RippledResult = Readonly<Record<string, unknown>>

/** Decodes the result of a call. */
export const interpreting =
  <A>(
    of: (result: RippledResult, answer: ResponseDecoder.UpstreamResponse) => Either.Either<A, Fault>
  ): ResponseDecoder.Decoder<A> =>
  (answer) => {
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    const result = Predicate.isRecord(body) ? body.result : undefined
    if (isRejectedByGateway(answer) || !Predicate.isRecord(result)) return Either.left(noAnswer(answer))
    return Either.mapLeft(
      of(result, answer),
      (fault): Fault => ({ status: answer.status, retryAfter: answer.retryAfter, ...fault })
    )
  }

/** Errors of a node that accepts no transactions. */
const sendingDisabled = [
  "unknownCmd",
  "forbidden",
  "noPermission",
  "notSupported",
  "reportingUnsupported",
  "amendmentBlocked"
]

/** The fault of an error that is not about the transaction. */
export const faultOf = (error: string): Fault => {
  if (overloadErrors.includes(error)) return { reason: "rate_limited", detail: "rate limit reached", unsent: true }
  if (unavailableErrors.includes(error))
    return { reason: "upstream_error", detail: "the node cannot answer at the moment", unsent: true }
  return {
    reason: "upstream_error",
    detail: "the node rejected the call",
    ...(sendingDisabled.includes(error) ? { unsent: true } : {})
  }
}
