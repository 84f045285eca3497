import { stripVTControlCharacters } from "node:util"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { Settings } from "../../src/settings/Settings.ts"
import * as AccessLog from "../../src/telemetry/AccessLog.ts"
import * as Logging from "../../src/telemetry/Logging.ts"
import { LogOutput, type Output } from "../../src/telemetry/LogSink.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** An output that completes writes at once, unless its reader is stalled, gone or full. */
const output = () => {
  const writes: Array<string> = []
  const reader: { state: "reads" | "stalled" | "gone" | "full" } = { state: "reads" }
  let finish = () => {}
  const write: Output["write"] = (bytes, done) => {
    if (reader.state === "gone") return done(Object.assign(new Error("broken pipe"), { code: "EPIPE" }), 0)
    if (reader.state === "full") return done(Object.assign(new Error("try again"), { code: "EAGAIN" }), 0)
    const complete = () => {
      writes.push(new TextDecoder().decode(bytes).replace(/\n$/, ""))
      done(null, bytes.length)
    }
    if (reader.state === "reads") return complete()
    finish = complete
  }
  const read = () => {
    reader.state = "reads"
    finish()
  }
  return { read, reader, write, writes }
}

/** Runs the effect with an output that collects each write as one text. */
const watched = <A, E, R>(run: (writes: ReadonlyArray<string>) => Effect.Effect<A, E, R>) => {
  const { write, writes } = output()
  return Effect.provideService(run(writes), LogOutput, { write })
}

const logging = (environment: Readonly<Record<string, string>> = {}) =>
  Logging.layer.pipe(Layer.provide(Settings.layer(environment)))

const sender = { client: "192.0.2.1", userAgent: 'a "browser"\n' }

const line: AccessLog.Line = {
  method: "GET",
  route: "/price/coin",
  status: 200,
  ms: 0.1,
  bytes: 5,
  networks: ["base", "tron"],
  nulls: 3,
  requestId: "wallet-42",
  ...sender
}

const droppedLines = Metric.counter("log_lines_dropped_total", {
  description: "Log lines that were dropped because the log was not read",
  incremental: true
})

const texts = (writes: ReadonlyArray<string>) => writes.map((text) => text.split("\n").length)

describe("log lines", () => {
  it.effect("are written at once after an idle interval, otherwise together, always in order", () =>
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

  for (const format of ["json", "logfmt", "pretty"])
    it.effect(`contain no C1 control characters: ${format}`, () =>
      watched((writes) =>
        Effect.gen(function* () {
          yield* Effect.logError("a\u009b31m \u0085 \u007f b")
          assert.notMatch(writes.join(""), /[\x7f-\x9f]/)
          assert.include(writes.join(""), "\\u009b31m")
        }).pipe(Effect.provide(logging({ LOG_FORMAT: format })))
      )
    )

  for (const format of ["json", "logfmt"])
    it.effect(`are flushed by warnings and errors: ${format}`, () =>
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

  it.effect("are flushed when many are buffered", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* AccessLog.make
        for (let index = 0; index < 1_000; index++) log.write(line)
        assert.isAbove(writes.length, 1)
      }).pipe(Effect.provide(logging()))
    )
  )

  it.effect("are flushed at shutdown, and later lines are written at once", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.scoped(
          Effect.flatMap(Layer.build(logging()), () =>
            Effect.tap(AccessLog.make, (write) => Effect.sync(() => write.write(line)))
          )
        )
        assert.deepStrictEqual(texts(writes), [1])
        log.write(line)
        assert.deepStrictEqual(texts(writes), [1, 1])
      })
    )
  )
})

