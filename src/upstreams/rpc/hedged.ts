import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"

/** Begins the second where the first has failed or is not there `after` ms; the first good answer wins, the other is given up. */
export const hedged = <A, E>(
  first: Effect.Effect<A, E>,
  second: Effect.Effect<A, E>,
  after: number
): Effect.Effect<A, E> =>
  Effect.flatMap(Deferred.make<void>(), (failed) => {
    const begun = Effect.zipRight(Effect.raceFirst(Effect.sleep(after), Deferred.await(failed)), second)
    const settle = (exit: Exit.Exit<A, E>, other: Fiber.Fiber<A, E>) =>
      Exit.isSuccess(exit) ? Effect.as(Fiber.interrupt(other), exit.value) : Fiber.join(other)
    return Effect.raceWith(
      Effect.tapErrorCause(first, () => Deferred.succeed(failed, undefined)),
      begun,
      { onSelfDone: settle, onOtherDone: settle }
    )
  })
