import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import * as TestClock from "effect/TestClock"
import type { Rejection } from "../../../src/jsonrpc/proxy/attempt.ts"
import { hedge } from "../../../src/jsonrpc/proxy/hedge.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { type Fault, UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { run } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const error = (detail: string, more: Partial<Fault> = {}) =>
  new UpstreamError({ upstream: "nodes", reason: "upstream_error", detail, ...more })

const rejection = (detail: string, more?: Partial<Fault>): Rejection => ({
  error: error(detail, more),
  fallback: { kind: "implausible", result: detail }
})

type Attempt = Effect.Effect<string, Rejection>

/** A hedged call over these attempts, one per node, and the nodes that got the call. */
const over = (attempts: ReadonlyArray<Attempt>, hedgeAt = 100, isLate = () => false) => {
  const called: Array<number> = []
  const hedged = Effect.flatMap(Effect.zip(Effect.clock, Effect.runtime()), ([clock, runtime]) => {
    const ofEffect = Task.fromEffect((effect) => Runtime.runFork(runtime, effect))
    const now = () => clock.unsafeCurrentTimeMillis()
    const nodes = attempts.map((_, index) => index)
    const task = hedge(
      [nodes[0] ?? 0, ...nodes.slice(1)],
      (node) =>
        ofEffect(
          Effect.suspend(() => {
            called.push(node)
            return attempts[node] ?? Effect.never
          })
        ),
      { clock, until: now() + 1_000, timedOut: { error: error("late") }, hedgeAt: now() + hedgeAt, isLate }
    )
    return Task.toEffect(task)
  })
  return { called, hedged }
}

describe("a call to several nodes", () => {
  it("stays at the first node if it responds in time", function* () {
    const { called, hedged } = over([Effect.delay(Effect.succeed("a"), 99), Effect.succeed("b")])
    assert.deepStrictEqual(yield* run(hedged, 1), Either.right("a"))
    assert.deepStrictEqual(called, [0])
  })

  it("is not hedged while the process is late, and gets no second try", function* () {
    let isLate = true
    const { called, hedged } = over([Effect.never, Effect.succeed("b")], 100, () => isLate)
    const fiber = yield* Effect.fork(hedged)
    yield* TestClock.adjust(300)
    assert.deepStrictEqual(called, [0])
    isLate = false
    yield* TestClock.adjust(50)
    assert.strictEqual(yield* Fiber.join(fiber), "b")
    isLate = true
    const alone = over([Effect.fail(rejection("down"))], 100, () => isLate)
    assert.isTrue(Either.isLeft(yield* run(alone.hedged)))
    assert.deepStrictEqual(alone.called, [0])
  })

  it("gets the next node at once when the first fails, also in a late process", function* () {
    const { called, hedged } = over([Effect.fail(rejection("down")), Effect.succeed("b")], 100, () => true)
    assert.deepStrictEqual(yield* run(hedged, 1), Either.right("b"))
    assert.deepStrictEqual(called, [0, 1])
  })

  it("is hedged to the next node once the first is slow, and the first reply counts", function* () {
    const { called, hedged } = over([Effect.never, Effect.succeed("b")])
    const fiber = yield* Effect.fork(hedged)
    yield* TestClock.adjust(99)
    assert.deepStrictEqual(called, [0])
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Fiber.join(fiber), "b")
    assert.deepStrictEqual(called, [0, 1])
  })

  it("falls back immediately when a node is rejected, and collects all fallbacks", function* () {
    const { called, hedged } = over(["a", "b", "c"].map((detail) => Effect.fail(rejection(detail))))
    const outcome = yield* run(hedged)
    assert.deepStrictEqual(called, [0, 1, 2])
    const rejected = Either.isLeft(outcome) ? outcome.left : undefined
    assert.strictEqual(rejected?.error.detail, "c")
    assert.deepStrictEqual(
      rejected?.fallbacks.map((fallback) => fallback.kind === "implausible" && fallback.result),
      ["a", "b", "c"]
    )
  })

  it("fails at its time limit", function* () {
    const outcome = yield* run(over([Effect.fail(rejection("a")), Effect.never, Effect.succeed("c")]).hedged)
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.error.detail, "late")
  })
})

describe("a call to the only node", () => {
  it("is retried once if the failure is retryable", function* () {
    const { called, hedged } = over([Effect.fail(rejection("a", { status: 500 }))])
    assert.isTrue(Either.isLeft(yield* run(hedged)))
    assert.deepStrictEqual(called, [0, 0])
    const refused = over([Effect.fail(rejection("a", { status: 404 }))])
    assert.isTrue(Either.isLeft(yield* run(refused.hedged)))
    assert.deepStrictEqual(refused.called, [0])
  })
})