describe("a stalled reader of the log", () => {
  const dropped = (lines: ReadonlyArray<string>) =>
    lines
      .flatMap((text) => text.split("\n"))
      .flatMap((text) => /(\d+) log lines before this line/.exec(text)?.[1] ?? [])

  it.effect(
    "does not block: lines are buffered, excess lines are dropped and counted, and a line reports the count",
    () => {
      const { read, reader, write, writes } = output()
      return Effect.gen(function* () {
        const log = yield* AccessLog.make
        const before = (yield* Metric.value(droppedLines)).count
        log.write(line)
        reader.state = "stalled"
        yield* Effect.logWarning("the last that it takes")
        const length = (writes[0] ?? "").length
        for (let index = 0; index < 20_000; index++) log.write(line)
        assert.strictEqual(writes.length, 1)
        const lost = (yield* Metric.value(droppedLines)).count - before
        assert.closeTo(lost, 20_000 - (4 * 1024 * 1024) / length, 500)
        read()
        assert.deepStrictEqual(dropped(writes), [String(lost)])
        const all = writes.flatMap((text) => text.split("\n"))
        assert.strictEqual(all.length, 20_000 - lost + 3)
        for (const text of all) JSON.parse(text)
        log.write(line)
        yield* TestClock.adjust("100 millis")
        assert.strictEqual(dropped(writes).length, 1)
      }).pipe(Effect.provide(logging()), Effect.provideService(LogOutput, { write }))
    }
  )

  it.effect("delays the shutdown only up to a limit", () => {
    const { read, reader, write, writes } = output()
    const stalled = Effect.scoped(
      Effect.gen(function* () {
        const context = yield* Layer.build(logging())
        reader.state = "stalled"
        yield* Effect.provide(Effect.zipRight(Effect.logWarning("one"), Effect.logWarning("two")), context)
      })
    ).pipe(Effect.provideService(LogOutput, { write }))
    return Effect.gen(function* () {
      const ending = yield* Effect.fork(stalled)
      yield* TestClock.adjust("1 second")
      assert.isTrue(Option.isNone(yield* Fiber.poll(ending)))
      read()
      yield* Fiber.join(ending)
      assert.deepStrictEqual(texts(writes), [1, 1])
      const another = yield* Effect.fork(stalled)
      yield* TestClock.adjust("2 seconds")
      yield* Fiber.join(another)
    })
  })

  it.effect("loses no lines if the pipe is only full for a moment", () => {
    const { reader, write, writes } = output()
    return Effect.gen(function* () {
      reader.state = "full"
      yield* Effect.logWarning("one")
      yield* Effect.logInfo("two")
      yield* TestClock.adjust("1 second")
      reader.state = "reads"
      yield* TestClock.adjust("200 millis")
      assert.match(writes.join("\n"), /one.*\n.*two/)
      assert.deepStrictEqual(dropped(writes), [])
    }).pipe(Effect.provide(logging()), Effect.provideService(LogOutput, { write }))
  })

  it.effect("loses the lines if it is gone, with few write attempts", () => {
    const { reader, write, writes } = output()
    let tries = 0
    const counted: Output["write"] = (bytes, done) => {
      tries++
      write(bytes, done)
    }
    return Effect.gen(function* () {
      reader.state = "gone"
      const log = yield* AccessLog.make
      for (let index = 0; index < 50; index++) log.write(line)
      yield* TestClock.adjust("10 minutes")
      assert.isAtMost(tries, 2)
      reader.state = "reads"
      yield* Effect.logWarning("somebody reads again")
      assert.deepStrictEqual(dropped(writes), ["50"])
    }).pipe(Effect.provide(logging()), Effect.provideService(LogOutput, { write: counted }))
  })
})

describe("a pretty entry", () => {
  it.effect("is written through the same output, with its details on the lines below", () =>
    watched((writes) =>
      Effect.gen(function* () {
        yield* Effect.annotateLogs(Effect.logWarning("first", { second: 2 }), { network: "base" })
        const text = stripVTControlCharacters(writes.join("\n"))
        assert.match(text, /^\[.*\] WARN \(#\d+\): first\n {2}\{ second: 2 \}\n {2}network: base$/)
      }).pipe(Effect.provide(logging({ LOG_FORMAT: "pretty" })))
    )
  )
})

describe("a pretty line of a request", () => {
  it.effect("is one line with at most three networks", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* AccessLog.make
        log.write({ ...line, networks: ["base", "tron", "sui", "bitcoin"] })
        const { networks: _, nulls: __, ...plain } = line
        log.write(plain)
        yield* TestClock.adjust("1 second")
        const [first, second] = writes.flatMap((text) => text.split("\n"))
        assert.match(first ?? "", /^\[\d\d:\d\d:\d\d\] GET \/price\/coin 200 0\.1 ms base tron sui … 3 nulls$/)
        assert.match(second ?? "", /^\[\d\d:\d\d:\d\d\] GET \/price\/coin 200 0\.1 ms$/)
      }).pipe(Effect.provide(logging({ LOG_FORMAT: "pretty" })))
    )
  )
})

