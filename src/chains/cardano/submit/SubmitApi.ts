import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Call from "../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../../Chain.ts"
import { accepted, refusedBy } from "../../kit/sending/outcomes.ts"
import type { Submission } from "../CardanoTransaction.ts"
import type { CardanoProvider } from "../Provider.ts"
import { refusals } from "./refusals.ts"

// Both providers forward transactions to `cardano-submit-api` (github.com/IntersectMBO/cardano-node), and wrap its
// responses differently.

/** Makes a call that submits the bytes of a transaction, and returns its id. */
export const sending =
  <I>(
    upstream: Upstream,
    call: Call.Call<string, Submission, unknown, string, I>,
    refusal?: ResponseDecoder.DecodeOptions["refusal"]
  ): CardanoProvider["send"] =>
  (transaction) =>
    upstream.once((address) => address.send(Call.requestOf(call, transaction), submitted(transaction, refusal)))

const submitted =
  (
    { id }: Submission,
    refusal: ResponseDecoder.DecodeOptions["refusal"] = () => undefined
  ): ResponseDecoder.Decoder<SendOutcome> =>
  (answer) => {
    const { status, text } = answer
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (status === 200 || status === 202)
      return body === id ? Either.right(accepted(false, "", verdictOf("done", text))) : Either.left(notTheId)
    const words = status === 400 ? wordsOfNode(body, text) : undefined
    if (words !== undefined)
      return Either.mapBoth(
        refusedBy(
          refusals,
          { words },
          verdictOf("refused", text, body === undefined ? "text/plain; charset=utf-8" : undefined)
        ),
        {
          onLeft: (fault): Fault => ({ status, ...fault }),
          onRight: (outcome): SendOutcome =>
            outcome.reason === "expired" && isTooEarly(words) ? { ...outcome, reason: "too_early" } : outcome
        }
      )
    const fault = refusal(body) ?? untaken[status] ?? ResponseDecoder.statusFault(answer) ?? notTheId
    return Either.left({
      ...fault,
      status,
      retryAfter: fault.retryAfter ?? answer.retryAfter,
      ...(status in untaken ? { unsent: true } : {})
    })
  }

/** The first slot of a validity interval, and the current slot after it. */
const interval = /invalidBefore = SJust \(SlotNo (\d{1,19})\)[^}]{0,200}\}\) \(SlotNo (\d{1,19})\)/

/** Nodes have one error for slots before and after the validity interval. */
const isTooEarly = (words: string): boolean => {
  const [, first, current] = interval.exec(words) ?? []
  return first !== undefined && current !== undefined && BigInt(current) < BigInt(first)
}

const notTheId: Fault = {
  reason: "bad_answer",
  detail: "returned something other than the id of the transaction"
}

/** The words about the transaction; undefined for another error: gateways and wrong paths return such errors too. */
const wordsOfNode = (body: unknown, text: string): string | undefined => {
  if (typeof body === "string") return body
  if (!Predicate.isRecord(body)) return body === undefined && text.startsWith("transaction ") ? text : undefined
  if (typeof body.tag === "string") return text
  const { details, message, status_code: status } = body
  if (status !== 400 || /invalid path/i.test(String(message))) return undefined
  return details === undefined ? String(message) : JSON.stringify(details)
}

const elsewhere: Fault = { reason: "bad_answer", detail: "accepts no transactions at this address", final: true }

/** Responses that mean that no node received the transaction. */
const untaken: Readonly<Record<number, Fault | undefined>> = {
  404: elsewhere,
  405: elsewhere,
  413: { reason: "upstream_error", detail: "accepts no transaction of this size", final: true },
  415: elsewhere,
  418: { reason: "rate_limited", detail: "has banned this service" },
  425: { reason: "upstream_error", detail: "its mempool is full", final: true }
}

/** A response of a node, with its verdict. */
export const verdictOf = (
  verdict: NodeResponse["verdict"],
  body: string,
  contentType = "application/json"
): NodeResponse => ({
  verdict,
  body,
  contentType
})
