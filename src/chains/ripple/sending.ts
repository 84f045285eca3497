import { createHash } from "node:crypto"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { height, numberOf } from "../../domain/units.ts"
import { span } from "../../kernel/span.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Endpoint, Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, RawTransactions, ReadSigned, SendOutcome, SignedTransaction } from "../Chain.ts"
import { findFirst } from "../kit/sending/findFirst.ts"
import {
  hexProblem,
  isRejectedByGateway,
  jsonResponse,
  noAnswer,
  otherTransaction,
  unchanged,
  wrongCall
} from "../kit/sending/nodeResponse.ts"
import { accepted, failureOf, refusedBy, refusing } from "../kit/sending/outcomes.ts"
import { errorOf, overloadErrors, unavailableErrors } from "./Client.ts"
import { refusals } from "./submit/refusals.ts"
import { contentOf, isTransaction } from "./submit/signedContent.ts"
import { type SignedFields, signedFields } from "./submit/signedFields.ts"

// A signed transaction of the XRP Ledger in its binary format (xrpl.org/docs/references/protocol/binary-format). Only
// the node checks its fields, so that transactions of later amendments are accepted.

/** More than the size of any transaction; rippled accepts up to a megabyte (`txMaxSizeBytes`). */
const maxBytes = 128 * 1024

/** A transaction that a node could accept. */
export interface RippleTransaction {
  /** In hex, upper case, as nodes write it. */
  readonly blob: string
  /** Its hash, in hex, upper case. */
  readonly hash: string
  readonly fields: SignedFields
}

/** `TXN` and a zero byte: the prefix of the bytes that are hashed for a transaction. */
const hashPrefix = "54584e00"

/** The hash of a transaction in hexadecimal digits: the first half of SHA-512, in upper case. */
export const hashOf = (text: string): string =>
  createHash("sha512").update(hashPrefix, "hex").update(text, "hex").digest("hex").slice(0, 64).toUpperCase()

/** Parses a signed transaction in hexadecimal digits (`tx_blob`); left is an error message for the user. */
export const parse = (text: string): Either.Either<RippleTransaction, string> => {
  const problem = hexProblem(text, maxBytes)
  return problem === undefined
    ? Either.right({ blob: text.toUpperCase(), hash: hashOf(text), fields: signedFields(Buffer.from(text, "hex")) })
    : Either.left(problem)
}

/** Parses the hash of a transaction to upper case; left is an error message for the user. */
export const parseHash = (text: string): Either.Either<string, string> =>
  /^[0-9a-f]{64}$/i.test(text)
    ? Either.right(text.toUpperCase())
    : Either.left("the hash of a transaction is 64 hexadecimal digits")

// `submit` and `tx` of rippled (xrpl.org/docs/references/http-websocket-apis/public-api-methods/transaction-methods);
// results as in xrpl.org/docs/references/protocol/transactions/transaction-results.

/** Sends to one node. */
export const signed =
  (nodes: Upstream): ReadSigned =>
  (text) =>
    Either.map(
      parse(text),
      (transaction): SignedTransaction => ({
        hash: transaction.hash,
        content: () => contentOf(transaction.fields),
        // Nodes of the main network refuse a transaction that names a network, also by its own number.
        ...(transaction.fields.network === undefined ? {} : { refusal: "wrong_chain" }),
        ...useOf(transaction.fields),
        ambiguous,
        known: jsonResponse("done", {
          result: {
            accepted: true,
            engine_result: "tefALREADY",
            tx_json: { hash: transaction.hash },
            status: "success"
          }
        }),
        send: nodes.once((node) => submit(node, transaction)).pipe(Effect.mapError(failureOf), span("Ripple.send"))
      })
    )

/** As {@link signed}, without sending what every node would refuse. */
export const sendable = (nodes: Upstream): ReadSigned =>
  refusing((text) =>
    Either.flatMap(parse(text), ({ fields }) => (isTransaction(fields) ? signed(nodes)(text) : Either.left(malformed)))
  )

/** Looks up a transaction at each node in order, because not every node has all ledgers. */
export const lookup =
  (nodes: Upstream): RawTransactions["prepareLookup"] =>
  (text) =>
    Either.map(parseHash(text), (hash) =>
      findFirst(nodes.addresses, (node) => lookUp(node, hash)).pipe(span("Ripple.find"))
    )

