import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rules } from "../../../catalogue/utxo/UtxoFacts.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import { noAnswer as noNodeAnswer, unchanged } from "../../nodeResponse.ts"
import type { Said } from "./Relay.ts"
import { type Raw, read } from "./UtxoTransaction.ts"

// The codes of bitcoind's errors (src/rpc/protocol.h), which all of its kind and the indexers before it pass on.

/** The verdict of a node's error about a transaction; or none. */
export type Sense = "known" | "refused" | "missing" | Fault

const knownText =
  /already (in|exists in) (the )?(block ?chain|utxo set|mempool)|txn-already-(known|in-mempool)|txn-same-nonwitness-data-in-mempool/i

/**
 * The transaction cannot be decoded, is not valid, does not get into the pool; a parameter that the node refuses. -1 is
 * whatever else went wrong with the call.
 */
const refusals = [-1, -3, -8, -22, -25, -26, -32602]

/** The node starts, or has no such method: it has not looked at the transaction. */
const untouched = [-28, -32601]

export const senseOf = (code: number, message: string): Sense => {
  if (code === -27 || knownText.test(message)) return "known"
  if (code === -5) return "missing"
  if (refusals.includes(code)) return "refused"
  return {
    reason: "upstream_error",
    detail: code === -28 ? "the node is starting" : `the node is not working (${code})`,
    ...(untouched.includes(code) ? { unsent: true } : {})
  }
}

/** bitcoind before it reads a call. */
const busy = /^work queue depth exceeded/i

/** What is wrong with an answer that is none of a node's. */
export const noAnswer = (answer: ResponseDecoder.UpstreamResponse): Fault => ({
  ...noNodeAnswer(answer),
  ...(busy.test(answer.text) ? { unsent: true } : {})
})

/** The response of bitcoind on success. */
export const done = (result: string, id: unknown = null): Said => ({
  verdict: "done",
  body: JSON.stringify({ result, error: null, id }),
  contentType: "application/json"
})

/** An error about a transaction that was sent: one that is already known has arrived. */
export const sent = (
  sense: Sense,
  answer: ResponseDecoder.UpstreamResponse,
  { hash }: Raw,
  id?: unknown
): Either.Either<Said, Fault> => {
  if (typeof sense !== "string") return Either.left({ status: answer.status, ...sense })
  if (sense !== "known") return Either.right(unchanged("refused", answer))
  return Either.right(hash === undefined ? unchanged("done", answer) : done(hash, id))
}

/** An error about a transaction that was looked for. */
export const sought = (sense: Sense, answer: ResponseDecoder.UpstreamResponse): Either.Either<Said, Fault> =>
  typeof sense === "string"
    ? Either.right(unchanged(sense === "missing" ? "unknown" : "refused", answer))
    : Either.left({ status: answer.status, ...sense })

export const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value)

/** Whether it is the transaction with this hash, and all of it. */
export const isTransaction = (rules: Rules, value: unknown, hash: string): value is string =>
  typeof value === "string" &&
  /^([0-9a-f]{2})+$/i.test(value) &&
  Option.exists(Either.getRight(read(rules, value)), (raw) => raw.hash === undefined || raw.hash === hash)
