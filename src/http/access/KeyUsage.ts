import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"
import { counters } from "../../kernel/counters.ts"

const requests = MetricKey.counter("api_key_requests_total", {
  incremental: true,
  description: "Requests with an API key, by key name and outcome; every call of a batch counts"
})
const used = MetricKey.gauge("api_key_day_requests", {
  description: "Requests of a key with a daily quota in the current UTC day"
})
const limit = MetricKey.gauge("api_key_day_limit", { description: "Daily quota of a key" })

const outcomes = ["accepted", "rate_limited", "route_refused"] as const
export type KeyOutcome = (typeof outcomes)[number]

/** Usage of the keys in the metrics, by the names that the operator chose. */
export const make = () => {
  const byKey = new Map<string, ReturnType<typeof counters>>()
  const gauge = (key: typeof used, name: string) =>
    Metric.fromMetricKey(MetricKey.taggedWithLabels(key, [MetricLabel.make("key", name)]))

  return {
    count: (name: string, outcome: KeyOutcome, calls = 1): void => {
      const count = byKey.get(name) ?? counters(requests, { key: [name], outcome: outcomes })
      byKey.set(name, count)
      count(calls, name, outcome)
    },
    day: (name: string, count: number, perDay: number): void => {
      gauge(used, name).unsafeUpdate(count, [])
      gauge(limit, name).unsafeUpdate(perDay, [])
    }
  }
}
