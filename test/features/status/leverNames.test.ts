import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as App from "../../../src/App.ts"
import { warnOfUnknown } from "../../../src/features/status/leverNames.ts"
import { eventually, folder } from "../../support/process.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const off = (scope: object) => ({ state: "off", reason: "returns old blocks", ...scope })

describe("names in LEVERS_FILE", () => {
  it.scoped("that do not exist are logged each time the file is read, once each", function* () {
    const file = join(yield* folder, "levers.json")
    const write = (...levers: ReadonlyArray<object>) => writeFileSync(file, JSON.stringify(levers))
    const lines: Array<string> = []
    const logger = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
    const warnings = () => lines.filter((line) => line.startsWith("WARN LEVERS_FILE"))
    write(off({ source: "koois" }), off({ source: "koois", network: "etherium" }), off({ source: "koios" }))
    yield* Effect.gen(function* () {
      yield* warnOfUnknown
      assert.deepStrictEqual(warnings(), [
        'WARN LEVERS_FILE: "koois" is not the name of a source, so its lever changes nothing; did you mean koios? GET /networks lists them',
        'WARN LEVERS_FILE: "etherium" is not the id of a network, so its lever changes nothing; did you mean ethereum? GET /networks lists them'
      ])
      lines.length = 0
      write(off({ network: "nowhere-at-all" }), off({ source: "koios", network: "cardano" }))
      process.emit("SIGHUP")
      yield* eventually(
        Effect.filterOrFail(
          Effect.sync(() => lines.join("\n")),
          (said) => said.includes("reloaded")
        )
      )
      assert.deepStrictEqual(warnings(), [
        'WARN LEVERS_FILE: "nowhere-at-all" is not the id of a network, so its lever changes nothing. GET /networks lists them'
      ])
    }).pipe(
      Effect.provide(
        Layer.fresh(App.upstreams).pipe(
          Layer.provide(App.settings({ UPSTREAMS: "sandbox", CACHE: "memory", LEVERS_FILE: file })),
          Layer.provideMerge(Logger.replace(Logger.defaultLogger, logger))
        )
      )
    )
  })
})
