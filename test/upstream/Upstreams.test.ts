import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { measureAll } from "../../src/kernel/counters.ts"
import type { Endpoint } from "../../src/upstream/Upstream.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { json, neverResponds, repliesInOrder, simulatedClient, text } from "../support/http.ts"
import { firstUrl, make, run, secondUrl, test } from "../support/upstream.ts"

const Found = Schema.Struct({ value: Schema.Number })
const ok = json({ value: 1 })
const lookup = HttpClientRequest.get("/question")
const states = Effect.flatMap(Upstreams, (upstreams) => upstreams.states)

describe("the states of upstreams", () => {
  test(
    "are unknown before the first call, in the order of registration",
    () => simulatedClient(() => ok),
    function* () {
      yield* make([firstUrl, secondUrl], { name: "b", keys: { key: Redacted.make("k") } })
      yield* make([firstUrl], { name: "a" })
      yield* make([], { name: "c" })
      assert.deepStrictEqual(yield* states, [
        { name: "b", keyed: true, addresses: 2, circuits: ["closed", "closed"], state: "unknown" },
        { name: "a", keyed: false, addresses: 1, circuits: ["closed"], state: "unknown" },
        { name: "c", keyed: false, addresses: 0, circuits: [], state: "unknown" }
      ])
    }
  )

  test(
    "are registered without building the canary request: it is built for each trial of an address",
    () => simulatedClient(() => ok),
    function* () {
      let made = 0
      const canary = (address: Endpoint) => {
        made++
        return address.read(lookup, () => Either.right(1))
      }
      yield* make([firstUrl, secondUrl], { canary })
      const [trial] = yield* (yield* Upstreams).trials
      assert.lengthOf(trial?.addresses ?? [], 2)
      assert.strictEqual(made, 0)
      for (const address of trial?.addresses ?? []) yield* address.try
      assert.strictEqual(made, 2)
    }
  )

  test(
    "show the remaining budget of all addresses, and count each host once",
    () => simulatedClient(() => ok),
    function* () {
      const rate = { source: "SOURCE", keyless: { perSecond: 1, burst: 3 } }
      const both = yield* make([firstUrl, secondUrl], { rate })
      yield* make([firstUrl], { rate, name: "other" })
      const limited = { source: "LIMITED", keyless: { perSecond: 1, burst: 3, perMonth: 100 } }
      yield* make([firstUrl, secondUrl], { rate: limited, name: "limited" })
      yield* both.read(lookup, Found)
      const [first, other, third] = (yield* states).map(({ budget }) => budget)
      assert.deepStrictEqual(first, { left: 5, usedThisMonth: 1, perHour: 7_200 })
      assert.deepStrictEqual(other, { left: 2, usedThisMonth: 1, perHour: 3_600 })
      assert.deepStrictEqual([third?.usedThisMonth, third?.perMonth], [0, 200])
    }
  )

  test(
    "follow the newest call and remember the newest failure",
    () => simulatedClient(repliesInOrder(ok, text("<html>"), ok)),
    function* () {
      const upstream = yield* make([firstUrl])
      const call = Effect.zipRight(TestClock.adjust(1_000), run(upstream.read(lookup, Found)))
      yield* call
      const tester = { name: "tester", keyed: false, addresses: 1 }
      assert.deepStrictEqual(yield* states, [{ ...tester, circuits: ["closed"], state: "up", lastOkAt: 1_000 }])
      yield* call
      const lastFailure = {
        reason: "bad_answer",
        detail: "returned a response that is not JSON",
        at: 2_000
      } as const
      assert.deepStrictEqual(yield* states, [
        { ...tester, circuits: ["open"], state: "down", lastOkAt: 1_000, lastFailure }
      ])
      yield* call
      assert.deepStrictEqual(yield* states, [
        { ...tester, circuits: ["closed"], state: "up", lastOkAt: 3_000, lastFailure }
      ])
    }
  )

  test(
    "are up if the upstream rejected a request",
    () => simulatedClient(() => text("no", { status: 404 })),
    function* () {
      const upstream = yield* make([firstUrl])
      yield* run(upstream.read(lookup, Found))
      assert.deepStrictEqual(
        (yield* states).map(({ state }) => state),
        ["up"]
      )
    }
  )

  test(
    "are not changed by a caller that is interrupted",
    () => simulatedClient(() => neverResponds),
    function* () {
      const upstream = yield* make([firstUrl])
      const fiber = yield* Effect.fork(upstream.read(lookup, Found))
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(fiber)
      assert.deepStrictEqual(
        (yield* states).map(({ state }) => state),
        ["unknown"]
      )
    }
  )
})

