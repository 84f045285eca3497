import { connect } from "node:net"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import manifest from "../../package.json" with { type: "json" }
import { headLimit } from "../../scripts/build.ts"
import { Health } from "../../src/http/Health.ts"
import { Server } from "../../src/http/Server.ts"
import { SettingError } from "../../src/settings/Settings.ts"
import { bundled } from "../support/bundle.ts"
import { HandlerControl, row, serverDependencies, token } from "../support/edge.ts"
import { isAll } from "../support/tier.ts"
import { assert, built, describe, it, layer } from "../support/vitest.ts"

const get = (url: string, init?: RequestInit) => Effect.promise((signal) => fetch(url, { signal, ...init }))

const post = (url: string, body: unknown) =>
  get(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })

const serving = (environment: Readonly<Record<string, string>> = {}) =>
  Server.layer.pipe(
    Layer.provideMerge(serverDependencies({ PORT: "0", HOST: "127.0.0.1", ...environment })),
    Layer.provide(Logger.remove(Logger.defaultLogger))
  )

/** A keep-alive connection; `ended` resolves to everything received, or to the error code. */
const connection = (port: number, text = "") =>
  new Promise<{ ask: () => void; answered: Promise<void>; ended: Promise<string> }>((connected) => {
    const socket = connect(port, "127.0.0.1")
    let received = ""
    const answered = new Promise<void>((resolve) =>
      socket.on("data", (bytes) => {
        received += bytes
        resolve()
      })
    )
    const ended = new Promise<string>((resolve) => {
      socket.on("error", (error) => resolve("code" in error ? String(error.code) : error.message))
      socket.on("close", () => resolve(received))
    })
    const ask = () => void socket.write("GET /networks HTTP/1.1\r\nhost: localhost\r\n\r\n")
    socket.on("connect", () => {
      socket.write(text)
      connected({ ask, answered, ended })
    })
  })

