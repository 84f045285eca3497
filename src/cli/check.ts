import * as Clock from "effect/Clock"
import * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as App from "../App.ts"
import { Upstreams } from "../upstream/Upstreams.ts"

/** Sends one small request to every address of every upstream and prints a table; true where all answered. */
export const check = Effect.gen(function* () {
  const trials = yield* (yield* Upstreams).trials
  const rows = yield* Effect.forEach(
    trials.flatMap(({ addresses, keyed, name }) => addresses.map((address) => ({ ...address, keyed, name }))),
    ({ host, keyed, name, try: attempt }) =>
      Effect.gen(function* () {
        const started = yield* Clock.currentTimeMillis
        const result = yield* Effect.either(attempt)
        const duration = (yield* Clock.currentTimeMillis) - started
        return {
          up: Either.isRight(result),
          cells: [
            name,
            host,
            keyed ? "key" : "no key",
            Either.isRight(result) ? "up" : "DOWN",
            `${duration} ms`,
            Either.isLeft(result) ? result.left.detail : ""
          ]
        }
      }),
    { concurrency: 16 }
  )
  const table = [["upstream", "host", "key", "state", "time", "why"], ...rows.map(({ cells }) => cells)]
  const widths = table[0]?.map((_, column) => Math.max(...table.map((row) => row[column]?.length ?? 0))) ?? []
  for (const row of table)
    yield* Console.log(
      row
        .map((cell, column) => cell.padEnd(widths[column] ?? 0))
        .join("  ")
        .trimEnd()
    )
  const down = rows.filter(({ up }) => !up).length
  yield* Console.log(`\n${rows.length - down} of ${rows.length} addresses work`)
  return down === 0
}).pipe(
  Effect.provide(App.upstreams.pipe(Layer.provide(Logger.minimumLogLevel(LogLevel.None)))),
  Logger.withMinimumLogLevel(LogLevel.None)
)
