import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import { nginxWith } from "../support/rolling.ts"
import { isMissing } from "../support/tools.ts"

type Respond = (request: Request) => Response | Promise<Response>

const replica = (respond: Respond) =>
  Effect.acquireRelease(
    // The limit of a head is that of this process: what is longer is tried with the binary.
    Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: respond })),
    (server) => Effect.promise(() => server.stop(true))
  )

/** nginx with the configuration as it is, in front of servers with these ports. */
const nginx = (ports: readonly [number | undefined, number | undefined]) =>
  nginxWith((port, files) =>
    readFileSync("deploy/nginx.conf", "utf8")
      .replace("wallet-data-1:3000", `127.0.0.1:${ports[0]}`)
      .replace("wallet-data-2:3000", `127.0.0.1:${ports[1]}`)
      .replace("listen 8080", `listen 127.0.0.1:${port}`)
      .replaceAll(" /tmp/", ` ${files}/`)
      .replace("worker_processes auto", "worker_processes 1")
  )

const fetched = (url: string, init?: RequestInit) => Effect.promise(() => fetch(url, init))

describe.skipIf(isMissing("nginx"))("nginx in front of two replicas", () => {
  it.scopedLive("passes long heads, the address of the client and streams on, and keeps metrics to itself", () =>
    Effect.gen(function* () {
      const read = yield* Deferred.make<void>()
      const runtime = yield* Effect.runtime()
      const wait = () => Runtime.runPromise(runtime)(Deferred.await(read))
      const respond: Respond = ({ headers, url }) => {
        if (!url.endsWith("/stream")) return Response.json([url.length, headers.get("x-forwarded-for")])
        const body = async function* () {
          yield "first\n"
          await wait()
          yield "second\n"
        }
        return new Response(body() as never, { headers: { "content-type": "application/x-ndjson" } })
      }
      const one = yield* replica(respond)
      const two = yield* replica(respond)
      const url = yield* nginx([one.port, two.port])
      const query = "x".repeat(12_000)
      const long = yield* fetched(`${url}/${query}`, { headers: { "x-forwarded-for": "1.2.3.4" } })
      assert.deepStrictEqual(yield* Effect.promise(() => long.json()), [`${url}/${query}`.length, "127.0.0.1"])
      // What no replica of this test takes: nginx passes it on, and does not refuse it by itself.
      const longer = yield* fetched(`${url}/${"x".repeat(1_000_000)}`)
      assert.strictEqual(longer.status, 431)
      assert.strictEqual((yield* fetched(`${url}/metrics`)).status, 404)
      const stream = yield* fetched(`${url}/stream`)
      const reader = (stream.body as ReadableStream<Uint8Array>).getReader()
      const line = Effect.map(
        Effect.promise(() => reader.read()),
        ({ value }) => new TextDecoder().decode(value)
      )
      assert.strictEqual(yield* line, "first\n")
      yield* Deferred.succeed(read, undefined)
      assert.strictEqual(yield* line, "second\n")
    })
  )

  it.scopedLive("loses no request where a replica stops, and repeats none that a replica has taken", () =>
    Effect.gen(function* () {
      const taken: Array<string> = []
      const one = yield* replica(() => new Response("one"))
      const two = yield* replica(({ url }) => {
        taken.push(url)
        return new Response("two")
      })
      const breaking = yield* replica(({ url }) => {
        taken.push(url)
        return new Response("", { status: 503 })
      })
      const url = yield* nginx([one.port, two.port])
      const send = (name: string) => fetched(`${url}/${name}`, { method: "POST", body: "x" })
      const before = yield* Effect.forEach(Array.from({ length: 8 }), () => send("before"))
      const texts = yield* Effect.forEach(before, (response) => Effect.promise(() => response.text()))
      assert.deepStrictEqual([...new Set(texts)].sort(), ["one", "two"])
      yield* Effect.promise(() => one.stop())
      const after = yield* Effect.forEach(Array.from({ length: 30 }), () => send("after"), { concurrency: 5 })
      assert.deepStrictEqual([...new Set(after.map(({ status }) => status))], [200])
      taken.length = 0
      const other = yield* nginx([breaking.port, two.port])
      const statuses = yield* Effect.forEach(
        Array.from({ length: 6 }, (_, index) => index),
        (index) => Effect.map(fetched(`${other}/once-${index}`, { method: "POST", body: "x" }), ({ status }) => status)
      )
      assert.include(statuses, 503)
      assert.strictEqual(taken.length, 6)
    })
  )
})