describe("the server", () => {
  it.live("is ready once it listens", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      assert.match(url, /^http:\/\/127\.0\.0\.1:\d{2,5}$/)
      assert.strictEqual((yield* get(`${url}/health/ready`)).status, 200)
    }).pipe(Effect.provide(serving()))
  )

  it.live("logs one warning if it is reachable without an API key, and none otherwise", function* () {
    const warnings = (environment: Readonly<Record<string, string>>) => {
      const lines: Array<string> = []
      const capture = Logger.make(({ logLevel, message }) => {
        if (logLevel.label === "WARN") lines.push(String(message))
      })
      const server = Server.layer.pipe(
        Layer.provide(serverDependencies({ PORT: "0", ...environment })),
        Layer.provide(Logger.replace(Logger.defaultLogger, capture))
      )
      return Effect.as(Effect.scoped(Layer.build(server)), lines)
    }
    const [line = "", ...more] = yield* warnings({})
    assert.match(
      line,
      /^API_KEYS is not set: every client that can reach 0\.0\.0\.0 can .*; set API_KEYS, or set HOST to 127\.0\.0\.1/
    )
    assert.deepStrictEqual(more, [])
    assert.lengthOf(yield* warnings({ HOST: "::" }), 1)
    assert.deepStrictEqual(yield* warnings({ API_KEYS: "one-key-of-a-test" }), [])
    for (const HOST of ["127.0.0.1", "localhost"]) assert.deepStrictEqual(yield* warnings({ HOST }), [], HOST)
  })

  it.scopedLive("starts nothing for a client that has reset its connection, which has no address", function* () {
    const routes: Array<unknown> = []
    const capture = Logger.make((options) => {
      routes.push(Logger.structuredLogger.log(options).annotations.route)
    })
    const server = Server.layer.pipe(
      Layer.provide(serverDependencies({ PORT: "0", HOST: "127.0.0.1" })),
      Layer.provide(Logger.replace(Logger.defaultLogger, capture)),
      Layer.provide(Logger.minimumLogLevel(LogLevel.Debug))
    )
    const { url } = yield* built(Server, server)
    const body = '{"jsonrpc":"2.0","id":1,"method":"eth_chainId"}'
    const head = `POST /utils/rpc/base HTTP/1.1\r\nhost: localhost\r\ncontent-length: ${body.length}`
    for (let count = 0; count < 10; count++)
      yield* Effect.async<void>((resume) => {
        const socket = connect(Number(new URL(url).port), "127.0.0.1", () => {
          socket.write(`${head}\r\ncontent-type: application/json\r\n\r\n${body}`)
          socket.resetAndDestroy()
        })
        socket.on("error", () => {})
        socket.on("close", () => resume(Effect.void))
      })
    for (const path of ["/health/live", "/health/ready"]) yield* get(url + path)
    assert.deepStrictEqual(
      routes.filter((route) => route !== undefined),
      ["/health/live", "/health/ready"]
    )
  })

  it.live("passes the client address to the rate limit", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      assert.strictEqual((yield* get(`${url}/networks`)).status, 200)
      assert.strictEqual((yield* get(`${url}/networks`)).status, 429)
    }).pipe(Effect.provide(serving({ RATE_LIMIT_PER_MINUTE: "1" })))
  )

  it.live("serves only metrics and health on METRICS_PORT if it is set", function* () {
    const lines: Array<string> = []
    const capture = Logger.make(({ annotations, message }) => {
      lines.push(JSON.stringify([String(message), Object.fromEntries(annotations)]))
    })
    const scope = yield* Scope.make()
    const environment = { PORT: "0", HOST: "127.0.0.1", METRICS_PORT: "0", API_KEYS: "one-key-of-a-test" }
    const server = Server.layer.pipe(
      Layer.provide(serverDependencies(environment, { sandbox: true, upstreams: "sandbox", store: "memory" })),
      Layer.provide(Logger.replace(Logger.defaultLogger, capture))
    )
    const { url } = Context.get(yield* Layer.buildWithScope(server, scope), Server)
    const [message, announced] = JSON.parse(lines[0] ?? "[]")
    assert.strictEqual(message, `listening on ${url}`)
    assert.deepInclude(announced, {
      version: manifest.version,
      commit: "unknown",
      access: "keyed",
      store: "memory",
      upstreams: "sandbox"
    })
    const base = String(announced.metrics).replace(/\/metrics$/, "")
    const statuses = ["/metrics", "/metrics?x=1", "/health/ready", "/health/live", "/health/x", "/networks", "/"]
    const found = yield* Effect.forEach(statuses, (path) => Effect.map(get(base + path), ({ status }) => status))
    assert.deepStrictEqual(found, [200, 400, 200, 200, 404, 404, 404])
    assert.strictEqual((yield* get(`${base}/metrics`, { method: "POST" })).status, 405)
    assert.strictEqual((yield* get(`${base}/metrics`, { method: "HEAD" })).status, 200)
    assert.strictEqual((yield* get(`${url}/metrics`, { headers: { "x-api-key": "one-key-of-a-test" } })).status, 404)
    yield* Scope.close(scope, Exit.void)
    const [last, ended] = JSON.parse(lines.at(-1) ?? "[]")
    assert.strictEqual(last, "stopped")
    assert.deepInclude(ended, { requests: 1, store: "memory" })
  })

  it.live("fails to start with an error that names METRICS_PORT if that port is in use", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const error = yield* Effect.flip(Effect.scoped(Layer.build(serving({ METRICS_PORT: new URL(url).port }))))
      assert.match(error.message, /^METRICS_PORT: cannot listen on 127\.0\.0\.1:\d+: another process listens there$/)
    }).pipe(Effect.provide(serving()))
  )

  it.live("does not say that it stopped if it never listened", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const lines: Array<string> = []
      const capture = Logger.make(({ message }) => {
        lines.push(String(message))
      })
      const taken = new URL(url).port
      for (const environment of [{ PORT: taken }, { METRICS_PORT: taken }]) {
        const server = Server.layer.pipe(
          Layer.provide(serverDependencies({ PORT: "0", HOST: "127.0.0.1", ...environment })),
          Layer.provide(Logger.replace(Logger.defaultLogger, capture))
        )
        assert.strictEqual((yield* Effect.exit(Effect.scoped(Layer.build(server))))._tag, "Failure")
      }
      assert.notInclude(lines, "stopped")
    }).pipe(Effect.provide(serving()))
  )

  it.live("fails to start if METRICS_PORT equals PORT", function* () {
    const error = yield* Effect.flip(Effect.scoped(Layer.build(serving({ PORT: "65000", METRICS_PORT: "65000" }))))
    assert.strictEqual(error.message, "METRICS_PORT: 65000 is already used by PORT")
  })

  it.live("fails to start with an error that names PORT if that port is in use", () =>
    Effect.gen(function* () {
      const { url } = yield* Server
      const second = serving({ PORT: new URL(url).port })
      const error = yield* Effect.flip(Effect.scoped(Layer.build(second)))
      assert.instanceOf(error, SettingError)
      assert.match(error.message, /^PORT: cannot listen on 127\.0\.0\.1:\d+: another process listens there$/)
    }).pipe(Effect.provide(serving()))
  )

  for (const host of ["300.300.300.300", "no.such.host.invalid", "192.0.2.1", "::zz", "-"])
    it.live(`fails to start with an error that names HOST if it cannot listen on ${host}`, function* () {
      const error = yield* Effect.flip(Effect.scoped(Layer.build(serving({ HOST: host }))))
      assert.instanceOf(error, SettingError)
      assert.strictEqual(
        error.message,
        `HOST: cannot listen on "${host}": it is not an address or name of this machine`
      )
    })

  it.live("responds to requests sent before it stops, over new and over used connections", function* () {
    const answered: Array<string> = []
    for (let round = 0; round < 3; round++) {
      const scope = yield* Scope.make()
      const { url } = Context.get(yield* Layer.buildWithScope(serving(), scope), Server)
      const connections = yield* Effect.promise(() =>
        Promise.all(Array.from({ length: 10 }, () => connection(Number(new URL(url).port))))
      )
      // The first half has received a response, the other half is only connected.
      const known = connections.slice(0, 5)
      for (const item of known) item.ask()
      yield* Effect.promise(() => Promise.all(known.map((request) => request.answered)))
      for (const current of connections) current.ask()
      yield* Scope.close(scope, Exit.void)
      const ends = yield* Effect.promise(() => Promise.all(connections.map((one) => one.ended)))
      answered.push(...ends.map((text) => /HTTP\/1\.1 200(?=.*connection: close)/is.exec(text)?.[0] ?? text))
    }
    assert.deepStrictEqual(answered, Array(30).fill("HTTP/1.1 200"))
  })

  for (const [name, text] of Object.entries({
    idle: "GET /networks HTTP/1.1\r\nhost: a\r\n\r\n",
    "that has sent nothing": "",
    "with a part of a head": "GET /networks HTTP/1.1\r\nhost",
    "with a head and no body": "POST /balance HTTP/1.1\r\nhost: a\r\ncontent-length: 9\r\n\r\n",
    "with a proxied call without its body":
      "POST /utils/rpc/base HTTP/1.1\r\nhost: a\r\ntransfer-encoding: chunked\r\n\r\n1\r\n{\r\n"
  }))
    it.live(`does not wait for a connection ${name} when it stops`, function* () {
      const warnings: Array<string> = []
      const capture = Logger.make(({ logLevel, message }) => {
        if (logLevel.label !== "INFO") warnings.push(String(message))
      })
      const scope = yield* Scope.make()
      const server = Layer.provide(serving(), Logger.replace(Logger.defaultLogger, capture))
      const { url } = Context.get(yield* Layer.buildWithScope(server, scope), Server)
      const { ended } = yield* Effect.promise(() => connection(Number(new URL(url).port), text))
      yield* get(`${url}/networks`)
      yield* Scope.close(scope, Exit.void)
      yield* Effect.promise(() => ended)
      // The warning that it aborts requests, after 10 seconds.
      assert.deepStrictEqual(warnings, [])
    })

  it.live("completes a response that is read slowly before it stops", function* () {
    const rows = isAll ? 60_000 : 20_000
    const scope = yield* Scope.make()
    const server = serving({ MAX_ADDRESSES: String(rows), MAX_BODY_BYTES: "10000000" })
    const { url } = Context.get(yield* Layer.buildWithScope(server, scope), Server)
    const { hostname, port } = new URL(url)
    const body = JSON.stringify({ networks: { ethereum: Array(rows).fill(row.holderAddress) } })
    const socket = connect(Number(port), hostname)
    const ended = new Promise<number>((resolve) => {
      let length = 0
      socket.on("data", (part) => {
        length += part.length
        socket.pause()
        setTimeout(() => socket.resume(), isAll ? 100 : 0)
      })
      socket.on("close", () => resolve(length))
    })
    const started = new Promise((resolve) => socket.once("data", resolve))
    const head = ["POST /balance HTTP/1.1", "host: a", "content-type: application/json"]
    socket.write(`${head.join("\r\n")}\r\ncontent-length: ${body.length}\r\n\r\n${body}`)
    yield* Effect.promise(() => started)
    yield* Scope.close(scope, Exit.void)
    assert.isAbove(yield* Effect.promise(() => ended), rows * JSON.stringify(row).length)
  })

  it("completes in-flight requests before it stops, and accepts no new requests", function* () {
    const scope = yield* Scope.make()
    const context = yield* Layer.buildWithScope(serving(), scope)
    const [{ url }, { release: curtain, entered }, health] = yield* Effect.provide(
      Effect.all([Server, HandlerControl, Health]),
      context
    )
    const running = yield* Effect.fork(post(`${url}/balance/token`, token("waiting")))
    yield* Deferred.await(entered)
    const closing = yield* Effect.fork(Scope.close(scope, Exit.void))
    yield* TestClock.adjust("5 seconds")
    assert.strictEqual(yield* health.state, "stopping")
    const refused = yield* Effect.promise(() =>
      fetch(`${url}/networks`).then(
        (r) => r.status,
        () => 503
      )
    )
    assert.strictEqual(refused, 503)
    assert.isTrue((yield* Fiber.poll(closing))._tag === "None")
    yield* Deferred.succeed(curtain, undefined)
    assert.strictEqual((yield* Fiber.join(running)).status, 200)
    yield* TestClock.adjust("1 second")
    yield* Fiber.join(closing)
  })
})

