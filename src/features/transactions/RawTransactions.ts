import * as Cause from "effect/Cause"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import { additionsLast } from "../../catalogue/NetworkFacts.ts"
import type { RawTransactions as Ability, NodeResponse, ReadFailure } from "../../chains/Chain.ts"
import { Chains } from "../../chains/Chains.ts"
import { span } from "../../kernel/span.ts"
import { timeoutFail, timeoutOption } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"
import { NoResult, notValid, supporting } from "../reading.ts"

/** A timeout means that no node answered in time. */
type LookupOutcome = Effect.Effect<NodeResponse, NoResult | Cause.TimeoutException>

/** Sends and looks up raw transactions on networks that support it; returns the responses of nodes unchanged. */
export class RawTransactions extends Context.Tag("features/transactions/RawTransactions")<
  RawTransactions,
  {
    /**
     * Checks a transaction and sends it to one node after the other, until a node may have accepted it. A started send
     * continues: an interruption or the deadline of the caller only ends the caller's wait.
     */
    readonly send: (chain: string, transaction: string) => LookupOutcome
    readonly find: (chain: string, hash: string) => LookupOutcome
  }
>() {
  static readonly layer = Layer.scoped(
    RawTransactions,
    Effect.gen(function* () {
      const networks = yield* Chains
      const listed = {
        ...networks,
        all: Effect.map(networks.all, (all) => additionsLast(all, ({ facts }) => facts))
      }
      const deadline = yield* requestDeadline
      const detached = yield* detachedSends

      const ability = <A>(chain: string, of: (transactions: Ability) => A | undefined) =>
        Effect.map(
          supporting(listed, chain, ({ rawTransactions }) => rawTransactions && of(rawTransactions), "chain"),
          ({ ability }) => ability
        )

      const timedOut = (message: string) => () => new Cause.TimeoutException(message)

      const send = Effect.fnUntraced(function* (chain: string, text: string) {
        const sending = yield* ability(chain, ({ prepareSend }) => prepareSend)
        const sent = yield* Either.mapLeft(sending(text), notValid("tx"))
        return yield* detached(
          Effect.mapError(sent, toNoResult),
          timedOut(
            "No node answered in time. The transaction may have arrived, or may still arrive: look it up before you send it again."
          )
        )
      }, span("RawTransactions.send"))

      const find = Effect.fnUntraced(function* (chain: string, text: string) {
        const finding = yield* ability(chain, ({ prepareLookup }) => prepareLookup)
        const found = yield* Either.mapLeft(finding(text), notValid("tx"))
        return yield* found.pipe(
          Effect.mapError(toNoResult),
          timeoutFail({ duration: deadline, onTimeout: timedOut("No node answered in time.") })
        )
      }, span("RawTransactions.find"))

      return { send, find }
    })
  )
}

const toNoResult = (failure: ReadFailure) => new NoResult(failure)

/**
 * Runs sends that continue if their caller is interrupted; callers wait for them up to REQUEST_DEADLINE_MS. When the
 * scope closes, it waits for the sends in progress.
 */
export const detachedSends = Effect.gen(function* () {
  const deadline = yield* requestDeadline
  const sends = yield* FiberSet.make()
  // Waits for sends in progress before they are interrupted: every attempt has a time limit.
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(sends).pipe(Effect.interruptible, timeoutOption(deadline)))
  return <A, E, E2>(send: Effect.Effect<A, E>, onTimeout: () => E2): Effect.Effect<A, E | E2> =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<A, E>()
      yield* FiberSet.run(sends, Effect.intoDeferred(Effect.interruptible(send), answer))
      return yield* timeoutFail(Deferred.await(answer), { duration: deadline, onTimeout })
    })
})
