import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberSet from "effect/FiberSet"
import { storedAs } from "../../catalogue/NetworkFacts.ts"
import type { RawTransaction, ReadFailure, SendFailure, SendOutcome, Statuses } from "../../chains/Chain.ts"
import { decide, type Find, statusOf } from "../../chains/kit/sending/outcomes.ts"
import type { TransactionState } from "../../domain/Transaction.ts"
import { now } from "../../domain/units.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import * as Task from "../../kernel/Task.ts"
import { timeoutFail, timeoutOption } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { type AnyNetwork, internalError, timedOut } from "../reading.ts"
import { type Earlier, isPending, SentTransactions } from "./SentTransactions.ts"

/** The state of a transaction; without a source of statuses, a node that looks up raw transactions may have it. */
const stateOf = (
  { rawTransactions }: AnyNetwork,
  statuses: Statuses,
  hash: string
): Effect.Effect<TransactionState, ReadFailure> =>
  Effect.catchIf(
    Effect.map(statusOf(statuses, hash), ({ status }) => status),
    ({ reason }) => reason === "not_configured",
    (failure) =>
      Effect.map(
        Either.getOrElse(rawTransactions?.prepareLookup(hash) ?? Either.left(""), () => Effect.fail(failure)),
        ({ verdict }) => (verdict === "done" ? "pending" : "not_found")
      )
  )

const sentBefore: ReadFailure = {
  reason: "upstream_error",
  message: "it was sent before, and no node is known to have accepted or refused it then"
}

/** The failure at the deadline of the caller. */
export const outOfTime: SendFailure = { ...timedOut, mayHaveArrived: true }

/**
 * Sends signed transactions. A started send continues: an interruption or the deadline of the caller only ends the
 * caller's wait. When the scope closes, it waits for the sends in progress.
 */
export const make = Effect.gen(function* () {
  const deadline = yield* requestDeadline
  const sent = yield* SentTransactions
  const sends = yield* FiberSet.make()
  // Waits for sends in progress before they are interrupted: every attempt has a time limit.
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(sends).pipe(Effect.interruptible, timeoutOption(deadline)))

  /** Its state. If no node has it, but an earlier send may have arrived, one may have it until it is over. */
  const findOf = (network: AnyNetwork, hash: string | undefined, earlier: Earlier): Find | undefined => {
    const { statuses } = network
    if (statuses === undefined || hash === undefined) return undefined
    return Effect.flatMap(stateOf(network, statuses, hash), (status) =>
      status !== "not_found" || typeof earlier !== "object"
        ? Effect.succeed(status)
        : Effect.flatMap(now, (clock) => {
            if (!isPending(earlier, clock)) return Effect.succeed(status)
            return earlier.accepted ? Effect.succeed("pending") : Effect.fail(sentBefore)
          })
    )
  }

  const decided = (network: AnyNetwork, signed: RawTransaction, sendsExpired: boolean) =>
    Effect.gen(function* () {
      const started = yield* Deadline.make(deadline).start
      const { accept, earlier, forget } = yield* sent.remember(storedAs(network.facts), signed)
      const find = findOf(network, signed.hash, earlier)
      const inTime =
        find &&
        Effect.flatMap(started.remaining("write"), (duration) =>
          timeoutFail(find, { duration, onTimeout: () => timedOut })
        )
      const { expiry: _, ...endless } = signed
      const before = typeof earlier === "object" ? (earlier.accepted ? "accepted" : "undecided") : earlier
      return yield* Effect.tapBoth(decide(sendsExpired ? endless : signed, inTime, before), {
        // A known transaction may be known from its record alone, which is not renewed then.
        onSuccess: ({ accepted, alreadyKnown }) =>
          accepted ? (alreadyKnown && before === "accepted" ? Effect.void : accept) : forget,
        onFailure: ({ mayHaveArrived }) => (mayHaveArrived ? Effect.void : forget)
      })
    })

  /** On test networks, nothing is looked up or remembered. An expired transaction is sent only if `sendsExpired`. */
  return (
    network: AnyNetwork,
    signed: RawTransaction,
    { sendsExpired = false, testnet = false }: { readonly sendsExpired?: boolean; readonly testnet?: boolean } = {}
  ): Effect.Effect<SendOutcome, SendFailure> =>
    Effect.gen(function* () {
      const decision = Effect.catchAllDefect(
        Effect.suspend(() => (testnet ? decide(signed, undefined) : decided(network, signed, sendsExpired))),
        (defect) =>
          Effect.zipRight(
            Effect.logError(`${network.facts.id}: internal error`, defect),
            Effect.fail<SendFailure>({ ...internalError, mayHaveArrived: true })
          )
      )
      // Keeps what its request holds, such as its slot, until it ends.
      const lasting = Task.lasting(Task.fromEffect(yield* FiberSet.runtime(sends)<never>())(decision))
      return yield* timeoutFail(Task.toEffect(lasting), { duration: deadline, onTimeout: () => outOfTime })
    })
})