/** A server process and its output. */
class Spawned extends Context.Tag("test/Spawned")<Spawned, Effect.Effect.Success<typeof spawned>>() {}

const spawned = Effect.gen(function* () {
  const child = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.spawn([process.execPath, headLimit, bundled("test/support/serveEdge.ts")], {
        stdout: "pipe",
        stderr: "inherit"
      })
    ),
    (child) =>
      Effect.zipRight(
        Effect.sync(() => child.kill()),
        Effect.promise(() => child.exited)
      )
  )
  const reader = child.stdout.pipeThrough(new TextDecoderStream()).getReader()
  let output = ""
  /** Reads the output until it matches the pattern. */
  const until = (pattern: RegExp) =>
    Effect.promise(async () => {
      while (!pattern.test(output)) {
        const { done, value } = await reader.read()
        if (done) break
        output += value
      }
      return pattern.exec(output)
    })
  const url = (yield* until(/listening on (http:[^"]+)"/))?.[1] ?? ""
  return { child, until, url }
})

describe("the server in a separate process", () => {
  layer(Layer.scoped(Spawned, spawned), { excludeTestServices: true })((it) => {
    it("responds with a problem document to a body that is too large, with or without Content-Length", function* () {
      const { url } = yield* Spawned
      const large = new Uint8Array(40 * 1024 * 1024).fill(32)
      const headers = { "content-type": "application/json" }
      const named = yield* get(`${url}/balance`, { method: "POST", body: large, headers })
      assert.strictEqual(named.status, 413)
      assert.strictEqual(named.headers.get("content-type"), "application/problem+json")
      const counted = yield* get(`${url}/balance`, {
        method: "POST",
        body: new ReadableStream({
          start: (controller) => {
            for (let at = 0; at < large.length; at += 1024 * 1024)
              controller.enqueue(large.subarray(at, at + 1024 * 1024))
            controller.close()
          }
        }),
        headers
      })
      assert.strictEqual(counted.status, 413)
      assert.strictEqual((yield* post(`${url}/balance`, { networks: {} })).status, 200)
    })

    it("logs status 499 when a client disconnects", function* () {
      const { until, url } = yield* Spawned
      const client = new AbortController()
      const waiting = fetch(`${url}/balance/token`, {
        method: "POST",
        body: JSON.stringify(token("waiting-aloud")),
        headers: { "content-type": "application/json" },
        signal: client.signal
      }).catch(() => undefined)
      yield* until(/a handler waits/)
      client.abort()
      yield* Effect.promise(() => waiting)
      assert.isNotNull(yield* until(/"status":499/))
    })

    it("exits with code 0 on SIGTERM; runs last because the process is shared", function* () {
      const { child, url } = yield* Spawned
      yield* get(`${url}/health/live`)
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
    })
  })
})
