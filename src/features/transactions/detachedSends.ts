import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import { timeoutFail, timeoutOption } from "../../kernel/timeout.ts"
import { requestDeadline } from "../../settings/variables.ts"

/**
 * Runs sends that continue if their caller is interrupted; callers wait for them up to REQUEST_DEADLINE_MS. When the
 * scope closes, it waits for the sends in progress.
 */
export const detachedSends = Effect.gen(function* () {
  const deadline = yield* requestDeadline
  const sends = yield* FiberSet.make()
  // Waits for sends in progress before they are interrupted: every attempt has a time limit.
  yield* Effect.addFinalizer(() => FiberSet.awaitEmpty(sends).pipe(Effect.interruptible, timeoutOption(deadline)))
  return <A, E>(send: Effect.Effect<A, E>, onTimeout: () => E): Effect.Effect<A, E> =>
    Effect.gen(function* () {
      const answer = yield* Deferred.make<A, E>()
      yield* FiberSet.run(sends, Effect.intoDeferred(Effect.interruptible(send), answer))
      return yield* timeoutFail(Deferred.await(answer), { duration: deadline, onTimeout })
    })
})
