import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import { Lateness } from "../../src/kernel/Lateness.ts"
import { CurrentPriority, priorities } from "../../src/upstream/Priority.ts"
import { BypassCircuit } from "../../src/upstream/Probes.ts"
import * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import * as Sources from "../../src/upstream/Sources.ts"
import type { Upstream } from "../../src/upstream/Upstream.ts"
import { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { byHost, json, neverResponds, type Reply, simulatedClient, text } from "../support/http.ts"
import { finish, firstUrl, make, run, type SimulatedClient, secondUrl, test } from "../support/upstream.ts"
import { assert, describe, it } from "../support/vitest.ts"

const Found = Schema.Struct({ value: Schema.Number })
const lookup = HttpClientRequest.get("/question")
const read = (upstream: Upstream) => upstream.read(lookup, Found)
const ok = (milliseconds = 0): Reply => Effect.delay(json({ value: 1 }), milliseconds)
const none = new UpstreamError({ upstream: "tester", reason: "not_configured", detail: "no source was called" })

const hosts = ({ requests }: SimulatedClient) => requests.map(({ url }) => url.host.replace(".example", ""))

/** The replies of each address; tests change them. */
const world = (first: Reply, second: Reply = ok()) => {
  const now = { one: first, two: second }
  return { now, outside: simulatedClient(byHost({ "one.example": () => now.one, "two.example": () => now.two })) }
}

/** Two upstreams that can answer the same. */
const both = Effect.all([make([firstUrl], { name: "first" }), make([secondUrl], { name: "second" })])

const ask = (upstreams: ReadonlyArray<Upstream>) => Sources.first(upstreams, read, { none })

const timed = <A, E>(effect: Effect.Effect<A, E>, step = 10) =>
  Effect.flatMap(Effect.fork(effect), (fiber) => finish(fiber, step))

/** The number of responses from which the usual time is computed. */
const known = (upstream: Upstream) => Effect.repeatN(run(read(upstream), 10), 7)

describe("sources of the same data", () => {
  const healthy = world(ok(100)).outside
  test(
    "are called in their order, and only the first while it responds as usual",
    () => healthy,
    function* () {
      const upstreams = yield* both
      for (let time = 0; time < 20; time++) assert.strictEqual((yield* timed(ask(upstreams))).took, 100)
      assert.deepStrictEqual([...new Set(hosts(healthy))], ["one"])
      assert.strictEqual(healthy.requests.length, 20)
    }
  )

  const slow = world(ok(100))
  test(
    "are hedged by the next source after 300 ms where they usually need less, which is preferred until they respond",
    () => slow.outside,
    function* () {
      const upstreams = yield* both
      yield* known(upstreams[0])
      slow.now.one = neverResponds
      slow.outside.requests.length = 0
      assert.strictEqual((yield* timed(ask(upstreams))).took, 300)
      assert.strictEqual((yield* timed(ask(upstreams))).took, 0)
      assert.deepStrictEqual(hosts(slow.outside), ["one", "two", "two"])
    }
  )

  const late = world(ok(100))
  test(
    "are neither hedged nor called again while the process is late",
    () => late.outside,
    function* () {
      const upstreams = yield* both
      yield* known(upstreams[0])
      late.now.one = ok(2_000)
      late.outside.requests.length = 0
      const isLate = Effect.provideService(Lateness, {
        isLate: () => true,
        wasLate: () => true,
        total: () => 0,
        observe: () => {}
      })
      assert.strictEqual((yield* timed(isLate(ask(upstreams)))).took, 1_000)
      assert.deepStrictEqual(hosts(late.outside), ["one", "two"])
      late.now.one = late.now.two = json({}, { status: 500 })
      late.outside.requests.length = 0
      yield* run(isLate(ask(upstreams)))
      assert.deepStrictEqual(hosts(late.outside), ["two"])
    }
  )

  const thousand = world(neverResponds)
  test(
    "are hedged after a longer time before their first response, but well before the limit of an attempt",
    () => thousand.outside,
    () =>
      Effect.flatMap(both, (upstreams) =>
        Effect.map(timed(ask(upstreams)), ({ took }) => assert.strictEqual(took, 500))
      )
  )

  const busy = world(ok())
  test(
    "that wait for a permit of the service are not considered silent",
    () => busy.outside,
    function* () {
      const rate = { source: "SLOWLY", keyless: { perSecond: 1, burst: 2 } }
      const first = yield* make([firstUrl], { name: "first", rate })
      const second = yield* make([secondUrl], { name: "second" })
      const twice = (upstream: Upstream) =>
        Effect.zipRight(Effect.zipRight(read(upstream), read(upstream)), read(upstream))
      const { took } = yield* timed(Sources.first([first, second], twice, { none }))
      assert.strictEqual(took, 1_000)
      assert.deepStrictEqual(hosts(busy.outside), ["one", "one", "one"])
      // Now its limits say wait, so it is called after the other source.
      yield* run(ask([first, second]))
      assert.strictEqual(hosts(busy.outside).at(-1), "two")
    }
  )

  const refusing = world(json({}, { status: 404 }))
  test(
    "are not called after a failure that applies to all",
    () => refusing.outside,
    function* () {
      const upstreams = yield* both
      const stops = ({ final }: UpstreamError) => final === true
      const { outcome } = yield* timed(Sources.first(upstreams, read, { none, stops }))
      assert.isTrue(Either.isLeft(outcome))
      assert.deepStrictEqual(hosts(refusing.outside), ["one"])
    }
  )

  const partly = world(ok())
  test(
    "are called for the keys that the previous source has not returned, and no result is lost",
    () => partly.outside,
    function* () {
      const upstreams = yield* both
      const requested: Array<string> = []
      const found = yield* timed(
        Sources.each<Upstream, string, string, UpstreamError>(upstreams, ["a", "b", "a", "c"], ({ name }, keys, tell) =>
          Effect.suspend(() => {
            requested.push(`${name} ${keys.join()}`)
            if (name === "second")
              for (const key of keys) tell(key, key === "c" ? Either.left(none) : Either.right(name))
            else tell("a", Either.right(name))
            return name === "first" ? Effect.never : Effect.void
          })
        ).pipe(Effect.timeoutTo({ duration: 2_000, onSuccess: (all) => all, onTimeout: () => undefined }))
      )
      assert.deepStrictEqual(requested, ["first a,b,c", "second b,c"])
      // The first one might still return what is missing.
      assert.deepStrictEqual(found, { outcome: Either.right(undefined), took: 2_000 })
    }
  )
})

describe("a call that must not happen twice", () => {
  const silent = world(neverResponds)
  test(
    "goes to no other address however long it takes",
    () => silent.outside,
    function* () {
      const upstream = yield* make([firstUrl, secondUrl])
      const { outcome, took } = yield* timed(
        upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found)))
      )
      assert.isTrue(Either.isLeft(outcome))
      assert.deepStrictEqual([took, hosts(silent.outside)], [1_000, ["one"]])
    }
  )
})

