import { gunzipSync } from "node:zlib"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as TestClock from "effect/TestClock"
import { Edge, HandlerControl, token } from "../support/edge.ts"
import { assert, built, describe, it } from "../support/vitest.ts"

const path = "/utils/rpc/base"
const json = { "content-type": "application/json" }
const call = (method: string) => JSON.stringify({ jsonrpc: "2.0", id: "one", method })
const streamed = (text: string) => new Blob([text]).stream()

type Call = readonly [path: string, init: RequestInit]

/** Adds the Content-Length that a client sends with a complete body: a request in memory has none. */
const withContentLength = ([path, { body, headers, ...init }]: Call): Call => {
  const length = typeof body === "string" ? { "content-length": `${Buffer.byteLength(body)}` } : {}
  return [path, { ...init, body: body ?? null, headers: { ...length, ...(headers as Record<string, string>) } }]
}

/** Requests to a route that is handled without the router. */
const requests = (): Readonly<Record<string, Call>> => Record.map(calls(), withContentLength)

const calls = (): Readonly<Record<string, Call>> => ({
  "a call": [path, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a read of 1,000 characters": [path, { method: "POST", headers: json, body: call(`eth_${"x".repeat(1_000)}`) }],
  "a long read": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "gzip" }, body: call(`eth_${"x".repeat(5_000)}`) }
  ],
  "a long read, uncompressed": [path, { method: "POST", headers: json, body: call(`eth_${"x".repeat(5_000)}`) }],
  "a long read by a client that accepts no encoding": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "identity" }, body: call(`eth_${"x".repeat(5_000)}`) }
  ],
  "a read that causes an internal error": [path, { method: "POST", headers: json, body: call("eth_defect") }],
  "a read without an id": [path, { method: "POST", headers: json, body: '{"jsonrpc":"2.0","method":"eth_chainId"}' }],
  "a read without parameters": [
    path,
    { method: "POST", headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}' }
  ],
  "a batch": [path, { method: "POST", headers: json, body: `[${call("eth_chainId")},${call("send")}]` }],
  "an empty batch": [path, { method: "POST", headers: json, body: "[]" }],
  "a call that is not a read": [path, { method: "POST", headers: json, body: call("send") }],
  "a call without a method": [path, { method: "POST", headers: json, body: '{"jsonrpc":"2.0","id":1}' }],
  "a body that is nested too deeply": [path, { method: "POST", headers: json, body: "[".repeat(100) }],
  "a call to the test network": [`${path}/testnet`, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a call in a streamed body": [path, { method: "POST", headers: json, body: streamed(call("eth_chainId")) }],
  "an unknown query parameter": [`${path}?x=1`, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a percent-encoded network name": ["/utils/rpc/b%61se", { method: "POST", headers: json, body: call("eth_chainId") }],
  "an invalid percent-encoding": ["/utils/rpc/b%zz", { method: "POST", headers: json, body: call("eth_chainId") }],
  "a long response": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "gzip" }, body: call("x".repeat(5_000)) }
  ],
  "a long response, uncompressed": [path, { method: "POST", headers: json, body: call("x".repeat(5_000)) }],
  "a forbidden method": [path, { method: "POST", headers: json, body: call("debug_setHead") }],
  "a body that is not a call": [path, { method: "POST", headers: json, body: "7" }],
  "a body that is not JSON": [path, { method: "POST", headers: json, body: "{" }],
  "an empty body": [path, { method: "POST", headers: { ...json, "content-length": "0" } }],
  "no body": [path, { method: "POST", headers: json }],
  "another content type": [
    path,
    { method: "POST", headers: { "content-type": "text/plain" }, body: call("eth_chainId") }
  ],
  "a compressed body": [
    path,
    { method: "POST", headers: { ...json, "content-encoding": "gzip" }, body: call("eth_chainId") }
  ],
  "a body that is too large": [path, { method: "POST", headers: json, body: call("x".repeat(20_000)) }],
  "a Content-Length that is too large": [
    path,
    { method: "POST", headers: { ...json, "content-length": "20000" }, body: call("eth_chainId") }
  ],
  "two equal lengths": [
    path,
    { method: "POST", headers: { ...json, "content-length": "15, 15" }, body: call("eth_chainId") }
  ],
  "a streamed body that is too large": [
    path,
    { method: "POST", headers: json, body: streamed(call("x".repeat(20_000))) }
  ],
  "a cross-origin request": [
    path,
    { method: "POST", headers: { ...json, origin: "https://wallet.example" }, body: call("eth_chainId") }
  ],
  "a preflight request": [
    path,
    {
      method: "OPTIONS",
      headers: { origin: "https://wallet.example", "access-control-request-method": "POST" }
    }
  ],
  "another HTTP method": [path, { method: "GET" }],
  "a wrong API key": [path, { method: "POST", headers: { ...json, "x-api-key": "wrong" }, body: call("eth_chainId") }]
})

