import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Console from "effect/Console"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import { describe, type Thrown } from "../sandbox/Defects.ts"

/**
 * Errors of mocks, edits and simulators in one service. An error is a mistake in the test or the kit, and not an outage:
 * it is printed and fails all current requests of the test, or the next request, or at the latest the end of the service.
 */
export const make = () => {
  const unreported: Array<Error> = []
  const current = new Set<Deferred.Deferred<never>>()

  const report = (error: Error) =>
    Effect.suspend(() => {
      if (current.size === 0) unreported.push(error)
      for (const request of current) Deferred.unsafeDone(request, Effect.die(error))
      return Console.error(error)
    })

  /** Fails with the first error that no request has reported. */
  const failed = Effect.suspend(() => {
    const [first] = unreported.splice(0)
    return first === undefined ? Effect.void : Effect.die(first)
  })

  return {
    failed,
    /** The response of an upstream whose code threw an error: none. */
    respond: (thrown: Thrown): Effect.Effect<never, HttpClientError.HttpClientError> =>
      Effect.flatMap(describe(thrown), (message) => report(new Error(message, { cause: thrown.error }))).pipe(
        Effect.zipRight(
          new HttpClientError.RequestError({
            request: thrown.request,
            reason: "Transport",
            description: "the code of this upstream threw an error"
          })
        )
      ),
    /** A request of the test, which errors fail immediately. */
    guard: <A, E, R>(request: Effect.Effect<A, E, R>): Effect.Effect<A, E, R> =>
      Effect.suspend(() => {
        const error = Deferred.unsafeMake<never>(FiberId.none)
        current.add(error)
        return Effect.raceFirst(request, Deferred.await(error)).pipe(
          Effect.ensuring(Effect.sync(() => current.delete(error)))
        )
      }).pipe((guarded) => Effect.zipRight(failed, guarded))
  }
}
