import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import * as FinalReplies from "../../../src/jsonrpc/proxy/FinalReplies.ts"
import { type MethodPolicy, read } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import { take } from "../../../src/storage/quota/Quota.ts"
import { LimitSharing } from "../../../src/storage/quota/SharedQuotas.ts"
import { Store, StoreError } from "../../../src/storage/Store.ts"
import { simulatedClient } from "../../support/http.ts"
import { call, methods, node, replyText, rpcOver, testPolicy } from "../../support/rpc.ts"
import { finish, firstUrl, run, test } from "../../support/upstream.ts"

/** The proxy of one process. */
const processOf = (policy: MethodPolicy = testPolicy, urls = [firstUrl]) =>
  Effect.flatMap(Layer.build(Layer.fresh(FinalReplies.layer)), (context) =>
    Effect.provide(rpcOver(policy, urls), context)
  )

/** The store as one that `live` processes share. */
const shared =
  (live = 2) =>
  <A, E, R>(effect: Effect.Effect<A, E, R>) =>
    effect.pipe(
      Effect.provideService(LimitSharing, { processes: () => live, live: () => live }),
      Effect.updateService(Store, (store) => ({ ...store, take: (taking) => Effect.succeed(take(taking, [], 0)) }))
    )

const storeName = "final node replies"

/** The store, and the entries that were written to it. */
const watched = Effect.map(Store, (store) => {
  const written = new Map<string, unknown>()
  const lives: Array<unknown> = []
  const service: typeof store = {
    ...store,
    open: (name, version) => {
      const entries = store.open(name, version)
      if (name !== storeName) return entries
      return {
        ...entries,
        setMany: (values, timeToLive) => {
          for (const [key, value] of values) written.set(key, value)
          lives.push(timeToLive)
          return entries.setMany(values, timeToLive)
        }
      }
    }
  }
  return { service, written, lives }
})

const replying = (result: unknown) => simulatedClient(node(() => result))

const byMethod = () => simulatedClient(node(({ method }) => method))

