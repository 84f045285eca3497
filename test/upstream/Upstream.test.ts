import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpServerRequest from "@effect/platform/HttpServerRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Logger from "effect/Logger"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../src/upstream/response/ResponseSize.ts"
import { isAvailable } from "../../src/upstream/Sources.ts"
import type { Upstream } from "../../src/upstream/Upstream.ts"
import type { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import {
  brokenBody,
  byHost,
  flood,
  json,
  neverResponds,
  type Reply,
  refused,
  repliesInOrder,
  type SentRequest,
  simulatedClient,
  stalled,
  text
} from "../support/http.ts"
import { finish, firstUrl, make, run, secondUrl, test } from "../support/upstream.ts"

const Found = Schema.Struct({ value: Schema.Number })
const ok = json({ value: 1 })
const down = json({ message: "down" }, { status: 500 })
const limited = (after?: string) =>
  text("slow down", { status: 429, ...(after === undefined ? {} : { headers: { "retry-after": after } }) })

const day = 24 * 60 * 60 * 1000

const lookup = HttpClientRequest.get("/question")
const read = (upstream: Upstream) => upstream.read(lookup, Found)

const hosts = (requests: ReadonlyArray<SentRequest>) => requests.map(({ url }) => url.host.replace(".example", ""))

const failure = <A>(outcome: Either.Either<A, UpstreamError>): UpstreamError => {
  if (Either.isLeft(outcome)) return outcome.left
  throw new Error("there was an answer")
}

/** Answers everything the same way. */
const always = (reply: Reply) => () => simulatedClient(() => reply)

/** The first address answers with the first reply for ever, the second with the second. */
const sides = (first: Reply, second: Reply) => () =>
  simulatedClient(byHost({ "one.example": () => first, "two.example": () => second }))

describe("an upstream client", () => {
  test("returns the decoded response", always(ok), function* ({ requests }) {
    const upstream = yield* make()
    assert.deepStrictEqual(yield* read(upstream), { value: 1 })
    assert.deepStrictEqual(
      requests.map(({ method, url }) => [method, url.href]),
      [["GET", "https://one.example/question"]]
    )
    assert.strictEqual(requests[0]?.headers["user-agent"], "wallet-data")
  })

  test("keeps the path and the query keys of a base address", always(ok), function* ({ requests }) {
    const upstream = yield* make(["https://one.example/v3/path/?apikey=abc/def%2B&chain=1"])
    yield* upstream.read(HttpClientRequest.setUrlParams(lookup, { ids: "a,b c" }), Found)
    assert.strictEqual(requests[0]?.url.pathname, "/v3/path/question")
    assert.deepStrictEqual(
      [...(requests[0]?.url.searchParams ?? [])],
      [
        ["ids", "a,b c"],
        ["apikey", "abc/def+"],
        ["chain", "1"]
      ]
    )
  })

  test("fails as not configured where it has no address, and sends nothing", always(ok), function* ({ requests }) {
    const upstream = yield* make([])
    const calls = [
      read(upstream),
      upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found))),
      upstream.over(() => Effect.void)
    ]
    for (const call of calls) {
      const error = failure(yield* Effect.either(call))
      assert.strictEqual(error.reason, "not_configured")
      assert.strictEqual(error.message, "tester: no address is configured")
    }
    assert.strictEqual(requests.length, 0)
  })

  test(
    "sends at most as many calls at once as a host has permits",
    () => simulatedClient(() => Effect.delay(ok, 100)),
    function* ({ requests }) {
      const upstream = yield* make()
      const fiber = yield* Effect.fork(Effect.replicateEffect(read(upstream), 10, { concurrency: "unbounded" }))
      yield* TestClock.adjust(0)
      assert.strictEqual(requests.length, 3)
      assert.strictEqual((yield* finish(fiber)).took, 400)
    },
    { UPSTREAM_CONCURRENCY: "3", UPSTREAM_CONCURRENCY_MAX: "3" }
  )

  test(
    "waits for a permit without calling the next address, unless more calls wait than have permits",
    () => simulatedClient(() => Effect.delay(ok, 400)),
    function* ({ requests }) {
      const upstream = yield* make([firstUrl, secondUrl])
      const reads = (count: number) => Effect.replicateEffect(read(upstream), count, { concurrency: "unbounded" })
      yield* run(reads(3))
      assert.deepStrictEqual(hosts(requests), ["one", "one", "one"])
      yield* run(reads(4))
      assert.deepStrictEqual(hosts(requests).slice(3).sort(), ["one", "one", "one", "two"])
    },
    { UPSTREAM_CONCURRENCY: "1", UPSTREAM_CONCURRENCY_MAX: "1" }
  )

  test(
    "shares the permits of a host fairly between requests",
    () => simulatedClient(() => Effect.delay(ok, 100)),
    function* ({ requests }) {
      const upstream = yield* make()
      const many = (path: string, count: number) =>
        Effect.provideService(
          Effect.replicateEffect(upstream.read(HttpClientRequest.get(path), Found), count, {
            concurrency: "unbounded"
          }),
          HttpServerRequest.HttpServerRequest,
          HttpServerRequest.fromWeb(new Request(`http://service.example${path}`))
        )
      yield* run(Effect.all([many("/large", 4), many("/small", 2)], { concurrency: 2 }))
      assert.deepStrictEqual(
        requests.map(({ url }) => url.pathname),
        ["/large", "/large", "/small", "/large", "/small", "/large"]
      )
    },
    { UPSTREAM_CONCURRENCY: "1", UPSTREAM_CONCURRENCY_MAX: "1" }
  )

  test(
    "cancels the request when its caller leaves, and returns the permit",
    always(neverResponds),
    function* ({ requests }) {
      const upstream = yield* make()
      const first = yield* Effect.fork(read(upstream))
      yield* TestClock.adjust(0)
      assert.strictEqual(requests[0]?.signal.aborted, false)
      yield* Fiber.interrupt(first)
      assert.strictEqual(requests[0]?.signal.aborted, true)
      const second = yield* Effect.fork(read(upstream))
      yield* TestClock.adjust(0)
      assert.strictEqual(requests.length, 2)
      yield* Fiber.interrupt(second)
    },
    { UPSTREAM_CONCURRENCY: "1" }
  )

  test("cancels the request also in the middle of a body", always(stalled('{"value":')), function* ({ requests }) {
    const fiber = yield* Effect.fork(read(yield* make()))
    yield* TestClock.adjust(0)
    yield* Fiber.interrupt(fiber)
    assert.strictEqual(requests[0]?.signal.aborted, true)
  })
})

