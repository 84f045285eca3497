import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import * as Client from "../../jsonrpc/Client.ts"
import { faultOf, type RpcError, rpcErrorOf } from "../../jsonrpc/errors.ts"
import * as Response from "../../jsonrpc/Response.ts"
import type { RpcCall, RpcReply, SendingRpc } from "../../jsonrpc/Rpc.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import type { Upstream } from "../../upstream/Upstream.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { SendFailure, SendOutcome } from "../Chain.ts"
import { unread } from "../tokenList.ts"
import { accepted, type Find, failureOf, refused } from "./outcomes.ts"
import { reasonOf } from "./refusals.ts"

// The replies of JSON-RPC nodes to a call that sends a transaction.

/** How a network's nodes reply to a sent transaction. */
export interface Dialect {
  /** Whether the result of the call is about the transaction that was sent. */
  readonly isResult: (result: unknown) => boolean
  /** Errors that mean that the node already has the transaction. */
  readonly known: RegExp
  /** Errors of a node that decided nothing, in addition to those of all nodes. */
  readonly failures?: RegExp
  /** Codes with which these nodes only refuse transactions. */
  readonly refusals?: ReadonlyArray<number>
}

/** The pool of the node is full, or the node does not follow the network: it took nothing. */
const untaken = /pool is (full|at capacity)|txpool limit|not synced|(is|still) syncing|node is (behind|unhealthy)/i

const methodNotFound = -32601

const otherHash: Fault = { reason: "bad_answer", detail: "returned the hash of another transaction" }

const unavailable = (detail: string): Fault => ({ reason: "upstream_error", detail, unsent: true })

const undecided: Fault = { reason: "upstream_error", detail: "the node cannot answer at the moment" }

/** The words of an error. A transfer of more coins than there are is reported in the logs only (Solana). */
const wordsOf = ({ data, detail }: RpcError): string => {
  const logs = Predicate.isRecord(data) && Array.isArray(data.logs) ? data.logs : []
  const log = logs.find((line) => typeof line === "string" && /insufficient (lamports|funds)/i.test(line))
  return log === undefined ? detail : `${detail}: ${log}`
}

/** Too general to tell a refusal of the transaction from a failure of the node. */
const vague = ["invalid", "unknown"]

const refusalOf = (error: RpcError, dialect: Dialect): Either.Either<SendOutcome, Fault> => {
  const words = wordsOf(error)
  if (dialect.known.test(words)) return Either.right(accepted(true, words))
  if (error.code === methodNotFound) return Either.left(unavailable("the node accepts no transactions"))
  if (untaken.test(words)) return Either.left(unavailable("the node cannot accept transactions at the moment"))
  if (dialect.failures?.test(words) === true) return Either.left(undecided)
  const reason = reasonOf(words)
  const isCertain = !vague.includes(reason) || dialect.refusals?.includes(error.code) === true
  const fault = isCertain ? undefined : faultOf(error, { jsonrpc: "2.0" })
  return fault === undefined ? Either.right(refused(words, reason)) : Either.left(fault)
}

/** The decision in a node's reply, or the fault of a node that decided nothing. */
export const decided = (dialect: Dialect, { member, text }: RpcReply): Either.Either<SendOutcome, Fault> => {
  const value = parsedJson(text)
  if (member === "error") return refusalOf(rpcErrorOf(value ?? null), dialect)
  return dialect.isResult(value) ? Either.right(accepted(false)) : Either.left(otherHash)
}

/** Sends a call once, and interprets the reply. */
export const send = (rpc: SendingRpc, call: RpcCall, dialect: Dialect): Effect.Effect<SendOutcome, SendFailure> =>
  Effect.mapError(
    rpc.send(call, (response) =>
      Either.flatMap(Response.unlessLimited(response), ({ reply }) => decided(dialect, reply))
    ),
    failureOf
  )

/**
 * Looks a transaction up at one node after the other until it is found: a node may be behind. `isFound` interprets the
 * result of the call.
 */
export const findAt = (nodes: Upstream, call: Client.ClientCall, isFound: (result: unknown) => boolean): Find =>
  nodes
    .over(
      (node) =>
        Effect.flatMap(Client.call(node, call), (outcome) =>
          Either.isLeft(outcome) ? Effect.fail(node.fault(noLookup)) : Effect.succeed(isFound(outcome.right))
        ),
      { isWhole: (found) => found }
    )
    .pipe(Effect.mapError(unread))

const noLookup: Fault = { reason: "upstream_error", detail: "the node looked up no transaction" }