describe("a final reply", () => {
  test("is requested from a node by one of ten processes", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      const processes = yield* Effect.replicateEffect(processOf(), 10)
      for (const rpc of processes)
        assert.deepStrictEqual(
          [yield* replyText(rpc, "kept", "[1]"), yield* replyText(rpc, "kept", "[2]")],
          ['"kept"', '"kept"']
        )
      assert.deepStrictEqual(methods(requests), ["kept", "kept"])
      // Each has it in memory now.
      for (const rpc of processes) yield* replyText(rpc, "kept", "[1]")
      assert.lengthOf(requests, 2)
    }).pipe(shared(10))
  )

  test("is taken from the store for calls of a batch, of which the others are sent", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      const [first, second] = [yield* processOf(), yield* processOf()]
      yield* run(first.batch([call("kept", "[1]"), call("kept", "[2]")]))
      const fiber = yield* Effect.fork(
        second.batch([call("kept", "[1]"), call("kept", "[3]"), call("kept", "[2]"), call("moment")])
      )
      yield* finish(fiber)
      assert.deepStrictEqual(methods(requests), ["kept", "kept", "kept", "moment"])
    }).pipe(shared())
  )

  test("is not shared by another network, another node, or a process that is alone", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      yield* replyText(yield* processOf(), "kept")
      yield* replyText(yield* processOf(testPolicy, ["https://other.example"]), "kept")
      assert.lengthOf(requests, 2)
      yield* replyText(yield* shared(1)(processOf()), "kept")
      assert.lengthOf(requests, 3)
    }).pipe(shared())
  )

  test("alone is stored: no other result, no error, and nothing too long", byMethod, () =>
    Effect.gen(function* () {
      const { service, written } = yield* watched
      yield* Effect.gen(function* () {
        const rpc = yield* processOf()
        for (const method of ["read", "moment", "send"]) yield* replyText(rpc, method)
        assert.strictEqual(written.size, 0)
        yield* replyText(rpc, "kept", '["0xprivate"]')
        assert.strictEqual(written.size, 1)
        // The key has neither parameters nor addresses of nodes.
        for (const key of written.keys()) assert.match(key, /^[\w-]{43}$/)
      }).pipe(shared(), Effect.provideService(Store, service))
    })
  )

  test(
    "of more than 64 KiB is not stored",
    () => replying("x".repeat(64 * 1024)),
    ({ requests }) =>
      Effect.gen(function* () {
        yield* replyText(yield* processOf(), "kept")
        yield* replyText(yield* processOf(), "kept")
        assert.lengthOf(requests, 2)
      }).pipe(shared())
  )

  test(
    "of an error is not stored",
    () => replying(undefined),
    ({ requests }) =>
      Effect.gen(function* () {
        yield* replyText(yield* processOf(), "kept")
        yield* replyText(yield* processOf(), "kept")
        assert.lengthOf(requests, 2)
      }).pipe(shared())
  )

  test(
    "is stored for an hour, and together 32 MiB by all processes",
    () => replying("x".repeat(60_000)),
    () =>
      Effect.gen(function* () {
        const { lives, service, written } = yield* watched
        yield* Effect.gen(function* () {
          const rpc = yield* processOf()
          const calls = Array.from({ length: 50 }, (_, index) => call("kept", `[${index}]`))
          yield* run(rpc.batch(calls))
          // A sixteenth of it, as one of 16 processes.
          assert.strictEqual(written.size, Math.floor((2 * 1024 * 1024) / 60_002))
          assert.deepStrictEqual([...new Set(lives)], [3_600_000])
          yield* TestClock.adjust("30 minutes")
          yield* run(rpc.batch(calls.map(({ method }, index) => call(method, `["${index}"]`))))
          assert.isTrue(written.size > 34 + 15 && written.size < 34 + 20)
        }).pipe(shared(16), Effect.provideService(Store, service))
      })
  )

  test("is not taken from the store if it is not final for the process that reads it", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      yield* replyText(yield* processOf(), "kept")
      const rule = { ...read("moment"), mayBeFinal: true }
      yield* replyText(yield* processOf({ ...testPolicy, rule: () => rule }), "kept")
      assert.lengthOf(requests, 2)
    }).pipe(shared())
  )

  test("is requested again if the stored bytes are hostile", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      const { service, written } = yield* watched
      yield* Effect.gen(function* () {
        yield* replyText(yield* processOf(), "kept")
        const [key = ""] = written.keys()
        yield* TestClock.adjust("1 minute")
        const now = 60_000
        const hour = 3_600_000
        const hostile = [
          null,
          '"kept"',
          [now],
          [now, '"x"', 1],
          [String(now), '"x"'],
          [now, 7],
          [now, '"x'],
          [now, '"x"},{"id":1'],
          [now, ""],
          [now, `"${"x".repeat(64 * 1024)}"`],
          [now + 60_001, '"x"'],
          [Number.NaN, '"x"'],
          [now - hour, '"x"']
        ]
        for (const [index, value] of hostile.entries()) {
          yield* service.open(storeName, 1).setMany(new Map([[key, value]]), "1 hour")
          assert.strictEqual(yield* replyText(yield* processOf(), "kept"), '"kept"', JSON.stringify(value))
          assert.lengthOf(requests, index + 2)
        }
        yield* service.open(storeName, 1).setMany(new Map([[key, [now, '"x"']]]), "1 hour")
        assert.strictEqual(yield* replyText(yield* processOf(), "kept"), '"x"')
      }).pipe(shared(), Effect.provideService(Store, service))
    })
  )

  test("is requested while the store fails, which delays one read a second", byMethod, ({ requests }) =>
    Effect.gen(function* () {
      let reads = 0
      const failing = () =>
        Effect.suspend(() => {
          reads++
          return Effect.fail(new StoreError({ operation: "getMany", cause: "away" }))
        })
      yield* Effect.gen(function* () {
        const rpc = yield* processOf()
        for (const parameter of [1, 2, 3]) yield* replyText(rpc, "kept", `[${parameter}]`)
        assert.deepStrictEqual([reads, requests.length], [1, 3])
        yield* TestClock.adjust("1 second")
        yield* replyText(rpc, "kept", "[4]")
        assert.deepStrictEqual([reads, requests.length], [2, 4])
      }).pipe(
        Effect.updateService(Store, (store) => ({
          ...store,
          open: (name, version) => ({ ...store.open(name, version), getMany: failing })
        })),
        shared()
      )
    })
  )
})
