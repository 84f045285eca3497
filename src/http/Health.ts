import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"

/** `draining` is the time after a stop signal in which arriving requests are still answered. */
export type HealthState = "starting" | "ready" | "draining" | "stopping"

/** Whether the process takes requests. */
export class Health extends Context.Tag("http/Health")<
  Health,
  {
    readonly state: Effect.Effect<HealthState>
    /** The same, for where no Effect runs. */
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
