import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Answer from "../../src/upstreams/Answer.ts"
import * as Fetching from "../../src/upstreams/Fetching.ts"

/** A server on a free port. */
const serving = (fetch: (request: Request) => Response | Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    (server) => `http://127.0.0.1:${server.port}`
  )

const asking = <A, E>(
  request: HttpClientRequest.HttpClientRequest,
  read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E>
) => Effect.flatMap(HttpClient.HttpClient, (client) => Effect.flatMap(client.execute(request), read))

const layer = Effect.provide(Fetching.layer)

/** A server that speaks for itself, byte by byte. */
const speaking = (words: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() =>
        Bun.listen({
          hostname: "127.0.0.1",
          port: 0,
          socket: {
            data: (socket) => {
              socket.write(words)
              socket.end()
            }
          }
        })
      ),
      (server) => Effect.sync(() => server.stop(true))
    ),
    (server) => `http://127.0.0.1:${server.port}`
  )

describe("the way out", () => {
  it.scopedLive("sends what a request says, and tells what the answer does", () =>
    Effect.gen(function* () {
      const url = yield* serving(async (request) =>
        Response.json(
          {
            method: request.method,
            path: new URL(request.url).pathname + new URL(request.url).search,
            type: request.headers.get("content-type"),
            own: request.headers.get("x-own"),
            body: await request.text()
          },
          { status: 418, headers: { "x-theirs": "yes" } }
        )
      )
      const request = HttpClientRequest.post(`${url}/path`).pipe(
        HttpClientRequest.appendUrlParam("a", "b c"),
        HttpClientRequest.setHeader("x-own", "mine"),
        HttpClientRequest.bodyText('{"é":1}', "application/json")
      )
      yield* asking(request, (response) =>
        Effect.gen(function* () {
          assert.strictEqual(response.status, 418)
          assert.strictEqual(response.headers["x-theirs"], "yes")
          const told = {
            method: "POST",
            path: "/path?a=b+c",
            type: "application/json",
            own: "mine",
            body: '{"é":1}'
          }
          assert.deepStrictEqual(JSON.parse(yield* response.text), told)
          assert.deepStrictEqual(yield* response.json, told)
          assert.strictEqual(Buffer.from(yield* response.arrayBuffer).toString(), yield* response.text)
        })
      )
    }).pipe(layer)
  )

  it.scopedLive("sends bytes as they are", () =>
    Effect.gen(function* () {
      const url = yield* serving(async (request) => new Response(Buffer.from(await request.bytes()).toString("hex")))
      const request = HttpClientRequest.bodyUint8Array(
        HttpClientRequest.post(url),
        new Uint8Array([0x84, 0xff, 0x00]),
        "application/cbor"
      )
      assert.strictEqual(yield* asking(request, ({ text }) => text), "84ff00")
    }).pipe(layer)
  )

  for (const [name, headers] of Object.entries({ plain: {}, compressed: { "accept-encoding": "gzip" } }))
    for (const size of [0, 10, 3_000_000])
      it.scopedLive(`reads ${size} bytes of a ${name} answer`, () =>
        Effect.gen(function* () {
          const text = "é".repeat(size / 2)
          const url = yield* serving(() =>
            name === "plain"
              ? new Response(text)
              : new Response(Bun.gzipSync(text), { headers: { "content-encoding": "gzip" } })
          )
          const request = HttpClientRequest.setHeaders(HttpClientRequest.get(url), headers)
          assert.strictEqual((yield* asking(request, Answer.read)).text, text)
        }).pipe(layer)
      )

  it.scopedLive("fails by name where nobody listens", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(asking(HttpClientRequest.get("http://127.0.0.1:9/"), ({ text }) => text))
      assert.strictEqual(refused.reason, "Transport")
      assert.propertyVal(refused.cause, "code", "ECONNREFUSED")
    }).pipe(layer)
  )

  it.scopedLive("fails where an address is none", () =>
    Effect.gen(function* () {
      const refused = yield* Effect.flip(asking(HttpClientRequest.get("no address"), ({ text }) => text))
      assert.strictEqual(refused.reason, "InvalidUrl")
    }).pipe(layer)
  )

  for (const words of [
    'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"hal\r\n'
  ])
    it.scopedLive(`takes no half of an answer for one: ${words.slice(17, 40)}`, () =>
      Effect.gen(function* () {
        const url = yield* speaking(words)
        const answer = yield* Effect.either(asking(HttpClientRequest.get(url), Answer.read))
        assert.isTrue(Either.isLeft(answer))
      }).pipe(layer)
    )

  it.scopedLive("goes after no redirect where it must not", () =>
    Effect.gen(function* () {
      let seen = 0
      const other = yield* serving(() => {
        seen++
        return new Response("other")
      })
      const url = yield* serving(() => Response.redirect(other, 307))
      const asked = asking(HttpClientRequest.get(url), ({ text }) => text)
      const answer = yield* Effect.either(
        Effect.provideService(asked, FetchHttpClient.RequestInit, { redirect: "error" })
      )
      assert.isTrue(Either.isLeft(answer))
      assert.strictEqual(seen, 0)
      assert.strictEqual(yield* asked, "other")
    }).pipe(layer)
  )

  for (const [name, begun] of Object.entries({
    "before it begins": () => new Promise<Response>(() => {}),
    "while it goes on": () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100)) }))
  }))
    it.scopedLive(`whoever gives up an answer ${name} is gone from the server too`, () =>
      Effect.gen(function* () {
        const asked = yield* Deferred.make<void>()
        const gone = yield* Deferred.make<void>()
        const url = yield* serving((request) => {
          request.signal.addEventListener("abort", () => Deferred.unsafeDone(gone, Effect.void))
          Deferred.unsafeDone(asked, Effect.void)
          return begun()
        })
        const fiber = yield* Effect.fork(asking(HttpClientRequest.get(url), Answer.read))
        yield* Deferred.await(asked)
        yield* Fiber.interrupt(fiber)
        yield* Deferred.await(gone)
      }).pipe(layer)
    )
})
