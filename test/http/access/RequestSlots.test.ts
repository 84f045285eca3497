import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as TestClock from "effect/TestClock"
import { Server } from "../../../src/http/Server.ts"
import { Lateness } from "../../../src/kernel/Lateness.ts"
import { Edge, HandlerControl, problem, serverDependencies, token } from "../../support/edge.ts"
import { assert, built, describe, it } from "../../support/vitest.ts"

const headers = { "content-type": "application/json" }
const post = (body: string, more: RequestInit = {}): RequestInit => ({ method: "POST", headers, body, ...more })
const sized = (body: string) => ({ ...headers, "content-length": String(body.length) })
const lookup = (networkId: string) => JSON.stringify(token(networkId))
const call = (method: string) => JSON.stringify({ jsonrpc: "2.0", id: 1, method })

const turn = Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))

const numberOf = (name: string, metrics: string) =>
  Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1] ?? Number.NaN)

/** Number of in-flight requests, once it is `expected` or after 500 turns of the event loop. */
const inFlightCount = Effect.fnUntraced(function* (metrics: Effect.Effect<Response>, expected: number) {
  let found = Number.NaN
  for (let left = 500; left > 0 && found !== expected; left--) {
    yield* turn
    const text = yield* Effect.flatMap(metrics, (response) => Effect.promise(() => response.text()))
    found = numberOf("http_requests_in_flight", text)
  }
  return found
})

/** Requests by their outcome; the test waits for outcomes that take time. */
const kinds = {
  answered: ["/balance/token", () => post(lookup("any"))],
  "an internal error": ["/balance/token", () => post(lookup("defect"))],
  "a result that violates its schema": ["/balance/token", () => post(lookup("misfit"))],
  "a body that is not JSON": ["/balance/token", () => post("{")],
  "a body that is cut off": [
    "/balance/token",
    () => ({ ...post(""), body: new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }) })
  ],
  "an unknown route": ["/nowhere", () => ({})],
  "a wrong method": ["/balance/token", () => ({ method: "DELETE" })],
  "an unknown parameter": ["/price?x=1", () => ({})],
  "a timeout": ["/balance/token", () => post(lookup("waiting"))],
  "a stream": ["/balance/token", () => post(lookup("streaming"))],
  "a call": ["/utils/rpc/base", () => post(call("eth_chainId"))],
  "a forbidden call": ["/utils/rpc/base", () => post(call("admin_x"))],
  "a call that times out": ["/utils/rpc/base", () => post(call("eth_never"))],
  "a call that is cut off": [
    "/utils/rpc/base",
    () => ({ ...post(""), body: new ReadableStream({ pull: (controller) => controller.error(new Error("gone")) }) })
  ]
} as const satisfies Readonly<Record<string, readonly [path: string, init: () => RequestInit]>>

const kind = FastCheck.constantFrom(...(Object.keys(kinds) as ReadonlyArray<keyof typeof kinds>))

/** When the client disconnects: never, before its request is handled, soon or some turns later, or with the response. */
const disconnectAt = FastCheck.constantFrom(undefined, "at once", "soon", "later", "with the response")

const requests = FastCheck.array(FastCheck.record({ kind, disconnectAt }), { minLength: 1, maxLength: 12 })

describe("a request slot", () => {
  it("is released however the request ends", function* () {
    const edge = yield* built(Edge, Edge.layer({ REQUEST_DEADLINE_MS: "2000" }))
    const metrics = edge.call("/metrics")
    for (const some of FastCheck.sample(requests, { numRuns: 40, seed: 7 })) {
      const all = some.map(({ kind, disconnectAt }) => {
        const client = new AbortController()
        const [path, init] = kinds[kind]
        if (disconnectAt === "at once") client.abort()
        const answer = Effect.runPromise(Effect.either(edge.call(path, { ...init(), signal: client.signal })))
        return { answer, client, kind, disconnectAt }
      })
      const leave = (when: string) => {
        for (const { client, disconnectAt } of all) if (disconnectAt === when) client.abort()
      }
      leave("soon")
      for (let turns = 0; turns < 3; turns++) yield* turn
      leave("later")
      yield* TestClock.adjust("3 seconds")
      for (const { answer, client, disconnectAt } of all) {
        const found = yield* Effect.promise(() => answer)
        if (disconnectAt === "with the response") client.abort()
        // The stream does not end in this test, so its body is canceled.
        if (found._tag === "Right") yield* Effect.promise(() => found.right.body?.cancel() ?? Promise.resolve())
      }
      assert.strictEqual(yield* inFlightCount(metrics, 0), 0, JSON.stringify(some))
    }
  })

  it.effect("is released when a stream ends, or when the client disconnects without reading it", () =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const { release: curtain } = yield* HandlerControl
      const metrics = edge.call("/metrics")
      const client = new AbortController()
      const read = yield* edge.call("/balance/token", post(lookup("streaming")))
      yield* edge.call("/balance/token", post(lookup("streaming"), { signal: client.signal }))
      assert.strictEqual(yield* inFlightCount(metrics, 2), 2)
      client.abort()
      assert.strictEqual(yield* inFlightCount(metrics, 1), 1)
      yield* Deferred.succeed(curtain, undefined)
      assert.strictEqual(yield* Effect.promise(() => read.text()), "{}\n")
      assert.strictEqual(yield* inFlightCount(metrics, 0), 0)
    }).pipe(Effect.provide(Edge.layer()))
  )
})

