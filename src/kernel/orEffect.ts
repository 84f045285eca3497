import * as Effect from "effect/Effect"

/** A value, or an effect of it where something has to be waited for. No value is an effect itself. */
export type OrEffect<A> = A | Effect.Effect<A>

const isEffect = <A>(value: OrEffect<A>): value is Effect.Effect<A> => Effect.isEffect(value)

/** What follows from a value: at once, where neither the value nor what follows has to be waited for. */
export const andThen = <A, B>(value: OrEffect<A>, next: (value: A) => OrEffect<B>): OrEffect<B> => {
  if (!isEffect(value)) return next(value)
  return Effect.flatMap(value, (later) => {
    const found = next(later)
    return isEffect(found) ? found : Effect.succeed(found)
  })
}
