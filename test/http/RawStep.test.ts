import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Record from "effect/Record"
import * as TestClock from "effect/TestClock"
import { RawRoutes } from "../../src/http/RawRoutes.ts"
import { Edge } from "../support/edge.ts"

const path = "/utils/rpc/base"
const json = { "content-type": "application/json" }
const call = (method: string) => JSON.stringify({ jsonrpc: "2.0", id: "one", method })
const streamed = (text: string) => new Blob([text]).stream()

type Call = readonly [path: string, init: RequestInit]

/** As it arrives: a client sends the length of a body that it has in full, which a request in memory does not have. */
const arrived = ([path, { body, headers, ...init }]: Call): Call => {
  const length = typeof body === "string" ? { "content-length": `${Buffer.byteLength(body)}` } : {}
  return [path, { ...init, body: body ?? null, headers: { ...length, ...(headers as Record<string, string>) } }]
}

/** Requests of a route that is answered without the router. */
const requests = (): Readonly<Record<string, Call>> => Record.map(calls(), arrived)

const calls = (): Readonly<Record<string, Call>> => ({
  "a call": [path, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a read of 1,000 characters": [path, { method: "POST", headers: json, body: call(`eth_${"x".repeat(1_000)}`) }],
  "a long read": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "gzip" }, body: call(`eth_${"x".repeat(5_000)}`) }
  ],
  "a long read, uncompressed": [path, { method: "POST", headers: json, body: call(`eth_${"x".repeat(5_000)}`) }],
  "a long read of a client that takes no encoding": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "identity" }, body: call(`eth_${"x".repeat(5_000)}`) }
  ],
  "a read that fails inside of the service": [path, { method: "POST", headers: json, body: call("eth_defect") }],
  "a read without an id": [path, { method: "POST", headers: json, body: '{"jsonrpc":"2.0","method":"eth_chainId"}' }],
  "a read without parameters": [
    path,
    { method: "POST", headers: json, body: '{"jsonrpc":"2.0","id":1,"method":"eth_chainId","params":null}' }
  ],
  "a batch": [path, { method: "POST", headers: json, body: `[${call("eth_chainId")},${call("send")}]` }],
  "an empty batch": [path, { method: "POST", headers: json, body: "[]" }],
  "a call that is no read": [path, { method: "POST", headers: json, body: call("send") }],
  "a call without a method": [path, { method: "POST", headers: json, body: '{"jsonrpc":"2.0","id":1}' }],
  "what is nested too deep": [path, { method: "POST", headers: json, body: "[".repeat(100) }],
  "a call to the test network": [`${path}/testnet`, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a call in pieces": [path, { method: "POST", headers: json, body: streamed(call("eth_chainId")) }],
  "a parameter that it does not have": [`${path}?x=1`, { method: "POST", headers: json, body: call("eth_chainId") }],
  "a name with escapes": ["/utils/rpc/b%61se", { method: "POST", headers: json, body: call("eth_chainId") }],
  "an escape that is none": ["/utils/rpc/b%zz", { method: "POST", headers: json, body: call("eth_chainId") }],
  "a long answer": [
    path,
    { method: "POST", headers: { ...json, "accept-encoding": "gzip" }, body: call("x".repeat(5_000)) }
  ],
  "a long answer, uncompressed": [path, { method: "POST", headers: json, body: call("x".repeat(5_000)) }],
  "a refused method": [path, { method: "POST", headers: json, body: call("debug_setHead") }],
  "what is no call": [path, { method: "POST", headers: json, body: "7" }],
  "what is no JSON": [path, { method: "POST", headers: json, body: "{" }],
  "an empty body": [path, { method: "POST", headers: { ...json, "content-length": "0" } }],
  "no body": [path, { method: "POST", headers: json }],
  "another type": [path, { method: "POST", headers: { "content-type": "text/plain" }, body: call("eth_chainId") }],
  "a compressed body": [
    path,
    { method: "POST", headers: { ...json, "content-encoding": "gzip" }, body: call("eth_chainId") }
  ],
  "a body that is too large": [path, { method: "POST", headers: json, body: call("x".repeat(20_000)) }],
  "one that says so": [
    path,
    { method: "POST", headers: { ...json, "content-length": "20000" }, body: call("eth_chainId") }
  ],
  "one that does not say so": [path, { method: "POST", headers: json, body: streamed(call("x".repeat(20_000))) }],
  "a page of another origin": [
    path,
    { method: "POST", headers: { ...json, origin: "https://wallet.example" }, body: call("eth_chainId") }
  ],
  "a question before it": [
    path,
    {
      method: "OPTIONS",
      headers: { origin: "https://wallet.example", "access-control-request-method": "POST" }
    }
  ],
  "another method": [path, { method: "GET" }],
  "no key": [path, { method: "POST", headers: { ...json, "x-api-key": "wrong" }, body: call("eth_chainId") }]
})

