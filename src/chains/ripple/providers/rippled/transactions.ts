import * as Either from "effect/Either"
import * as Option from "effect/Option"
import * as Predicate from "effect/Predicate"
import * as Schema from "effect/Schema"
import type * as ResponseDecoder from "../../../../upstream/response/ResponseDecoder.ts"
import type { Endpoint } from "../../../../upstream/Upstream.ts"
import type { Fault } from "../../../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../../../Chain.ts"
import { noAnswer, otherTransaction, unchanged, wrongCall } from "../../../kit/sending/nodeResponse.ts"
import { accepted, refusedBy } from "../../../kit/sending/outcomes.ts"
import { type LedgerTransaction, toLedgerTransaction } from "../../LedgerTransaction.ts"
import { type RippleProvider, unreadable } from "../../Provider.ts"
import { hashOf, type RippleTransaction } from "../../RippleTransaction.ts"
import { refusals } from "../../submit/refusals.ts"
import { errorOf, faultOf, interpreting, post, type RippledResult } from "./calling.ts"
import * as calls from "./calls.ts"

/** Sends to one node. */
export const submitTo = (node: Endpoint, transaction: RippleTransaction) =>
  node.send(post(calls.submit, transaction), interpreting(submitted(transaction)))

/** Looks up a transaction, and passes the response on. */
export const findAt: RippleProvider["find"] = (node, hash) =>
  node.read(post(calls.binaryTx, { hash }), interpreting(found(hash)))

/** Looks up a transaction, at most in a range of ledgers. */
export const stateAt: RippleProvider["stateOf"] = (node, hash, range) =>
  node.read(post(calls.tx, { hash, range }), interpreting(stateIn(hash)))

/** Looks up a transaction; one without a ledger has no time, and gets this date. */
export const transactionAt: RippleProvider["transaction"] = (node, hash, date) =>
  node.read(post(calls.tx, { hash }), interpreting(transactionIn(hash, date)))

const decode = Schema.decodeUnknownOption(calls.tx.response)

/** The transaction, or whether the node has searched the whole requested range for it. */
const stateIn =
  (hash: string) =>
  (result: RippledResult): Either.Either<typeof calls.tx.response.Type | boolean, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(result.searched_all === true)
    if (error !== undefined) return Either.left(faultOf(error))
    return Either.fromOption(
      Option.filter(decode(result), (tx) => tx.hash === hash),
      () => unreadable
    )
  }

/** The transaction; undefined if the node does not have it. */
const transactionIn =
  (hash: string, date: number) =>
  (result: RippledResult): Either.Either<LedgerTransaction | undefined, Fault> => {
    const error = errorOf({ result })
    if (error === "txnNotFound") return Either.right(undefined)
    if (error !== undefined) return Either.left(faultOf(error))
    const { meta, validated = false } = result
    // Without a ledger it has no time: it is pending now.
    const row = { tx: { date, ...result }, validated, ...(validated === true ? { meta } : {}) }
    return Either.fromOption(
      Option.filter(toLedgerTransaction(row), (read) => read.hash.toUpperCase() === hash),
      () => unreadable
    )
  }

/** Errors about the transaction; after any other error, the node has not processed it, or the outcome is unknown. */
const aboutTransaction = ["invalidTransaction", "invalidParams", "jsonInvalid"]

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
