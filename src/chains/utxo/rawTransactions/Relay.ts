import type * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rules, UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Source } from "../../../upstream/Sources.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault, UpstreamError } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse } from "../../Chain.ts"
import { noAnswer as noNodeAnswer, unchanged } from "../../nodeResponse.ts"
import type { IndexerRequest } from "../sources/Source.ts"
import { type ParsedTransaction, read } from "./UtxoTransaction.ts"

/** The response of an upstream about a raw transaction. */
export interface RelayResponse extends NodeResponse {
  /** The hash that the response gives for the accepted transaction. */
  readonly hash?: string
}

/** How a raw transaction is sent and looked up. */
export interface RelayCalls {
  readonly send: (facts: UtxoFacts, transaction: ParsedTransaction) => IndexerRequest<RelayResponse>
  readonly find: (facts: UtxoFacts, hash: string) => IndexerRequest<RelayResponse>
  /** The relay with the lowest rank is used first. */
  readonly rank: number
}

/** An upstream that accepts raw transactions and looks them up. */
export interface Relay extends Source {
  readonly name: string
  readonly rank: number
  /** Sends to one address at a time, and to no other after one that may have accepted it. */
  readonly send: (transaction: ParsedTransaction) => Effect.Effect<RelayResponse, UpstreamError>
  readonly find: (hash: string) => Effect.Effect<RelayResponse, UpstreamError>
}

export const make = (facts: UtxoFacts, upstream: Upstream, calls: RelayCalls): Relay => ({
  name: upstream.name,
  standing: upstream.standing,
  rank: calls.rank,
  send: (transaction) => {
    const { decode: interpret, request } = calls.send(facts, transaction)
    return upstream.once((address) => address.send(request, interpret))
  },
  find: (hash) => {
    const { decode: interpret, request } = calls.find(facts, hash)
    return upstream.over((address) => address.read(request, interpret))
  }
})

// Error codes of bitcoind (src/rpc/protocol.h), which its forks use too, and which indexers pass on.

/** The meaning of a node's error for a transaction; a fault if the error is not about the transaction. */
export type ErrorMeaning = "known" | "refused" | "missing" | Fault

const knownText =
  /already (in|exists in) (the )?(block ?chain|utxo set|mempool)|txn-already-(known|in-mempool)|txn-same-nonwitness-data-in-mempool/i

/**
 * The transaction cannot be decoded, is invalid, or is not accepted into the mempool; or the node rejects a parameter.
 * -1 is any other error of the call.
 */
const refusals = [-1, -3, -8, -22, -25, -26, -32602]

/** The node is starting, or does not have the method: it has not processed the transaction. */
const untouched = [-28, -32601]

export const meaningOf = (code: number, message: string): ErrorMeaning => {
  if (code === -27 || knownText.test(message)) return "known"
  if (code === -5) return "missing"
  if (refusals.includes(code)) return "refused"
  return {
    reason: "upstream_error",
    detail: code === -28 ? "the node is starting" : `the node is not working (${code})`,
    ...(untouched.includes(code) ? { unsent: true } : {})
  }
}

/** The error of bitcoind if it rejects a call before reading it. */
const busy = /^work queue depth exceeded/i

/** The fault of a response that does not come from a node. */
export const noAnswer = (answer: ResponseDecoder.UpstreamResponse): Fault => ({
  ...noNodeAnswer(answer),
  ...(busy.test(answer.text) ? { unsent: true } : {})
})

/** The response of bitcoind on success. */
export const done = (result: string, id: unknown = null): RelayResponse => ({
  verdict: "done",
  body: JSON.stringify({ result, error: null, id }),
  contentType: "application/json"
})

/** Maps an error about a sent transaction: if the node already knows the transaction, it has arrived. */
export const sendOutcome = (
  sense: ErrorMeaning,
  answer: ResponseDecoder.UpstreamResponse,
  { hash }: ParsedTransaction,
  id?: unknown
): Either.Either<RelayResponse, Fault> => {
  if (typeof sense !== "string") return Either.left({ status: answer.status, ...sense })
  if (sense !== "known") return Either.right(unchanged("refused", answer))
  return Either.right({ ...(hash === undefined ? unchanged("done", answer) : done(hash, id)), repeated: true })
}

/** Maps an error about a transaction that was looked up. */
export const lookupOutcome = (
  sense: ErrorMeaning,
  answer: ResponseDecoder.UpstreamResponse
): Either.Either<RelayResponse, Fault> =>
  typeof sense === "string"
    ? Either.right(unchanged(sense === "missing" ? "unknown" : "refused", answer))
    : Either.left({ status: answer.status, ...sense })

export const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value)

/** Whether it is the complete transaction with this hash. */
export const isTransaction = (rules: Rules, value: unknown, hash: string): value is string =>
  typeof value === "string" &&
  /^([0-9a-f]{2})+$/i.test(value) &&
  Option.exists(Either.getRight(read(rules, value)), (raw) => raw.hash === undefined || raw.hash === hash)
