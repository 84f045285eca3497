import { readdirSync } from "node:fs"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import { CurrentMemoryBudget, type MemoryBudget } from "../kernel/collections/MemoryBudget.ts"
import { labelled, measureAll } from "../kernel/counters.ts"
import { release, runtime } from "../settings/build.ts"

const cpu = Metric.counter("process_cpu_seconds_total", {
  description: "Processor time of the process, user and system",
  incremental: true
})
const resident = Metric.gauge("process_resident_memory_bytes", { description: "Resident memory of the process" })
const heap = Metric.gauge("process_heap_bytes", { description: "Memory that the heap of the process uses" })
const started = Metric.gauge("process_start_time_seconds", {
  description: "Start time of the process, in seconds since 1970"
})
const files = Metric.gauge("process_open_fds", { description: "Open files and sockets of the process" })
const build = Metric.gauge("build_info", { description: "1, with version, commit and runtime of the service" }).pipe(
  Metric.tagged("version", release.version),
  Metric.tagged("commit", release.commit),
  Metric.tagged("runtime", runtime)
)

const budgetBytes = Metric.gauge("memory_budget_bytes", {
  description: "Bytes that the caches in memory may have together"
})
const cacheBytes = MetricKey.gauge("cache_bytes", { description: "Approximate bytes of the entries in memory" })
const cacheEvictions = MetricKey.counter("cache_evictions_total", {
  description: "Entries evicted from memory before they expired",
  incremental: true
})
const cacheReads = MetricKey.counter("cache_reads_total", {
  description: "Reads of a key in memory",
  incremental: true
})
const cacheEntries = MetricKey.gauge("cache_entries", { description: "Entries in memory" })

/** Several readers update a counter, so the increment is relative to its current value. */
const raise = (counter: Metric.Metric.Counter<number>, value: number) =>
  counter.unsafeUpdate(Math.max(0, value - counter.unsafeValue([]).count), [])

/** Updates the metrics of the caches in memory. */
const measureCaches = (budget: MemoryBudget) => {
  budgetBytes.unsafeUpdate(budget.max, [])
  for (const [cache, { bytes, entries, evicted, hits, misses }] of budget.usage()) {
    labelled(cacheBytes, { cache }).unsafeUpdate(bytes, [])
    labelled(cacheEntries, { cache }).unsafeUpdate(entries, [])
    raise(labelled(cacheEvictions, { cache }), evicted)
    raise(labelled(cacheReads, { cache, result: "hit" }), hits)
    raise(labelled(cacheReads, { cache, result: "miss" }), misses)
  }
}

/** Only Linux lists them. */
const openFiles = Effect.try(() => readdirSync("/proc/self/fd").length)

/** Updates the metrics of the process, which have the standard names of Prometheus clients, and all gauges that mean *now*. */
export const make = Effect.gen(function* () {
  const clock = yield* Effect.clock
  const budget = yield* CurrentMemoryBudget
  const start = clock.unsafeCurrentTimeMillis() / 1000 - process.uptime()
  yield* Metric.set(build, 1)
  yield* Metric.set(started, start)

  return Effect.gen(function* () {
    const { system, user } = process.cpuUsage()
    const { heapUsed, rss } = process.memoryUsage()
    const seconds = (user + system) / 1e6
    // Several readers update the counter, so the increment is relative to its current value.
    const { count } = yield* Metric.value(cpu)
    yield* Metric.incrementBy(cpu, Math.max(0, seconds - count))
    yield* Metric.set(resident, rss)
    yield* Metric.set(heap, heapUsed)
    if (budget !== undefined) measureCaches(budget)
    yield* Effect.catchAll(
      Effect.flatMap(openFiles, (count) => Metric.set(files, count)),
      () => Effect.void
    )
    yield* measureAll
  })
})
