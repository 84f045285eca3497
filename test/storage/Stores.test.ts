import * as FileSystem from "@effect/platform/FileSystem"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import { Settings } from "../../src/settings/Settings.ts"
import { Store } from "../../src/storage/Store.ts"
import * as Stores from "../../src/storage/Stores.ts"
import { assert, describe, it } from "../support/vitest.ts"
import { stores } from "./stores.ts"

const temporary = Effect.flatMap(FileSystem.FileSystem, (files) => files.makeTempDirectoryScoped()).pipe(
  Effect.provide(BunFileSystem.layer)
)

const used = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const entries = (yield* Store).open("prices", 1)
    yield* entries.setMany(new Map([["a", 1]]), "1 minute")
    return (yield* entries.getMany(["a"])).get("a")
  }).pipe(Effect.provide(Layer.provide(Layer.fresh(Stores.layer), Settings.layer(environment))))

const files = (folder: string) =>
  Effect.flatMap(FileSystem.FileSystem, (files) => files.readDirectory(folder)).pipe(
    Effect.provide(BunFileSystem.layer)
  )

describe("the configured store", () => {
  it("is a sqlite file by default", function* () {
    const chosen = yield* Effect.provide(Stores.settings, Settings.layer({}))
    assert.deepStrictEqual(chosen, {
      processes: 1,
      kind: "sqlite",
      path: "wallet-data.sqlite",
      redis: { url: undefined, limitsUrl: undefined, ca: "", cert: "", key: "" },
      maxBytes: 256 * 1024 * 1024,
      strict: false
    })
  })

  it("creates the file of SQLITE_PATH", function* () {
    const folder = yield* temporary
    assert.strictEqual(yield* used({ SQLITE_PATH: `${folder}/kept.db` }), 1)
    assert.deepStrictEqual(yield* files(folder), ["kept.db"])
  })

  it("creates no file with CACHE=memory", function* () {
    const folder = yield* temporary
    assert.strictEqual(yield* used({ CACHE: "memory", SQLITE_PATH: `${folder}/kept.db` }), 1)
    assert.deepStrictEqual(yield* files(folder), [])
  })

  it("separates live and sandbox data in the same file: entries, versions and leases", function* () {
    const path = `${yield* temporary}/kept.db`
    const real = Layer.provide(Layer.fresh(Stores.layer), Settings.layer({ SQLITE_PATH: path }))
    const simulated = Layer.provide(Stores.namespaced("sandbox"), real)
    const inside = Effect.gen(function* () {
      const store = yield* Store
      const entries = store.open("prices", 1)
      const before = yield* entries.getMany(["a"])
      yield* entries.setMany(new Map([["a", 1]]), "1 minute")
      return [before.size, (yield* entries.getMany(["a"])).size, yield* store.claim("charts", "me", "1 minute")]
    })
    assert.deepStrictEqual(yield* Effect.provide(inside, simulated), [0, 1, true])
    const claimed = Effect.flatMap(Store, (store) => store.claim("charts", "another", "1 minute"))
    assert.deepStrictEqual(yield* Effect.provide(inside, real), [0, 1, true])
    assert.isFalse(yield* Effect.provide(claimed, simulated))
    yield* Effect.provide(
      Effect.flatMap(Store, (store) => store.release("charts", "me")),
      simulated
    )
    assert.isTrue(yield* Effect.provide(claimed, simulated))
    assert.isFalse(yield* Effect.provide(claimed, real))
  })

  it("prevents the start for an unknown kind, with an error that names the variable and the allowed kinds", function* () {
    const error = yield* Effect.flip(used({ CACHE: "disk" }))
    // Each kind has the suite of Store.test.ts.
    assert.strictEqual(error.message, `CACHE: "disk" is not allowed; allowed: ${Object.keys(stores).join(", ")}`)
  })

  it("prevents the start if its file cannot be opened and it is strict", function* () {
    const SQLITE_PATH = `${yield* temporary}/missing/kept.db`
    const error = yield* Effect.flip(used({ SQLITE_PATH, CACHE_STRICT: "true" }))
    assert.strictEqual(error._tag, "StoreOpenError")
    assert.match(error.message, /^SQLITE_PATH: /)
  })
})
