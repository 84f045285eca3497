import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import * as LeverSource from "../../../src/features/status/LeverSource.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"
import * as Metrics from "../../../src/telemetry/Metrics.ts"
import { Levers } from "../../../src/upstream/levers/Levers.ts"
import { storedLevers } from "../../../src/upstream/levers/StoredLevers.ts"
import { eventually, folder } from "../../support/process.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const koios = { state: "off", source: "koios", reason: "returns old blocks" } as const
const esplora = { state: "off", source: "bitcoin-esplora", network: "bitcoin", reason: "is down" } as const

/** A process over a store. */
const start = Effect.fnUntraced(function* (store: Context.Tag.Service<Store>, path = "") {
  const lines: Array<string> = []
  const log = Logger.make(({ logLevel, message }) => void lines.push(`${logLevel.label} ${String(message)}`))
  const built = yield* Layer.build(
    Layer.fresh(LeverSource.layer).pipe(
      Layer.provide([
        Settings.layer(path === "" ? {} : { LEVERS_FILE: path }),
        Layer.succeed(Store, store),
        Logger.replace(Logger.defaultLogger, log)
      ])
    )
  )
  const levers = Context.get(built, Levers)
  return { lines, reason: (source: string) => levers.off(source, { network: "bitcoin" }) }
})

const memory = Effect.map(Layer.build(Layer.fresh(Memory.layer())), Context.get(Store))

/** Lets the processes check files and store once. */
const check = Effect.zipRight(TestClock.adjust("5 seconds"), Effect.repeatN(Effect.yieldNow(), 20))

describe("levers of a file", () => {
  const writing = Effect.map(folder, (path) => {
    const file = join(path, "levers.json")
    return {
      file,
      write: (text: string) => {
        writeFileSync(`${file}.new`, text)
        renameSync(`${file}.new`, file)
      }
    }
  })

  it.scoped("are reloaded when it changes and on SIGHUP; an invalid or missing file takes nothing away", function* () {
    const { file, write } = yield* writing
    write(JSON.stringify([koios]))
    const { lines, reason } = yield* start(yield* memory, file)
    assert.strictEqual(reason("koios"), koios.reason)
    write(JSON.stringify([koios, esplora]))
    yield* check
    assert.strictEqual(reason("bitcoin-esplora"), esplora.reason)
    write('[{"state":"off"')
    yield* check
    assert.strictEqual(reason("koios"), koios.reason)
    rmSync(file)
    yield* check
    yield* check
    assert.strictEqual(reason("bitcoin-esplora"), esplora.reason)
    const gauge = Effect.map(
      Metrics.families({}),
      (own) => /^levers_file_invalid (\d)$/m.exec(Metrics.text([own]))?.[1]
    )
    assert.strictEqual(yield* gauge, "1")
    write("[]")
    process.emit("SIGHUP")
    yield* eventually(
      Effect.filterOrFail(
        Effect.sync(() => reason("koios")),
        (found) => found === undefined,
        () => "off"
      )
    )
    yield* check
    assert.strictEqual(yield* gauge, "0")
    assert.deepStrictEqual(
      lines
        .map((line) => line.replaceAll(file, "FILE"))
        .filter((line) => line.includes("LEVERS_FILE"))
        .slice(0, 4),
      [
        "INFO LEVERS_FILE: koios off: returns old blocks",
        "INFO LEVERS_FILE: reloaded, koios off: returns old blocks; bitcoin-esplora on bitcoin off: is down",
        'ERROR LEVERS_FILE: "FILE": is not JSON; the previous levers stay in use',
        'ERROR LEVERS_FILE: "FILE" is missing; its levers stay in use: write the file again, with [] for none'
      ]
    )
  })

  it.scoped("do not stop the start if it is missing or invalid", function* () {
    const { file, write } = yield* writing
    const missing = yield* start(yield* memory, file)
    assert.match(missing.lines.join(), /ERROR LEVERS_FILE: .* cannot be read: ENOENT; no lever of it is in use/)
    write("nonsense")
    const invalid = yield* start(yield* memory, file)
    assert.match(invalid.lines.join(), /ERROR LEVERS_FILE: .*: is not JSON; no lever of it is in use/)
    assert.isUndefined(invalid.reason("koios"))
  })
})

