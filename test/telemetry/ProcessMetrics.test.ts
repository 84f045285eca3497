import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
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