const misfit = json({ value: "one" })

const passing: Readonly<Record<string, readonly [Reply, UpstreamError["reason"]]>> = {
  "HTTP 500": [down, "upstream_error"],
  "HTTP 502 with HTML": [text("<html>Bad gateway</html>", { status: 502 }), "upstream_error"],
  "HTTP 503": [text("", { status: 503 }), "upstream_error"],
  "HTTP 503 with Retry-After": [text("", { status: 503, headers: { "retry-after": "7" } }), "rate_limited"],
  "HTTP 401": [json({ error: "key" }, { status: 401 }), "upstream_error"],
  "HTTP 401 without a body": [text(null, { status: 401 }), "upstream_error"],
  "HTTP 402": [json({ error: "pay" }, { status: 402 }), "upstream_error"],
  "HTTP 403 with HTML": [text("<html>Forbidden</html>", { status: 403 }), "upstream_error"],
  "HTTP 302": [text(null, { status: 302, headers: { location: "https://two.example" } }), "bad_answer"],
  "an answer with too many values": [text(`[${"1,".repeat(200_000)}1]`), "bad_answer"],
  "an answer that nests too deep": [text("[".repeat(5_000) + "]".repeat(5_000)), "bad_answer"],
  "HTTP 410": [text("Gone", { status: 410 }), "upstream_error"],
  "HTTP 429": [limited(), "rate_limited"],
  "HTTP 429 with HTML": [text("<html>Slow down</html>", { status: 429 }), "rate_limited"],
  "an HTML page": [text("<html>Welcome</html>"), "bad_answer"],
  "an empty body": [text(""), "bad_answer"],
  "no body": [text(null), "bad_answer"],
  "a cut-off body": [text('{"value":1'), "bad_answer"],
  "another form": [misfit, "bad_answer"],
  "a lost connection": [brokenBody('{"value":'), "upstream_error"],
  "a connection lost before the declared length": [
    brokenBody('{"value":', { "content-length": "11" }),
    "upstream_error"
  ],
  "no connection": [refused, "upstream_error"],
  "a body that stops": [stalled('{"value":'), "timeout"],
  silence: [neverResponds, "timeout"]
}

