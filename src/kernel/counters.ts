import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import * as MetricLabel from "effect/MetricLabel"

/** Every combination of one value per label. */
const combinations = (values: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> =>
  values.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (all, some) => all.flatMap((before) => some.map((value) => [...before, value])),
    [[]]
  )

/**
 * Returns a function that increments the counter with these label values, in the order of `labels`. Each combination of the
 * listed values exists with 0 from the start: Prometheus sees no increase in the first sample of a series. A combination with
 * another value exists from its first increment.
 */
export const counters = (
  key: MetricKey.MetricKey.Counter<number>,
  labels: Readonly<Record<string, ReadonlyArray<string>>>
) => {
  const names = Object.keys(labels)
  // A metric with labels in its key looks up its state once; a metric that is tagged later looks it up each time.
  const existing = new Map<string, Metric.Metric.Counter<number>>()
  const add = (count: number, values: ReadonlyArray<string>): void => {
    const id = values.join("\n")
    const tags = () => names.map((name, index) => MetricLabel.make(name, values[index] ?? ""))
    const counter = existing.get(id) ?? Metric.fromMetricKey(MetricKey.taggedWithLabels(key, tags()))
    existing.set(id, counter)
    counter.unsafeUpdate(count, [])
  }
  for (const values of combinations(Object.values(labels))) add(0, values)
  return (count: number, ...values: ReadonlyArray<string>): void => add(count, values)
}
