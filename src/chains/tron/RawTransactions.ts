import { createHash } from "node:crypto"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { span } from "../../kernel/span.ts"
import * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { NodeResponse, RawTransactions } from "../Chain.ts"
import { isRejectedByGateway, jsonResponse, noAnswer, otherTransaction, unchanged, wrongCall } from "../nodeResponse.ts"
import { ofRaw } from "../sending/outcomes.ts"
import { unread } from "../tokenList.ts"
import { uncertain } from "../uncertain.ts"
import { post } from "./TransactionContext.ts"
import { parse, parseId, type TronTransaction } from "./TronTransaction.ts"
import { refusal } from "./TronWire.ts"

// `/wallet/broadcasthex` and `/wallet/gettransactionbyid` of a node's HTTP API (developers.tron.network/reference);
// codes as in `Return` of the node's api.proto.

/** Sends once to TronGrid, or to the operator's node. */
export const make = (trongrid: Upstream): RawTransactions => ({
  prepareSend: (text) =>
    Either.map(parse(text), (transaction) =>
      trongrid
        .once((address) =>
          address.send(
            post("/wallet/broadcasthex", { transaction: transaction.hex }),
            interpreting(submitted(transaction))
          )
        )
        .pipe(Effect.mapError(uncertain(transaction.id)), span("Tron.send"))
    ),
  prepareLookup: (text) =>
    Either.map(parseId(text), (id) =>
      trongrid
        .over((address) => address.read(post("/wallet/gettransactionbyid", { value: id }), interpreting(found(id))))
        .pipe(Effect.mapError(unread), span("Tron.find"))
    )
})

/** Sends signed transactions. A node checks the expiration first, also of a transaction that is in a block. */
export const withSending = (raw: RawTransactions) =>
  ofRaw({
    raw,
    ambiguous: ["expired"],
    parse: (text) => Either.map(parse(text), ({ expiration, id }) => ({ hash: id, expiry: expiration }))
  })

type TronBody = Readonly<Record<string, unknown>>

const interpreting =
  (
    of: (body: TronBody, answer: ResponseDecoder.UpstreamResponse) => Either.Either<NodeResponse, Fault>
  ): ResponseDecoder.Decoder<NodeResponse> =>
  (answer) => {
    const body = Either.getOrUndefined(ResponseDecoder.json(answer))
    if (isRejectedByGateway(answer) || answer.status !== 200 || !Predicate.isRecord(body))
      return Either.left(noAnswer(answer))
    return Either.mapLeft(
      of(body, answer),
      (fault): Fault => ({ status: answer.status, retryAfter: answer.retryAfter, ...fault })
    )
  }

/**
 * Returned before the transaction enters the node's pool. NOT_ENOUGH_EFFECTIVE_CONNECTION and OTHER_ERROR may also be
 * returned after that.
 */
const rejectedBeforePool = ["SERVER_BUSY", "NO_CONNECTION", "BLOCK_UNSOLIDIFIED"]

/** Codes about the transaction. */
const aboutTransaction = [
  "SIGERROR",
  "CONTRACT_VALIDATE_ERROR",
  "CONTRACT_EXE_ERROR",
  "BANDWITH_ERROR",
  "TAPOS_ERROR",
  "TOO_BIG_TRANSACTION_ERROR",
  "TRANSACTION_EXPIRATION_ERROR"
]

const submitted =
  ({ id }: TronTransaction) =>
  (body: TronBody, answer: ResponseDecoder.UpstreamResponse): Either.Either<NodeResponse, Fault> => {
    const { code, txid } = body
    if (typeof txid === "string" && txid.toLowerCase() !== id) return Either.left(wrongCall)
    if (body.result === true) return Either.right(unchanged("done", answer))
    // The node already has it, in its pool or in a block of the last minutes.
    if (code === "DUP_TRANSACTION_ERROR")
      return Either.right({ ...jsonResponse("done", { result: true, txid: id }), repeated: true })
    if (rejectedBeforePool.includes(String(code))) return Either.left({ ...unable, unsent: true })
    if (aboutTransaction.includes(String(code))) return Either.right(unchanged("refused", answer))
    const refused = refusal(body)
    // TronGrid's limits are checked before the node is called.
    return Either.left(refused?.reason === "rate_limited" ? { ...refused, unsent: true } : (refused ?? unable))
  }

const unable: Fault = { reason: "upstream_error", detail: "the node cannot accept transactions at the moment" }

/** A node without the transaction returns an empty object. */
const found =
  (id: string) =>
  (body: TronBody, answer: ResponseDecoder.UpstreamResponse): Either.Either<NodeResponse, Fault> => {
    if (Object.keys(body).length === 0) return Either.right(unchanged("unknown", answer))
    const refused = refusal(body)
    if (refused !== undefined) return Either.left(refused)
    const { raw_data_hex: raw, txID } = body
    const isIt = txID === id && typeof raw === "string" && createHash("sha256").update(raw, "hex").digest("hex") === id
    return isIt ? Either.right(unchanged("done", answer)) : Either.left(otherTransaction)
  }