describe("the line of a request", () => {
  it.effect("is the same as from the general logger", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* AccessLog.make
        log.write(line)
        const { client, method, ms, requestId, route, status } = line
        const least = { method, route, status, ms, requestId, client }
        log.write(least)
        yield* Effect.annotateLogs(Effect.logWarning("request"), { ...line })
        const [ours, stream, theirs] = writes
          .flatMap((text) => text.split("\n"))
          .map((text) => JSON.parse(text) as Record<string, unknown>)
        assert.deepStrictEqual(ours, { ...theirs, level: "INFO" })
        assert.deepStrictEqual(theirs, {
          timestamp: "1970-01-01T00:00:00.000Z",
          level: "WARN",
          message: "request",
          ...line
        })
        assert.deepStrictEqual(stream, {
          timestamp: "1970-01-01T00:00:00.000Z",
          level: "INFO",
          message: "request",
          ...least
        })
      }).pipe(Effect.provide(logging()))
    )
  )

  for (const [LOG_LEVEL, probes] of [
    ["info", []],
    ["debug", ["DEBUG /health/ready", "DEBUG /metrics"]]
  ] as const)
    it.effect(`of a probe or a scrape has level debug: ${LOG_LEVEL}`, () =>
      watched((writes) =>
        Effect.gen(function* () {
          const log = yield* AccessLog.make
          for (const route of ["/health/ready", "/metrics", "/health", "/metrics/all"]) log.write({ ...line, route })
          yield* TestClock.adjust("1 second")
          const written = writes.flatMap((text) => text.split("\n")).map((text) => JSON.parse(text))
          assert.deepStrictEqual(
            written.map(({ level, route }) => `${level} ${route}`),
            [...probes, "INFO /health", "INFO /metrics/all"]
          )
        }).pipe(Effect.provide(logging({ LOG_LEVEL })))
      )
    )

  it.effect("is left out above level info", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.provide(AccessLog.make, logging({ LOG_LEVEL: "warning" }))
        log.write(line)
        assert.deepStrictEqual(writes, [])
      })
    )
  )

  it.effect("has the format of other lines in logfmt", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const log = yield* Effect.provide(AccessLog.make, logging({ LOG_FORMAT: "logfmt" }))
        log.write(line)
        assert.match(writes.join(), /^timestamp=\S+ level=INFO fiber="?"? message=request /)
        assert.include(writes.join(), "requestId=wallet-42")
      })
    )
  )
})

describe("a JSON line", () => {
  it.effect("is flat, and no annotation takes the place of its message", () =>
    watched((writes) =>
      Effect.gen(function* () {
        const circular: Record<string, unknown> = { a: 1 }
        circular.self = circular
        yield* Effect.annotateLogs(Effect.logError("failed", new Error("broken")), {
          network: "base",
          message: "other",
          level: "DEBUG",
          circular
        })
        const { cause, ...entry } = JSON.parse(writes[0] ?? "") as Record<string, unknown>
        assert.deepStrictEqual(entry, {
          timestamp: "1970-01-01T00:00:00.000Z",
          level: "ERROR",
          message: "failed: broken",
          network: "base",
          circular: { a: 1 }
        })
        assert.strictEqual(cause, undefined)
        yield* Effect.logError("died", Cause.die(new Error("defect")))
        assert.match(String(JSON.parse(writes[1] ?? "").cause), /^Error: defect\n/)
      }).pipe(Effect.provide(logging()))
    )
  )
})

describe("the message of a line", () => {
  const parts: ReadonlyArray<readonly [ReadonlyArray<unknown>, string]> = [
    [["one"], "one"],
    [["a price source failed", "binance: timed out"], "a price source failed: binance: timed out"],
    [[new Error("broken")], "broken"],
    [["nothing", { code: 5 }, undefined, 7n], 'nothing: {"code":5}: undefined: 7']
  ]
  for (const format of ["json", "logfmt"])
    it.effect(`is always one text: ${format}`, () =>
      watched((writes) =>
        Effect.gen(function* () {
          for (const [given, expected] of parts) {
            yield* Effect.logWarning(...given)
            const written = writes.at(-1) ?? ""
            const message =
              format === "json" ? JSON.parse(written).message : /message=("(?:[^"\\]|\\.)*"|\S+)/.exec(written)?.[1]
            assert.strictEqual(message?.startsWith('"') === true ? JSON.parse(message) : message, expected)
          }
        }).pipe(Effect.provide(logging({ LOG_FORMAT: format })))
      )
    )
})

describe("LOG_FORMAT and LOG_LEVEL", () => {
  const first = (environment: Readonly<Record<string, string>>, terminal: boolean) => {
    const { write, writes } = output()
    return Effect.logWarning("one").pipe(
      Effect.provide(logging(environment)),
      Effect.provideService(LogOutput, { write, terminal }),
      Effect.map(() => writes[0] ?? "")
    )
  }

  it("are by default pretty on a terminal and json elsewhere", function* () {
    assert.match(yield* first({}, false), /^\{"timestamp":"[^"]+","level":"WARN","message":"one"/)
    assert.match(stripVTControlCharacters(yield* first({}, true)), /^\[.*\] WARN/)
    assert.match(yield* first({ LOG_FORMAT: "json" }, true), /^\{/)
    assert.match(stripVTControlCharacters(yield* first({ LOG_FORMAT: "Pretty" }, false)), /^\[/)
  })

  it("accept the usual names, case-insensitively", function* () {
    for (const name of ["warn", "WARNING", "Info", "TRACE", "all"])
      assert.notStrictEqual(yield* first({ LOG_LEVEL: name }, false), "", name)
    for (const name of ["error", "FATAL", "off", "None"])
      assert.strictEqual(yield* first({ LOG_LEVEL: name }, false), "", name)
  })
})