describe("another address", () => {
  for (const [name, [fault, reason]] of Object.entries(passing)) {
    test(`is called after ${name}`, sides(fault, ok), function* ({ requests }) {
      assert.deepStrictEqual(yield* run(read(yield* make([firstUrl, secondUrl]))), Either.right({ value: 1 }))
      assert.strictEqual(hosts(requests).at(-1), "two")
    })

    test(`that does not exist leaves ${name} as ${reason}`, always(fault), function* () {
      const error = failure(yield* run(read(yield* make())))
      assert.strictEqual(error.reason, reason)
      assert.strictEqual(error.final, undefined)
    })
  }

  for (const status of [400, 404, 413, 414, 422]) {
    test(
      `is not called after HTTP ${status}, which is about the request`,
      sides(text("no", { status }), ok),
      function* (outside) {
        const error = failure(yield* run(read(yield* make([firstUrl, secondUrl]))))
        assert.strictEqual(error.status, status)
        assert.strictEqual(error.final, true)
        assert.strictEqual(error.message, `tester: returned HTTP ${status}`)
        assert.deepStrictEqual(hosts(outside.requests), ["one"])
      }
    )
  }

  test("is called in the order of preference", always(ok), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    yield* read(upstream)
    yield* read(upstream)
    assert.deepStrictEqual(hosts(requests), ["one", "one"])
  })

  test(
    "is called first while the preferred address is open, and no longer",
    sides(neverResponds, ok),
    function* ({ requests }) {
      const upstream = yield* make([firstUrl, secondUrl])
      yield* run(read(upstream))
      yield* run(read(upstream))
      assert.deepStrictEqual(hosts(requests), ["one", "two", "two"])
      yield* TestClock.adjust(1_000)
      yield* run(read(upstream))
      assert.deepStrictEqual(hosts(requests), ["one", "two", "two", "one", "two"])
    }
  )

  test("is open for longer the more often it fails", sides(neverResponds, ok), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    yield* run(read(upstream))
    yield* TestClock.adjust(1_000)
    yield* run(read(upstream))
    // The probe goes on beside the answer, until it has timed out.
    yield* TestClock.adjust(1_000)
    requests.length = 0
    yield* TestClock.adjust(1_900)
    yield* run(read(upstream))
    assert.deepStrictEqual(hosts(requests), ["two"])
    yield* TestClock.adjust(100)
    yield* run(read(upstream))
    assert.deepStrictEqual(hosts(requests), ["two", "one", "two"])
  })

  test("is open no longer than allowed when the clock is set back", sides(neverResponds, ok), function* ({ requests }) {
    yield* TestClock.setTime(day)
    const upstream = yield* make([firstUrl, secondUrl])
    yield* run(read(upstream))
    yield* TestClock.setTime(0)
    requests.length = 0
    yield* run(read(upstream))
    assert.deepStrictEqual(hosts(requests), ["one", "two"])
  })

  for (const [name, reply] of [
    ["a good answer", ok],
    ["a request for a rest", limited("60")]
  ] as const)
    test(`is not skipped for ever when the clock is set back after ${name}`, always(reply), function* ({ requests }) {
      yield* TestClock.setTime(day)
      const upstream = yield* make([firstUrl])
      yield* run(Effect.either(read(upstream)))
      requests.length = 0
      yield* TestClock.setTime(0)
      assert.isTrue(isAvailable(yield* upstream.standing))
      yield* run(Effect.either(read(upstream)))
      assert.strictEqual(requests.length, 1)
    })

  test("is tried although all of them are open", always(down), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    yield* run(read(upstream))
    const before = requests.length
    yield* run(read(upstream))
    assert.deepStrictEqual(hosts(requests.slice(before)), ["one", "one", "two", "two"])
  })

  test(
    "takes over all calls of one operation",
    () => simulatedClient(({ body, url }) => (url.host === "one.example" && body === '"b"' ? misfit : ok)),
    function* ({ requests }) {
      const upstream = yield* make([firstUrl, secondUrl])
      const call = (body: string) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/rpc"), body)
      const indexes: Array<number> = []
      const outcome = yield* run(
        upstream.over((address) => {
          indexes.push(address.index)
          return Effect.zipRight(
            address.read(call("a"), ResponseDecoder.fitting(Found)),
            address.read(call("b"), ResponseDecoder.fitting(Found))
          )
        })
      )
      assert.deepStrictEqual(outcome, Either.right({ value: 1 }))
      assert.deepStrictEqual(indexes, [0, 1])
      assert.deepStrictEqual(
        requests.map(({ body, url }) => `${url.host} ${body}`),
        ['one.example "a"', 'one.example "b"', 'two.example "a"', 'two.example "b"']
      )
    }
  )

  test("is called where the caller finds a response wrong", always(ok), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    const outcome = yield* run(
      upstream.over((address) =>
        Effect.filterOrFail(
          address.read(lookup, ResponseDecoder.fitting(Found)),
          () => address.index === 1,
          () => address.fault({ reason: "bad_answer", detail: "is of another chain" })
        )
      )
    )
    assert.deepStrictEqual(outcome, Either.right({ value: 1 }))
    assert.deepStrictEqual(hosts(requests), ["one", "two"])
  })
})

