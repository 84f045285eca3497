import { readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import manifest from "#package.json" with { type: "json" }

const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time of the process, user and system",
  incremental: true
})
const resident = Metric.gauge("process_resident_memory_bytes", {
  description: "Memory of the process that is resident"
})
const heap = Metric.gauge("process_heap_bytes", { description: "Memory of the process that its heap uses" })
const started = Metric.gauge("process_start_time_seconds", {
  description: "When the process started, in seconds since 1970"
})
const files = Metric.gauge("process_open_fds", { description: "Files and sockets that the process has open" })
const build = Metric.gauge("build_info", { description: "1, with the version of the service and of its runtime" }).pipe(
  Metric.tagged("version", manifest.version),
  Metric.tagged("runtime", `bun ${process.versions.bun ?? ""}`.trim())
)

/** Linux alone lists them. */
const openFiles = Effect.try(() => readdirSync("/proc/self/fd").length)

/** Brings the metrics of the process up to date, under the names that clients of Prometheus have for them. */
export const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const start = clock.unsafeCurrentTimeMillis() / 1000 - process.uptime()
  yield* Metric.set(build, 1)
  yield* Metric.set(started, start)

  return Effect.gen(function* () {
    const { system, user } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    const seconds = (user + system) / 1e6
    // Several readers bring it up to date.
    const { count } = yield* Metric.value(cpu)
    yield* Metric.incrementBy(cpu, Math.max(0, seconds - count))
    yield* Metric.set(resident, rss)
    yield* Metric.set(heap, heapUsed)
    yield* Effect.catchAll(
      Effect.flatMap(openFiles, (count) => Metric.set(files, count)),
      () => Effect.void
    )
  })
})
