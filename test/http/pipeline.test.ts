import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Scheduler from "effect/Scheduler"
import * as TestClock from "effect/TestClock"
import { Health } from "../../src/http/Health.ts"
import { uncachedPipeline } from "../../src/http/pipeline.ts"
import { Edge, HandlerControl, json, problem, token } from "../support/edge.ts"
import { assert, built, describe, it } from "../support/vitest.ts"

const bytes = (response: Response) => Effect.promise(() => response.bytes())
const text = (response: Response) => Effect.promise(() => response.text())
const manyRows = { networks: { ethereum: Array.from({ length: 20 }, () => "0x") } }

describe("a request id", () => {
  it("is used if the client sends a valid id, is generated otherwise, and is in every log line", function* () {
    const { call, lines } = yield* built(Edge, Edge.layer())
    const kept = yield* call("/health/live", { headers: { "x-request-id": "wallet-42.a_b~c" } })
    assert.strictEqual(kept.headers.get("x-request-id"), "wallet-42.a_b~c")
    for (const bad of ["a b", "x".repeat(65), 'a"b', ""]) {
      const made = (yield* call("/health/live", { headers: { "x-request-id": bad } })).headers.get("x-request-id") ?? ""
      assert.match(made, /^[0-9a-f-]{36}$/)
    }
    const body = JSON.stringify(token("logging"))
    const headers = { "content-type": "application/json", "x-request-id": "inside" }
    yield* call("/balance/token", { method: "POST", body, headers })
    const mine = lines.filter((line) => line.annotations.requestId === "inside").map((line) => line.message)
    assert.deepStrictEqual(mine, ["inside the handler, no span", "request"])
  })
})

describe("the access log and the metrics", () => {
  it("have one entry per request, with the route template and without path and query", function* () {
    const { call, lines } = yield* built(Edge, Edge.layer({ APP_NAME: "lantern" }))
    yield* call("/price/coin/details/tron/T9yD14?key=secret")
    yield* call("/lantern/mdata/item/bitcoin/30")
    yield* call("/secret-path")
    assert.deepStrictEqual(
      lines.map(({ annotations: { method, route, status } }) => [method, route, status]),
      [
        ["GET", "/price/coin/details/:platform/:contract", 400],
        ["GET", "/app/mdata/item/:coin/:period", 501],
        ["GET", "unmatched", 404]
      ]
    )
    assert.notMatch(JSON.stringify(lines), /secret|T9yD14/)
    assert.isNumber(lines[0]?.annotations.ms)
    assert.isNumber(lines[0]?.annotations.bytes)
    const metrics = yield* text(yield* call("/metrics"))
    assert.match(metrics, /http_requests_total\{[^}]*route="\/app\/mdata\/item\/:coin\/:period"[^}]*\} \d+/)
    assert.match(metrics, /http_requests_total\{[^}]*route="unmatched"[^}]*\} \d+/)
    assert.match(metrics, /http_request_duration_seconds_bucket\{[^}]*le="\+Inf"\} \d+/)
    assert.notInclude(metrics, "secret-path")
  })

  it("count a method that the route does not have as `other`", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const sent = ["PURGE", "LINK", "PROPFIND"]
    for (const method of sent) {
      yield* call("/networks", { method })
      yield* call("/no-such-path", { method })
    }
    const counted = (yield* text(yield* call("/metrics"))).matchAll(/^http_requests_total\{method="(\w+)"/gm)
    const methods = new Set(Array.from(counted, ([, method = ""]) => method))
    assert.deepStrictEqual(
      ["other", ...sent].filter((method) => methods.has(method)),
      ["other"]
    )
  })
})

describe("spans", () => {
  it("are created for each request and named after its route template, if they are exported", function* () {
    const { lines, post } = yield* built(Edge, Edge.layer({}, { sandbox: false, tracing: 1 }))
    yield* post("/balance/token", token("logging"))
    assert.strictEqual(lines[0]?.message, "inside the handler, POST /balance/token")
  })
})

