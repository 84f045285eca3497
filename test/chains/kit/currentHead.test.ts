import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { type Head, headCheck, requireCurrent } from "../../../src/chains/kit/status/currentHead.ts"
import { NetworkId } from "../../../src/domain/NetworkId.ts"
import { height, seconds } from "../../../src/domain/units.ts"
import { measureAll } from "../../../src/kernel/counters.ts"
import { type Fault, UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { samples } from "../../support/samples.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const source = { fault: (fault: Fault) => new UpstreamError({ upstream: "nodes", ...fault }) }
const now = 1_000_000

/** The age in the metrics when they are read. */
const ageOf = (id: string) =>
  Effect.zipRight(
    measureAll,
    Effect.map(samples("network_head_age_seconds"), (ages) => ages[`network="${id}"`])
  )

describe("the newest block of a source", () => {
  it("is measured: the age is that of the newest block of any source", function* () {
    const facts = { id: NetworkId.make("heads-a"), blockTime: 12_000 }
    yield* TestClock.setTime(now * 1000)
    assert.strictEqual(yield* ageOf("heads-a"), undefined)
    const outcome = (timestamp: number) =>
      Effect.map(Effect.either(requireCurrent(source, facts, seconds(timestamp))), Either.isRight)
    assert.isTrue(yield* outcome(now - 20))
    assert.strictEqual(yield* ageOf("heads-a"), 20)
    // A node that is behind does not hide a node that follows the network.
    assert.isFalse(yield* outcome(now - 4_000))
    assert.strictEqual(yield* ageOf("heads-a"), 20)
    // It grows while no source is called.
    yield* TestClock.adjust("10 minutes")
    assert.strictEqual(yield* ageOf("heads-a"), 620)
    // After ten minutes without a newest block of any source, it would say nothing about the network.
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* ageOf("heads-a"), undefined)
    yield* TestClock.adjust("2999 seconds")
    assert.isFalse(yield* outcome(now - 20))
    assert.strictEqual(yield* ageOf("heads-a"), 3_620)
    assert.strictEqual((yield* samples("network_head_age_limit_seconds"))['network="heads-a"'], 300)
    assert.isFalse(yield* outcome(now + 9_000))
    assert.strictEqual(yield* ageOf("heads-a"), 3_620)
  })

  it("is not measured if the network was shut down", function* () {
    yield* TestClock.setTime(now * 1000)
    yield* requireCurrent(source, { id: NetworkId.make("heads-b"), sunset: "2001-01-01" }, seconds(1))
    assert.strictEqual(yield* ageOf("heads-b"), undefined)
  })
})

