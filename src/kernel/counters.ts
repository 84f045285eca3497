import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import * as MetricKey from "effect/MetricKey"
import type * as MetricKeyType from "effect/MetricKeyType"
import * as MetricLabel from "effect/MetricLabel"

/** Every combination of one value per label. */
const combinations = (values: ReadonlyArray<ReadonlyArray<string>>): ReadonlyArray<ReadonlyArray<string>> =>
  values.reduce<ReadonlyArray<ReadonlyArray<string>>>(
    (all, some) => all.flatMap((before) => some.map((value) => [...before, value])),
    [[]]
  )

/** A metric with these labels. It looks up its state once; a metric that is tagged later looks it up at each update. */
export const labelled = <T extends MetricKeyType.MetricKeyType.Untyped>(
  key: MetricKey.MetricKey<T>,
  labels: Readonly<Record<string, string>>
) => {
  const tags = Object.entries(labels).map(([name, value]) => MetricLabel.make(name, value))
  return Metric.fromMetricKey(MetricKey.taggedWithLabels(key, tags))
}

/**
 * Returns a function that increments the counter with these label values, in the order of `labels`. Each combination of the
 * listed values exists with 0 from the start: Prometheus sees no increase in the first sample of a series. A combination with
 * another value exists from its first increment.
 */
export const counters = (
  name: string,
  description: string,
  labels: Readonly<Record<string, ReadonlyArray<string>>>
) => {
  const key = MetricKey.counter(name, { description, incremental: true })
  const names = Object.keys(labels)
  const existing = new Map<string, Metric.Metric.Counter<number>>()
  const add = (count: number, ...values: ReadonlyArray<string>): void => {
    const id = values.join("\n")
    let counter = existing.get(id)
    if (counter === undefined) {
      counter = labelled(key, Object.fromEntries(names.map((label, index) => [label, values[index] ?? ""])))
      existing.set(id, counter)
    }
    counter.unsafeUpdate(count, [])
  }
  for (const values of combinations(Object.values(labels))) add(0, ...values)
  return add
}
/**
 * Value of a gauge that has none now, such as that of a key that was removed: the registry of metrics keeps a series for
 * ever. Readers leave it out.
 */
export const noValue = Number.NaN

const measurements = new Set<Effect.Effect<void>>()

/** Runs a measurement each time the metrics are read, as long as the process runs. For gauges that mean *now*. */
export const alwaysMeasured = (measurement: Effect.Effect<void>): void => void measurements.add(measurement)

/** {@link alwaysMeasured}, until the scope ends. */
export const measured = (measurement: Effect.Effect<void>) =>
  Effect.acquireRelease(
    Effect.sync(() => measurements.add(measurement)),
    () => Effect.sync(() => measurements.delete(measurement))
  )

/** Runs all measurements together. */
export const measureAll = Effect.suspend(() =>
  Effect.all([...measurements], { concurrency: "unbounded", discard: true })
)