describe("a passing fault", () => {
  test(
    "is tried again after a short wait that doubles",
    () => simulatedClient(repliesInOrder(down, down, ok)),
    function* ({ requests }) {
      const fiber = yield* Effect.fork(read(yield* make()))
      // The waits are 100 and 200 ms, give or take a fifth.
      yield* TestClock.adjust(79)
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(42)
      assert.strictEqual(requests.length, 2)
      yield* TestClock.adjust(118)
      assert.strictEqual(requests.length, 2)
      yield* TestClock.adjust(122)
      assert.strictEqual(requests.length, 3)
      assert.deepStrictEqual((yield* finish(fiber)).outcome, Either.right({ value: 1 }))
    }
  )

  test("is tried three times at the only address", always(down), function* ({ requests }) {
    const error = failure(yield* run(read(yield* make())))
    assert.strictEqual(error.message, "tester: returned HTTP 500")
    assert.strictEqual(error.status, 500)
    assert.strictEqual(requests.length, 3)
  })

  test(
    "is tried twice at each of several addresses, and the last failure is returned",
    sides(down, limited()),
    function* ({ requests }) {
      const error = failure(yield* run(read(yield* make([firstUrl, secondUrl]))))
      assert.strictEqual(error.reason, "rate_limited")
      assert.deepStrictEqual(hosts(requests), ["one", "one", "two", "two"])
    }
  )

  for (const name of [
    "HTTP 401",
    "HTTP 402",
    "HTTP 403 with HTML",
    "HTTP 410",
    "an HTML page",
    "another form",
    "silence"
  ])
    test(
      `is not tried again after ${name}`,
      () => simulatedClient(() => passing[name]?.[0] ?? ok),
      function* ({ requests }) {
        failure(yield* run(read(yield* make())))
        assert.strictEqual(requests.length, 1)
      }
    )

  test("of silence ends after the time of an attempt", always(neverResponds), function* ({ requests }) {
    const { outcome, took } = yield* finish(yield* Effect.fork(read(yield* make())))
    assert.strictEqual(failure(outcome).message, "tester: timed out after 1000 ms")
    assert.strictEqual(took, 1000)
    assert.strictEqual(requests[0]?.signal.aborted, true)
  })

  test("in a body that stops ends at the same time", always(stalled("{")), function* ({ requests }) {
    const { outcome, took } = yield* finish(yield* Effect.fork(read(yield* make())))
    assert.strictEqual(failure(outcome).reason, "timeout")
    assert.strictEqual(took, 1000)
    assert.strictEqual(requests[0]?.signal.aborted, true)
  })
})

