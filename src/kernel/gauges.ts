import * as Effect from "effect/Effect"

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
