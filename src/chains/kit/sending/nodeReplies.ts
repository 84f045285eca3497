import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Predicate from "effect/Predicate"
import { connectionLost, type RpcError, rpcErrorOf } from "../../../jsonrpc/errors.ts"
import * as Response from "../../../jsonrpc/Response.ts"
import type { RpcCall, RpcReply, SendingRpc } from "../../../jsonrpc/Rpc.ts"
import { parsedJson } from "../../../kernel/tryOrElse.ts"
import { didNotArrive } from "../../../upstream/Upstream.ts"
import type { Fault } from "../../../upstream/UpstreamError.ts"
import type { SendFailure, SendOutcome } from "../../Chain.ts"
import { accepted, failureOf, refusedBy } from "./outcomes.ts"
import { type Refusals, withoutAddresses } from "./refusals.ts"

// The replies of JSON-RPC nodes to a call that sends a transaction.

/** How a network's nodes reply to a sent transaction. */
export interface Dialect {
  /** Whether the result of the call is about the transaction that was sent. */
  readonly isResult: (result: unknown) => boolean
  /** Errors that mean that the node already has the transaction. */
  readonly known: RegExp
  readonly refusals: Refusals
  /** Refusals of a node that may only be behind the network: the next node is called. */
  readonly lags?: RegExp
}

/** In its own words, the pool of the node is full, the node does not follow the network, or the caller may not use it: it took nothing. */
const trouble =
  /pool is (full|at capacity)|txpool limit|not synced|(is|still) syncing|(node|backend) is (behind|unhealthy|stale)|api[ -]?key|unauthorized|authorization (required|header)|forbidden|subscription|compute units|credits|quota|too many requests|rate limit|(request|call)s? (limit|count|rate)|tenant disabled/i

const methodNotFound = -32601

/** EIP-7966: the node has the transaction, whose hash it returns, but no block has it yet. */
const notInBlock = 4

const otherHash: Fault = { reason: "bad_answer", detail: "returned the hash of another transaction" }

const unavailable = (detail: string): Fault => ({ reason: "upstream_error", detail, unsent: true })

/** The words of an error. A transfer of more coins than there are is reported in the logs only (Solana). */
const wordsOf = ({ data, detail }: RpcError): string => {
  const logs = Predicate.isRecord(data) && Array.isArray(data.logs) ? data.logs : []
  const log = logs.find((line) => typeof line === "string" && /insufficient (lamports|funds)/i.test(line))
  return log === undefined ? detail : `${detail}: ${log}`
}

const refusalOf = (error: RpcError, { isResult, known, refusals }: Dialect): Either.Either<SendOutcome, Fault> => {
  const words = wordsOf(error)
  if (error.code === notInBlock && isResult(error.data)) return Either.right(accepted(false, words))
  if (known.test(words)) return Either.right(accepted(true, words))
  if (error.code === methodNotFound) return Either.left(unavailable("the node accepts no transactions"))
  if (!connectionLost.test(words) && trouble.test(withoutAddresses(words)))
    return Either.left(unavailable("the node cannot accept transactions at the moment"))
  return refusedBy(refusals, { code: error.code, words })
}

/** The decision in a node's reply, or the fault of a node that decided nothing. */
export const decided = (dialect: Dialect, { member, text }: RpcReply): Either.Either<SendOutcome, Fault> => {
  const value = parsedJson(text)
  if (member === "error") return refusalOf(rpcErrorOf(value ?? null), dialect)
  return dialect.isResult(value) ? Either.right(accepted(false)) : Either.left(otherHash)
}

/** Limits of the texts that may be transactions: the least length, the texts of a call, and how deep they are nested. */
const [minLength, maxTexts, maxDepth] = [100, 100, 4]

const textsIn = (value: unknown, depth = maxDepth): ReadonlyArray<string> => {
  if (typeof value === "string") return value.length < minLength ? [] : [value]
  if (typeof value !== "object" || value === null || depth === 0) return []
  return Object.values(value).flatMap((member) => textsIn(member, depth - 1))
}

/** Texts in a client's call that may be signed transactions, if the call sends something by the name of its method. */
export const signedIn = ({ method, params }: RpcCall): ReadonlyArray<string> =>
  params !== undefined && /send/i.test(method) ? textsIn(parsedJson(params)).slice(0, maxTexts) : []

/** Sends a call once, and interprets the reply. A refusal of a node that may be behind counts if no other node accepts. */
export const send = (rpc: SendingRpc, call: RpcCall, dialect: Dialect): Effect.Effect<SendOutcome, SendFailure> =>
  Effect.suspend(() => {
    let refusal: SendOutcome | undefined
    const sent = rpc.send(call, (response) =>
      Either.flatMap(Response.unlessLimited(call)(response), ({ reply }) =>
        Either.flatMap(decided(dialect, reply), (outcome) => {
          if (outcome.accepted || dialect.lags?.test(outcome.nodeMessage ?? "") !== true) return Either.right(outcome)
          refusal = outcome
          return Either.left(unavailable("the node may be behind the network"))
        })
      )
    )
    return Effect.catchAll(sent, (error) =>
      refusal !== undefined && didNotArrive(error) ? Effect.succeed(refusal) : Effect.fail(failureOf(error))
    )
  })