describe("an address that was silent", () => {
  const dead = world(neverResponds)
  test(
    "is the reason at once while it is open, and is then tested by a call for which no other waits",
    () => dead.outside,
    function* () {
      const upstream = yield* make([firstUrl])
      const { requests } = dead.outside
      yield* timed(read(upstream))
      const again = yield* timed(read(upstream))
      assert.strictEqual(again.took, 0)
      assert.strictEqual(Either.isLeft(again.outcome) && again.outcome.left.detail, "timed out after 1000 ms")
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(1_000)
      const crowd = yield* timed(
        Effect.all(
          Array.from({ length: 20 }, () => Effect.either(read(upstream))),
          { concurrency: "unbounded" }
        )
      )
      assert.strictEqual(requests.length, 2)
      assert.isBelow(crowd.took, 500)
      // The probe continues without callers, and the open interval after it is twice as long.
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* upstream.standing).state, "silent")
      yield* TestClock.adjust(2_000)
      assert.strictEqual((yield* upstream.standing).state, "probe")
    }
  )

  const mended = world(neverResponds)
  test(
    "serves all callers again as soon as the probe has a response",
    () => mended.outside,
    function* () {
      const upstream = yield* make([firstUrl])
      yield* timed(read(upstream))
      yield* TestClock.adjust(1_000)
      mended.now.one = ok(100)
      const crowd = yield* timed(
        Effect.all(
          Array.from({ length: 20 }, () => read(upstream)),
          { concurrency: "unbounded" }
        )
      )
      assert.isTrue(Either.isRight(crowd.outcome))
      assert.strictEqual(crowd.took, 200)
    },
    { UPSTREAM_CONCURRENCY: "30" }
  )

  for (const [what, ask] of [
    ["a call that may be repeated", read],
    [
      "a call that is sent once",
      (upstream: Upstream) => upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found)))
    ]
  ] as const) {
    const budgeted = world(ok())
    test(
      `is tested by the first call that may go out, not by one that waits for its budget: ${what}`,
      () => budgeted.outside,
      function* () {
        const rate = { source: "SLOWLY", keyless: { perSecond: 0.02, burst: 8 } }
        const upstream = yield* make([firstUrl], { rate })
        for (let count = 0; count < 3; count++) yield* timed(read(upstream))
        budgeted.now.one = neverResponds
        yield* timed(read(upstream))
        yield* TestClock.adjust(1_000)
        budgeted.now.one = ok(50)
        const refresh = yield* Effect.fork(
          Effect.provideService(ask(upstream), CurrentPriority, priorities.chartRefresh)
        )
        yield* TestClock.adjust(100)
        assert.strictEqual(budgeted.outside.requests.length, 4)
        const { outcome, took } = yield* timed(read(upstream))
        assert.deepStrictEqual(Either.getOrUndefined(outcome), { value: 1 })
        assert.strictEqual(took, 50)
        yield* Fiber.interrupt(refresh)
      }
    )
  }

  const insisting = world(neverResponds)
  test(
    "is called by a caller that insists",
    () => insisting.outside,
    function* () {
      const upstream = yield* make([firstUrl])
      yield* timed(read(upstream))
      insisting.now.one = ok()
      assert.deepStrictEqual(
        (yield* timed(Effect.provideService(read(upstream), BypassCircuit, true))).outcome,
        Either.right({ value: 1 })
      )
      assert.strictEqual((yield* upstream.standing).state, "works")
    }
  )

  /** The first address has timed out so often that it is open for 8 s; the second one works. */
  const openFor8s = Effect.fnUntraced(function* (ask: Effect.Effect<unknown, unknown>) {
    for (const pause of [1_000, 2_000, 4_000, 0]) {
      yield* run(Effect.either(ask))
      // The call goes on beside the answer, until it has timed out.
      yield* TestClock.adjust(1_000)
      yield* TestClock.adjust(pause)
    }
  })

  for (const [what, upstreams] of [
    ["address of an upstream", Effect.map(make([firstUrl, secondUrl]), (upstream) => [upstream])],
    ["upstream", both]
  ] as const) {
    const returning = world(neverResponds)
    test(
      `is tested while it is open once another ${what} has failed, and is used again`,
      () => returning.outside,
      function* () {
        const sources = yield* upstreams
        yield* openFor8s(ask(sources))
        returning.now.one = ok()
        returning.now.two = text("down", { status: 502 })
        yield* TestClock.adjust(1_000)
        returning.outside.requests.length = 0
        assert.deepStrictEqual((yield* timed(ask(sources))).outcome, Either.right({ value: 1 }))
        assert.deepStrictEqual([...new Set(hosts(returning.outside))], ["two", "one"])
        returning.outside.requests.length = 0
        yield* run(ask(sources))
        assert.deepStrictEqual(hosts(returning.outside), ["one"])
      }
    )

    const quiet = world(neverResponds)
    test(
      `is not tested while every other ${what} is silent too`,
      () => quiet.outside,
      function* () {
        const sources = yield* upstreams
        yield* openFor8s(ask(sources))
        quiet.now.two = neverResponds
        yield* run(Effect.either(ask(sources)))
        quiet.outside.requests.length = 0
        assert.strictEqual((yield* timed(Effect.either(ask(sources)))).took, 0)
        assert.deepStrictEqual(hosts(quiet.outside), [])
      }
    )

    const hammered = world(neverResponds)
    test(
      `gets at most one test at a time and eight in an open interval, however many calls fail at another ${what}`,
      () => hammered.outside,
      function* () {
        const sources = yield* upstreams
        yield* openFor8s(ask(sources))
        let [atOnce, most] = [0, 0]
        hammered.now.one = Effect.acquireUseRelease(
          Effect.sync(() => {
            atOnce += 1
            most = Math.max(most, atOnce)
          }),
          () => Effect.never,
          () => Effect.sync(() => (atOnce -= 1))
        )
        hammered.now.two = text("down", { status: 502 })
        hammered.outside.requests.length = 0
        for (let step = 0; step < 60; step++) {
          yield* Effect.forkScoped(Effect.all([ask(sources), ask(sources)], { concurrency: 2, mode: "either" }))
          yield* TestClock.adjust(100)
        }
        const tests = hosts(hammered.outside).filter((host) => host === "one").length
        assert.strictEqual(most, 1)
        assert.isAtMost(tests, 7)
        assert.isAtLeast(tests, 3)
      }
    )
  }

  const slowly = world(ok(100), ok())
  test(
    "is not waited for by others while its call is in flight",
    () => slowly.outside,
    function* () {
      const upstreams = yield* both
      slowly.now.one = neverResponds
      // There is no other address to fall back to.
      const alone = yield* Effect.fork(Effect.either(read(upstreams[0])))
      yield* TestClock.adjust(600)
      assert.strictEqual((yield* timed(ask(upstreams))).took, 0)
      assert.deepStrictEqual(hosts(slowly.outside), ["one", "two"])
      yield* Fiber.interrupt(alone)
    }
  )
})

