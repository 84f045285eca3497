import { join } from "node:path"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Lease from "../../src/storage/Lease.ts"
import * as Memory from "../../src/storage/Memory.ts"
import * as Sqlite from "../../src/storage/Sqlite.ts"
import { Store, StoreError } from "../../src/storage/Store.ts"
import { eventCame } from "../support/assertions.ts"
import { bundled } from "../support/bundle.ts"
import { startScript } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { assert, type Body, describe, effectOf, it } from "../support/vitest.ts"

type Holder = (name: string) => Effect.Effect<Lease.Lease, unknown, Scope.Scope>

/** Holders of one-minute leases. Each holder has its own store over the same place, like a process. */
const places: Readonly<Record<string, Effect.Effect<Holder, never, Scope.Scope>>> = {
  memory: Effect.map(Layer.build(Layer.fresh(Memory.layer())), (store) => {
    return (name) => Effect.provide(Lease.make(name, "1 minute"), store)
  }),
  "a sqlite file": Effect.map(folder, (path) => {
    return (name) =>
      Effect.flatMap(Layer.build(Layer.fresh(Sqlite.layer(join(path, "store.sqlite")))), (store) =>
        Effect.provide(Lease.make(name, "1 minute"), store)
      )
  })
}

describe.each(Object.entries(places))("a lease in %s", (_, place) => {
  const test = (name: string, body: (holder: Holder) => Body<Scope.Scope>) =>
    it.scoped(name, () => Effect.flatMap(place, (holder) => effectOf(body(holder))))

  test("has one owner at a time, which renews it by claiming it again", function* (holder) {
    const [first, second] = [yield* holder("refresh"), yield* holder("refresh")]
    assert.isTrue(yield* first.claim)
    assert.isFalse(yield* second.claim)
    for (let time = 0; time < 5; time++) {
      yield* TestClock.adjust("59 seconds")
      assert.isFalse(yield* second.claim)
      assert.isTrue(yield* first.claim)
    }
  })

  test("is free once it was not claimed for its duration, and not before", function* (holder) {
    const [first, second] = [yield* holder("refresh"), yield* holder("refresh")]
    assert.isTrue(yield* first.claim)
    yield* TestClock.adjust("59999 millis")
    assert.isFalse(yield* second.claim)
    yield* TestClock.adjust("1 millis")
    assert.isTrue(yield* second.claim)
    assert.isFalse(yield* first.claim)
  })

  test("is free immediately when its owner ends, also by interruption", function* (holder) {
    const other = yield* holder("refresh")
    const scope = yield* Scope.make()
    assert.isTrue(yield* (yield* Scope.extend(holder("refresh"), scope)).claim)
    assert.isFalse(yield* other.claim)
    yield* Scope.close(scope, Exit.void)
    assert.isTrue(yield* other.claim)
    const third = yield* holder("third")
    const fiber = yield* Effect.fork(
      Effect.scoped(
        Effect.zipRight(
          Effect.flatMap(holder("third"), ({ claim }) => claim),
          Effect.never
        )
      )
    )
    yield* TestClock.adjust(0)
    assert.isFalse(yield* third.claim)
    yield* Fiber.interrupt(fiber)
    assert.isTrue(yield* third.claim)
  })

  test("is not released by a process that never owned it or has lost it", function* (holder) {
    const [first, second] = [yield* holder("refresh"), yield* holder("refresh")]
    const scope = yield* Scope.make()
    const gone = yield* Scope.extend(holder("refresh"), scope)
    assert.isTrue(yield* gone.claim)
    yield* TestClock.adjust("1 minute")
    assert.isTrue(yield* first.claim)
    yield* Scope.close(scope, Exit.void)
    assert.isFalse(yield* second.claim)
  })

  test("does not block another name", function* (holder) {
    assert.isTrue(yield* (yield* holder("refresh")).claim)
    assert.isTrue(yield* (yield* holder("charts")).claim)
  })
})

describe("a lease", () => {
  it("that was claimed while the clock was far ahead is free when the clock is corrected", function* () {
    const holder = yield* places["a sqlite file"] ?? Effect.dieMessage("no such place")
    yield* TestClock.setTime(1_000_000_000)
    const [first, second] = [yield* holder("refresh"), yield* holder("refresh")]
    assert.isTrue(yield* first.claim)
    yield* TestClock.setTime(1_000_000_000 - 60_000)
    assert.isFalse(yield* second.claim)
    yield* TestClock.setTime(0)
    assert.isTrue(yield* second.claim)
  })

  const failure = (operation: StoreError["operation"]) => new StoreError({ operation, cause: new Error("disk full") })
  const broken = {
    fails: { claim: () => Effect.fail(failure("claim")), release: () => Effect.fail(failure("release")) },
    dies: { claim: () => Effect.dieMessage("bug"), release: () => Effect.dieMessage("bug") },
    hangs: { claim: () => Effect.never, release: () => Effect.never }
  }
  for (const [how, methods] of Object.entries(broken))
    it.effect(`in a store that ${how} is granted to every process, with one log line`, () => {
      const logged: Array<string> = []
      const logger = Logger.make(({ logLevel }) => void logged.push(logLevel.label))
      let well = false
      return Effect.gen(function* () {
        const store = yield* Store
        const changing = {
          ...store,
          claim: (...given: Parameters<typeof store.claim>) => (well ? store : methods).claim(...given),
          release: methods.release
        }
        const fiber = yield* Effect.fork(
          Effect.scoped(
            Effect.gen(function* () {
              const { claim } = yield* Effect.provideService(Lease.make("refresh", "1 minute"), Store, changing)
              for (well of [true, false, false, false, true, true]) assert.isTrue(yield* claim)
            })
          )
        )
        for (let step = 0; step < 4; step++) yield* TestClock.adjust("250 millis")
        yield* Fiber.join(fiber)
        assert.deepStrictEqual(logged, ["WARN", "INFO", "WARN"])
      }).pipe(Effect.provide([Layer.fresh(Memory.layer()), Logger.replace(Logger.defaultLogger, logger)]))
    })

  it.scopedLive("never has two owners over one sqlite file", function* () {
    const path = join(yield* folder, "store.sqlite")
    const processes = yield* Effect.forEach(["one", "two"], (owner) =>
      startScript([bundled("test/support/leaseRounds.ts"), path, owner])
    )
    yield* Effect.forEach(processes, ({ until }) => until(/^held 50 times$/m), { concurrency: "unbounded" })
    eventCame()
  })
})
