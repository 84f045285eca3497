import * as Effect from "effect/Effect"
import * as FiberSet from "effect/FiberSet"
import * as Layer from "effect/Layer"
import * as RuntimeFlags from "effect/RuntimeFlags"
import * as RuntimeFlagsPatch from "effect/RuntimeFlagsPatch"
import * as App from "../App.ts"
import { Chains } from "../chains/Chains.ts"
import { inWords, unserved } from "../chains/unserved.ts"
import { localName } from "../http/localUrl.ts"
import { Mode } from "../http/Mode.ts"
import * as Server from "../http/Server.ts"
import * as ServerSettings from "../http/ServerSettings.ts"
import * as Scheduler from "../kernel/Scheduler.ts"
import { programName, release } from "../settings/build.ts"
import * as proxies from "../settings/proxies.ts"
import { missing, startVariables } from "../settings/runtime.ts"
import { Settings } from "../settings/Settings.ts"
import { apiKeysFile, leversFile, workers } from "../settings/variables.ts"
import * as Logging from "../telemetry/Logging.ts"
import * as CallLimit from "../upstream/endpoint/CallLimit.ts"
import * as processes from "../workers/processes.ts"
import * as Supervisor from "../workers/Supervisor.ts"
import * as systemd from "../workers/systemd.ts"
import { WorkerGroup } from "../workers/WorkerGroup.ts"
import { print } from "./print.ts"

const variables = Effect.gen(function* () {
  for (const line of yield* proxies.proxies) yield* Effect.logInfo(line)
  const warnings = [...(yield* proxies.warnings), ...(yield* (yield* Settings).unknown)]
  for (const warning of warnings) yield* Effect.logWarning(warning)
  const unset = missing().map((name) => `${name}=${startVariables[name]}`)
  if (unset.length > 0)
    yield* Effect.logWarning(
      `the service could not start itself again with other limits of the runtime: set ${unset.join(" and ")} in its environment; until then at most ${yield* CallLimit.total} calls to upstreams are in flight`
    )
})

interface RunningService {
  /** The address that the service listens on. */
  readonly url: string
  readonly sandbox: boolean
  /** Whether there is a page at `/`. */
  readonly page: boolean
}

/** Text for people at the start: addresses of page and documentation, whether data is simulated, how to stop. */
export const banner = ({ page, sandbox, url }: RunningService): string => {
  const { hostname, port } = new URL(url)
  const local = localName(hostname.replace(/^\[|\]$/g, ""), port === "" ? 80 : port)
  return [
    "",
    `  ${programName} ${release.version} is running`,
    "",
    ...(page ? [`    page:           ${local}/`] : []),
    `    documentation:  ${local}/docs`,
    ...(sandbox ? ["", "    The upstreams are simulated: every balance, price and transaction is invented."] : []),
    "",
    "    To stop it: Ctrl-C",
    ""
  ].join("\n")
}

/** Prints the banner, which is only for people: the log contains the same facts for programs. */
const greeted = Effect.gen(function* () {
  if ((yield* Logging.lineFormat) !== "pretty") return
  const { url } = yield* Server.Server
  const { sandbox } = yield* Mode
  const { page } = yield* ServerSettings.ServerSettings
  yield* Effect.ignore(print(banner({ url, sandbox, page })))
})

/** Whether a hangup reloads a file. */
const reloadsFiles = Effect.zipWith(apiKeysFile, leversFile, (keys, levers) => keys !== "" || levers !== "")

/** Logs that a hangup changes nothing, without a file of keys or levers. */
const nothingToReload = Effect.gen(function* () {
  const reloads = yield* reloadsFiles
  const run = yield* FiberSet.makeRuntime<never>()
  if (!reloads)
    yield* processes.onHangup(() =>
      run(Effect.logInfo("SIGHUP: nothing to reload, because API_KEYS_FILE and LEVERS_FILE are not set"))
    )
})

/** How long after the start all networks are built for it: the first requests need the processor. */
const untilSources = "2 seconds"

/** Logs in one line which networks have no source. */
const missingSources = Effect.gen(function* () {
  const line = inWords(yield* unserved(yield* (yield* Chains).all))
  if (line !== undefined) yield* Effect.logInfo(line)
})

/** Serves in this process. Of several workers only the first prints warnings and the banner. */
const alone = Layer.launch(
  Layer.scopedDiscard(
    Effect.gen(function* () {
      const { ready, worker } = yield* WorkerGroup
      yield* nothingToReload
      const isFirst = worker === undefined || worker === 1
      if (isFirst) yield* Effect.zipRight(variables, greeted)
      yield* worker === undefined ? systemd.serving : ready
      if (isFirst) yield* Effect.forkScoped(Effect.delay(missingSources, untilSources))
    })
  ).pipe(Layer.provide(App.service))
)

/** Serves in this number of child processes; returns false if they cannot start. */
const inWorkers = (count: number) =>
  Effect.gen(function* () {
    const { host, port, sharesPort, shutdownDelay } = yield* ServerSettings.settings
    const free = sharesPort && port !== 0 ? port : yield* Server.freePort(host, port)
    yield* nothingToReload
    yield* Effect.logInfo(`starting ${count} workers on port ${free}`)
    yield* Supervisor.run({
      count,
      host,
      port: free,
      shutdownDelay,
      forwardsHangups: yield* reloadsFiles,
      onServing: systemd.serving
    })
    return false
  }).pipe(Effect.scoped, Effect.provide(App.logging))

/** Serves until the process receives a stop signal. The runtime's own fiber metrics are disabled. */
export const serve = Effect.flatMap(
  Effect.zipLeft(workers, proxies.proxies),
  (count): Effect.Effect<boolean, Layer.Layer.Error<typeof App.service>, Settings> =>
    count === 1 || processes.parent() !== undefined ? alone : inWorkers(count)
).pipe(
  Effect.withScheduler(Scheduler.make()),
  Effect.withRuntimeFlagsPatch(RuntimeFlagsPatch.disable(RuntimeFlags.RuntimeMetrics))
)
