import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import * as App from "../App.ts"
import { Mode } from "../http/Mode.ts"
import { Server } from "../http/Server.ts"
import * as Scheduler from "../kernel/Scheduler.ts"
import { Settings } from "../settings/Settings.ts"
import * as Logging from "../telemetry/Logging.ts"
import { banner } from "./banner.ts"

/** For people alone: what programs need to know of the start is in the log. */
const greeted = Effect.gen(function* () {
  if ((yield* Logging.form) !== "pretty") return
  const { url } = yield* Server
  const { sandbox } = yield* Mode
  yield* Console.log(banner({ url, sandbox }))
})

/** Serves until the process receives a signal to stop. The runtime's own counts of fibers are off. */
export const serve = Layer.launch(
  Layer.effectDiscard(
    Effect.gen(function* () {
      for (const { meant, name } of yield* (yield* Settings).unknown)
        yield* Effect.logWarning(
          `${name} is set, but no variable is called that${meant === undefined ? "" : `: was ${meant} meant?`}`
        )
      yield* greeted
    })
  ).pipe(Layer.provide(App.service))
).pipe(
  Effect.withScheduler(Scheduler.make()),
  Effect.withRuntimeFlagsPatch(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
)
