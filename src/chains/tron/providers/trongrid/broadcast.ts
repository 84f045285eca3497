import { createHash } from "node:crypto"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Call from "../../../../upstream/Call.ts"
import * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../../../Chain.ts"
import {
  isRejectedByGateway,
  jsonResponse,
  noAnswer,
  otherTransaction,
  unchanged,
  wrongCall
} from "../../../kit/sending/nodeResponse.ts"
import { accepted, refusedBy } from "../../../kit/sending/outcomes.ts"
import type { TronProvider } from "../../Provider.ts"
import { refusals } from "../../refusals.ts"
import type { TronTransaction } from "../../TronTransaction.ts"
import * as calls from "./calls.ts"

/** Sends once. */
export const sendTo =
  (trongrid: Upstream): TronProvider["send"] =>
  (transaction) =>
    trongrid.once((address) =>
      address.send(Call.requestOf(calls.broadcast, transaction), interpreting(submitted(transaction)))
    )

/** Looks up a transaction, and passes the response on. */
export const findAt =
  (trongrid: Upstream): TronProvider["find"] =>
  (id) =>
    trongrid.over((address) => address.read(Call.requestOf(calls.transaction, { id }), interpreting(found(id))))

type TronBody = Readonly<Record<string, unknown>>

const interpreting =
  <A>(
    of: (body: TronBody, answer: ResponseDecoder.UpstreamResponse) => Either.Either<A, Fault>
  ): ResponseDecoder.Decoder<A> =>
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

/** Java nodes encode messages as hex. */
const decodedMessage = (message: unknown): string => {
  const text = typeof message === "string" ? message : ""
  return /^([2-7][0-9a-f])+$/i.test(text) ? Buffer.from(text, "hex").toString("latin1") : text
}

const submitted =
  ({ id }: TronTransaction) =>
  (body: TronBody, answer: ResponseDecoder.UpstreamResponse): Either.Either<SendOutcome, Fault> => {
    const { code, message, txid } = body
    if (typeof txid === "string" && txid.toLowerCase() !== id) return Either.left(wrongCall)
    if (body.result === true) return Either.right(accepted(false, "", unchanged("done", answer)))
    // The node already has it, in its pool or in a block of the last minutes.
    if (code === "DUP_TRANSACTION_ERROR")
      return Either.right(accepted(true, code, jsonResponse("done", { result: true, txid: id })))
    if (rejectedBeforePool.includes(String(code))) return Either.left({ ...unable, unsent: true })
    const limit = calls.refusal(body)
    // TronGrid's limits are checked before the node is called.
    if (limit?.reason === "rate_limited") return Either.left({ ...limit, unsent: true })
    if (typeof code !== "string") return Either.left(limit ?? unable)
    const words = [code, decodedMessage(message)].filter((text) => text !== "").join(": ")
    return refusedBy(refusals, { words }, unchanged("refused", answer))
  }

const unable: Fault = { reason: "upstream_error", detail: "the node cannot accept transactions at the moment" }

/** A node without the transaction returns an empty object. */
const found =
  (id: string) =>
  (body: TronBody, answer: ResponseDecoder.UpstreamResponse): Either.Either<NodeResponse, Fault> => {
    if (Object.keys(body).length === 0) return Either.right(unchanged("unknown", answer))
    const refused = calls.refusal(body)
    if (refused !== undefined) return Either.left(refused)
    const { raw_data_hex: raw, txID } = body
    const isIt = txID === id && typeof raw === "string" && createHash("sha256").update(raw, "hex").digest("hex") === id
    return isIt ? Either.right(unchanged("done", answer)) : Either.left(otherTransaction)
  }
