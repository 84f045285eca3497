import { assert, describe, it } from "@effect/vitest"
import type * as Console from "effect/Console"
import * as Effect from "effect/Effect"
import * as FiberId from "effect/FiberId"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { Settings } from "../../src/settings/Settings.ts"
import * as AccessLog from "../../src/system/AccessLog.ts"
import * as Logging from "../../src/system/Logging.ts"

/** Runs it with a console that keeps what is written, each time as one. */
const watched = <A, E, R>(run: (writes: ReadonlyArray<string>) => Effect.Effect<A, E, R>) =>
  Effect.gen(function* () {
    const writes: Array<string> = []
    const console = yield* Effect.console
    const unsafe = { ...console.unsafe, log: (text: string) => writes.push(text) }
    return yield* Effect.withConsole(run(writes), { ...console, unsafe } as Console.Console)
  })

const logging = (environment: Readonly<Record<string, string>> = {}) =>
  Logging.layer.pipe(Layer.provide(Settings.layer(environment)))

const line: AccessLog.Line = {
  method: "GET",
  path: '/price/"coin"\\',
  route: "/price/coin",
  status: 200,
  ms: 0.1,
  bytes: 5,
  requestId: "wallet-42"
}

const texts = (writes: ReadonlyArray<string>) => writes.map((text) => text.split("\n").length)

describe("log lines", () => {
  it.effect(
    "go out at once after a silence, and together where they follow one another, never one before the other",
    () =>
      watched((writes) =>
        Effect.gen(function* () {
          yield* Effect.logInfo("one")
          assert.deepStrictEqual(texts(writes), [1])
          yield* Effect.logInfo("two")
          yield* Effect.logInfo("three")
          assert.deepStrictEqual(texts(writes), [1])
          yield* TestClock.adjust("100 millis")
          assert.deepStrictEqual(texts(writes), [1, 2])
          assert.match(writes[1] ?? "", /two.*\n.*three/)
          yield* Effect.logInfo("four")
          assert.deepStrictEqual(texts(writes), [1, 2])
          yield* TestClock.adjust("200 millis")
          assert.deepStrictEqual(texts(writes), [1, 2, 1])
          yield* Effect.logInfo("five")
          assert.deepStrictEqual(texts(writes), [1, 2, 1, 1])
        }).pipe(Effect.provide(logging()))
      )
  )

  for (const format of ["json", "logfmt"])
    it.effect(`warnings and errors go out at once, with all before them: ${format}`, () =>
      watched((writes) =>
        Effect.gen(function* () {
          yield* Effect.logInfo("one")
          yield* Effect.logInfo("two")
          yield* Effect.logWarning("three")
          yield* Effect.logError("four")
          assert.deepStrictEqual(texts(writes), [1, 2, 1])
          assert.include(writes[1] ?? "", "two")
        }).pipe(Effect.provide(logging({ LOG_FORMAT: format })))
      )
    )

  it.effect("go out when there are many", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* AccessLog.make
        for (let index = 0; index < 1_000; index++) log(line)
        assert.isAbove(writes.length, 1)
      }).pipe(Effect.provide(logging()))
    )
  )

  it.effect("are all out at the end, and later ones come at once", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.scoped(
          Effect.flatMap(Layer.build(logging()), () =>
            Effect.tap(AccessLog.make, (write) => Effect.sync(() => write(line)))
          )
        )
        assert.deepStrictEqual(texts(writes), [1])
        log(line)
        assert.deepStrictEqual(texts(writes), [1, 1])
      })
    )
  )
})

describe("the line of a request", () => {
  it.effect("is what the logger for all lines would make of it", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* AccessLog.make
        log(line, FiberId.runtime(7, 0))
        const { bytes: _, ...streamed } = line
        log(streamed)
        yield* Effect.annotateLogs(Effect.logWarning("request"), { ...line })
        const [ours, stream, theirs] = writes
          .flatMap((text) => text.split("\n"))
          .map((text) => JSON.parse(text) as Record<string, unknown>)
        assert.deepStrictEqual({ ...ours, fiberId: "" }, { ...theirs, logLevel: "INFO", fiberId: "" })
        assert.sameMembers(Object.keys(ours ?? {}), Object.keys(theirs ?? {}))
        assert.strictEqual(ours?.fiberId, "#7")
        assert.deepStrictEqual(stream?.annotations, streamed)
      }).pipe(Effect.provide(logging()))
    )
  )

  it.effect("is left out where it is not important enough", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.provide(AccessLog.make, logging({ LOG_LEVEL: "warning" }))
        log(line)
        assert.deepStrictEqual(writes, [])
      })
    )
  )

  it.effect("has the form of the other lines in logfmt", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.provide(AccessLog.make, logging({ LOG_FORMAT: "logfmt" }))
        log(line)
        assert.match(writes.join(), /^timestamp=\S+ level=INFO fiber="?"? message=request /)
        assert.include(writes.join(), "requestId=wallet-42")
      })
    )
  )
})
