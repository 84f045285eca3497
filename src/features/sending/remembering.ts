import * as Arr from "effect/Array"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { SignedTransaction } from "../../chains/Chain.ts"
import type { Rpc, RpcCall, RpcReply } from "../../jsonrpc/Rpc.ts"
import * as Task from "../../kernel/Task.ts"
import { didNotArrive } from "../../upstream/Upstream.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type { AnyNetwork } from "../reading.ts"
import type { SentTransactions } from "./SentTransactions.ts"

type Memory = Context.Tag.Service<SentTransactions>

type Reply = Either.Either<RpcReply, UpstreamError>

/** The node took the transaction, refused it, or neither is certain. */
const decisionOf = ({ decided }: SignedTransaction, reply: Reply): "accepted" | "refused" | "undecided" => {
  if (Either.isLeft(reply)) return didNotArrive(reply.left) ? "refused" : "undecided"
  const outcome = decided?.(reply.right)
  if (outcome === undefined) return "undecided"
  if (Either.isLeft(outcome)) return outcome.left.unsent === true ? "refused" : "undecided"
  return outcome.right.accepted ? "accepted" : "refused"
}

/** Methods of nodes that may drop what they accepted, after some blocks or by a condition: it must lock no later nonce. */
const mayDrop = /private|bundle|conditional/i

/** Remembers the transactions that clients send with JSON-RPC calls, like those of the routes for sending. */
export const remembering = (
  { facts: { id }, rpc, sending }: AnyNetwork,
  memory: Memory,
  run: Task.OfEffect
): Rpc | undefined => {
  const { main, signedIn } = rpc ?? {}
  if (main === undefined || signedIn === undefined) return main

  /** Continues if the client disconnects: the reply decides whether the transaction stays remembered. */
  const ofEffect: Task.OfEffect = (effect) => Task.lasting(run(effect))

  const signedOf = (call: RpcCall): ReadonlyArray<SignedTransaction> =>
    sending === undefined ? [] : Arr.filterMap(signedIn(call), (text) => Either.getRight(sending.main(text)))

  /** Remembers transactions, and returns how the reply to their call changes that. Earlier records stay. */
  const remember = (all: ReadonlyArray<SignedTransaction>, { method }: RpcCall) =>
    Effect.map(
      Effect.forEach(all, (signed) =>
        Effect.map(memory.remember(id, signed), ({ accept, forget }) => (reply: Reply) => {
          const decision = decisionOf(signed, reply)
          if (decision === "accepted") return mayDrop.test(method) ? Effect.void : accept
          return decision === "refused" ? forget : Effect.void
        })
      ),
      (settle) => (reply: Reply) => Effect.forEach(settle, (each) => each(reply), { discard: true })
    )

  return {
    ...main,
    call: (call) => {
      const signed = signedOf(call)
      if (signed.length === 0) return main.call(call)
      return ofEffect(
        Effect.flatMap(remember(signed, call), (settle) =>
          Effect.flatten(Effect.tap(Effect.either(Task.toEffect(main.call(call))), settle))
        )
      )
    },
    batch: (calls) => {
      const signed = calls.map(signedOf)
      if (signed.every((transactions) => transactions.length === 0)) return main.batch(calls)
      return ofEffect(
        Effect.gen(function* () {
          const settle = yield* Effect.forEach(calls, (call, index) => remember(signed[index] ?? [], call))
          const replies = yield* Task.toEffect(main.batch(calls))
          yield* Effect.forEach(replies, (reply, index) => settle[index]?.(reply) ?? Effect.void)
          return replies
        })
      )
    }
  }
}
