import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/**
 * Begins the second where the first has failed, or `slow` has come to its end; the first success wins, the other is
 * interrupted. A failure that stops ends both.
 */
export const hedged = <A, E>(
  first: Effect.Effect<A, E>,
  second: Effect.Effect<A, E>,
  slow: Effect.Effect<void>,
  stops: (error: E) => boolean = () => false
): Effect.Effect<A, E> =>
  Effect.flatMap(Deferred.make<void>(), (failed) => {
    const begun = Effect.zipRight(Effect.raceFirst(slow, Deferred.await(failed)), second)
    const settle = (exit: Exit.Exit<A, E>, other: Fiber.Fiber<A, E>) =>
      Exit.isSuccess(exit) || (exit.cause._tag === "Fail" && stops(exit.cause.error))
        ? Effect.zipRight(Fiber.interrupt(other), exit)
        : Fiber.join(other)
    return Effect.raceWith(
      Effect.tapErrorCause(first, () => Deferred.succeed(failed, undefined)),
      begun,
      { onSelfDone: settle, onOtherDone: settle }
    )
  })
