import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as TestClock from "effect/TestClock"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import * as Task from "../../../src/kernel/Task.ts"
import * as BodyBudget from "../../../src/upstream/response/BodyBudget.ts"
import { tooMany } from "../../../src/upstream/UpstreamError.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { answeringDirectly, byHost, type Reply } from "../../support/http.ts"
import { call, testPolicy } from "../../support/rpc.ts"
import { firstUrl, make, secondUrl, test } from "../../support/upstream.ts"
import { assert, describe } from "../../support/vitest.ts"

const part = 65_536

/** A response of this length, part by part, with this pause before each, ms. */
const response = (length: number, pause: number, headers: Readonly<Record<string, string>> = {}): Reply =>
  Effect.clockWith((clock) =>
    Effect.sync(() => {
      const text = '{"jsonrpc":"2.0","id":1,"result":""}'
      let left = length
      const pull = (controller: ReadableStreamDefaultController<Uint8Array>) => {
        if (left === 0) return controller.close()
        const bytes = new Uint8Array(Math.min(part, left)).fill(120)
        if (left === length) bytes.set(Buffer.from(text.slice(0, -2)))
        left -= bytes.length
        if (left === 0) bytes.set(Buffer.from(text.slice(-2)), bytes.length - 2)
        controller.enqueue(bytes)
      }
      const paused = (controller: ReadableStreamDefaultController<Uint8Array>) =>
        Effect.runPromise(Effect.withClock(Effect.sleep(pause), clock)).then(() => pull(controller))
      return new Response(new ReadableStream({ pull: pause === 0 ? pull : paused }, { highWaterMark: 0 }), { headers })
    })
  )

const slowLength = 100 * part
/** All parts take 2.5 s. */
const slowly = 25
const quickLength = 20 * part

/** Advances the clock by a part of a slow response, and lets all streams continue. */
const step = Effect.zipRight(
  TestClock.adjust(slowly),
  Effect.promise(async () => {
    for (let turn = 0; turn < 10; turn++) await new Promise((resolve) => setImmediate(resolve))
  })
)

/** Advances the clock until the fiber is done. Returns the time that it took, ms, and its result. */
const ended = <A, E>(fiber: Fiber.RuntimeFiber<A, E>) =>
  Effect.gen(function* () {
    const start = yield* Clock.currentTimeMillis
    while (fiber.unsafePoll() === null) yield* step
    return { took: (yield* Clock.currentTimeMillis) - start, result: yield* Fiber.join(fiber) }
  })

const reading = (name: string, url: string) =>
  Effect.gen(function* () {
    const upstream = yield* make([url], { name })
    const rpc = yield* ProxyNodes.make(upstream, testPolicy)
    const read = (index: number) => Effect.either(Task.toEffect(rpc.call(call("read", `[${index}]`))))
    const [address = assert.fail()] = upstream.addresses
    return {
      circuit: Effect.map(Clock.currentTimeMillis, address.circuit.state),
      reads: (count: number) =>
        Effect.fork(
          Effect.all(
            Array.from({ length: count }, (_, index) => read(index)),
            { concurrency: "unbounded" }
          )
        )
    }
  })

const outcomes = Effect.map(Metric.snapshot, (all) => {
  const counts: Record<string, number> = {}
  for (const { metricKey, metricState } of all)
    if (metricKey.name === "upstream_calls_total" && MetricState.isCounterState(metricState)) {
      const outcome = metricKey.tags.find(({ key }) => key === "outcome")?.value ?? ""
      counts[outcome] = (counts[outcome] ?? 0) + Number(metricState.count)
    }
  return counts
})

describe("slow, large responses to one client", () => {
  const environment = { UPSTREAM_TIMEOUT_MS: "5000" }
  const bodies: Readonly<Record<string, [slow: Reply, quick: Reply]>> = {
    "unknown lengths": [response(slowLength, slowly), response(quickLength, 0)],
    "known lengths": [
      response(slowLength, slowly, { "content-length": String(slowLength) }),
      response(quickLength, 0, { "content-length": String(quickLength) })
    ]
  }
  for (const [what, [slow, quick]] of Object.entries(bodies))
    for (const count of [2, 12, 30])
      test(
        `delay no response of another node and fail no node: ${count} of ${what}`,
        () =>
          answeringDirectly(
            byHost({
              "one.example": () => slow,
              "two.example": () => quick,
              "three.example": () => response(240 * part, 0)
            })
          ),
        function* () {
          const before = (yield* outcomes).timeout ?? 0
          const one = yield* reading("one", firstUrl)
          const other = yield* reading("other", secondUrl)
          const third = yield* reading("third", "https://three.example")
          const alone = yield* ended(yield* other.reads(4))
          assert.isTrue(alone.result.every(Either.isRight))

          const all = yield* one.reads(count)
          for (let steps = 0; steps < 60; steps++) yield* step
          const beside = yield* ended(yield* other.reads(4))
          assert.isTrue(beside.result.every(Either.isRight), JSON.stringify(beside.result).slice(0, 500))
          assert.isAtMost(beside.took, alone.took + slowly)

          // It needs more than the share of its host, and waits for two of the others at most.
          const large = yield* ended(yield* third.reads(1))
          assert.isTrue(large.result.every(Either.isRight), JSON.stringify(large.result).slice(0, 500))
          assert.isAtMost(large.took, 5_000)

          const { result } = yield* ended(all)
          assert.isAtLeast(result.filter(Either.isRight).length, Math.min(count, 5))
          for (const read of result)
            if (Either.isLeft(read)) assert.oneOf(read.left.detail, [BodyBudget.exhausted.detail, tooMany.detail])
          assert.strictEqual(yield* one.circuit, "closed")
          assert.strictEqual(yield* other.circuit, "closed")
          assert.strictEqual((yield* outcomes).timeout ?? 0, before)
          const states = yield* Effect.flatMap(Upstreams, ({ states }) => states)
          assert.deepStrictEqual(
            states.map(({ state }) => state),
            ["up", "up", "up"]
          )
        },
        environment
      )
})
