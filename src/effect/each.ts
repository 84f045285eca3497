import * as Effect from "effect/Effect"

/** What the effect gives for each item, all at once. A single one, which is most often all there is, needs no fiber. */
export const each = <A, B, E, R>(
  items: ReadonlyArray<A>,
  effect: (item: A, index: number) => Effect.Effect<B, E, R>
): Effect.Effect<Array<B>, E, R> =>
  Effect.forEach(items, effect, items.length > 1 ? { concurrency: "unbounded" } : { concurrency: 1 })
