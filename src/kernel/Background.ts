import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** Decides when background work starts: immediately, unless a service delays it until it can serve requests. */
export class Background extends Context.Reference<Background>()("kernel/Background", {
  defaultValue: () => ({
    /** Waits until background work may start. */
    awaitStart: Effect.void,
    /** Starts all waiting work. */
    begin: Effect.void as Effect.Effect<unknown>
  })
}) {
  /** Delays all work until `begin` runs. */
  static readonly layerDelayed = Layer.effect(
    Background,
    Effect.map(Effect.makeLatch(), (latch) => ({ awaitStart: latch.await, begin: latch.open }))
  )
}

/** Runs the work in a fiber of the scope, as soon as background work may start. Closing the scope interrupts it. */
export const forkBackground = <A, E, R>(work: Effect.Effect<A, E, R>) =>
  Effect.flatMap(Background, ({ awaitStart }) => Effect.forkScoped(Effect.zipRight(awaitStart, work)))