const malformed =
  "this is not a signed transaction: fields that every transaction has are missing, cut off, or not in their order"

/** A transaction with a ticket has the sequence zero, and does not use up a sequence. */
const useOf = ({ lastLedger, sender, sequence = 0 }: SignedFields): Partial<SignedTransaction> => ({
  ...(sender === undefined || sequence === 0 ? {} : { uses: { account: sender, nonce: BigInt(sequence) } }),
  ...(lastLedger === undefined
    ? {}
    : { lastBlock: height(numberOf(lastLedger)), notes: () => [String(numberOf(lastLedger))] })
})

/** A queued transaction that is sent again pays too little to replace itself; one in a ledger has used its sequence. */
const ambiguous = ["nonce_too_low", "replacement_underpriced"] as const

export const post = (method: string, params: unknown) =>
  HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post(""), { method, params: [params] })

const lookUp = (node: Endpoint, hash: string) =>
  node.read(post("tx", { transaction: hash, binary: true }), interpreting(found(hash)))

const submit = (node: Endpoint, transaction: RippleTransaction) =>
  node.send(post("submit", { tx_blob: transaction.blob }), interpreting(submitted(transaction)))

type RippledResult = Readonly<Record<string, unknown>>

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

/** Errors about the transaction; after any other error, the node has not processed it, or the outcome is unknown. */
const aboutTransaction = ["invalidTransaction", "invalidParams", "jsonInvalid"]

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

const submitted =
  ({ hash }: RippleTransaction) =>
  (result: RippledResult, answer: ResponseDecoder.UpstreamResponse): Either.Either<SendOutcome, Fault> => {
    const error = errorOf({ result })
    const refusedWith = (code: string, message: unknown, table = refusals) =>
      refusedBy(
        table,
        { words: typeof message === "string" ? `${code}: ${message}` : code },
        unchanged("refused", answer)
      )
    if (error !== undefined)
      return aboutTransaction.includes(error)
        ? refusedWith(error, result.error_exception ?? result.error_message)
        : Either.left(faultOf(error))
    const { accepted: isPooled, engine_result: code, engine_result_message: message, tx_json: echoed } = result
    if (typeof code !== "string") return Either.left(noAnswer(answer))
    if (Predicate.isRecord(echoed) && typeof echoed.hash === "string" && echoed.hash.toUpperCase() !== hash)
      return Either.left(wrongCall)
    if (isAccepted(code, isPooled))
      return Either.right(
        accepted(
          code === "tefALREADY",
          typeof message === "string" ? `${code}: ${message}` : code,
          unchanged("done", answer)
        )
      )
    return refusedWith(code, message, isUndecided(code, isPooled) ? [] : refusals)
  }

/**
 * tes means applied, tec applied only to charge the fee, ter queued or tried again: all three may enter a ledger, unless
 * `accepted` is false (not applied, queued, broadcast or kept). Without it, only known codes of ter count. tefALREADY
 * means that the open ledger has this transaction.
 */
const isAccepted = (code: string, isPooled: unknown): boolean =>
  code === "tefALREADY" ||
  (isPooled === true ? /^te[scr]/ : isPooled === false ? /^$/ : /^(te[sc]|terQUEUED|terPRE_)/).test(code)

/** Codes after which no ledger of this network includes the transaction; others may follow from the state of the node. */
const neverApplied = /^(tem|tefPAST_SEQ|tefMAX_LEDGER|tel(REQUIRES_NETWORK_ID|NETWORK_ID_MAKES|WRONG_NETWORK))/

/** Whether a code decides nothing: rippled tries submitted transactions again, unless `accepted` is false. */
const isUndecided = (code: string, isPooled: unknown): boolean => isPooled !== false && !neverApplied.test(code)

const found =
  (hash: string) =>
  (result: RippledResult, answer: ResponseDecoder.UpstreamResponse): Either.Either<NodeResponse, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(unchanged("unknown", answer))
    if (error !== undefined) return Either.left(faultOf(error))
    // `tx` in version 1 of the API, `tx_blob` in version 2.
    const blob = result.tx_blob ?? result.tx
    const { hash: stated = hash } = result
    return typeof blob === "string" && [hashOf(blob), String(stated).toUpperCase()].every((own) => own === hash)
      ? Either.right(unchanged("done", answer))
      : Either.left(otherTransaction)
  }
