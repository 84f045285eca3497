import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as TestClock from "effect/TestClock"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import type { Rpc } from "../../../src/jsonrpc/Rpc.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { answeringDirectly, json, neverResponds, type Reply, type SentRequest, text } from "../../support/http.ts"
import { call, node, sent, testPolicy } from "../../support/rpc.ts"
import { finish, firstUrl, make, test } from "../../support/upstream.ts"

const delayed = (time: number, reply: Reply): Reply => Effect.delay(reply, time)

const isBatch = ({ body }: SentRequest) => body.startsWith("[")

const echo = node(({ params }) => params)

/** A function that reads `count` different values at the same time and returns the outcomes in order. */
const reading = (coalesces = true) =>
  Effect.map(
    Effect.flatMap(make([firstUrl]), (upstream) => ProxyNodes.make(upstream, testPolicy, { coalesces })),
    (rpc) => (count: number) => readAll(rpc, count)
  )

const readAll = Effect.fnUntraced(function* (rpc: Rpc, count: number) {
  const all = Array.from({ length: count }, (_, index) => {
    return Effect.either(Task.toEffect(rpc.call(call("read", `[${index}]`))))
  })
  const fiber = yield* Effect.fork(Effect.all(all, { concurrency: "unbounded" }))
  return Either.getOrThrow((yield* finish(fiber, 5)).outcome)
})

const reads = (count: number, coalesces = true) => Effect.flatMap(reading(coalesces), (read) => read(count))

const results = (found: Effect.Effect.Success<ReturnType<typeof reads>>) =>
  found.map((reply) => Either.match(reply, { onLeft: ({ detail }) => detail, onRight: ({ text }) => text }))

const expectedResults = (count: number) => Array.from({ length: count }, (_, index) => `[${index}]`)

describe("reads under load", () => {
  const outside = () => answeringDirectly((request) => delayed(20, echo(request)))

  test(
    "beyond eight are sent to the node in batches of at most fifty, and each gets its own result",
    outside,
    function* ({ requests }) {
      assert.deepStrictEqual(results(yield* reads(120)), expectedResults(120))
      assert.deepStrictEqual(
        requests.map((request) => sent(request).length),
        [...Array<number>(8).fill(1), 50, 50, 12]
      )
    }
  )

  test(
    "after a batch are gathered immediately, until no read has arrived for a while",
    outside,
    function* ({ requests }) {
      const read = yield* reading()
      const sizes = (count: number) =>
        Effect.map(read(count), (found) => {
          assert.deepStrictEqual(results(found), expectedResults(count))
          return requests.splice(0).map((request) => sent(request).length)
        })
      assert.deepStrictEqual(yield* sizes(40), [...Array<number>(8).fill(1), 32])
      assert.deepStrictEqual(yield* sizes(40), [40])
      assert.deepStrictEqual(yield* sizes(3), [3])
      // A single read does not wait for others.
      assert.deepStrictEqual(yield* sizes(1), [1])
      yield* TestClock.adjust("6 millis")
      assert.deepStrictEqual(yield* sizes(3), [1, 1, 1])
    }
  )

  test("are sent one by one if coalescing is off for the network", outside, function* ({ requests }) {
    assert.deepStrictEqual(results(yield* reads(40, false)), expectedResults(40))
    assert.isFalse(requests.some(isBatch))
  })

  for (const [what, reply] of Object.entries({
    rejects: () => json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "batches are not supported" } }),
    "rejects with an HTTP status": () => text("too many", { status: 413 }),
    "returns an unknown id for": () => json([{ jsonrpc: "2.0", id: 77, result: "of another" }]),
    "returns no responses for": () => json([])
  }))
    test(
      `are sent one by one if the node ${what} a batch`,
      () => answeringDirectly((request) => delayed(20, isBatch(request) ? reply() : echo(request))),
      function* ({ requests }) {
        assert.deepStrictEqual(results(yield* reads(40)), expectedResults(40))
        assert.strictEqual(requests.filter(isBatch).length, 1)
        assert.strictEqual(requests.length, 41)
      }
    )

  test(
    "do not wait for a slow read next to them",
    () => {
      const isSlow = (request: SentRequest) => sent(request).some(({ params }) => String(params) === "20")
      return answeringDirectly((request) => (isSlow(request) ? neverResponds : delayed(20, echo(request))))
    },
    function* () {
      const found = results(yield* reads(40))
      assert.strictEqual(found[20], "timed out after 1000 ms")
      assert.deepStrictEqual(found.toSpliced(20, 1), expectedResults(40).toSpliced(20, 1))
    }
  )

  test(
    "are slow by the time of the node, not by that of other calls before them",
    () => answeringDirectly((request) => delayed(100, echo(request))),
    function* ({ requests }) {
      assert.deepStrictEqual(results(yield* reads(40)), expectedResults(40))
      assert.deepStrictEqual(
        requests.map((request) => sent(request).length),
        [...Array<number>(8).fill(1), 32]
      )
    },
    { UPSTREAM_CONCURRENCY_TOTAL: "2" }
  )

  const shapes = FastCheck.sample(
    FastCheck.record({
      count: FastCheck.integer({ min: 9, max: 130 }),
      missing: FastCheck.array(FastCheck.nat(130)),
      failing: FastCheck.array(FastCheck.nat(130)),
      salt: FastCheck.nat(1_000)
    }),
    20
  )
  for (const { count, failing, missing, salt } of shapes)
    test(
      `never mix: ${count} reads, ${missing.length} without a response, ${failing.length} that fail, in another order`,
      () =>
        answeringDirectly((request) => {
          const responses = sent(request).map(({ id, params }) => {
            const [index = -1] = params as ReadonlyArray<number>
            return failing.includes(index)
              ? { index, jsonrpc: "2.0", id, error: { code: 3, message: `reverted ${index}` } }
              : { index, jsonrpc: "2.0", id, result: params }
          })
          const present = responses.filter(({ index }) => !missing.includes(index))
          const order = present.sort((a, b) => ((a.index * 7919 + salt) % 131) - ((b.index * 7919 + salt) % 131))
          return delayed(20, json(isBatch(request) ? order : responses[0]))
        }),
      function* () {
        const expected = expectedResults(count).map((result, index) =>
          failing.includes(index) ? JSON.stringify({ code: 3, message: `reverted ${index}` }) : result
        )
        assert.deepStrictEqual(results(yield* reads(count)), expected)
      }
    )
})
