import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import { toMillis } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import { didNotArrive, type Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, RawTransactions } from "../Chain.ts"
import { findFirst } from "../findFirst.ts"
import { ofRaw } from "../sending/outcomes.ts"
import { resolveRepeat, type Sent, uncertain } from "../uncertain.ts"
import { parse, parseId, type Submission } from "./CardanoTransaction.ts"
import { type CardanoSource, Hash } from "./Source.ts"
import { timeOf } from "./TransactionContext.ts"

// Both upstreams forward transactions to `cardano-submit-api` (github.com/IntersectMBO/cardano-node), and wrap its
// responses differently.

/** Sends to the next source only if the previous one cannot have received the transaction; looks up at all in order. */
export const make = ([first, ...others]: readonly [
  CardanoSource,
  ...ReadonlyArray<CardanoSource>
]): RawTransactions => {
  const find = (id: string) => findFirst([first, ...others], (source) => source.find(id)).pipe(span("Cardano.find"))
  return {
    prepareSend: (text) =>
      Either.map(parse(text), (transaction) =>
        others
          .reduce(
            (sent, next) => Effect.catchIf(sent, didNotArrive, () => next.send(transaction)),
            first.send(transaction)
          )
          .pipe(
            Effect.mapError(uncertain(transaction.id)),
            Effect.flatMap(resolveRepeat("cardano", transaction.id, find(transaction.id))),
            span("Cardano.send")
          )
      ),
    prepareLookup: (text) => Either.map(parseId(text), find)
  }
}

/** Sends signed transactions. A node reports inputs and collateral of a transaction in a block as missing. */
export const withSending = (raw: RawTransactions) =>
  ofRaw({
    raw,
    ambiguous: ["already_spent", "insufficient_funds"],
    parse: (text) =>
      Either.map(parse(text), ({ id, ttl }) => ({
        hash: id,
        ...(ttl === undefined ? {} : { expiry: toMillis(timeOf(ttl)) })
      }))
  })

/** Posts the bytes to a path of an upstream. */
export const sending =
  (upstream: Upstream, path: string, refusal?: ResponseDecoder.DecodeOptions["refusal"]): CardanoSource["send"] =>
  (transaction) =>
    upstream.once((address) =>
      address.send(
        HttpClientRequest.bodyUint8Array(HttpClientRequest.post(path), transaction.bytes, "application/cbor"),
        submitted(transaction, refusal)
      )
    )

/**
 * The inputs are spent by the same transaction, submitted before, or by another one. The node includes its mempool, and
 * does not report which case it is.
 */
const allSpent = "All inputs are spent. Transaction has probably already been included"

const submitted =
  (
    { id }: Submission,
    refusal: ResponseDecoder.DecodeOptions["refusal"] = () => undefined
  ): ResponseDecoder.Decoder<Sent> =>
  (answer) => {
    const { status, text } = answer
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (status === 200 || status === 202)
      return body === id ? Either.right({ response: verdictOf("done", text) }) : Either.left(notTheId)
    if (status === 400 && isOfTheNode(body, text))
      return Either.right(
        text.includes(allSpent)
          ? { response: verdictOf("done", JSON.stringify(id)), possibleDuplicate: "all inputs of it are spent" }
          : { response: verdictOf("refused", text, body === undefined ? "text/plain; charset=utf-8" : undefined) }
      )
    const fault = refusal(body) ?? untaken[status] ?? ResponseDecoder.statusFault(answer) ?? notTheId
    return Either.left({
      ...fault,
      status,
      retryAfter: fault.retryAfter ?? answer.retryAfter,
      ...(status in untaken ? { unsent: true } : {})
    })
  }

const notTheId: Fault = {
  reason: "bad_answer",
  detail: "returned something other than the id of the transaction"
}

/** Whether the error concerns the transaction, and not the request: gateways and wrong paths return such errors too. */
const isOfTheNode = (body: unknown, text: string): boolean => {
  if (typeof body === "string") return true
  if (!Predicate.isRecord(body)) return body === undefined && text.startsWith("transaction ")
  return typeof body.tag === "string" || (body.status_code === 400 && !/invalid path/i.test(String(body.message)))
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

const Cbor = Schema.String.pipe(Schema.pattern(/^[0-9a-f]+$/))

/** `/txs/{id}/cbor` of Blockfrost. */
export const SubmittedTransaction = Schema.Struct({ cbor: Cbor })

const TransactionRows = Schema.Array(Schema.Struct({ tx_hash: Hash, cbor: Cbor }))

/** `/tx_cbor` of Koios: a row for each transaction that exists. */
export const inRows =
  (id: string): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) =>
    Either.flatMap(ResponseDecoder.fitting(TransactionRows)(answer), (rows) => {
      if (rows.length === 0) return Either.right(verdictOf("unknown", answer.text))
      return rows.every(({ tx_hash }) => tx_hash === id)
        ? Either.right(verdictOf("done", answer.text))
        : Either.left<Fault>({ reason: "bad_answer", detail: "returned data of a transaction that was not requested" })
    })