describe("Retry-After", () => {
  test(
    "in seconds stops all calls for this time",
    () => simulatedClient(repliesInOrder(limited("60"), ok)),
    function* ({ requests }) {
      const upstream = yield* make()
      const limited = failure(yield* run(read(upstream)))
      assert.strictEqual(limited.reason, "rate_limited")
      assert.strictEqual(limited.retryAfter, 60_000)
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(58_000)
      const remembered = failure(yield* run(read(upstream)))
      assert.strictEqual(remembered.reason, "rate_limited")
      assert.strictEqual(remembered.retryAfter, 2_000)
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(2_000)
      assert.deepStrictEqual(yield* run(read(upstream)), Either.right({ value: 1 }))
    }
  )

  test(
    "as a date does the same",
    () => simulatedClient(repliesInOrder(limited("Thu, 01 Jan 1970 00:01:30 GMT"), ok)),
    function* ({ requests }) {
      yield* TestClock.adjust(60_000)
      const upstream = yield* make()
      assert.strictEqual(failure(yield* run(read(upstream))).retryAfter, 30_000)
      failure(yield* run(read(upstream)))
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(30_000)
      assert.deepStrictEqual(yield* run(read(upstream)), Either.right({ value: 1 }))
    }
  )

  for (const [written, retryAfter] of [
    ["Thu, 01 Jan 1970 00:00:01 GMT", 0],
    ["soon", undefined],
    ["99999999999999999999", 86_400_000],
    ["Fri, 31 Dec 9999 23:59:59 GMT", 86_400_000]
  ] as const)
    test(`of "${written}" is understood as ${retryAfter}`, always(limited(written)), function* () {
      yield* TestClock.adjust(60_000)
      assert.strictEqual(failure(yield* run(read(yield* make()))).retryAfter, retryAfter)
    })

  test(
    "of an absurd length does not exclude the address for ever",
    () => simulatedClient(repliesInOrder(limited("99999999"), ok)),
    function* () {
      const upstream = yield* make()
      failure(yield* run(read(upstream)))
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(yield* run(read(upstream)), Either.right({ value: 1 }))
    }
  )

  test(
    "of a second is waited for at the only address",
    () => simulatedClient(repliesInOrder(limited("1"), ok)),
    function* ({ requests }) {
      const fiber = yield* Effect.fork(read(yield* make()))
      yield* TestClock.adjust(999)
      assert.strictEqual(requests.length, 1)
      yield* TestClock.adjust(1)
      assert.deepStrictEqual((yield* finish(fiber)).outcome, Either.right({ value: 1 }))
      assert.strictEqual(requests.length, 2)
    }
  )

  test(
    "of a second is not waited for where there is another address",
    sides(limited("1"), ok),
    function* ({ requests }) {
      const { took } = yield* finish(yield* Effect.fork(read(yield* make([firstUrl, secondUrl]))))
      assert.strictEqual(took, 0)
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
    }
  )

  test("skips the address until then", sides(limited("60"), ok), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    for (let second = 0; second < 60; second += 10) {
      yield* run(read(upstream))
      yield* TestClock.adjust(10_000)
    }
    assert.deepStrictEqual(hosts(requests), ["one", "two", "two", "two", "two", "two", "two"])
    yield* run(read(upstream))
    assert.strictEqual(hosts(requests)[7], "one")
  })

  test(
    "stops the calls that had queued for a permit",
    always(limited("60")),
    function* ({ requests }) {
      const upstream = yield* make()
      const outcomes = yield* Effect.all(
        Array.from({ length: 20 }, () => Effect.either(read(upstream))),
        { concurrency: "unbounded" }
      )
      assert.deepStrictEqual([...new Set(outcomes.map((outcome) => failure(outcome).reason))], ["rate_limited"])
      assert.strictEqual(requests.length, 1)
    },
    { UPSTREAM_CONCURRENCY: "1" }
  )

  test(
    "is not lifted by a good response to an earlier call",
    () => {
      const late = Effect.delay(ok, "500 millis")
      return simulatedClient(repliesInOrder(late, limited("60"), ok))
    },
    function* ({ requests }) {
      const upstream = yield* make()
      const early = yield* Effect.fork(read(upstream))
      yield* TestClock.adjust(0)
      failure(yield* run(read(upstream)))
      yield* TestClock.adjust(500)
      assert.deepStrictEqual(yield* Fiber.join(early), { value: 1 })
      failure(yield* run(read(upstream)))
      assert.strictEqual(requests.length, 2)
    }
  )

  test("stops a call that must be sent only once, too", always(limited("60")), function* ({ requests }) {
    const upstream = yield* make()
    failure(yield* Effect.either(upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found)))))
    const error = failure(
      yield* Effect.either(upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found))))
    )
    assert.strictEqual(error.reason, "rate_limited")
    assert.strictEqual(requests.length, 1)
  })
})

/** A provider that allows one call per 1,000 seconds; callers do not wait. */
const stingy = {
  source: "STINGY",
  keyless: { perSecond: 0.001, burst: 1, maxWait: 0 }
} as const