describe("an API key", () => {
  const environment = { API_KEYS: "first-key-of-a-test, second-key-of-a-test" }

  it("gives 401 if it is missing, 403 if it is wrong, and access if it is accepted", function* () {
    const { call } = yield* built(Edge, Edge.layer(environment))
    const status = (key?: string) =>
      Effect.map(call("/networks", key === undefined ? {} : { headers: { "x-api-key": key } }), (r) => r.status)
    assert.strictEqual(yield* status(), 401)
    assert.strictEqual(yield* status(""), 401)
    assert.strictEqual(yield* status("first-ke"), 403)
    assert.strictEqual(yield* status("first-key-of-a-test"), 200)
    assert.strictEqual(yield* status("second-key-of-a-test"), 200)
  })

  it("is not needed for health checks, the OpenAPI document and its page, but for an unknown route", function* () {
    const { call } = yield* built(Edge, Edge.layer(environment))
    for (const path of ["/health/live", "/openapi.json", "/docs"]) {
      assert.strictEqual((yield* call(path)).status, 200, path)
    }
    assert.strictEqual((yield* call("/nowhere")).status, 401)
    assert.strictEqual((yield* call("/metrics")).status, 401)
  })
})

describe("the rate limit", () => {
  it("counts by address, responds 429 with Retry-After, and refills", function* () {
    const { call } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "2" }))
    const from = (address: string, forwarded = "198.51.100.7") =>
      call("/networks", { from: address, headers: { "x-forwarded-for": forwarded } })
    assert.strictEqual((yield* from("192.0.2.1")).status, 200)
    assert.strictEqual((yield* from("192.0.2.1", "203.0.113.5")).status, 200)
    const refused = yield* from("192.0.2.1", "203.0.113.6")
    assert.strictEqual((yield* problem(refused)).status, 429)
    assert.strictEqual(refused.headers.get("retry-after"), "30")
    assert.strictEqual(refused.headers.get("ratelimit-limit"), "2")
    assert.strictEqual(refused.headers.get("ratelimit-remaining"), "0")
    assert.strictEqual(refused.headers.get("ratelimit-reset"), "30")
    assert.strictEqual((yield* from("192.0.2.2")).status, 200)
    assert.strictEqual((yield* call("/health/live", { from: "192.0.2.1" })).status, 200)
    yield* TestClock.adjust("30 seconds")
    assert.strictEqual((yield* from("192.0.2.1")).status, 200)
    assert.strictEqual((yield* from("192.0.2.1")).status, 429)
  })

  it("counts by the address that the nearest proxy forwarded if TRUST_PROXY is set", function* () {
    const { call } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "1", TRUST_PROXY: "true" }))
    const from = (forwarded: string) =>
      Effect.map(call("/networks", { headers: { "x-forwarded-for": forwarded } }), (response) => response.status)
    assert.strictEqual(yield* from("203.0.113.1, 198.51.100.7"), 200)
    assert.strictEqual(yield* from("203.0.113.2, 198.51.100.7"), 429)
    assert.strictEqual(yield* from("198.51.100.8"), 200)
  })

  it("counts by the socket address if TRUST_PROXY is set and the forwarded address is invalid", function* () {
    const { call } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "1", TRUST_PROXY: "true" }))
    const from = (address: string, forwarded: string) =>
      Effect.map(call("/networks", { from: address, headers: { "x-forwarded-for": forwarded } }), (r) => r.status)
    assert.strictEqual(yield* from("192.0.2.1", "198.51.100.7, unknown"), 200)
    assert.strictEqual(yield* from("192.0.2.1", "198.51.100.8, made-up"), 429)
    assert.strictEqual(yield* from("192.0.2.2", "[2001:db8::1]:443"), 200)
    assert.strictEqual(yield* from("192.0.2.3", "2001:db8::2"), 429)
  })

  it("counts all addresses of an IPv6 /64 network together, and an IPv4-mapped address as IPv4", function* () {
    const { call } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "1" }))
    const from = (address: string) => Effect.map(call("/networks", { from: address }), (r) => r.status)
    assert.strictEqual(yield* from("2001:db8:1:2::1"), 200)
    assert.strictEqual(yield* from("2001:db8:1:2:ffff::"), 429)
    assert.strictEqual(yield* from("2001:db8:1:3::1"), 200)
    assert.strictEqual(yield* from("::ffff:192.0.2.1"), 200)
    assert.strictEqual(yield* from("192.0.2.1"), 429)
  })

  it("counts by key if keys are configured, and wrong keys by address", function* () {
    const { call } = yield* built(Edge, Edge.layer({ RATE_LIMIT_PER_MINUTE: "1", API_KEYS: "good-key-of-a-test" }))
    const status = (key: string, from: string) =>
      Effect.map(call("/networks", { from, headers: { "x-api-key": key } }), (response) => response.status)
    assert.strictEqual(yield* status("good-key-of-a-test", "192.0.2.1"), 200)
    assert.strictEqual(yield* status("good-key-of-a-test", "192.0.2.2"), 429)
    assert.strictEqual(yield* status("bad", "192.0.2.3"), 403)
    assert.strictEqual(yield* status("worse", "192.0.2.3"), 429)
  })
})

