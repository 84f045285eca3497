import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `draining`: after a stop signal, while new requests are still served. */
export type HealthState = "starting" | "ready" | "draining" | "stopping"

export class Health extends Context.Tag("http/Health")<
  Health,
  {
    readonly state: Effect.Effect<HealthState>
    /** The same, for code outside of Effect. */
    readonly current: () => HealthState
    readonly set: (state: HealthState) => Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.sync(Health, () => {
    let state: HealthState = "starting"
    const current = () => state
    return {
      state: Effect.sync(current),
      current,
      set: (next) =>
        Effect.sync(() => {
          state = next
        })
    }
  })
}
