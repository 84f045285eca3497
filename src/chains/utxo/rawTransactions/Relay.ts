import * as Either from "effect/Either"
import * as Option from "effect/Option"
import type { Rules, UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import type * as ResponseDecoder from "../../../upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { NodeResponse, SendOutcome } from "../../Chain.ts"
import { noAnswer as noNodeAnswer, unchanged } from "../../kit/sending/nodeResponse.ts"
import { accepted, refusedBy } from "../../kit/sending/outcomes.ts"
import { reasonIn } from "../../kit/sending/refusals.ts"
import type { Relay } from "../Provider.ts"
import type { IndexerRequest } from "../providers/reading.ts"
import { refusals } from "./refusals.ts"
import { type ParsedTransaction, read } from "./UtxoTransaction.ts"

/** How a raw transaction is sent and looked up. */
export interface RelayCalls {
  readonly send: (facts: UtxoFacts, transaction: ParsedTransaction) => IndexerRequest<SendOutcome>
  readonly find: (facts: UtxoFacts, hash: string) => IndexerRequest<NodeResponse>
  /** The relay with the lowest rank is used first. */
  readonly rank: number
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

/** An error as the node words it; indexers may omit the code. */
export interface NodeError {
  readonly code?: number
  readonly words: string
}

/** The error of a node, or the fault of a response that contains none. */
export type Reported = Either.Either<NodeError, Fault>

const isKnown = ({ code, words }: NodeError) =>
  code === -27 ||
  /already (in|exists in) (the )?(block ?chain|utxo set|mempool)|txn-already-(known|in-mempool)|txn-same-nonwitness-data-in-mempool/i.test(
    words
  )

/** The node is starting, or does not have the method: it has not processed the transaction. */
const untouched: Readonly<Record<number, Fault | undefined>> = {
  [-28]: { reason: "upstream_error", detail: "the node is starting", unsent: true },
  [-32601]: { reason: "upstream_error", detail: "the node accepts no transactions", unsent: true }
}

/** The error of bitcoind if it rejects a call before reading it. */
const busy = /^work queue depth exceeded/i

/** The fault of a response that does not come from a node. */
export const noAnswer = (answer: ResponseDecoder.UpstreamResponse): Fault => ({
  ...noNodeAnswer(answer),
  ...(busy.test(answer.text) ? { unsent: true } : {})
})

/** The response of bitcoind on success. */
export const done = (result: string, id: unknown = null): NodeResponse => ({
  verdict: "done",
  body: JSON.stringify({ result, error: null, id }),
  contentType: "application/json"
})

/** The outcome of a transaction that the upstream accepted; it must return the transaction's own hash. */
export const acceptedAs = (
  reported: string,
  { hash }: ParsedTransaction,
  response: NodeResponse
): Either.Either<SendOutcome, Fault> =>
  hash === undefined || reported.toLowerCase() === hash
    ? Either.right(accepted(false, "", response))
    : Either.left({ reason: "bad_answer", detail: "accepted the transaction under another hash" })

/** Maps an error about a sent transaction: if the node already knows the transaction, it has arrived. */
export const sendOutcome = (
  reported: Reported,
  answer: ResponseDecoder.UpstreamResponse,
  { hash }: ParsedTransaction,
  id?: unknown
): Either.Either<SendOutcome, Fault> =>
  Either.flatMap(reported, (error) => {
    if (isKnown(error))
      return Either.right(accepted(true, error.words, hash === undefined ? unchanged("done", answer) : done(hash, id)))
    const fault = untouched[error.code ?? 0]
    const outcome = fault === undefined ? refusedBy(refusals, error, unchanged("refused", answer)) : Either.left(fault)
    return Either.mapLeft(outcome, (fault) => ({ status: answer.status, ...fault }))
  })

/** The error of bitcoind without an index of transactions, or while it is built: a block may have the transaction. */
const withoutIndex = /No such mempool transaction/i

/** Errors about a transaction that the node or the indexer does not have. */
export const isMissing = ({ code, words }: NodeError): boolean =>
  !withoutIndex.test(words) && (code === -5 || (code === undefined && /not found|no such/i.test(words)))

/** Whether the response is such an error. */
export const saysMissing = (reported: Reported): boolean => Either.isRight(reported) && isMissing(reported.right)

/** Maps an error about a transaction that was looked up. */
export const lookupOutcome = (
  reported: Reported,
  answer: ResponseDecoder.UpstreamResponse
): Either.Either<NodeResponse, Fault> =>
  Either.flatMap(reported, (error) => {
    if (isMissing(error)) return Either.right(unchanged("unknown", answer))
    return reasonIn(refusals, `${error.code}: ${error.words}`) === undefined
      ? Either.left({ status: answer.status, ...(untouched[error.code ?? 0] ?? noLookup(error)) })
      : Either.right(unchanged("refused", answer))
  })

const noLookup = ({ words }: NodeError): Fault =>
  withoutIndex.test(words)
    ? { reason: "upstream_error", detail: "has no index of the transactions in blocks (-txindex)", final: true }
    : { reason: "upstream_error", detail: "did not look the transaction up" }

export const isHash = (value: unknown): value is string => typeof value === "string" && /^[0-9a-f]{64}$/i.test(value)

/** Whether it is the complete transaction with this hash. */
export const isTransaction = (rules: Rules, value: unknown, hash: string): value is string =>
  typeof value === "string" &&
  /^([0-9a-f]{2})+$/i.test(value) &&
  Option.exists(Either.getRight(read(rules, value)), (raw) => raw.hash === undefined || raw.hash === hash)