describe("the reason of an address that does not work", () => {
  for (const [what, reply, reason, detail] of [
    ["cannot be reached", refused, "upstream_error", "could not be reached: connection refused"],
    ["is silent", neverResponds, "timeout", "timed out after 1000 ms"],
    ["answers with something else", text("<html>"), "bad_answer", "returned a response that is not JSON"],
    ["asks for fewer calls", limited(), "rate_limited", "rate limit reached (HTTP 429)"]
  ] as const)
    test(`remains while the budget is used up: an address that ${what}`, always(reply), function* ({ requests }) {
      const upstream = yield* make([firstUrl], { rate: stingy })
      for (let time = 0; time < 5; time++) {
        const error = failure(yield* run(read(upstream)))
        assert.deepInclude(error, { reason, detail })
        if (time > 0) assert.strictEqual(error.unsent, true)
      }
      assert.strictEqual(requests.length, 1)
    })

  test("is the budget where it works, and again some time after it failed", always(refused), function* () {
    const upstream = yield* make([firstUrl], { rate: stingy })
    failure(yield* run(read(upstream)))
    yield* TestClock.adjust("1 minute")
    assert.deepInclude(failure(yield* run(read(upstream))), {
      reason: "rate_limited",
      detail: "too many calls are queued"
    })
  })

  test(
    "remains while it demands a pause",
    always(json({ message: "down" }, { status: 500, headers: { "retry-after": "60" } })),
    function* ({ requests }) {
      const upstream = yield* make()
      for (let time = 0; time < 6; time++) {
        assert.deepInclude(failure(yield* run(read(upstream))), {
          reason: "upstream_error",
          detail: "returned HTTP 500"
        })
        yield* TestClock.adjust("9 seconds")
      }
      assert.strictEqual(requests.length, 1)
    }
  )

  test(
    "is a limit where it accepted the request and demands a pause",
    always(text("no", { status: 404, headers: { "retry-after": "60" } })),
    function* () {
      const upstream = yield* make()
      assert.strictEqual(failure(yield* run(read(upstream))).reason, "upstream_error")
      assert.deepInclude(failure(yield* run(read(upstream))), {
        reason: "rate_limited",
        detail: "rate limit reached",
        unsent: true
      })
    }
  )
})

describe("a call that must not happen twice", () => {
  const transaction = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/send"), { tx: "0x01" })

  test("is sent to the preferred address", always(ok), function* ({ requests }) {
    const upstream = yield* make([firstUrl, secondUrl])
    assert.deepStrictEqual(
      yield* upstream.once((address) => address.send(transaction, ResponseDecoder.fitting(Found))),
      {
        value: 1
      }
    )
    assert.deepStrictEqual(
      requests.map(({ body, method, url }) => [method, url.href, body]),
      [["POST", "https://one.example/send", '{"tx":"0x01"}']]
    )
  })

  /** Where the gateway rejected the caller, or there was no connection, the call did not arrive. */
  const didNotArrive = /^(HTTP (401|402|403|429)|no connection)\b/
  const [apart, maybe] = Object.entries(passing).reduce(
    ([apart, maybe], fault) => (didNotArrive.test(fault[0]) ? [[...apart, fault], maybe] : [apart, [...maybe, fault]]),
    [[], []] as [Array<[string, (typeof passing)[string]]>, Array<[string, (typeof passing)[string]]>]
  )
  assert.isAbove(apart.length, 4)
  assert.isAbove(maybe.length, 4)

  for (const [name, [fault, reason]] of maybe)
    test(`is sent once, also after ${name}`, sides(fault, ok), function* ({ requests }) {
      const upstream = yield* make([firstUrl, secondUrl])
      assert.strictEqual(
        failure(yield* run(upstream.once((address) => address.send(transaction, ResponseDecoder.fitting(Found)))))
          .reason,
        reason
      )
      yield* TestClock.adjust("1 minute")
      assert.deepStrictEqual(hosts(requests), ["one"])
    })

  for (const [name, [fault]] of apart)
    test(
      `goes to the next address after ${name}, where it cannot have arrived`,
      sides(fault, ok),
      function* ({ requests }) {
        const upstream = yield* make([firstUrl, secondUrl])
        const sent = yield* run(upstream.once((address) => address.send(transaction, ResponseDecoder.fitting(Found))))
        assert.deepStrictEqual(sent, Either.right({ value: 1 }))
        assert.deepStrictEqual(hosts(requests), ["one", "two"])
      }
    )
})

