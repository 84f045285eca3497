import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { keyOf } from "../../../src/features/charts/Series.ts"
import { stored } from "../../../src/features/charts/storedSeries.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { bundled } from "../../support/bundle.ts"
import { version, written } from "../../support/chartWriter.ts"
import { folder, start } from "../../support/command.ts"

const rounds = 20
const atOnce = 5

/** The number of the series in the file, which must be one that was written, as a whole. */
const found = (path: string) =>
  Effect.gen(function* () {
    const { load } = yield* stored
    const series = (yield* load([written])).get(keyOf(written))
    const number = Number(series?.source.replace("writer ", ""))
    assert.isNotNaN(number)
    assert.deepStrictEqual(series, version(number))
    return number
  }).pipe(Effect.provide(Layer.fresh(Sqlite.layer(path))), Effect.scoped)

describe("charts in a file whose writer is killed", () => {
  it.live(
    `are old or new and never mixed, ${rounds} times`,
    () =>
      Effect.gen(function* () {
        const place = yield* folder
        const path = join(place, "store.sqlite")
        const files = Array.from({ length: atOnce }, (_, index) => `${path}${index}`)
        const numbers = yield* Effect.forEach(
          files,
          (file) =>
            Effect.gen(function* () {
              let next = 0
              let advanced = 0
              for (let round = 0; round < rounds / atOnce; round++) {
                const delay = yield* Random.nextIntBetween(0, 20)
                yield* Effect.scoped(
                  Effect.gen(function* () {
                    const { child, until } = yield* start([bundled("test/support/chartWriter.ts"), file, String(next)])
                    yield* until(/writing/)
                    yield* Effect.sleep(delay)
                    child.kill("SIGKILL")
                    yield* Effect.promise(() => child.exited)
                    assert.strictEqual(child.signalCode, "SIGKILL")
                  })
                )
                const number = yield* found(file)
                assert.isAtLeast(number, next)
                if (number > next) advanced++
                next = number + 1
              }
              return advanced
            }),
          { concurrency: atOnce }
        )
        // Most of them were killed in the middle of their work.
        assert.isAbove(
          numbers.reduce((sum, advanced) => sum + advanced, 0),
          rounds / 2
        )
      }).pipe(Effect.scoped),
    60_000
  )
})
