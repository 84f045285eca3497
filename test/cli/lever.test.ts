import { join } from "node:path"
import * as Effect from "effect/Effect"
import { run } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe("wallet-data lever", () => {
  it.scopedLive("switches sources off and on in the store, and lists them", function* () {
    const environment = { CACHE: "sqlite", SQLITE_PATH: join(yield* folder, "cache.sqlite"), UPSTREAMS: "sandbox" }
    const lever = (...words: ReadonlyArray<string>) => run(["lever", ...words], environment)
    assert.deepStrictEqual(yield* lever("list"), { stdout: "no levers\n", stderr: "", code: 0 })
    const off = yield* lever("off", "--source", "koios", "--network", "ADA", "--reason", "returns old blocks")
    assert.deepStrictEqual(off, { stdout: "koios on cardano off: returns old blocks\n", stderr: "", code: 0 })
    const more = yield* lever("off", "--network", "base", "--ability", "history", "--reason", "maintenance")
    assert.strictEqual(more.stdout, `${off.stdout}all sources on base for history off: maintenance\n`)
    assert.deepStrictEqual(yield* lever("list"), more)
    yield* lever("on", "--network", "base", "--ability", "history")
    assert.deepStrictEqual(yield* lever("list"), off)
  })

  it.scopedLive("refuses names that do not exist, levers without a reason, and a store in memory", function* () {
    const environment = { CACHE: "sqlite", SQLITE_PATH: join(yield* folder, "cache.sqlite"), UPSTREAMS: "sandbox" }
    const refused = (words: ReadonlyArray<string>, more = {}) =>
      Effect.map(run(["lever", ...words], { ...environment, ...more }), ({ code, stderr, stdout }) => {
        assert.strictEqual(code, 1)
        assert.strictEqual(stdout, "")
        return stderr.trim()
      })
    assert.strictEqual(
      yield* refused(["off", "--source", "koois", "--reason", "x"]),
      '--source: "koois" is not the name of a source; did you mean koios? GET /networks lists them'
    )
    assert.match(yield* refused(["off", "--network", "etherium", "--reason", "x"]), /did you mean ethereum\?/)
    assert.strictEqual(yield* refused(["off", "--source", "koios"]), "lever: reason: is missing")
    assert.match(yield* refused(["off", "--reason", "x"]), /must name a source or a network/)
    assert.match(
      yield* refused(["off", "--network", "base", "--ability", "all", "--reason", "x"]),
      /ability: must be one of balance, history/
    )
    assert.match(yield* refused(["up"]), /allowed: off, on and list/)
    assert.match(yield* refused(["list"], { CACHE: "memory" }), /CACHE=memory is not shared/)
  })
})