/** A lookup that is not small. */
const large = (networkId: string) => JSON.stringify({ ...token(networkId), address: "x".repeat(300) })

/** A process that is late, with observers that the test calls. */
const lateProcess = () => {
  const observers: Array<(isLate: boolean) => void> = []
  const lateness = Layer.succeed(Lateness, {
    isLate: () => true,
    wasLate: () => true,
    total: () => 0,
    observe: (observe) => observers.push(observe)
  })
  return { lateness, observers }
}

describe("requests that arrive while the process is late", () => {
  it("are refused at once, large ones first; health and metrics never", function* () {
    const { lateness, observers } = lateProcess()
    const edge = yield* built(Edge, Layer.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" }), lateness))
    const from = (client: string, body: unknown) =>
      edge.call("/balance/token", { ...post(JSON.stringify(body)), from: client, headers: sized(JSON.stringify(body)) })
    const [small, large] = [token("waiting"), { ...token("waiting"), address: "x".repeat(300) }]
    const start = (client: string, body: unknown) => Effect.fork(from(client, body))
    const gauge = (name: string) =>
      Effect.flatMap(edge.call("/metrics"), (response) =>
        Effect.promise(async () => numberOf(name, await response.text()))
      )
    for (let index = 0; index < 32; index++) yield* start(`192.0.2.${index}`, large)
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 32), 32)
    assert.strictEqual(yield* gauge("http_requests_admission_limit"), 1_000)
    for (const observe of observers) observe(true)
    assert.strictEqual(yield* gauge("http_requests_admission_limit"), 32)
    const another = (body: { readonly networkId: string }) => from("192.0.2.100", { ...body, networkId: "any" })
    const refused = yield* another(large)
    assert.strictEqual(refused.status, 503)
    assert.strictEqual(refused.headers.get("retry-after"), "1")
    assert.deepInclude(yield* problem(refused), { type: "urn:problem-type:overloaded", echoed: true })
    assert.strictEqual((yield* another(small)).status, 200)
    for (let index = 0; index < 8; index++) yield* start(`192.0.2.${index}`, small)
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 40), 40)
    assert.strictEqual((yield* another(small)).status, 503)
    for (const open of ["/health/live", "/metrics"]) assert.strictEqual((yield* edge.call(open)).status, 200, open)
    yield* TestClock.adjust("3 seconds")
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 0), 0)
    assert.strictEqual((yield* another(large)).status, 200)
  })

  it("are admitted again, or refused, when their bodies are complete after more than a second", function* () {
    const { lateness, observers } = lateProcess()
    const edge = yield* built(Edge, Layer.provide(Edge.layer(), lateness))
    for (const observe of observers) observe(true)
    const send = (client: string, body: string, sent: string | ReadableStream = body) =>
      edge.call("/balance/token", { ...post(""), body: sent, from: client, headers: sized(body) })
    const slow = (client: string, networkId: string) =>
      Effect.gen(function* () {
        const { readable, writable } = new TransformStream<Uint8Array, Uint8Array>()
        const response = yield* Effect.fork(send(client, large(networkId), readable))
        yield* turn
        return {
          response,
          complete: Effect.sync(() => {
            const writer = writable.getWriter()
            void writer.write(new TextEncoder().encode(large(networkId)))
            void writer.close()
          })
        }
      })
    const [counted, refused] = [yield* slow("192.0.2.101", "waiting"), yield* slow("192.0.2.102", "any")]
    yield* TestClock.adjust("1 second")
    for (let index = 0; index < 31; index++) yield* Effect.fork(send(`192.0.2.${index}`, large("waiting")))
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 31), 31)
    yield* counted.complete
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 32), 32)
    assert.strictEqual((yield* send("192.0.2.100", large("any"))).status, 503)
    yield* refused.complete
    const response = yield* Fiber.join(refused.response)
    assert.strictEqual(response.status, 503)
    assert.deepInclude(yield* problem(response), { type: "urn:problem-type:overloaded", echoed: true })
  })

  it("are not refused for streams that have begun, which keep their slots", function* () {
    const { lateness, observers } = lateProcess()
    const edge = yield* built(Edge, Layer.provide(Edge.layer(), lateness))
    for (const observe of observers) observe(true)
    const send = (client: string, networkId: string) =>
      edge.call("/balance/token", { ...post(large(networkId)), from: client, headers: sized(large(networkId)) })
    const fill = Effect.fnUntraced(function* (networkId: string) {
      for (let index = 0; index < 32; index++) yield* send(`192.0.2.${index}`, networkId)
      for (let turns = 0; turns < 3; turns++) yield* turn
    })
    yield* fill("streaming-on")
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 32), 32)
    assert.strictEqual((yield* send("192.0.2.100", "any")).status, 200)
    yield* fill("streaming")
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 64), 64)
    assert.strictEqual((yield* send("192.0.2.100", "any")).status, 503)
  })

  it("are refused first if their client has many in progress", function* () {
    const { lateness, observers } = lateProcess()
    const edge = yield* built(Edge, Layer.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" }), lateness))
    for (const observe of observers) observe(true)
    const from = (client: string, networkId: string) =>
      edge.call("/balance/token", { ...post(lookup(networkId)), from: client, headers: sized(lookup(networkId)) })
    for (let index = 0; index < 39; index++) yield* Effect.fork(from("192.0.2.1", "waiting"))
    assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 30), 30)
    assert.strictEqual((yield* from("192.0.2.1", "any")).status, 503)
    assert.strictEqual((yield* from("192.0.2.2", "any")).status, 200)
  })
})

