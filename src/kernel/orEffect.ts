import * as Effect from "effect/Effect"

/** A value, or an effect that returns it if the value must be awaited. `A` must not be an effect itself. */
export type OrEffect<A> = A | Effect.Effect<A>

const isEffect = <A>(value: OrEffect<A>): value is Effect.Effect<A> => Effect.isEffect(value)

/** Applies `next` to the value; synchronous if neither the value nor the result of `next` is an effect. */
export const andThen = <A, B>(value: OrEffect<A>, next: (value: A) => OrEffect<B>): OrEffect<B> => {
  if (!isEffect(value)) return next(value)
  return Effect.flatMap(value, (later) => {
    const found = next(later)
    return isEffect(found) ? found : Effect.succeed(found)
  })
}
