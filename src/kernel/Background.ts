import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** When work in the background begins: at once, unless a service delays it until it can serve requests. */
export class Background extends Context.Reference<Background>()("kernel/Background", {
  defaultValue: () => ({
    /** Waits until the work may begin. */
    turn: Effect.void,
    /** Lets all work begin. */
    begin: Effect.void as Effect.Effect<unknown>
  })
}) {
  /** Nothing begins before `begin` has run. */
  static readonly layerDelayed = Layer.effect(
    Background,
    Effect.map(Effect.makeLatch(), (latch) => ({ turn: latch.await, begin: latch.open }))
  )
}

/** In a fiber of the scope, once work in the background may begin, for as long as the scope is open. */
export const forkBackground = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Background, ({ turn }) => Effect.forkScoped(Effect.zipRight(turn, work)))
