import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import * as Arr from "effect/Array"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Runtime from "effect/Runtime"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { Lateness } from "../../../src/kernel/Lateness.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { maxRequests } from "../../../src/settings/runtime.ts"
import * as CallLimit from "../../../src/upstream/endpoint/CallLimit.ts"
import * as ConcurrencyLimit from "../../../src/upstream/endpoint/ConcurrencyLimit.ts"
import type { Endpoint } from "../../../src/upstream/endpoint/Endpoints.ts"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import type { Upstream } from "../../../src/upstream/Upstream.ts"
import { json, neverResponds, repliesInOrder, simulatedClient, text } from "../../support/http.ts"
import { finish, firstUrl, make, secondUrl, test } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const Value = Schema.Struct({ value: Schema.Number })
const value = { value: 1 }
const path = HttpClientRequest.get("/")

const reply = json(value)

/** Responds within the timeout of an attempt, 1 s, but not twice within it. */
const slow = () => simulatedClient(() => Effect.delay(reply, "800 millis"))

/** How many calls have waited. */
const waited = Effect.map(Metric.snapshot, (all) =>
  all.reduce(
    (sum, { metricKey, metricState }) =>
      metricKey.name === "upstream_concurrency_wait_seconds" && MetricState.isHistogramState(metricState)
        ? sum + metricState.count
        : sum,
    0
  )
)

const passedOnce = ({ pass }: Endpoint) =>
  Effect.map(Effect.runtime<never>(), (runtime) => {
    const passed = pass(HttpClientRequest.post("/"), Task.fromEffect(Runtime.runFork(runtime)), true)
    return Task.toEffect(passed("{}", ResponseDecoder.fitting(Value, {})))
  })

const sentOnce = ({ send }: Endpoint) =>
  Effect.succeed(send(HttpClientRequest.post("/"), ResponseDecoder.fitting(Value, {})))

