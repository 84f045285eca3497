import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as App from "../App.ts"
import * as Server from "../http/Server.ts"
import * as ServerSettings from "../http/ServerSettings.ts"
import * as Scheduler from "../kernel/Scheduler.ts"
import { workers } from "../settings/Processes.ts"
import { Settings } from "../settings/Settings.ts"
import * as processes from "../workers/processes.ts"
import * as Supervisor from "../workers/Supervisor.ts"
import { WorkerGroup } from "../workers/WorkerGroup.ts"

const unknownVariables = Effect.gen(function* () {
  for (const { meant, name } of yield* (yield* Settings).unknown)
    yield* Effect.logWarning(
      `${name} is set, but no variable is called that${meant === undefined ? "" : `: was ${meant} meant?`}`
    )
})

/** Serves in this process. Of several workers the first one speaks for all. */
const alone = Layer.launch(
  Layer.effectDiscard(
    Effect.flatMap(WorkerGroup, ({ ready, worker = 1 }) =>
      Effect.zipRight(worker === 1 ? unknownVariables : Effect.void, ready)
    )
  ).pipe(Layer.provide(App.service))
)

/** Serves in so many processes below this one; false where they cannot start. */
const inWorkers = (count: number) =>
  Effect.gen(function* () {
    const { host, port, shutdownDelay } = yield* ServerSettings.settings
    const free = yield* Server.freePort(host, port)
    yield* Effect.logInfo(`starting ${count} workers on port ${free}`)
    yield* Supervisor.run({ count, port: free, shutdownDelay })
    return false
  }).pipe(Effect.provide(App.logged))

/** Serves until the process receives a signal to stop. */
export const serve = Effect.flatMap(
  workers,
  (count): Effect.Effect<boolean, Layer.Layer.Error<typeof App.service>, Settings> =>
    count === 1 || processes.parent() !== undefined ? alone : inWorkers(count)
).pipe(Effect.withScheduler(Scheduler.make()))