describe("compression", () => {
  const compressed = Effect.fnUntraced(function* (accepted: string) {
    const { call } = yield* Edge
    return yield* call("/balance", {
      method: "POST",
      body: JSON.stringify(manyRows),
      headers: { "content-type": "application/json", ...(accepted === "" ? {} : { "accept-encoding": accepted }) }
    })
  })

  it.effect("uses the encoding that the client prefers; among equals zstd before br before gzip", () =>
    Effect.gen(function* () {
      for (const [accepted, expected] of [
        ["gzip, deflate, br, zstd", "zstd"],
        ["gzip, br", "br"],
        ["gzip", "gzip"],
        ["gzip;q=1, zstd;q=0.5", "gzip"],
        ["zstd;q=0, *", "br"],
        ["gzip;Q=0", null],
        ["gzip ; q=0.000, br", "br"],
        ["identity;q=1, gzip;q=0.5", null],
        ["deflate", null],
        ["", null]
      ] as const) {
        const response = yield* compressed(accepted)
        assert.strictEqual(response.headers.get("content-encoding"), expected, accepted)
        assert.strictEqual(response.headers.get("vary"), "accept-encoding", accepted)
      }
    }).pipe(Effect.provide(Edge.layer()))
  )

  it.effect("does not change the body", () =>
    Effect.gen(function* () {
      const plain = yield* bytes(yield* compressed(""))
      assert.deepStrictEqual(new Uint8Array(gunzipSync(yield* bytes(yield* compressed("gzip")))), plain)
      assert.deepStrictEqual(new Uint8Array(brotliDecompressSync(yield* bytes(yield* compressed("br")))), plain)
      assert.deepStrictEqual(new Uint8Array(Bun.zstdDecompressSync(yield* bytes(yield* compressed("zstd")))), plain)
    }).pipe(Effect.provide(Edge.layer()))
  )

  it("leaves small responses uncompressed", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const response = yield* call("/health/live", { headers: { "accept-encoding": "gzip" } })
    assert.isNull(response.headers.get("content-encoding"))
  })
})

describe("the CORS policy", () => {
  it("allows every origin by default, and exposes the headers of the service", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const requested = yield* call("/balance", {
      method: "OPTIONS",
      headers: {
        origin: "https://wallet.example",
        "access-control-request-method": "POST",
        "access-control-request-headers": "content-type,x-api-key"
      }
    })
    assert.strictEqual(requested.status, 204)
    assert.strictEqual(requested.headers.get("access-control-allow-origin"), "*")
    assert.include(requested.headers.get("access-control-allow-methods") ?? "", "POST")
    assert.strictEqual(requested.headers.get("access-control-allow-headers"), "content-type,x-api-key")
    const read = yield* call("/nowhere", { headers: { origin: "https://wallet.example" } })
    for (const header of ["x-request-id", "x-partial-failures", "retry-after", "ratelimit-reset", "etag"]) {
      assert.include(read.headers.get("access-control-expose-headers") ?? "", header)
    }
  })

  it("allows only the origins of CORS_ORIGINS if it is set", function* () {
    const { call } = yield* built(Edge, Edge.layer({ CORS_ORIGINS: "https://a.example,https://b.example" }))
    const allowed = (origin: string) =>
      Effect.map(call("/health/live", { headers: { origin } }), (response) => [
        response.headers.get("access-control-allow-origin"),
        response.headers.get("vary")
      ])
    assert.deepStrictEqual(yield* allowed("https://b.example"), ["https://b.example", "origin"])
    assert.deepStrictEqual(yield* allowed("https://c.example"), [null, "origin"])
  })

  it("responds to OPTIONS without an origin with the allowed methods", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const response = yield* call("/balance", { method: "OPTIONS" })
    assert.strictEqual(response.status, 204)
    assert.strictEqual(response.headers.get("allow"), "POST, OPTIONS")
    assert.strictEqual((yield* call("/nowhere", { method: "OPTIONS" })).status, 404)
  })
})

describe("every response", () => {
  it("to HEAD equals the response to GET, without the body", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const response = yield* call("/networks", { method: "HEAD" })
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("content-type"), "application/json")
    assert.strictEqual((yield* bytes(response)).length, 0)
  })

  it("forbids MIME sniffing, and has x-sandbox if the upstreams are simulated", function* () {
    const { call } = yield* built(Edge, Edge.layer({}, { sandbox: true }))
    for (const path of ["/health/live", "/nowhere", "/docs"]) {
      const { headers } = yield* call(path)
      assert.strictEqual(headers.get("x-content-type-options"), "nosniff", path)
      assert.strictEqual(headers.get("x-sandbox"), "true", path)
    }
  })

  it("has no x-sandbox outside of the sandbox", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    assert.isNull((yield* call("/health/live")).headers.get("x-sandbox"))
  })
})