const environment = { MAX_BODY_BYTES: "10000", CORS_ORIGINS: "https://wallet.example" }

const result = (text: string, id: unknown = "one") => JSON.stringify({ jsonrpc: "2.0", id, result: text })
const error = (code: number, message: string, id: unknown = null) =>
  JSON.stringify({ jsonrpc: "2.0", id, error: { code, message } })

/** Status and body of each response; for a problem document the end of its detail instead of the body. */
const expected: Readonly<Record<string, readonly [status: number, text: string]>> = {
  "a call": [200, result("eth_chainId")],
  "a read of 1,000 characters": [200, result(`eth_${"x".repeat(1_000)}`)],
  "a long read": [200, result(`eth_${"x".repeat(5_000)}`)],
  "a long read, uncompressed": [200, result(`eth_${"x".repeat(5_000)}`)],
  "a long read by a client that accepts no encoding": [200, result(`eth_${"x".repeat(5_000)}`)],
  "a read that causes an internal error": [500, "its log has the details."],
  "a read without an id": [204, ""],
  "a read without parameters": [200, result("eth_chainId", 1)],
  "a batch": [200, `[${result("eth_chainId")},${result("send")}]`],
  "an empty batch": [400, error(-32600, "Invalid request: a batch has 1 to 1000 calls; this one has 0")],
  "a call that is not a read": [200, result("send")],
  "a call without a method": [400, error(-32600, "Invalid request: method must be the name of a method", 1)],
  "a body that is nested too deeply": [400, "the body is nested more than 64 levels deep"],
  "a call to the test network": [200, result("eth_chainId")],
  "a call in a streamed body": [200, result("eth_chainId")],
  "an unknown query parameter": [400, "x: is not a known query parameter; this route has none"],
  "a percent-encoded network name": [200, result("eth_chainId")],
  "an invalid percent-encoding": [404, "GET /openapi.json lists all of them."],
  "a long response": [200, result("x".repeat(5_000))],
  "a long response, uncompressed": [200, result("x".repeat(5_000))],
  "a forbidden method": [403, error(-32601, "The method debug_setHead administers a node and is not passed on", "one")],
  "a body that is not a call": [400, error(-32600, "Invalid request: a call must be an object")],
  "a body that is not JSON": [400, "the body is not valid JSON: Expected '}'"],
  "an empty body": [400, "the body is empty; this route expects JSON"],
  "no body": [400, "the body is empty; this route expects JSON"],
  "another content type": [415, "The body must be application/json, not text/plain."],
  "a compressed body": [415, "The body must not be compressed (gzip)."],
  "a body that is too large": [413, "The body is larger than 10000 bytes."],
  "a Content-Length that is too large": [413, "The body is larger than 10000 bytes."],
  "two equal lengths": [400, "The Content-Length header field is not one number."],
  "a streamed body that is too large": [413, "The body is larger than 10000 bytes."],
  "a cross-origin request": [200, result("eth_chainId")],
  "a preflight request": [204, ""],
  "another HTTP method": [405, "The route allows only POST, OPTIONS."],
  "a wrong API key": [403, "The key in the header x-api-key is not accepted."]
}

