import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import type { Reason } from "../../src/domain/Reason.ts"
import { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { assert, type Body, describe, effectOf, it } from "../support/vitest.ts"

/** Upstreams that succeed and fail as the test requires. */
const watching = Effect.gen(function* () {
  const { ended, logFailure, register } = yield* Upstreams
  for (const name of ["one", "two"]) yield* register({ name, keyed: false, addresses: [] })
  const report = (upstream: string, outcome: UpstreamError | "ok" = "ok") =>
    Effect.map(
      Effect.clockWith((clock) => clock.currentTimeMillis),
      (at) => ended({ upstream, outcome, at, ms: 0 })
    )
  const fail = (upstream: string, reason: Reason = "timeout", status?: number) => {
    const error = new UpstreamError({ upstream, reason, detail: "failed", ...(status && { status }) })
    return Effect.zipRight(report(upstream, error), logFailure("no prices", error))
  }
  return { fail, answer: (name: string) => report(name) }
})

const test = (use: (lines: ReadonlyArray<string>) => Body<Upstreams>) => {
  const lines: Array<string> = []
  const logger = Logger.make(({ logLevel, message }) => {
    if (logLevel.label !== "DEBUG") lines.push(`${logLevel.label} ${String(message)}`)
  })
  return effectOf(use(lines)).pipe(
    Effect.provide(Layer.provideMerge(Upstreams.layer, Logger.replace(Logger.defaultLogger, logger)))
  )
}

describe("a failure of an upstream", () => {
  it.effect("is logged once until the upstream responds again", () =>
    test(function* (lines) {
      const { answer, fail } = yield* watching
      yield* answer("two")
      for (let round = 0; round < 3; round++) yield* fail("one", "bad_answer")
      yield* answer("one")
      yield* fail("one", "bad_answer")
      yield* fail("two")
      const line = "WARN no prices: one: failed"
      assert.deepStrictEqual(lines, [line, line, "WARN no prices: two: failed"])
    })
  )

  it.effect("is logged once if no upstream can be reached, and so is the end of the outage", () =>
    test(function* (lines) {
      const { answer, fail } = yield* watching
      for (const upstream of ["one", "two", "one"]) yield* fail(upstream, "upstream_error")
      assert.strictEqual(lines.length, 1)
      assert.match(
        lines[0] ?? "",
        /^WARN no upstream can be reached: no prices: one: failed; is this machine offline\?/
      )
      yield* answer("two")
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(lines.slice(1), ["INFO an upstream responds again"])
      yield* TestClock.adjust("2 minutes")
      yield* fail("two")
      yield* fail("two")
      assert.strictEqual(lines.length, 3)
      assert.include(lines[2] ?? "", "no upstream can be reached")
    })
  )

  it.effect("with an HTTP response does not mean that the machine is offline", () =>
    test(function* (lines) {
      const { fail } = yield* watching
      yield* fail("one", "rate_limited", 429)
      yield* fail("two", "upstream_error", 500)
      assert.deepStrictEqual(lines, ["WARN no prices: one: failed", "WARN no prices: two: failed"])
    })
  )
})
