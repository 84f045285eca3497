import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricBoundaries from "effect/MetricBoundaries"
import * as MetricKey from "effect/MetricKey"
import type * as MetricPair from "effect/MetricPair"
import * as MetricState from "effect/MetricState"
import { counters, labelled } from "../kernel/counters.ts"

const durations = MetricKey.histogram(
  "http_request_duration_seconds",
  MetricBoundaries.fromIterable([0.001, 0.0025, 0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1, 2.5, 5, 10, 20]),
  "Time to the response, or to the start of a streamed response"
)

/** Statuses of failed requests. Each route has them with 0 from its first request. */
const failures = ["500", "502", "503", "504"]

/**
 * Returns a function that counts a request and its duration in seconds. Labels are method, route template and status,
 * never text that a client chose.
 */
export const httpMetrics = Effect.sync(() => {
  const routes = new Map<string, Map<string, Map<number, (seconds: number) => void>>>()
  const make = (method: string, route: string, status: number) => {
    const labels = { method: [method], route: [route], status: failures }
    const count = counters("http_requests_total", "Completed requests", labels)
    const timed = labelled(durations, { method, route })
    const code = String(status)
    return (seconds: number) => {
      count(1, method, route, code)
      timed.unsafeUpdate(seconds, [])
    }
  }
  return (method: string, route: string, status: number): ((seconds: number) => void) => {
    const before = routes.get(route)?.get(method)?.get(status)
    if (before !== undefined) return before
    const methods = routes.get(route) ?? new Map<string, Map<number, (seconds: number) => void>>()
    const statuses = methods.get(method) ?? new Map<number, (seconds: number) => void>()
    const update = make(method, route, status)
    routes.set(route, methods.set(method, statuses.set(status, update)))
    return update
  }
})

const name = (text: string) => text.replace(/[^A-Za-z0-9_:]/g, "_")
const escaped = (text: string) => text.replace(/\\/g, "\\\\").replace(/"/g, '\\"').replace(/\n/g, "\\n")
const label = (key: string, value: string) => `${name(key)}="${escaped(value)}"`

const typeOf = (state: MetricState.MetricState.Untyped) => {
  if (MetricState.isCounterState(state) || MetricState.isFrequencyState(state)) return "counter"
  if (MetricState.isHistogramState(state)) return "histogram"
  return MetricState.isSummaryState(state) ? "summary" : "gauge"
}

const lines = (
  { metricKey, metricState }: MetricPair.MetricPair.Untyped,
  labels: ReadonlyArray<string>
): ReadonlyArray<string> => {
  const metric = name(metricKey.name)
  const tags = [...metricKey.tags.map((tag) => label(tag.key, tag.value)), ...labels]
  const row = (suffix: string, value: number | bigint, ...more: ReadonlyArray<string>) => {
    const all = [...tags, ...more].join(",")
    return `${metric}${suffix}${all === "" ? "" : `{${all}}`} ${value}`
  }
  if (MetricState.isCounterState(metricState)) return [row("", metricState.count)]
  if (MetricState.isGaugeState(metricState)) return [row("", metricState.value)]
  if (MetricState.isFrequencyState(metricState)) {
    return Array.from(metricState.occurrences, ([key, count]) => row("", count, label("key", key)))
  }
  if (MetricState.isHistogramState(metricState)) {
    return [
      ...metricState.buckets
        .filter(([bound]) => bound < Number.MAX_VALUE)
        .map(([bound, count]) => row("_bucket", count, label("le", String(bound)))),
      row("_bucket", metricState.count, label("le", "+Inf")),
      row("_sum", metricState.sum),
      row("_count", metricState.count)
    ]
  }
  if (MetricState.isSummaryState(metricState)) {
    return [
      ...metricState.quantiles.flatMap(([quantile, value]) =>
        value._tag === "Some" ? [row("", value.value, label("quantile", String(quantile)))] : []
      ),
      row("_sum", metricState.sum),
      row("_count", metricState.count)
    ]
  }
  return []
}

/** Metrics of the Effect runtime, which are not useful to an operator and disabled while the service runs. */
export const runtimeMetrics = /^effect_fiber_/

/** Whether a gauge has no value now. */
const isWithoutValue = (state: MetricState.MetricState.Untyped) =>
  MetricState.isGaugeState(state) && Number.isNaN(state.value)

/** Label values by name. */
export type Labels = Readonly<Record<string, string>>

/** Metrics as lines of the Prometheus text format: head and samples per name. */
export type Families = ReadonlyArray<{
  readonly head: ReadonlyArray<string>
  readonly name: string
  readonly samples: ReadonlyArray<string>
}>

/** A gauge that is not one of this process. */
export const gauge = (name: string, description: string, value: number): Families[number] => ({
  head: [`# HELP ${name} ${description}`, `# TYPE ${name} gauge`],
  name,
  samples: [`${name} ${value}`]
})

/** All metrics of the process; adds these labels to every sample. */
export const families = (more: Labels): Effect.Effect<Families> =>
  Effect.map(Metric.snapshot, (pairs) => {
    const labels = Object.entries(more).map(([key, value]) => label(key, value))
    const ours = pairs.filter(
      ({ metricKey, metricState }) => !runtimeMetrics.test(metricKey.name) && !isWithoutValue(metricState)
    )
    const byName = Map.groupBy(ours, (pair) => name(pair.metricKey.name))
    return Array.from(byName, ([metric, [first, ...others]]) => {
      if (first === undefined) return { head: [], name: metric, samples: [] }
      const { description } = first.metricKey
      const help = description._tag === "Some" ? [`# HELP ${metric} ${description.value}`] : []
      return {
        head: [...help, `# TYPE ${metric} ${typeOf(first.metricState)}`],
        name: metric,
        samples: [first, ...others].flatMap((pair) => lines(pair, labels))
      }
    })
  })

/** Joins the metrics of several processes in Prometheus text format; samples of the same name share one head. */
export const text = (all: ReadonlyArray<Families>): string =>
  Array.from(Map.groupBy(all.flat(), ({ name }) => name).values(), ([first, ...others]) =>
    [...(first?.head ?? []), ...[first, ...others].flatMap((family) => family?.samples ?? []), ""].join("\n")
  ).join("")
