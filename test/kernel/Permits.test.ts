import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Permits from "../../src/kernel/Permits.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Lets all fibers go as far as they can. */
const settle = Effect.repeatN(Effect.yieldNow(), 6)

interface User {
  readonly fiber: Fiber.RuntimeFiber<void, string>
  readonly gate: Deferred.Deferred<void, string>
}

/** The next step: a new request for a permit, or the end, failure or interruption of a user; then optionally all settle. */
const step = FastCheck.record({
  what: FastCheck.constantFrom("ask", "ask", "end", "fail", "interrupt"),
  whom: FastCheck.nat(1000),
  settles: FastCheck.boolean()
})

describe("permits", () => {
  it.effect.prop(
    "are neither lost nor duplicated, and go to the longest waiting user, whichever users are interrupted",
    [FastCheck.integer({ min: 1, max: 4 }), FastCheck.array(step, { maxLength: 60 })],
    ([count, steps]) =>
      Effect.gen(function* () {
        const permits = Permits.make(count)
        const users: Array<User> = []
        const began: Array<number> = []
        let running = 0
        let most = 0
        const query = Effect.gen(function* () {
          const index = users.length
          const gate = yield* Deferred.make<void, string>()
          const use = Effect.acquireUseRelease(
            Effect.sync(() => {
              began.push(index)
              most = Math.max(most, ++running)
            }),
            () => Deferred.await(gate),
            () => Effect.sync(() => running--)
          )
          users.push({ gate, fiber: yield* Effect.fork(permits.withPermit(use)) })
        })
        const going = () => users.filter(({ fiber }) => fiber.unsafePoll() === null)
        for (const { settles, what, whom } of steps) {
          const all = going()
          const waiter = all[whom % Math.max(all.length, 1)]
          if (what === "ask" || waiter === undefined) {
            // A new user may start before users that have a permit but have not started yet.
            yield* settle
            yield* query
          } else if (what === "interrupt") waiter.fiber.unsafeInterruptAsFork(waiter.fiber.id())
          else Deferred.unsafeDone(waiter.gate, what === "end" ? Exit.void : Exit.fail("no"))
          if (!settles) continue
          yield* settle
          // No user waits while a permit is free.
          assert.strictEqual(running, Math.min(count, going().length))
        }
        assert.isAtMost(most, count)
        assert.deepStrictEqual(
          began,
          [...began].sort((a, b) => a - b)
        )
        // All permits are free in the end.
        for (const { fiber } of users) yield* Fiber.interrupt(fiber)
        const before = users.length
        for (let more = 0; more <= count; more++) yield* query
        yield* settle
        assert.deepStrictEqual(
          began.filter((index) => index >= before),
          Array.from({ length: count }, (_, index) => before + index)
        )
        for (const { fiber } of users) yield* Fiber.interrupt(fiber)
      }),
    { fastCheck: { numRuns: 100 } }
  )

  it.effect.prop(
    "are taken in any numbers, never more than there are, and all are back in the end",
    [FastCheck.array(FastCheck.tuple(FastCheck.integer({ min: 1, max: 10 }), FastCheck.nat(2), FastCheck.nat(3)))],
    ([requests]) =>
      Effect.sync(() => {
        const permits = Permits.make(10)
        const owners = [{}, {}, {}]
        const granted: Array<{ readonly release: () => void; readonly number: number }> = []
        const ends: Array<() => void> = []
        for (const [number, owner, then] of requests) {
          ends.push(permits.enter(owners[owner], number, (release) => granted.push({ release, number })))
          assert.isAtMost(
            granted.reduce((sum, { number }) => sum + number, 0),
            10
          )
          if (then === 0) granted.shift()?.release()
          if (then === 1) ends.splice(ends.length >> 1, 1)[0]?.()
        }
        while (granted.length > 0) granted.shift()?.release()
        assert.strictEqual(permits.waiting(), 0)
        assert.isDefined(permits.take(undefined, 10))
      })
  )

  it("are passed on if their user is interrupted before its first step", function* () {
    const permits = Permits.make(1)
    const gate = yield* Deferred.make<void>()
    const first = yield* Effect.fork(permits.withPermit(Deferred.await(gate)))
    const second = yield* Effect.fork(permits.withPermit(Effect.never))
    const third = yield* Effect.fork(permits.withPermit(Effect.succeed("third")))
    yield* settle
    // In one step: the permit is granted to the second, and the second is interrupted.
    first.addObserver(() => second.unsafeInterruptAsFork(first.id()))
    Deferred.unsafeDone(gate, Exit.void)
    assert.strictEqual(yield* Fiber.join(third), "third")
    assert.isTrue(Exit.isInterrupted(yield* Fiber.await(second)))
  })

  it("go to the owners in turn, and to the effects of each owner in the order of their requests", function* () {
    const permits = Permits.make(1)
    const gate = yield* Deferred.make<void>()
    const began: Array<string> = []
    yield* Effect.fork(permits.withPermit(Deferred.await(gate)))
    yield* settle
    const owners = { a: {}, b: {}, c: {} }
    const run = (name: string, owner: object) =>
      permits.withPermit(
        Effect.sync(() => began.push(name)),
        owner
      )
    const all = yield* Effect.forkAll([
      ...["a1", "a2", "a3"].map((name) => run(name, owners.a)),
      ...["b1", "b2"].map((name) => run(name, owners.b)),
      run("c1", owners.c)
    ])
    yield* settle
    assert.strictEqual(permits.waiting(), 6)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(all)
    assert.deepStrictEqual(began, ["a1", "b1", "c1", "a2", "b2", "a3"])
    assert.strictEqual(permits.waiting(), 0)
  })

  it("can become more or fewer; running effects keep theirs", function* () {
    const permits = Permits.make(1)
    const gates = yield* Effect.replicateEffect(Deferred.make<void>(), 4)
    const began: Array<number> = []
    yield* Effect.forkAll(
      gates.map((gate, index) =>
        permits.withPermit(
          Effect.zipRight(
            Effect.sync(() => began.push(index)),
            Deferred.await(gate)
          )
        )
      )
    )
    yield* settle
    assert.deepStrictEqual([began.length, permits.waiting()], [1, 3])
    permits.resize(3)
    yield* settle
    assert.deepStrictEqual(began, [0, 1, 2])
    permits.resize(1)
    for (const index of [0, 1]) {
      yield* Deferred.succeed(gates[index] as Deferred.Deferred<void>, undefined)
      yield* settle
      assert.deepStrictEqual(began, [0, 1, 2])
    }
    yield* Deferred.succeed(gates[2] as Deferred.Deferred<void>, undefined)
    yield* settle
    assert.deepStrictEqual(began, [0, 1, 2, 3])
    yield* Deferred.succeed(gates[3] as Deferred.Deferred<void>, undefined)
    yield* settle
    assert.strictEqual(permits.waiting(), 0)
  })

  it("wrap the wait for a permit only if all permits are in use", function* () {
    const permits = Permits.make(1)
    const gate = yield* Deferred.make<void>()
    let waits = 0
    const queued = (wait: Effect.Effect<void>) =>
      Effect.zipRight(
        Effect.sync(() => waits++),
        wait
      )
    const first = yield* Effect.fork(permits.withPermit(Deferred.await(gate), undefined, queued))
    yield* settle
    assert.strictEqual(waits, 0)
    const second = yield* Effect.fork(permits.withPermit(Effect.void, undefined, queued))
    yield* settle
    assert.strictEqual(waits, 1)
    yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(Fiber.zip(first, second))
  })

  it.prop(
    "that are shared leave as many free as any owner gets, and are all back in the end",
    [
      FastCheck.integer({ min: 1, max: 12 }),
      FastCheck.array(FastCheck.record({ owner: FastCheck.nat(3), ends: FastCheck.boolean() }), { maxLength: 80 })
    ],
    ([count, steps]) => {
      const permits = Permits.make(count, { isShared: true })
      const owners = [{}, {}, {}, {}]
      const held = owners.map((): Array<() => void> => [])
      const used = () => held.reduce((sum, { length }) => sum + length, 0)
      for (const { ends, owner } of steps) {
        const own = held[owner] ?? []
        const free = count - used()
        if (ends) own.shift()?.()
        else {
          const release = permits.take(owners[owner])
          assert.strictEqual(release !== undefined, own.length < free, `${own.length} held, ${free} free`)
          if (release !== undefined) own.push(release)
        }
      }
      for (const release of held.flat()) release()
      const alone = Array.from({ length: count }, () => permits.take(owners[0])).filter((taken) => taken !== undefined)
      assert.lengthOf(alone, Math.ceil(count / 2))
    }
  )

  it("that are shared go to a waiting owner as soon as it may have one, in turns", function* () {
    const permits = Permits.make(4, { isShared: true })
    const [a, b] = [{}, {}]
    const first = [permits.take(a), permits.take(a)]
    assert.isUndefined(permits.take(a))
    const began: Array<string> = []
    const gates = yield* Effect.replicateEffect(Deferred.make<void>(), 4)
    const run = (name: string, owner: object, index: number) =>
      permits.withPermit(
        Effect.zipRight(
          Effect.sync(() => began.push(name)),
          Deferred.await(gates[index] as Deferred.Deferred<void>)
        ),
        owner
      )
    const all = yield* Effect.forkAll([run("a1", a, 0), run("b1", b, 1), run("b2", b, 2)])
    yield* settle
    // The owner that has none gets one at once; then none is left that both may share.
    assert.deepStrictEqual(began, ["b1"])
    first[0]?.()
    yield* settle
    assert.deepStrictEqual(began, ["b1", "a1"])
    first[1]?.()
    yield* settle
    assert.deepStrictEqual(began, ["b1", "a1", "b2"])
    for (const gate of gates) yield* Deferred.succeed(gate, undefined)
    yield* Fiber.join(all)
    assert.strictEqual(permits.waiting(), 0)
  })

  it("of guests are shared by them: one guest never has all", () => {
    const permits = Permits.make(16, { isGuest: (owner) => owner !== undefined })
    const takeAll = (owner: string | undefined) => {
      const releases: Array<() => void> = []
      for (let release = permits.take(owner); release !== undefined; release = permits.take(owner))
        releases.push(release)
      return releases
    }
    const [one, other, third] = [takeAll("one"), takeAll("other"), takeAll("third")]
    assert.deepStrictEqual(
      [one, other, third].map(({ length }) => length),
      [6, 3, 2]
    )
    assert.lengthOf(takeAll(undefined), 5)
    for (const release of [...one, ...other, ...third]) release()
    assert.lengthOf(takeAll("one"), 6)
  })

  it("go to a guest only while no other waits, if there is one permit", () => {
    const permits = Permits.make(1, { isGuest: (owner) => owner !== undefined })
    const began: Array<string> = []
    const releases: Array<() => void> = []
    const enter = (name: string, owner?: string) =>
      permits.enter(owner, 1, (release) => {
        began.push(name)
        releases.push(release)
      })
    enter("guest", "guest")
    enter("other guest", "other guest")
    enter("own")
    enter("second own")
    for (let index = 0; index < 4; index++) releases[index]?.()
    assert.deepStrictEqual(began, ["guest", "own", "second own", "other guest"])
  })

  it("of a guest that wants several are as many as it would get one by one", () => {
    const permits = Permits.make(16, { isGuest: (owner) => owner !== undefined })
    const guestsTake = (owner: string, wanted: number) => {
      const release = permits.take(owner, wanted)
      if (release === undefined) return undefined
      const left: Array<() => void> = []
      for (let next = permits.take(undefined); next !== undefined; next = permits.take(undefined)) left.push(next)
      for (const giveBack of left) giveBack()
      return { release, left: left.length }
    }
    const one = guestsTake("one", 100)
    const other = guestsTake("other", 2)
    const third = guestsTake("third", 9)
    assert.deepStrictEqual([one?.left, other?.left, third?.left], [10, 8, 6])
    assert.isUndefined(guestsTake("one", 2))
    for (const taken of [one, other, third]) taken?.release()
    assert.strictEqual(guestsTake("one", 1)?.left, 15)
  })

  it.effect.prop(
    "go to everyone in the end, and guests never have more than three quarters of them",
    [
      FastCheck.integer({ min: 1, max: 9 }),
      FastCheck.array(
        FastCheck.record({
          owner: FastCheck.constantFrom("guest", "other guest", undefined),
          begins: FastCheck.nat(40),
          takes: FastCheck.integer({ min: 1, max: 20 }),
          leaves: FastCheck.boolean()
        }),
        { maxLength: 40 }
      )
    ],
    ([count, uses]) =>
      Effect.gen(function* () {
        const permits = Permits.make(count, { isGuest: (owner) => owner !== undefined })
        const running = { guests: 0, all: 0 }
        const fibers = yield* Effect.forEach(uses, ({ begins, leaves, owner, takes }) => {
          const add = (by: 1 | -1) =>
            Effect.sync(() => {
              running.all += by
              if (owner !== undefined) running.guests += by
              assert.isAtMost(running.all, count)
              assert.isAtMost(running.guests, Math.max(1, Math.floor((3 * count) / 4)))
            })
          const use = Effect.acquireUseRelease(
            add(1),
            () => Effect.sleep(takes),
            () => add(-1)
          )
          const used = permits.withPermit(use, owner)
          return Effect.fork(Effect.delay(leaves ? Effect.timeoutOption(used, 10) : used, begins))
        })
        yield* TestClock.adjust(2_000)
        for (const fiber of fibers) assert.isNotNull(fiber.unsafePoll())
        assert.deepStrictEqual([permits.waiting(), running.all], [0, 0])
      }),
    { fastCheck: { numRuns: 50 } }
  )
})