describe("a host that demands a pause", () => {
  const limited = text("slow down", { status: 429, headers: { "retry-after": "3600" } })
  /** Demands pauses of these networks; returns the number of calls to a network, too. */
  const gateway = (refused: ReadonlySet<string>) => {
    const outside = simulatedClient(({ url }) => (refused.has(url.pathname.split("/")[1] ?? "") ? limited : ok()))
    const calls = (network: string) =>
      outside.requests.filter(({ url }) => url.pathname.startsWith(`/${network}`)).length
    return { calls, outside }
  }
  const network = (name: string) => make([`${firstUrl}/${name}`], { name })

  const one = gateway(new Set(["ethereum"]))
  test(
    "of one upstream is not called for it before the pause is over, but for the others",
    () => one.outside,
    function* () {
      const [ethereum, again, polygon] = [
        yield* network("ethereum"),
        yield* network("ethereum"),
        yield* network("polygon")
      ]
      for (let minute = 0; minute < 60; minute++) {
        for (const upstream of [ethereum, again]) yield* run(read(upstream))
        assert.deepStrictEqual(yield* run(read(polygon)), Either.right({ value: 1 }))
        yield* TestClock.adjust("59 seconds")
      }
      assert.strictEqual(one.calls("ethereum"), 1)
      assert.strictEqual((yield* again.standing).state, "blocked")
    }
  )

  const refused = new Set(["ethereum", "polygon"])
  const two = gateway(refused)
  test(
    "of a second upstream too is called for none of them before the end of the pause",
    () => two.outside,
    function* () {
      const [ethereum, polygon, base] = [yield* network("ethereum"), yield* network("polygon"), yield* network("base")]
      for (const upstream of [ethereum, polygon, base]) yield* timed(read(upstream))
      refused.clear()
      assert.strictEqual((yield* base.standing).state, "blocked")
      assert.deepStrictEqual([two.calls("ethereum"), two.calls("polygon"), two.calls("base")], [1, 1, 0])
      yield* TestClock.adjust("1 hour")
      assert.deepStrictEqual(yield* run(read(base)), Either.right({ value: 1 }))
    }
  )
})

