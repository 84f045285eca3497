import { connect } from "node:net"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as FiberRef from "effect/FiberRef"
import * as TestClock from "effect/TestClock"
import { timeoutTo } from "../../src/kernel/timeout.ts"
import { eventCame } from "../support/assertions.ts"
import { assert, describe, it } from "../support/vitest.ts"

const late = { duration: "1 second", onTimeout: () => Effect.succeed("late") } as const

describe("an effect with a time limit", () => {
  it("has its own outcome, success or failure, if it completes in time", function* () {
    assert.strictEqual(yield* timeoutTo(Effect.succeed(1), late), 1)
    assert.strictEqual(yield* Effect.flip(timeoutTo(Effect.fail("no"), late)), "no")
    assert.deepStrictEqual(yield* Effect.exit(timeoutTo(Effect.die("defect"), late)), Exit.die("defect"))
    const later = yield* Effect.fork(Effect.sleep("900 millis").pipe(Effect.as(2), timeoutTo(late)))
    yield* TestClock.adjust("900 millis")
    assert.strictEqual(yield* Fiber.join(later), 2)
  })

  it("is interrupted at the limit, and replaced by the fallback without waiting for the interruption", function* () {
    const held = yield* Deferred.make<void>()
    const interrupted = yield* Deferred.make<void>()
    const slow = Effect.onInterrupt(Effect.never, () =>
      Effect.zipRight(Deferred.succeed(interrupted, undefined), Deferred.await(held))
    )
    const requested = yield* Effect.fork(timeoutTo(slow, late))
    yield* TestClock.adjust("999 millis")
    assert.isNull(requested.unsafePoll())
    yield* TestClock.adjust("1 millis")
    assert.strictEqual(yield* Fiber.join(requested), "late")
    yield* Deferred.await(interrupted)
    const failing = yield* Effect.fork(
      Effect.flip(timeoutTo(Effect.never, { duration: 10, onTimeout: () => Effect.fail("too late") }))
    )
    yield* TestClock.adjust(10)
    assert.strictEqual(yield* Fiber.join(failing), "too late")
  })

  it("is interrupted with its caller", function* () {
    const interrupted = yield* Deferred.make<void>()
    const requested = yield* Effect.fork(
      timeoutTo(
        Effect.onInterrupt(Effect.never, () => Deferred.succeed(interrupted, undefined)),
        late
      )
    )
    yield* Effect.yieldNow()
    yield* Fiber.interrupt(requested)
    yield* Deferred.await(interrupted)
    eventCame()
  })

  it("runs with the context and the fiber refs of its caller", function* () {
    const Word = Context.GenericTag<string>("word")
    const ref = yield* FiberRef.make("outside")
    const returned = Effect.zip(Word, FiberRef.get(ref)).pipe(Effect.delay(10), timeoutTo(late))
    const requested = yield* Effect.fork(Effect.locally(Effect.provideService(returned, Word, "word"), ref, "inside"))
    yield* TestClock.adjust(10)
    assert.deepStrictEqual(yield* Fiber.join(requested), ["word", "inside"])
  })

  it.scopedLive("reads what arrived during a pause of the process before its limit", function* () {
    const pause = () => {
      const end = performance.now() + 400
      while (performance.now() < end);
    }
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.listen({
          hostname: "127.0.0.1",
          port: 0,
          socket: {
            data: (socket) => {
              socket.write("in time")
              pause()
            }
          }
        })
      ),
      (running) => Effect.sync(() => running.stop(true))
    )
    const socket = connect(server.port, "127.0.0.1")
    // On a busy machine, a connection takes longer than the limit.
    yield* Effect.async<void>((resume) => void socket.once("connect", () => resume(Effect.void)))
    const answer = Effect.async<string>((resume) => {
      socket.once("data", (bytes) => {
        socket.destroy()
        resume(Effect.succeed(String(bytes)))
      })
      socket.write("a call")
    })
    assert.strictEqual(yield* timeoutTo(answer, { ...late, duration: 50 }), "in time")
    const silent = Effect.zipRight(Effect.sync(pause), Effect.never)
    assert.strictEqual(yield* timeoutTo(Effect.zipRight(Effect.yieldNow(), silent), { ...late, duration: 50 }), "late")
  })

  it.live("works the same in real time", function* () {
    assert.strictEqual(yield* timeoutTo(Effect.never, { ...late, duration: 5 }), "late")
    assert.strictEqual(yield* timeoutTo(Effect.delay(Effect.succeed(1), 1), { ...late, duration: "1 hour" }), 1)
  })
})