describe("a service that shuts down", () => {
  it.effect("refuses new requests with 503, completes in-flight requests, and responds to health checks", () =>
    Effect.gen(function* () {
      const { call, post } = yield* Edge
      const { release: curtain, entered } = yield* HandlerControl
      const health = yield* Health
      const ready = () =>
        Effect.flatMap(call("/health/ready"), (r) => Effect.map(json(r), (body) => [r.status, body.status]))
      assert.deepStrictEqual(yield* ready(), [503, "starting"])
      yield* health.set("ready")
      assert.deepStrictEqual(yield* ready(), [200, "ready"])

      const begun = yield* Effect.fork(post("/balance/token", token("waiting")))
      yield* Deferred.await(entered)
      yield* health.set("draining")
      const arrived = yield* call("/networks")
      assert.deepStrictEqual([arrived.status, arrived.headers.get("connection")], [200, "close"])
      assert.deepStrictEqual(yield* ready(), [503, "stopping"])
      yield* health.set("stopping")
      const refused = yield* call("/networks")
      assert.strictEqual((yield* problem(refused)).status, 503)
      assert.strictEqual(refused.headers.get("connection"), "close")
      assert.deepStrictEqual(yield* ready(), [503, "stopping"])
      assert.strictEqual((yield* call("/health/live")).status, 200)
      yield* Deferred.succeed(curtain, undefined)
      assert.strictEqual((yield* Fiber.join(begun)).status, 200)
    }).pipe(Effect.provide(Edge.layer()))
  )
})

describe("the API documentation", () => {
  it("has an OpenAPI document with the operator's name in its paths", function* () {
    const { call } = yield* built(Edge, Edge.layer({ APP_NAME: "lantern" }))
    const spec = (yield* json(yield* call("/openapi.json"))) as { openapi?: string; paths?: object }
    assert.strictEqual(spec.openapi, "3.1.0")
    assert.property(spec.paths, "/lantern/mdata")
    assert.strictEqual((yield* call("/app/mdata/errors")).status, 404)
    assert.strictEqual((yield* call("/lantern/mdata/errors")).status, 200)
  })

  it("has a self-contained page, which may connect to no other origin", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const response = yield* call("/docs", { headers: { "accept-encoding": "zstd" } })
    assert.strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(response.headers.get("content-encoding"), "zstd")
    const policy = response.headers.get("content-security-policy") ?? ""
    assert.include(policy, "default-src 'none'")
    assert.notMatch(policy, /https?:|\*/)
    const page = new TextDecoder().decode(Bun.zstdDecompressSync(yield* bytes(response)))
    assert.notMatch(page, /<script[^>]+src=|<link[^>]+href=|@import\s+url/)
    assert.include(page, "/balance/token")
    const again = yield* call("/docs", { headers: { "accept-encoding": "gzip" } })
    assert.strictEqual(again.headers.get("content-encoding"), "gzip")
  })
})

describe("requests that arrive at once", () => {
  it("are started by the scheduler, unless their client has disconnected", function* () {
    const pending: Array<() => void> = []
    const scheduler: Scheduler.Scheduler = {
      shouldYield: (fiber) => Scheduler.defaultScheduler.shouldYield(fiber),
      scheduleTask: (task, priority) => {
        if (holding) pending.push(task)
        else Scheduler.defaultScheduler.scheduleTask(task, priority)
      }
    }
    let holding = false
    yield* Effect.gen(function* () {
      const { lines } = yield* Edge
      const handler = yield* uncachedPipeline
      holding = true
      const client = new AbortController()
      const requests = [{}, {}, { signal: client.signal }].map(
        (init) => new Request("http://localhost/price/coin", init)
      )
      const responses = requests.map((request) => handler(request))
      const before = [pending.length, lines.length]
      holding = false
      client.abort()
      for (const start of pending) start()
      assert.deepStrictEqual(before, [3, 0])
      const all = yield* Effect.promise(() => Promise.all(responses))
      assert.deepStrictEqual(
        all.map(({ status }) => status),
        [400, 400, 499]
      )
      assert.deepStrictEqual(lines.map(({ annotations }) => annotations.status).sort(), [400, 400, 499])
    }).pipe(Effect.provide(Edge.layer()), Effect.withScheduler(scheduler))
  })
})