/** The gauges of one upstream's circuits. */
const circuitsOf = (name: string) =>
  Effect.map(Metric.snapshot, (metrics) =>
    Object.fromEntries(
      metrics.flatMap(({ metricKey, metricState }) => {
        const tags = Object.fromEntries([...metricKey.tags].map(({ key, value }) => [key, value]))
        const isOurs = metricKey.name === "upstream_circuits" && tags.upstream === name
        return isOurs && MetricState.isGaugeState(metricState) ? [[tags.state, Number(metricState.value)]] : []
      })
    )
  )

describe("an address whose host demands a pause", () => {
  test(
    "is paused in the states and metrics until the end of the pause",
    () => simulatedClient(repliesInOrder(text("busy", { status: 429, headers: { "retry-after": "600" } }), ok)),
    function* () {
      const upstream = yield* make([firstUrl, secondUrl], { name: "paused" })
      const circuits = Effect.map(states, ([state]) => state?.circuits)
      yield* run(upstream.read(lookup, Found))
      assert.deepStrictEqual(yield* circuits, ["paused", "closed"])
      yield* measureAll
      assert.deepStrictEqual(yield* circuitsOf("paused"), { closed: 1, open: 0, "half-open": 0, paused: 1 })
      yield* TestClock.adjust("598 seconds")
      assert.deepStrictEqual(yield* circuits, ["paused", "closed"])
      yield* TestClock.adjust("2 seconds")
      assert.deepStrictEqual(yield* circuits, ["half-open", "closed"])
      yield* measureAll
      assert.deepStrictEqual(yield* circuitsOf("paused"), { closed: 1, open: 0, "half-open": 1, paused: 0 })
    }
  )
})

/** The calls of one upstream by outcome, and how many were timed. */
const counted = (name: string) =>
  Effect.map(Metric.snapshot, (metrics) => {
    const outcomes: Record<string, number> = {}
    for (const { metricKey, metricState } of metrics) {
      const tags = Object.fromEntries([...metricKey.tags].map(({ key, value }) => [key, value]))
      if (tags.upstream !== name) continue
      if (MetricState.isCounterState(metricState)) outcomes[tags.outcome ?? ""] = Number(metricState.count)
      if (MetricState.isHistogramState(metricState)) outcomes.timed = metricState.count
    }
    return outcomes
  })

describe("the metrics of upstreams", () => {
  test(
    "count every call by its outcome",
    () =>
      simulatedClient(
        repliesInOrder(
          ok,
          text("busy", { status: 429 }),
          ok,
          text("no", { status: 404 }),
          text("<html>"),
          json({ value: "x" }),
          neverResponds
        )
      ),
    function* ({ requests }) {
      const upstream = yield* make([firstUrl], { name: "counted" })
      const read = upstream.read(lookup, Found)
      for (let time = 0; time < 5; time++) yield* run(read)
      const fiber = yield* Effect.fork(read)
      yield* TestClock.adjust(0)
      yield* Fiber.interrupt(fiber)
      yield* run(read)
      assert.strictEqual(requests.length, 8)
      assert.deepStrictEqual(yield* counted("counted"), {
        ok: 2,
        rate_limited: 1,
        upstream_error: 1,
        bad_answer: 2,
        timeout: 1,
        interrupted: 1,
        timed: 8
      })
    }
  )
})
