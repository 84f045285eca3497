import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Random from "effect/Random"
import { stored } from "../../../src/features/charts/Charts.ts"
import { keyOf } from "../../../src/features/charts/Series.ts"
import * as Sqlite from "../../../src/storage/Sqlite.ts"
import { bundled } from "../../support/bundle.ts"
import { version, written } from "../../support/chartWriter.ts"
import { startScript } from "../../support/command.ts"
import { folder } from "../../support/process.ts"
import { isAll } from "../../support/tier.ts"

/** Number of concurrent files, and of writers per file. Each writer starts from the file that the killed one left. */
const [files, kills] = isAll ? [5, 4] : [2, 3]

/** Returns the number of the series in the file, which must be a complete version; undefined before the first write. */
const found = (path: string) =>
  Effect.gen(function* () {
    const { load } = yield* stored
    const series = (yield* load([written])).get(keyOf(written))
    if (series === undefined) return undefined
    const number = Number(series.source.replace("writer ", ""))
    assert.deepStrictEqual(series, version(number))
    return number
  }).pipe(Effect.provide(Layer.fresh(Sqlite.layer(path))), Effect.scoped)

/** Starts a writer at `from` and kills it while it writes, after `series` of its versions were seen in the file. */
const killed = (file: string, from: number, series: number) =>
  Effect.gen(function* () {
    const { child, until } = yield* startScript([bundled("test/support/chartWriter.ts"), file, String(from)])
    yield* until(/writing/)
    let last = from - 1
    for (let seen = 0; seen < series; ) {
      assert.isNull(child.exitCode)
      const number = (yield* found(file)) ?? last
      assert.isAtLeast(number, last)
      if (number > last) seen++
      last = number
    }
    child.kill("SIGKILL")
    yield* Effect.promise(() => child.exited)
    assert.strictEqual(child.signalCode, "SIGKILL")
    return last
  }).pipe(Effect.scoped)

describe("charts in a file whose writer is killed", () => {
  it.live(`are the old or the new version and never a mix after each of ${files * kills} kills`, () =>
    Effect.gen(function* () {
      const place = yield* folder
      yield* Effect.forEach(
        Array.from({ length: files }, (_, index) => join(place, `store.sqlite${index}`)),
        (file) =>
          Effect.gen(function* () {
            let next = 0
            for (let round = 0; round < kills; round++) {
              const seen = yield* killed(file, next, yield* Random.nextIntBetween(1, 4))
              const number = yield* found(file)
              assert.isAtLeast(number ?? -1, seen)
              next = (number ?? seen) + 1
            }
          }),
        { concurrency: files }
      )
    }).pipe(Effect.scoped)
  )
})
