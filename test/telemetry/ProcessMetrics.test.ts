import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as BoundedMap from "../../src/kernel/collections/BoundedMap.ts"
import * as MemoryBudget from "../../src/kernel/collections/MemoryBudget.ts"
import * as ProcessMetrics from "../../src/telemetry/ProcessMetrics.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("process_cpu_seconds_total", () => {
  it("is the CPU time of the process, also with several readers", function* () {
    const readers = yield* Effect.replicateEffect(ProcessMetrics.make, 2)
    for (const read of readers) yield* read
    const { system, user } = process.cpuUsage()
    const all = yield* Metric.snapshot
    const found = all.find(({ metricKey }) => metricKey.name === "process_cpu_seconds_total")?.metricState
    const counted = found !== undefined && MetricState.isCounterState(found) ? Number(found.count) : undefined
    assert.isAtMost(counted ?? Number.NaN, (user + system) / 1e6)
    assert.isAbove(counted ?? Number.NaN, 0)
  })
})

describe("the metrics of caches in memory", () => {
  it("have bytes, entries and evictions by cache, also with several readers", function* () {
    const budget = MemoryBudget.make(3_000)
    const inBudget = Effect.provideService(MemoryBudget.CurrentMemoryBudget, budget)
    const readers = yield* Effect.replicateEffect(inBudget(ProcessMetrics.make), 2)
    const texts = yield* inBudget(BoundedMap.sized<string>("texts of this test", 10))
    for (const key of ["a", "b", "c"]) texts.set(key, "x".repeat(1_000))
    for (const key of ["b", "c", "a"]) texts.get(key)
    for (const read of readers) yield* read
    const all = yield* Metric.snapshot
    const valueOf = (name: string, cache?: string) =>
      all.flatMap(({ metricKey, metricState }) => {
        const isOurs = metricKey.tags.every((tag) => tag.key !== "cache" || tag.value === cache)
        const [value] = Object.values(metricState).filter((each) => typeof each === "number")
        return metricKey.name === name && isOurs ? [value] : []
      })
    assert.deepStrictEqual(valueOf("memory_budget_bytes"), [3_000])
    assert.deepStrictEqual(valueOf("cache_entries", "texts of this test"), [2])
    assert.deepStrictEqual(valueOf("cache_evictions_total", "texts of this test"), [1])
    assert.deepStrictEqual(valueOf("cache_reads_total", "texts of this test"), [2, 1])
    assert.deepStrictEqual(valueOf("cache_bytes", "texts of this test"), [budget.weight()])
  })
})