describe("more requests than MAX_REQUESTS", () => {
  for (const [way, path, body] of [
    ["with the router", "/balance/token", lookup("any")],
    ["without the router", "/utils/rpc/base", call("eth_chainId")]
  ] as const)
    it.effect(`are refused with 503 and Retry-After, ${way}`, () =>
      Effect.gen(function* () {
        const edge = yield* Edge
        const { release: curtain } = yield* HandlerControl
        const shed = Effect.flatMap(edge.call("/metrics"), (response) =>
          Effect.promise(async () => numberOf("http_requests_shed_total", await response.text()))
        )
        const before = yield* shed
        const stream = yield* edge.call("/balance/token", post(lookup("streaming")))
        const refused = yield* edge.call(path, post(body))
        assert.strictEqual(refused.status, 503)
        assert.strictEqual(refused.headers.get("retry-after"), "1")
        assert.deepInclude(yield* problem(refused), {
          type: "urn:problem-type:overloaded",
          status: 503,
          contentType: "application/problem+json",
          echoed: true
        })
        assert.strictEqual((yield* shed) - (Number.isNaN(before) ? 0 : before), 1)
        for (const open of ["/health/live", "/metrics"]) assert.strictEqual((yield* edge.call(open)).status, 200, open)
        yield* Deferred.succeed(curtain, undefined)
        yield* Effect.promise(() => stream.text())
        assert.strictEqual(yield* inFlightCount(edge.call("/metrics"), 0), 0)
        assert.strictEqual((yield* edge.call(path, post(body))).status, 200)
      }).pipe(Effect.provide(Edge.layer({ MAX_REQUESTS: "1" })))
    )

  it.live("are refused over sockets until a client disconnects", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const get = (path: string, init?: RequestInit) => Effect.promise(() => fetch(`${url}${path}`, init))
      const client = new AbortController()
      // No part of the response arrives before its first chunk.
      fetch(`${url}/balance/token`, post(lookup("streaming"), { signal: client.signal })).catch(() => {})
      yield* Deferred.await((yield* HandlerControl).entered)
      assert.strictEqual((yield* get("/balance/token", post(lookup("any")))).status, 503)
      // A response that is ready needs no slot.
      for (const path of ["/health/live", "/networks", "/metrics"])
        assert.strictEqual((yield* get(path)).status, 200, path)
      client.abort()
      let status = 503
      for (let left = 500; left > 0 && status === 503; left--) {
        yield* turn
        status = (yield* get("/balance/token", post(lookup("any")))).status
      }
      assert.strictEqual(status, 200)
    }).pipe(
      Effect.provide(
        Server.layer.pipe(
          Layer.provideMerge(serverDependencies({ PORT: "0", HOST: "127.0.0.1", MAX_REQUESTS: "1" })),
          Layer.provide(Logger.remove(Logger.defaultLogger))
        )
      )
    )
  )
})
