import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"

const requests = MetricKey.counter("api_key_requests_total", {
  incremental: true,
  description: "Requests with an API key, by key name and outcome; every call of a batch counts"
})
const used = MetricKey.gauge("api_key_day_requests", {
  description: "Requests of a key with a daily quota in the current UTC day"
})
const limit = MetricKey.gauge("api_key_day_limit", { description: "Daily quota of a key" })

export type KeyOutcome = "accepted" | "rate_limited" | "route_refused"

/** Usage of the keys in the metrics, by the names that the operator chose. */
export const make = () => {
  const metrics = new Map<string, Metric.Metric.Counter<number>>()
  const counter = (name: string, outcome: KeyOutcome) => {
    const id = `${outcome} ${name}`
    const before = metrics.get(id)
    if (before !== undefined) return before
    const labels = [MetricLabel.make("key", name), MetricLabel.make("outcome", outcome)]
    const made = Metric.fromMetricKey(MetricKey.taggedWithLabels(requests, labels))
    metrics.set(id, made)
    return made
  }
  const gauge = (key: typeof used, name: string) =>
    Metric.fromMetricKey(MetricKey.taggedWithLabels(key, [MetricLabel.make("key", name)]))

  return {
    count: (name: string, outcome: KeyOutcome, calls = 1): void => counter(name, outcome).unsafeUpdate(calls, []),
    day: (name: string, count: number, perDay: number): void => {
      gauge(used, name).unsafeUpdate(count, [])
      gauge(limit, name).unsafeUpdate(perDay, [])
    }
  }
}