const environment = { MAX_BODY_BYTES: "10000", CORS_ORIGINS: "https://wallet.example" }

const none = Layer.succeed(RawRoutes, { add: () => Effect.void, find: () => undefined })

/** All that a client sees of an answer but its id. */
const seen = (name: string, settings: Readonly<Record<string, string>>, routes: typeof RawRoutes.layer) =>
  Effect.gen(function* () {
    const edge = yield* Edge
    const [target, init] = requests()[name] ?? ["", {}]
    const response = yield* edge.call(target, init)
    // The server adds the length of a body in memory.
    const { "content-length": _, ...headers } = Object.fromEntries(response.headers)
    const id = headers["x-request-id"] ?? ""
    assert.match(id, /^[\w-]{36}$/)
    const text = (yield* Effect.promise(() => response.text())).replaceAll(id, "")
    const { method, path, route, status } = edge.lines.find((line) => line.message === "request")?.annotations ?? {}
    return {
      status: response.status,
      headers: { ...headers, "x-request-id": "" },
      text,
      line: { method, path, route, status }
    }
  }).pipe(Effect.provide(Edge.layer({ ...environment, ...settings }, undefined, routes)))

describe("answers without the router", () => {
  for (const name of Object.keys(requests()))
    it.effect(`are those with it: ${name}`, () =>
      Effect.gen(function* () {
        const settings = name === "no key" ? { API_KEYS: "a-key-of-ours" } : {}
        const direct = yield* seen(name, settings, RawRoutes.layer)
        assert.deepStrictEqual(direct, yield* seen(name, settings, none))
        assert.strictEqual(direct.line.status, direct.status)
      })
    )

  it.effect("are 504 at the deadline, with the id of the request", () =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const init = { method: "POST", headers: json, body: call("eth_never") }
      const late = yield* Effect.fork(edge.call(path, init))
      yield* TestClock.adjust("2500 millis")
      const response = yield* Fiber.join(late)
      assert.strictEqual(response.status, 504)
      assert.deepInclude(yield* Effect.promise(() => response.json()), {
        status: 504,
        requestId: response.headers.get("x-request-id")
      })
    }).pipe(Effect.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" })))
  )

  it.effect("give the slot of their request back, whatever their outcome", () =>
    Effect.gen(function* () {
      const edge = yield* Edge
      const statuses = []
      for (const name of ["a call", "a read that fails inside of the service", "what is no JSON", "a call"]) {
        const [target, init] = requests()[name] ?? ["", {}]
        statuses.push((yield* edge.call(target, init)).status)
      }
      assert.deepStrictEqual(statuses, [200, 500, 400, 200])
      const late = yield* Effect.fork(edge.call(path, { method: "POST", headers: json, body: call("eth_never") }))
      // It takes its slot once its body is read.
      yield* Effect.promise(() => new Promise<void>((resolve) => setImmediate(resolve)))
      const [target, init] = requests()["a call"] ?? ["", {}]
      assert.strictEqual((yield* edge.call(target, init)).status, 503)
      yield* TestClock.adjust("2500 millis")
      assert.strictEqual((yield* Fiber.join(late)).status, 504)
      assert.strictEqual((yield* edge.call(target, init)).status, 200)
    }).pipe(Effect.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000", MAX_REQUESTS: "1" })))
  )

  it.effect("count for the rate limit once", () =>
    Effect.gen(function* () {
      const { call: ask } = yield* Edge
      const [target, init] = requests()["a call"] ?? ["", {}]
      const statuses = []
      for (let index = 0; index < 4; index++) statuses.push((yield* ask(target, init)).status)
      assert.deepStrictEqual(statuses, [200, 200, 200, 429])
    }).pipe(Effect.provide(Edge.layer({ RATE_LIMIT_PER_MINUTE: "3" })))
  )

  it.effect("count for the rate limit as many times as a batch has calls", () =>
    Effect.gen(function* () {
      const { call: ask } = yield* Edge
      const batch = (calls: number) =>
        ask(path, { method: "POST", headers: json, body: `[${Array(calls).fill(call("eth_chainId")).join(",")}]` })
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
    }).pipe(Effect.provide(Edge.layer({ RATE_LIMIT_PER_MINUTE: "10" }, undefined)))
  )
})