describe("the check of the newest block", () => {
  const facts = { id: NetworkId.make("heads-c"), blockTime: 12_000 }
  const behind = "nodes: the node is behind the network"

  /** A check of a network, whose reads of newest blocks are counted. */
  const checking = (of: Parameters<typeof headCheck>[0] = facts) =>
    Effect.gen(function* () {
      yield* TestClock.setTime(now * 1000)
      const check = yield* headCheck(of)
      let reads = 0
      const outcome = (from: typeof source, head: Effect.Effect<Head, UpstreamError>) =>
        Effect.match(
          check(
            from,
            Effect.suspend(() => {
              reads++
              return head
            })
          ),
          { onFailure: ({ message }) => message, onSuccess: () => "current" }
        )
      return { outcome, reads: () => reads }
    })
  const headAt = (time: number, number = 1): Effect.Effect<Head> =>
    Effect.succeed({ height: height(number), time: seconds(time) })
  const newSource = () => ({ ...source })

  it("reads it once for all callers, and again when the source may have stood still for too long", function* () {
    const { outcome, reads } = yield* checking()
    const one = newSource()
    const all = Array.from({ length: 3 }, () => outcome(one, headAt(now - 100)))
    assert.deepStrictEqual(yield* Effect.all(all, { concurrency: 3 }), ["current", "current", "current"])
    assert.strictEqual(reads(), 1)
    yield* TestClock.adjust("200 seconds")
    assert.strictEqual(yield* outcome(one, headAt(now - 100)), "current")
    assert.strictEqual(reads(), 1)
    yield* TestClock.adjust("1 second")
    assert.strictEqual(yield* outcome(one, headAt(now - 100)), behind)
    assert.strictEqual(yield* outcome(newSource(), headAt(now + 200)), "current")
    assert.strictEqual(reads(), 3)
  })

  it("does not read a newest block that another part of the service has just read", function* () {
    const { outcome, reads } = yield* checking()
    const one = newSource()
    yield* requireCurrent(one, facts, seconds(now))
    assert.strictEqual(yield* outcome(one, headAt(now - 4_000)), "current")
    assert.strictEqual(reads(), 0)
  })

  it("fails for 10 seconds without another read", function* () {
    const { outcome, reads } = yield* checking()
    const one = newSource()
    assert.strictEqual(yield* outcome(one, headAt(now - 301)), behind)
    assert.strictEqual(yield* outcome(one, headAt(now)), behind)
    yield* TestClock.adjust("11 seconds")
    assert.strictEqual(yield* outcome(one, headAt(now)), "current")
    assert.strictEqual(reads(), 2)
  })

  it("rejects a source with a block from the future each time", function* () {
    const { outcome } = yield* checking()
    const one = newSource()
    const ahead = "nodes: the node returned a block from the future"
    assert.strictEqual(yield* outcome(one, headAt(now + 301)), ahead)
    assert.strictEqual(yield* outcome(one, headAt(now + 301)), ahead)
    assert.strictEqual(yield* outcome(newSource(), headAt(now + 300)), "current")
  })

  it("accepts a source whose newest block cannot be read, or not soon, and tries again after a minute, or an hour", function* () {
    const { outcome, reads } = yield* checking()
    const one = newSource()
    const failing = Effect.fail(source.fault({ reason: "upstream_error", detail: "failed" }))
    assert.strictEqual(yield* outcome(one, failing), "current")
    yield* TestClock.adjust("59 seconds")
    assert.strictEqual(yield* outcome(one, headAt(0)), "current")
    assert.strictEqual(reads(), 1)
    yield* TestClock.adjust("2 seconds")
    assert.strictEqual(yield* outcome(one, headAt(0)), behind)
    assert.strictEqual(reads(), 2)
    const two = newSource()
    const absent = Effect.fail(source.fault({ reason: "upstream_error", detail: "returned HTTP 404", status: 404 }))
    assert.strictEqual(yield* outcome(two, absent), "current")
    yield* TestClock.adjust("59 minutes")
    assert.strictEqual(yield* outcome(two, headAt(0)), "current")
    assert.strictEqual(reads(), 3)
    const began = yield* TestClock.currentTimeMillis
    assert.strictEqual(yield* settled(outcome(newSource(), Effect.never)), "current")
    assert.strictEqual((yield* TestClock.currentTimeMillis) - began, 2_000)
  })

  it("rejects a source that lacks blocks of another source", function* () {
    const { outcome, reads } = yield* checking({ ...facts, blockTime: 600_000 })
    const [old, current, equal] = [newSource(), newSource(), newSource()]
    assert.strictEqual(yield* outcome(old, headAt(now - 7_200, 1_000)), "current")
    assert.strictEqual(yield* outcome(equal, headAt(now - 600, 1_009)), "current")
    assert.strictEqual(yield* outcome(current, headAt(now, 1_012)), "current")
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* outcome(old, headAt(now - 7_200, 1_000)), behind)
    assert.strictEqual(yield* outcome(equal, headAt(now - 600, 1_009)), "current")
    assert.strictEqual(reads(), 4)
    yield* TestClock.adjust("11 seconds")
    assert.strictEqual(yield* outcome(old, headAt(now, 1_012)), "current")
  })

  it("does not believe a source with more blocks than can have come", function* () {
    const { outcome } = yield* checking({ ...facts, blockTime: 600_000 })
    const [honest, wrong] = [newSource(), newSource()]
    assert.strictEqual(yield* outcome(honest, headAt(now - 600, 1_000)), "current")
    assert.strictEqual(yield* outcome(wrong, headAt(now, 1_011)), "current")
    assert.strictEqual(yield* outcome(honest, headAt(now - 600, 1_000)), "current")
  })
})
