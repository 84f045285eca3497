import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../App.ts"
import * as Scheduler from "../kernel/Scheduler.ts"
import { Settings } from "../settings/Settings.ts"

/** Serves until the process receives a signal to stop. */
export const serve = Layer.launch(
  Layer.effectDiscard(
    Effect.gen(function* () {
      for (const { meant, name } of yield* (yield* Settings).unknown)
        yield* Effect.logWarning(
          `${name} is set, but no variable is called that${meant === undefined ? "" : `: was ${meant} meant?`}`
        )
    })
  ).pipe(Layer.provide(App.service))
).pipe(Effect.withScheduler(Scheduler.make()))
