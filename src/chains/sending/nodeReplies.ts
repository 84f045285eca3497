import * as Either from "effect/Either"
import { faultOf, type RpcError, rpcErrorOf } from "../../jsonrpc/errors.ts"
import * as Response from "../../jsonrpc/Response.ts"
import { parsedJson } from "../../kernel/tryOrElse.ts"
import type * as ResponseDecoder from "../../upstream/response/ResponseDecoder.ts"
import type { Fault } from "../../upstream/UpstreamError.ts"
import type { SendOutcome } from "../Chain.ts"
import { accepted, refused } from "./outcomes.ts"
import { reasonOf } from "./refusals.ts"

// The replies of JSON-RPC nodes to a call that sends a transaction.

/** How a network's nodes reply to a sent transaction. */
export interface Dialect {
  /** Whether the result of the call is about the transaction with this hash. */
  readonly isResultOf: (result: unknown, hash: string) => boolean
  /** Errors that mean that the node already has the transaction. */
  readonly known: RegExp
  /** Faults of a node that has certainly not taken the transaction, in addition to {@link untaken}. */
  readonly untaken?: RegExp
}

/** The node does not offer the method, its pool is full, or it does not follow the network: it took nothing. */
const untaken = /pool is (full|at capacity)|txpool limit|not synced|is syncing|still syncing|acceptance is disabled/i

const methodNotFound = -32601

export const otherHash: Fault = { reason: "bad_answer", detail: "returned the hash of another transaction" }

const unavailable = (detail: string): Fault => ({ reason: "upstream_error", detail, unsent: true })

/** The words of an error. The data of some nodes has the reason; logs and return data of contracts are left out. */
const wordsOf = ({ data, detail }: RpcError): string =>
  typeof data === "string" && !/^0x/i.test(data) && data.length < 1_000 ? `${detail}: ${data}` : detail

/** Too general to tell a refusal of the transaction from a failure of the node. */
const vague = ["invalid", "unknown"]

const refusalOf = (error: RpcError, dialect: Dialect): Either.Either<SendOutcome, Fault> => {
  const words = wordsOf(error)
  if (dialect.known.test(words)) return Either.right(accepted(true, words))
  if (error.code === methodNotFound) return Either.left(unavailable("the node accepts no transactions"))
  if (untaken.test(words) || dialect.untaken?.test(words) === true)
    return Either.left(unavailable("the node cannot accept transactions at the moment"))
  const reason = reasonOf(words)
  const fault = vague.includes(reason) ? faultOf(error, { jsonrpc: "2.0" }) : undefined
  return fault === undefined ? Either.right(refused(words, reason)) : Either.left(fault)
}

/** Decodes the reply to a call that sends the transaction with this hash. */
export const decoder =
  (dialect: Dialect, hash: string): ResponseDecoder.Decoder<SendOutcome> =>
  (response) =>
    Either.flatMap(Response.unlessLimited(response), ({ reply }): Either.Either<SendOutcome, Fault> => {
      const value = parsedJson(reply.text)
      if (reply.member === "error") return refusalOf(rpcErrorOf(value ?? null), dialect)
      return dialect.isResultOf(value, hash) ? Either.right(accepted(false)) : Either.left(otherHash)
    })