describe("levers of the store", () => {
  it.scoped("reach all processes that share it, and those that start later", function* () {
    const store = yield* memory
    const [first, second] = [yield* start(store), yield* start(store)]
    const shared = yield* Effect.provideService(storedLevers, Store, store)
    yield* shared.replace(undefined, [koios])
    yield* check
    assert.deepStrictEqual([first.reason("koios"), second.reason("koios")], [koios.reason, koios.reason])
    assert.strictEqual((yield* start(store)).reason("koios"), koios.reason)
    assert.deepStrictEqual([...new Set(first.lines)], ["INFO levers of the store: koios off: returns old blocks"])
  })

  it.scoped(
    "are not known after a start while it is down: an error says so, and they are read within a second",
    function* () {
      const store = yield* memory
      const shared = yield* Effect.provideService(storedLevers, Store, store)
      yield* shared.replace(undefined, [koios])
      let isDown = true
      const { lines, reason } = yield* start({
        ...store,
        open: (name, version) => {
          const entries = store.open(name, version)
          const failing = new StoreError({ operation: "getMany", cause: "away" })
          return { ...entries, getMany: (keys) => Effect.suspend(() => (isDown ? failing : entries.getMany(keys))) }
        }
      })
      assert.match(lines.join("\n"), /^ERROR levers of the store cannot be read; no levers are known yet/)
      assert.notInclude(lines.join(), "previous")
      isDown = false
      yield* TestClock.adjust("1 second")
      assert.strictEqual(reason("koios"), koios.reason)
      isDown = true
      yield* check
      assert.match(lines.join("\n"), /WARN levers of the store cannot be read; the previous levers stay in use/)
    }
  )

  it.scoped("that a clock far ahead wrote count as those of now, and can be replaced", function* () {
    const store = yield* memory
    const shared = yield* Effect.provideService(storedLevers, Store, store)
    const entries = store.open("levers", 1)
    yield* entries.setMany(new Map([["all", { at: Number.MAX_SAFE_INTEGER, levers: [koios] }]]), "1 hour")
    const { reason } = yield* start(store)
    assert.strictEqual(reason("koios"), koios.reason)
    // The store loses them, and a machine writes others that the process must not undo.
    yield* TestClock.adjust("4 seconds")
    yield* entries.clear
    yield* shared.replace(undefined, [esplora])
    yield* check
    assert.strictEqual(reason("bitcoin-esplora"), esplora.reason)
    yield* entries.setMany(new Map([["all", { at: Number.MAX_SAFE_INTEGER, levers: [koios] }]]), "1 hour")
    yield* shared.replace(Either.getOrUndefined(yield* shared.read), [esplora])
    assert.isTrue(Either.isRight(yield* shared.read))
  })

  it.scoped("are decided by the file of a machine", function* () {
    const store = yield* memory
    const shared = yield* Effect.provideService(storedLevers, Store, store)
    yield* shared.replace(undefined, [koios])
    const file = join(yield* folder, "levers.json")
    writeFileSync(file, JSON.stringify([{ state: "on", source: "koios" }]))
    assert.isUndefined((yield* start(store, file)).reason("koios"))
  })

  it.scoped("stay if the store loses them, fails or has an unreadable value, and are written again", function* () {
    const store = yield* memory
    const entries = store.open("levers", 1)
    const shared = yield* Effect.provideService(storedLevers, Store, store)
    yield* shared.replace(undefined, [koios])
    const { lines, reason } = yield* start(store)
    yield* entries.clear
    yield* check
    assert.strictEqual(reason("koios"), koios.reason)
    assert.strictEqual((yield* start(store)).reason("koios"), koios.reason)
    yield* entries.setMany(new Map([["all", { at: 9e12, levers: [{ state: "away" }] }]]), "1 hour")
    yield* check
    assert.strictEqual(reason("koios"), koios.reason)
    assert.match(lines.join("\n"), /ERROR levers of the store: .*; the previous levers stay in use/)
  })
})