describe("a response that does not fit", () => {
  test("is reported by its path and never by its value", always(json({ value: "0xsecret" })), function* () {
    const error = failure(yield* run(read(yield* make())))
    assert.strictEqual(error.reason, "bad_answer")
    assert.strictEqual(error.message, "tester: returned a response in an unexpected format (at value)")
    assert.strictEqual(error.status, 200)
  })

  test("is reported by its path deep inside", always(json({ rows: [{ price: 1 }, { price: null }] })), function* () {
    const Rows = Schema.Struct({ rows: Schema.Array(Schema.Struct({ price: Schema.Number })) })
    const error = failure(yield* run((yield* make()).read(lookup, Rows)))
    assert.strictEqual(error.detail, "returned a response in an unexpected format (at rows.1.price)")
  })

  test(
    "fails only its address where the code that reads it throws, wherever it does",
    always(ok),
    function* ({ requests }) {
      const upstream = yield* make([firstUrl, secondUrl])
      const fall = (): never => {
        throw new RangeError("secret")
      }
      const throwing: Readonly<Record<string, Effect.Effect<unknown, UpstreamError>>> = {
        "an interpreter": upstream.over((address) => address.read(lookup, fall)),
        "a refusal": (yield* make([firstUrl, secondUrl], { refusal: fall })).read(lookup, Found),
        "a schema": upstream.read(
          lookup,
          Schema.transform(Found, Schema.Unknown, { strict: false, decode: fall, encode: fall })
        ),
        "who puts answers together": upstream.over((address) =>
          Effect.map(address.read(lookup, ResponseDecoder.fitting(Found)), fall)
        ),
        "who makes the question": upstream.once(fall)
      }
      for (const [name, read] of Object.entries(throwing)) {
        const error = failure(yield* run(Effect.provide(read, Logger.remove(Logger.defaultLogger))))
        assert.strictEqual(error.message, "tester: returned a response that cannot be read", name)
        assert.strictEqual(error.reason, "bad_answer", name)
      }
      assert.deepStrictEqual(hosts(requests), Array.from({ length: 4 }, () => ["one", "two"]).flat())
    }
  )

  test("is cut off when it does not end", always(neverResponds), function* () {
    const { reply, seen } = flood()
    const upstream = yield* Effect.provide(make(), simulatedClient(() => reply).layer)
    const error = failure(yield* run(read(upstream)))
    assert.strictEqual(error.reason, "bad_answer")
    assert.strictEqual(error.message, "tester: returned a response that is too large")
    assert.isTrue(seen.cancelled)
    assert.isBelow(seen.sent, ResponseSize.usual.bytes + 4 * 1024 * 1024)
  })

  test(
    "is read to the end up to that size",
    () => {
      const long = JSON.stringify({ value: 1, padding: "x".repeat(3 * 1024 * 1024) })
      return simulatedClient(() => text(long, { headers: { "content-length": String(long.length) } }))
    },
    () => Effect.flatMap(make(), (upstream) => Effect.map(read(upstream), ({ value }) => assert.strictEqual(value, 1)))
  )

  test(
    "is read with a byte order mark in front",
    () => simulatedClient(repliesInOrder(text('\uFEFF{"value":1}'))),
    function* () {
      assert.deepStrictEqual(yield* read(yield* make()), { value: 1 })
    }
  )

  test(
    "is an error where the upstream returns it with HTTP 200",
    () => simulatedClient(repliesInOrder(json({ status: "0", result: "Max rate limit reached" }))),
    function* () {
      const upstream = yield* make([firstUrl], {
        refusal: () => ({ reason: "rate_limited", detail: "rate limit reached", final: true })
      })
      const error = failure(yield* run(read(upstream)))
      assert.strictEqual(error.reason, "rate_limited")
      assert.strictEqual(error.status, 200)
    }
  )

  it("is a fault of its status before it is a fault of its form", () => {
    const at = (status: number) =>
      ResponseDecoder.fitting(Found)({ status, text: '{"value":1}', retryAfter: undefined })
    assert.deepStrictEqual(at(200), Either.right({ value: 1 }))
    for (const status of [302, 400, 401, 404, 429, 500, 503]) assert.isTrue(Either.isLeft(at(status)))
  })
})