describe("the first whole result of several sources", () => {
  type Outcome = number | string
  const standing: Effect.Effect<Sources.Standing> = Effect.succeed({ state: "works", usual: 1_000 })
  /** Results of 10 and more are whole. */
  const firstOf = (
    outcomes: ReadonlyArray<Outcome>,
    reason?: (failures: ReadonlyArray<string>) => string | undefined
  ) => {
    const read: Array<Outcome> = []
    const sources = outcomes.map((outcome) => ({ standing, outcome }))
    const from = ({ outcome }: { readonly outcome: Outcome }) =>
      Effect.suspend(() => {
        read.push(outcome)
        return typeof outcome === "number" ? Effect.succeed(outcome) : Effect.fail(outcome)
      })
    const options = {
      none: "no source",
      isWhole: (result: number) => result >= 10,
      isBetter: (a: number, b: number) => a > b
    }
    return Effect.map(
      Effect.either(Sources.firstOf(sources, from, { ...options, ...(reason === undefined ? {} : { reason }) })),
      (result) => ({ read, result })
    )
  }

  it("is whole where there is a whole result, else the best, else a failure", function* () {
    assert.deepStrictEqual(yield* firstOf([1, 10, 20]), { read: [1, 10], result: Either.right(10) })
    assert.deepStrictEqual(yield* firstOf([1, 3, 2]), { read: [1, 3, 2], result: Either.right(3) })
    assert.deepStrictEqual(yield* firstOf([2, "a"]), { read: [2, "a"], result: Either.right(2) })
    assert.deepStrictEqual(yield* firstOf(["a", "b"]), { read: ["a", "b"], result: Either.left("b") })
    assert.deepStrictEqual(yield* firstOf(["a", "b"], ([first]) => first), {
      read: ["a", "b"],
      result: Either.left("a")
    })
    assert.deepStrictEqual(yield* firstOf([]), { read: [], result: Either.left("no source") })
  })
})