describe("the limit of all calls in flight", () => {
  const one = { UPSTREAM_CONCURRENCY_TOTAL: "2" }

  test(
    "makes reads wait, which is no part of their time",
    slow,
    function* ({ requests }) {
      const { addresses, read } = yield* make()
      const before = yield* waited
      const reads = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 3 }, () => read(path, Value)),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust("500 millis")
      assert.lengthOf(requests, 1)
      const { outcome, took } = yield* finish(reads)
      assert.deepStrictEqual(outcome, Either.right([value, value, value]))
      assert.strictEqual(took, 1_900)
      assert.strictEqual(addresses[0]?.circuit.state(yield* TestClock.currentTimeMillis), "closed")
      assert.strictEqual((yield* waited) - before, 2)
    },
    one
  )

  test(
    "makes clients' own calls wait, which is no part of their time",
    slow,
    function* ({ requests }) {
      const { addresses } = yield* make()
      const runtime = yield* Effect.runtime<never>()
      const pass = addresses[0]?.pass(HttpClientRequest.post("/"), Task.fromEffect(Runtime.runFork(runtime)), false)
      const passed = Task.toEffect(pass?.("{}", ResponseDecoder.fitting(Value, {})) ?? assert.fail())
      const all = yield* Effect.fork(Effect.all([passed, passed, passed], { concurrency: "unbounded" }))
      yield* TestClock.adjust("500 millis")
      assert.lengthOf(requests, 1)
      assert.deepStrictEqual((yield* finish(all)).outcome, Either.right([value, value, value]))
      assert.strictEqual(addresses[0]?.circuit.state(yield* TestClock.currentTimeMillis), "closed")
      // The last one had its permit back.
      assert.deepStrictEqual((yield* finish(yield* Effect.fork(passed))).took, 800)
    },
    one
  )

  for (const [title, send] of [
    ["a client's call", passedOnce],
    ["a call that must not be repeated", sentOnce]
  ] as const)
    test(
      `lets ${title} wait for at most half of a request's time, and does not send it later`,
      slow,
      function* ({ requests }) {
        const { addresses } = yield* make([firstUrl])
        const sent = Effect.either(yield* send(addresses[0] ?? assert.fail()))
        const all = yield* Effect.fork(
          Effect.all(
            Array.from({ length: 20 }, () => sent),
            { concurrency: "unbounded" }
          )
        )
        yield* TestClock.adjust("9 seconds")
        const outcomes = yield* Fiber.join(all)
        const faults = Arr.getLefts(outcomes).map(({ detail, unsent }) => ({ detail, unsent }))
        assert.deepStrictEqual(faults, Array(10).fill({ detail: "too many other calls were in flight", unsent: true }))
        yield* TestClock.adjust("10 seconds")
        assert.lengthOf(requests, 10)
      },
      one
    )

  test(
    "ends the wait of a read before its request ends, with the reason",
    slow,
    function* ({ requests }) {
      const upstream = yield* make()
      const request = HttpServerRequest.fromWeb(new Request("http://client.test/"))
      const read = Effect.either(upstream.read(path, Value))
      const reads = yield* Effect.fork(
        Effect.provideService(
          Effect.all([read, read, read], { concurrency: "unbounded" }),
          HttpServerRequest.HttpServerRequest,
          request
        )
      )
      yield* TestClock.adjust("1600 millis")
      const faults = Arr.getLefts(yield* Fiber.join(reads))
      assert.deepStrictEqual(
        faults.map(({ detail, unsent }) => ({ detail, unsent })),
        [{ detail: "too many other calls were in flight", unsent: true }]
      )
      assert.lengthOf(requests, 2)
    },
    { UPSTREAM_CONCURRENCY: "1", UPSTREAM_CONCURRENCY_MAX: "1", REQUEST_DEADLINE_MS: "2000" }
  )

  test(
    "leaves the other hosts their share",
    () => simulatedClient(({ url }) => (url.href.startsWith(firstUrl) ? neverResponds : reply)),
    function* ({ requests }) {
      const [silent, works] = [yield* make([firstUrl]), yield* make([secondUrl])]
      yield* Effect.forkAll(Array.from({ length: 8 }, () => silent.read(path, Value)))
      yield* TestClock.adjust(0)
      assert.lengthOf(requests, 2)
      assert.deepStrictEqual(yield* works.read(path, Value), value)
      assert.lengthOf(requests, 3)
    },
    { UPSTREAM_CONCURRENCY_TOTAL: "4" }
  )

  const reads = (upstreams: number, calls: number) =>
    Effect.forEach(Array.from({ length: upstreams }), (_, index) =>
      Effect.flatMap(make([firstUrl], { name: `network ${index}` }), ({ read }) =>
        Effect.forkAll(Array.from({ length: calls }, () => read(path, Value)))
      )
    )

  test(
    "is shared by all upstreams behind a host, each with its own limit",
    slow,
    function* ({ requests }) {
      yield* reads(1, 20)
      yield* TestClock.adjust(0)
      assert.lengthOf(requests, 2)
      yield* reads(5, 20)
      yield* TestClock.adjust(0)
      // Three times the limit of one upstream, besides the calls that were sent when it was alone.
      assert.lengthOf(requests, 8)
      yield* TestClock.adjust("30 seconds")
      assert.lengthOf(requests, 120)
    },
    { UPSTREAM_CONCURRENCY: "2" }
  )

  test(
    "falls at a host that refuses calls of several upstreams",
    () => {
      const refusal = text("slow down", { status: 429 })
      return simulatedClient(repliesInOrder(refusal, refusal, refusal, refusal, refusal, refusal, neverResponds))
    },
    function* ({ requests }) {
      yield* reads(5, 20)
      yield* TestClock.adjust(150)
      // Each upstream may still send one.
      assert.lengthOf(requests.slice(6), 3)
    },
    { UPSTREAM_CONCURRENCY: "2" }
  )

  it("is below what the runtime sends at the same time", () => {
    assert.strictEqual(maxRequests("4096"), 4096)
    // The runtime ignores other values.
    for (const wrong of ["", "0", "-1", "abc", "70000", "300 "]) assert.strictEqual(maxRequests(wrong), 256)
  })
})

/** How many calls of the service may start at once. */
const startable = (limits: ReadonlyArray<Pick<CallLimit.CallLimit, "take">>) => {
  const ends: Array<() => void> = []
  for (const { take } of limits) for (let end = take({}); end !== undefined; end = take({})) ends.push(end)
  for (const end of ends) end()
  return ends.length
}

it("the limit of all calls leaves a half to calls of the service", () => {
  const add = CallLimit.make(16, { start: 64, max: 64 })
  const hosts = Array.from({ length: 4 }, () => add()(ConcurrencyLimit.growth()))
  let started = 0
  for (const { take } of hosts) while (take("client") !== undefined) started++
  assert.strictEqual(started, 8)
  for (const { take } of hosts) assert.isDefined(take({}))
})

