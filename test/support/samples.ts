import * as Effect from "effect/Effect"
import * as Metrics from "../../src/telemetry/Metrics.ts"

/** Values of the samples of a metric of this process, by their labels: `network="ton",code="timeout"`. */
export const samples = (metric: string): Effect.Effect<Readonly<Record<string, number>>> =>
  Effect.map(Metrics.families({}), (all) =>
    Object.fromEntries(
      all.flatMap(({ name, samples }) =>
        name === metric
          ? samples.map((line) => {
              const [, labels = "", value] = /^\w+(?:\{(.*)\})? (\S+)$/.exec(line) ?? []
              return [labels, Number(value)]
            })
          : []
      )
    )
  )

/** The samples that increased while the effect ran, with their increase. */
export const increases = <A, E, R>(metric: string, effect: Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const before = yield* samples(metric)
    yield* effect
    return Object.fromEntries(
      Object.entries(yield* samples(metric)).flatMap(([labels, value]) => {
        const increase = value - (before[labels] ?? 0)
        return increase === 0 ? [] : [[labels, increase]]
      })
    )
  })
