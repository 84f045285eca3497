import { chmodSync } from "node:fs"
import { dirname } from "node:path"
import * as Effect from "effect/Effect"
import { startVariables } from "../../src/settings/runtime.ts"
import { main } from "../support/command.ts"
import { eventually, start } from "../support/process.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { asUser, type Moment, rows, usable } from "./unusable.ts"

// The service with a cache file that cannot be used: it serves or ends, says why in one line, and its gauges are true.

const variables = {
  ...startVariables,
  UPSTREAMS: "sandbox",
  HOST: "127.0.0.1",
  PORT: "0",
  PAGE: "off",
  PRICE_REFRESH_MS: "0",
  OHLC_REFRESH_MS: "0"
}

/** Starts the service as the user that owns the file; its output includes that of errors. */
const serving = (path: string, strict: boolean) =>
  Effect.suspend(() => {
    // The folder of the bundle belongs to the user of the test.
    chmodSync(dirname(dirname(main)), 0o755)
    return start(["sh", "-c", 'exec "$@" 2>&1', "sh", ...asUser, process.execPath, main, "serve"], {
      cwd: "/",
      env: {
        PATH: process.env.PATH ?? "",
        BUN_JSC_useDFGJIT: "0",
        ...variables,
        SQLITE_PATH: path,
        CACHE_STRICT: String(strict)
      }
    })
  })

/** Waits until the metrics have these values of `store_up` and `store_writable`. */
const gaugesAre = (url: string, expected: ReadonlyArray<number>) =>
  eventually(
    Effect.filterOrFail(
      Effect.tryPromise(async () => {
        const text = await (await fetch(`${url}/metrics`)).text()
        return ["store_up", "store_writable"].map(
          (name) => new RegExp(`^${name}\\{store="sqlite"\\} (.*)$`, "m").exec(text)?.[1]
        )
      }),
      (values) => values.join() === expected.join()
    )
  )

const linesOf = (output: string) => output.split("\n").filter((line) => line.includes("SQLITE_PATH"))

/** Every row in the second tier, else two of those that need no rights. */
const samples = ["no folder", "a lock of another process"]

const cells = Object.entries(rows).flatMap(([name, row]) =>
  [true, false].flatMap((strict) =>
    (["at the start", "while it runs"] satisfies ReadonlyArray<Moment>).flatMap((moment) =>
      isAll || (samples.includes(name) && strict === (moment === "at the start")) ? [{ name, row, strict, moment }] : []
    )
  )
)

describe.concurrent("a cache file that cannot be used", () => {
  for (const { moment, name, row, strict } of cells) {
    const ends = strict && moment === "at the start"
    const title = `${name} ${moment}, ${strict ? "strict" : "not strict"}: it ${ends ? "ends" : "serves"}`
    it.scopedLive.skipIf(!row.possible)(row.possible ? title : `${title} (needs root)`, () =>
      Effect.gen(function* () {
        const path = yield* usable
        const harm = Effect.acquireRelease(
          Effect.sync(() => row.harm(path, moment)),
          (undo) => Effect.sync(() => (typeof undo === "function" ? undo() : undefined))
        )
        if (moment === "at the start") yield* harm
        const { child, ended, said, until } = yield* serving(path, strict)
        if (ends) yield* ended
        else {
          const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
          if (moment === "while it runs") {
            yield* gaugesAre(url, [1, 1])
            assert.deepStrictEqual(linesOf(said()), [])
            yield* harm
          }
          yield* gaugesAre(url, row.gauges(moment))
          yield* until(/SQLITE_PATH/)
          // Another write fails.
          yield* gaugesAre(url, row.gauges(moment))
          assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/health/live`))).status, 200)
          child.kill("SIGTERM")
        }
        assert.strictEqual(yield* Effect.promise(() => child.exited), ends ? 1 : 0)
        yield* ended
        const lines = linesOf(said())
        assert.lengthOf(lines, 1, said())
        const [line = ""] = lines
        assert.include(line.replaceAll("\\", ""), `"${path}"`)
        assert.match(line, row.reason)
        assert.match(line.replace(/"\}$/, ""), row.advice)
      })
    )
  }
})