describe("the limit of a host behind which are several upstreams", () => {
  const behind = (upstreams: number, bounds: ConcurrencyLimit.Bounds) => {
    const add = CallLimit.make(512, bounds)()
    return Array.from({ length: upstreams }, () => add(ConcurrencyLimit.growth()))
  }

  it("leaves a quarter of its permits to calls of the service", () => {
    const limits = behind(5, { start: 2, max: 2 })
    // Each upstream has one for clients, and all have six, of which four are for clients: two for one client.
    const startedBy = (client: string) => limits.flatMap(({ take }) => take(client) ?? []).length
    assert.deepStrictEqual(["one", "other", "third", "one"].map(startedBy), [2, 1, 1, 0])
    assert.strictEqual(startable(limits), 2)
  })

  it("is the same while one of them is refused, and is less once another is refused too", () => {
    const limits = behind(5, { start: 8, max: 8 })
    const refuse = (upstream: number, at: number) =>
      limits[upstream]?.ended({ failure: "rate_limited", pause: 0, started: at - 1, time: 1 }, at)
    for (let at = 1; at < 6; at++) refuse(0, at * 10_000)
    const ofOthers = startable(limits.slice(1))
    assert.isAbove(ofOthers, 20)
    refuse(1, 60_000)
    assert.isBelow(startable(limits.slice(2)), ofOthers / 2 + 1)
  })

  it("is the same while one of them is slower than the others, and is less while all are slower than usual", function* () {
    const limits = behind(5, { start: 8, max: 8 })
    assert.strictEqual(startable(limits), 24)
    const waiting = yield* Effect.forkAll(
      limits.flatMap(({ withPermit }) => Array.from({ length: 20 }, () => withPermit(Effect.never, {}, identity)))
    )
    yield* Effect.repeatN(Effect.yieldNow(), 3)
    let started = 0
    const respond = (responses: number, timeOf: (upstream: number) => number, only?: number) => {
      for (let count = 0; count < responses; count++)
        limits.forEach(({ ended }, upstream) => {
          const time = timeOf(upstream)
          const call = { failure: undefined, pause: 0, started, time }
          if (only === undefined || only === upstream) ended(call, started + time)
        })
      started += 10_000
    }
    respond(40, (upstream) => 100 + 200 * upstream)
    respond(64, () => 900, 4)
    yield* Fiber.interrupt(waiting)
    assert.strictEqual(startable(limits), 32)
    respond(40, (upstream) => 3 * (100 + 200 * upstream))
    assert.strictEqual(startable(limits), 24)
  })
})

describe("timeouts", () => {
  const environment = { UPSTREAM_CONCURRENCY: "4" }
  const never = () => simulatedClient(() => neverResponds)
  const four = <A, E, R>(call: Effect.Effect<A, E, R>) =>
    Effect.replicateEffect(Effect.either(call), 4, { concurrency: "unbounded" })
  const callsOf = ({ addresses }: Upstream) => addresses.map(({ calls }) => calls)
  /** A process that is late for this time between two looks at it, ms. */
  const lateFor = (milliseconds: number) => {
    let total = 0
    return { isLate: () => true, wasLate: () => true, total: () => (total += milliseconds), observe: () => {} }
  }

  test(
    "halve the limit of a host and count for its circuit, unless this process was late for a good part of the time",
    never,
    function* () {
      const works = yield* make()
      const once = yield* Effect.provideService(make(["https://three.example"]), Lateness, lateFor(10))
      const late = yield* Effect.provideService(make([secondUrl]), Lateness, lateFor(1_000))
      const all = [works, once, late]
      for (const upstream of all) yield* finish(yield* Effect.fork(four(upstream.read(path, Value))))
      assert.deepStrictEqual(
        all.map((upstream) => startable(callsOf(upstream))),
        [2, 2, 4]
      )
      const now = yield* TestClock.currentTimeMillis
      const states = all.map(({ addresses: [address] }) => address?.circuit.state(now))
      assert.deepStrictEqual([states[1], states[2]], ["half-open", "closed"])
    },
    environment
  )

  test(
    "of clients' calls do not",
    never,
    function* () {
      const upstream = yield* make()
      const [address = assert.fail()] = upstream.addresses
      yield* finish(yield* Effect.fork(four(yield* passedOnce(address))))
      assert.strictEqual(startable(callsOf(upstream)), 4)
    },
    environment
  )
})
