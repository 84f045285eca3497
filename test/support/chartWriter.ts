import * as Effect from "effect/Effect"
import { stored } from "../../src/features/charts/Charts.ts"
import type { Series, SeriesId } from "../../src/features/charts/Series.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"

// Process that overwrites the series of one coin as fast as possible, until it is killed.

export const written: SeriesId = { coin: "bitcoin", period: "365" }

/** The n-th written series: its prices, source and time identify it. */
export const version = (number: number): Series => ({
  ...written,
  candles: Array.from({ length: 60 + 40 * (number % 8) }, (_, index) => {
    const price = 1 + number
    return [1_700_000_000_000 + index, price, price, price, price] as const
  }),
  source: `writer ${number}`,
  at: 1_700_000_000_000 + number
})

const [path, from] = process.argv.slice(2)

if (import.meta.main && path !== undefined)
  await Effect.runPromise(
    Effect.gen(function* () {
      const { save } = yield* stored
      for (let number = Number(from); ; number++) {
        yield* save(version(number))
        // Signals that the first series is written.
        if (number === Number(from)) yield* Effect.sync(() => process.stdout.write("writing\n"))
      }
    }).pipe(Effect.provide(Sqlite.layer(path)))
  )