/** Expected headers, except the request id, Content-Length and the CORS headers. */
const fieldsOf = (name: string, text: string) => {
  const isRpc = /^[[{]/.test(text)
  const isLong = isRpc && text.length >= 1_024
  return {
    "x-content-type-options": "nosniff",
    vary: isLong ? "origin, accept-encoding" : "origin",
    ...(text === "" ? {} : { "content-type": isRpc ? "application/json" : "application/problem+json" }),
    ...(name === "a long read" || name === "a long response" ? { "content-encoding": "gzip" } : {}),
    ...(name === "another HTTP method" ? { allow: "POST, OPTIONS" } : {})
  }
}

describe("a route without the router", () => {
  for (const [name, [status, text]] of Object.entries(expected))
    it.effect(`responds as in the contract to ${name}`, () =>
      Effect.gen(function* () {
        const edge = yield* Edge
        const [target, init] = requests()[name] ?? ["", {}]
        const response = yield* edge.call(target, init)
        assert.strictEqual(response.status, status)
        // The server adds the length of a body in memory.
        const { "content-length": _, "x-request-id": id, ...headers } = Object.fromEntries(response.headers)
        assert.match(id ?? "", /^[\w-]{36}$/)
        const fields = Record.filter(headers, (_, field) => !field.startsWith("access-control-"))
        assert.deepStrictEqual(fields, fieldsOf(name, text))
        const { origin } = Object.fromEntries(new Headers(init.headers))
        assert.strictEqual(headers["access-control-allow-origin"], origin)
        const bytes = Buffer.from(yield* Effect.promise(() => response.arrayBuffer()))
        const body = (headers["content-encoding"] === "gzip" ? gunzipSync(bytes) : bytes).toString()
        if (headers["content-type"] === "application/problem+json") {
          const problem = JSON.parse(body)
          assert.isTrue(problem.detail.endsWith(text), problem.detail)
          assert.deepInclude(problem, { status, requestId: id })
        } else assert.strictEqual(body, text)
        const side = target.endsWith("/testnet") ? "/testnet" : ""
        assert.deepInclude(edge.lines.find(({ message }) => message === "request")?.annotations, {
          method: init.method,
          route: status === 404 ? "unmatched" : `/utils/rpc/:network${side}`,
          status
        })
      }).pipe(
        Effect.provide(
          Edge.layer({ ...environment, ...(name === "a wrong API key" ? { API_KEYS: "a-key-of-this-test" } : {}) })
        )
      )
    )

  it("responds 504 with the request id at the deadline", function* () {
    const edge = yield* built(Edge, Edge.layer({ REQUEST_DEADLINE_MS: "2000" }))
    const init = { method: "POST", headers: json, body: call("eth_never") }
    const late = yield* Effect.fork(edge.call(path, init))
    yield* TestClock.adjust("2500 millis")
    const response = yield* Fiber.join(late)
    assert.strictEqual(response.status, 504)
    assert.deepInclude(yield* Effect.promise(() => response.json()), {
      status: 504,
      requestId: response.headers.get("x-request-id")
    })
  })

  it("cancels the call of a client that disconnects, logs 499 and releases its slot", function* () {
    for (const leavesAt of [50, 150]) {
      const edge = yield* built(Edge, Edge.layer({ MAX_REQUESTS: "1" }))
      const client = new AbortController()
      const [target, init] = withContentLength([path, { method: "POST", headers: json, body: call("eth_never") }])
      const left = yield* Effect.fork(edge.call(target, { ...init, signal: client.signal }))
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(leavesAt)
      client.abort()
      yield* TestClock.adjust(50)
      assert.strictEqual((yield* Fiber.join(left)).status, 499)
      assert.deepInclude(edge.lines.find(({ message }) => message === "request")?.annotations, {
        route: "/utils/rpc/:network",
        status: 499
      })
      const [next, other] = requests()["a call"] ?? ["", {}]
      assert.strictEqual((yield* edge.call(next, other)).status, 200)
    }
  })

  const slow = { route: "/balance/token", body: JSON.stringify(token("sending")) }
  for (const [name, aborts, status, { body, route }] of [
    ["a client that disconnects", true, 499, { route: path, body: call("eth_sendSlowly") }],
    ["a request at its deadline", false, 504, { route: path, body: call("eth_sendSlowly") }],
    ["a client of the HttpApi that disconnects", true, 499, slow],
    ["a request of the HttpApi at its deadline", false, 504, slow]
  ] as const)
    it(`keeps the slot and memory of ${name} until work ends that continues`, function* () {
      const layer = Edge.layer({ REQUEST_DEADLINE_MS: "2000", MAX_REQUESTS: "1" })
      const context = yield* Layer.build(layer)
      const edge = Context.get(context, Edge)
      const client = new AbortController()
      const [target, init] = withContentLength([route, { method: "POST", headers: json, body }])
      const sent = yield* Effect.fork(edge.call(target, { ...init, signal: client.signal }))
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      yield* TestClock.adjust(150)
      if (aborts) client.abort()
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual((yield* Fiber.join(sent)).status, status)
      const held = Effect.flatMap(edge.call("/metrics"), (response) =>
        Effect.promise(async () => {
          const metrics = await response.text()
          return ["http_requests_in_flight", "http_request_body_bytes"].map((name) =>
            Number(new RegExp(`^${name} (\\d+)$`, "m").exec(metrics)?.[1])
          )
        })
      )
      assert.deepStrictEqual(yield* held, [1, 16_384])
      const [next, other] = requests()["a call"] ?? ["", {}]
      assert.strictEqual((yield* edge.call(next, other)).status, 503)
      yield* Deferred.succeed(Context.get(context, HandlerControl).release, undefined)
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      assert.deepStrictEqual(yield* held, [0, 0])
      assert.strictEqual((yield* edge.call(next, other)).status, 200)
    })

  it("releases the request slot after every outcome", function* () {
    const edge = yield* built(Edge, Edge.layer({ REQUEST_DEADLINE_MS: "2000", MAX_REQUESTS: "1" }))
    const statuses = []
    for (const name of ["a call", "a read that causes an internal error", "a body that is not JSON", "a call"]) {
      const [target, init] = requests()[name] ?? ["", {}]
      statuses.push((yield* edge.call(target, init)).status)
    }
    assert.deepStrictEqual(statuses, [200, 500, 400, 200])
    const late = yield* Effect.fork(edge.call(path, { method: "POST", headers: json, body: call("eth_never") }))
    // The request takes its slot after its body is read.
    yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
    const [target, init] = requests()["a call"] ?? ["", {}]
    assert.strictEqual((yield* edge.call(target, init)).status, 503)
    yield* TestClock.adjust("2500 millis")
    assert.strictEqual((yield* Fiber.join(late)).status, 504)
    assert.strictEqual((yield* edge.call(target, init)).status, 200)
  })

  it("counts a request once for the rate limit", function* () {
    const { call: send } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "3" }))
    const [target, init] = requests()["a call"] ?? ["", {}]
    const statuses = []
    for (let index = 0; index < 4; index++) statuses.push((yield* send(target, init)).status)
    assert.deepStrictEqual(statuses, [200, 200, 200, 429])
  })

  it("counts each call of a batch for the rate limit", function* () {
    const { call: send } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "10" }))
    const batch = (calls: number) =>
      send(path, { method: "POST", headers: json, body: `[${Array(calls).fill(call("eth_chainId")).join(",")}]` })
    const statuses = []
    const limits = []
    for (const calls of [4, 7, 5, 1]) {
      const response = yield* batch(calls)
      statuses.push(response.status)
      limits.push(response.headers.get("ratelimit-limit"))
    }
    assert.deepStrictEqual(statuses, [200, 429, 200, 429])
    assert.deepStrictEqual(limits, [null, "10", null, "10"])
    const refused = yield* batch(1)
    assert.strictEqual(refused.headers.get("retry-after"), "6")
    assert.strictEqual(refused.headers.get("ratelimit-limit"), "10")
  })
})
