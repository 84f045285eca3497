import zlib from "node:zlib"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import type * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as FetchClient from "../../src/upstream/FetchClient.ts"
import * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import { eventCame } from "../support/assertions.ts"
import { assert, layer } from "../support/vitest.ts"

/** A server on a free port. */
const serving = (fetch: (request: Request) => Response | Promise<Response>) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", development: false, fetch })),
      (server) => Effect.promise(() => server.stop(true))
    ),
    (server) => `http://127.0.0.1:${server.port}`
  )

const exchange = <A, E>(
  request: HttpClientRequest.HttpClientRequest,
  read: (response: HttpClientResponse.HttpClientResponse) => Effect.Effect<A, E>
) => Effect.flatMap(HttpClient.HttpClient, (client) => Effect.flatMap(client.execute(request), read))

/** The error detail for the response from this URL. */
const unread = (url: string) =>
  Effect.map(Effect.flip(exchange(HttpClientRequest.get(url), ResponseDecoder.read)), (error) =>
    "detail" in error ? error.detail : error._tag
  )

/** A server that sends exactly these bytes. */
const servingBytes = (words: string) =>
  Effect.map(
    Effect.acquireRelease(
      Effect.sync(() => {
        const bytes = Buffer.from(words)
        let sent = 0
        const write = (socket: Bun.Socket<undefined>) => {
          sent += socket.write(bytes.subarray(sent))
          if (sent === bytes.length) socket.end()
        }
        return Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data: write, drain: write } })
      }),
      (server) => Effect.sync(() => server.stop(true))
    ),
    (server) => `http://127.0.0.1:${server.port}`
  )

layer(FetchClient.layer, { excludeTestServices: true })("the HTTP client", (it) => {
  it("sends the whole request, and returns the whole response", function* () {
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
    yield* exchange(request, (response) =>
      Effect.gen(function* () {
        assert.strictEqual(response.status, 418)
        assert.strictEqual(response.headers["x-theirs"], "yes")
        const expected = {
          method: "POST",
          path: "/path?a=b+c",
          type: "application/json",
          own: "mine",
          body: '{"é":1}'
        }
        assert.deepStrictEqual(JSON.parse(yield* response.text), expected)
        assert.deepStrictEqual(yield* response.json, expected)
        assert.strictEqual(Buffer.from(yield* response.arrayBuffer).toString(), yield* response.text)
      })
    )
  })

  it("sends bytes unchanged", function* () {
    const url = yield* serving(async (request) => new Response(Buffer.from(await request.bytes()).toString("hex")))
    const request = HttpClientRequest.bodyUint8Array(
      HttpClientRequest.post(url),
      new Uint8Array([0x84, 0xff, 0x00]),
      "application/cbor"
    )
    assert.strictEqual(yield* exchange(request, ({ text }) => text), "84ff00")
  })

  for (const [name, headers] of Object.entries({ plain: {}, compressed: { "accept-encoding": "gzip" } }))
    for (const size of [0, 10, 3_000_000])
      it(`reads ${size} bytes of a ${name} response`, function* () {
        const text = "é".repeat(size / 2)
        const url = yield* serving(() =>
          name === "plain"
            ? new Response(text)
            : new Response(Bun.gzipSync(text), { headers: { "content-encoding": "gzip" } })
        )
        const request = HttpClientRequest.setHeaders(HttpClientRequest.get(url), headers)
        assert.strictEqual((yield* exchange(request, ResponseDecoder.read)).text, text)
      })

  it("fails with the error of the runtime if no server listens", function* () {
    const refused = yield* Effect.flip(exchange(HttpClientRequest.get("http://127.0.0.1:9/"), ({ text }) => text))
    assert.strictEqual(refused.reason, "Transport")
    assert.propertyVal(refused.cause, "code", "ECONNREFUSED")
  })

  it("fails for a malformed address", function* () {
    const refused = yield* Effect.flip(exchange(HttpClientRequest.get("no address"), ({ text }) => text))
    assert.strictEqual(refused.reason, "InvalidUrl")
  })

  for (const words of [
    'HTTP/1.1 200 OK\r\ncontent-length: 100\r\n\r\n{"half',
    'HTTP/1.1 200 OK\r\ntransfer-encoding: chunked\r\n\r\n5\r\n{"hal\r\n'
  ])
    it(`does not accept a truncated response: ${words.slice(17, 40)}`, function* () {
      const url = yield* servingBytes(words)
      const answer = yield* Effect.either(exchange(HttpClientRequest.get(url), ResponseDecoder.read))
      assert.isTrue(Either.isLeft(answer))
    })

  it("requests the encodings that it supports", function* () {
    const url = yield* serving((request) => new Response(request.headers.get("accept-encoding")))
    assert.strictEqual(yield* exchange(HttpClientRequest.get(url), ({ text }) => text), "gzip, br, zstd")
  })

  const encoded: Readonly<Record<string, (bytes: Buffer) => Uint8Array>> = {
    gzip: (bytes) => zlib.gzipSync(bytes),
    deflate: (bytes) => zlib.deflateSync(bytes),
    br: (bytes) => zlib.brotliCompressSync(bytes, { params: { [zlib.constants.BROTLI_PARAM_QUALITY]: 2 } }),
    zstd: (bytes) => Bun.zstdCompressSync(bytes)
  }
  const large = Buffer.from(`[${"[],".repeat(4 * 1024 * 1024)}1]`)

  for (const [name, encode] of Object.entries(encoded)) {
    const sent = (bytes: Uint8Array) =>
      serving(() => new Response(bytes.slice(), { headers: { "content-encoding": name } }))

    it(`inflates ${name}`, function* () {
      const url = yield* sent(encode(Buffer.from("é".repeat(50_000))))
      const answer = yield* exchange(HttpClientRequest.get(url), ResponseDecoder.read)
      assert.strictEqual(answer.text, "é".repeat(50_000))
    })

    it(`does not accept truncated ${name}`, function* () {
      const whole = encode(Buffer.from("é".repeat(5_000)))
      const url = yield* sent(whole.subarray(0, -3))
      assert.strictEqual(yield* unread(url), "ResponseError")
    })

    it(`stops inflating ${name} at the size limit of a response`, function* () {
      const url = yield* sent(encode(large))
      assert.strictEqual(yield* unread(url), "returned a response that is too large")
    })
  }

  it("returns a body that it cannot inflate unchanged", function* () {
    const url = yield* serving(() => new Response("text", { headers: { "content-encoding": "compress" } }))
    assert.strictEqual((yield* exchange(HttpClientRequest.get(url), ResponseDecoder.read)).text, "text")
  })

  it("ignores Content-Length in a chunked response", function* () {
    const chunk = `100000\r\n${" ".repeat(0x100000)}\r\n`
    const url = yield* servingBytes(
      `HTTP/1.1 200 OK\r\ncontent-length: 3\r\ntransfer-encoding: chunked\r\n\r\n${chunk.repeat(6)}0\r\n\r\n`
    )
    assert.strictEqual(yield* unread(url), "returned a response that is too large")
  })

  /** A redirecting server, the target, and the requests that arrive there. */
  const redirecting = Effect.fnUntraced(function* (status: number, to: (own: string, other: string) => string) {
    const seen: Array<string> = []
    const see = (name: string, request: Request) =>
      Effect.runPromise(
        Effect.map(
          Effect.promise(() => request.text()),
          (text) => {
            seen.push(`${name} ${request.method} ${text}`)
            return new Response("an answer")
          }
        )
      )
    const other = yield* serving((request) => see("other", request))
    const own: string = yield* serving((request) =>
      new URL(request.url).pathname === "/start"
        ? new Response(null, { status, headers: { location: to(own, other) } })
        : see("own", request)
    )
    const follow = (request: HttpClientRequest.HttpClientRequest, hosts: ReadonlyArray<string>) =>
      Effect.provideService(exchange(request, ResponseDecoder.read), CurrentUpstream, {
        name: "tester",
        secrets: [],
        redirects: hosts
      })
    return { own, other, follow, seen, hostOf: (url: string) => new URL(url).host }
  })

  for (const status of [301, 302, 303, 307, 308])
    it(`follows HTTP ${status} only to a host of the upstream, and never with another method`, function* () {
      const { follow, hostOf, other, own, seen } = yield* redirecting(status, (_, other) => `${other}/there`)
      const get = HttpClientRequest.get(`${own}/start`)
      assert.strictEqual((yield* follow(get, [])).status, status)
      assert.strictEqual((yield* follow(get, [hostOf(own)])).status, status)
      assert.deepStrictEqual(seen, [])
      assert.strictEqual((yield* follow(get, [hostOf(own), hostOf(other)])).text, "an answer")
      assert.deepStrictEqual(seen, ["other GET "])
      const post = HttpClientRequest.bodyText(HttpClientRequest.post(`${own}/start`), "words", "text/plain")
      const answer = yield* follow(post, [hostOf(own), hostOf(other)])
      assert.strictEqual(answer.status, status < 307 ? status : 200)
      assert.deepStrictEqual(seen.slice(1), status < 307 ? [] : ["other POST words"])
    })

  it("follows a redirect to the same host in any spelling", function* () {
    for (const to of [(own: string) => `${own}/there`, () => "/there", () => "there"]) {
      const { follow, hostOf, own, seen } = yield* redirecting(302, to)
      assert.strictEqual((yield* follow(HttpClientRequest.get(`${own}/start`), [hostOf(own)])).text, "an answer")
      assert.deepStrictEqual(seen, ["own GET "])
    }
  })

  it("follows no redirect without a location, to another protocol, with a password or in a loop", function* () {
    for (const to of [
      (own: string) => own.replace("http:", "ftp:"),
      () => "http://[",
      () => "data:text/plain,1",
      (own: string) => own.replace("//", "//user:password@"),
      (own: string) => `${own}/start`
    ]) {
      const { follow, hostOf, own, seen } = yield* redirecting(302, to)
      assert.strictEqual((yield* follow(HttpClientRequest.get(`${own}/start`), [hostOf(own)])).status, 302)
      assert.deepStrictEqual(seen, [])
    }
  })

  for (const [name, begun] of Object.entries({
    "before its response starts": () => new Promise<Response>(() => {}),
    "during its response": () =>
      new Response(new ReadableStream({ start: (controller) => controller.enqueue(new Uint8Array(100)) }))
  }))
    it(`aborts the request at the server if a call is interrupted ${name}`, function* () {
      const arrived = yield* Deferred.make<void>()
      const gone = yield* Deferred.make<void>()
      const url = yield* serving((request) => {
        request.signal.addEventListener("abort", () => Deferred.unsafeDone(gone, Effect.void))
        Deferred.unsafeDone(arrived, Effect.void)
        return begun()
      })
      const fiber = yield* Effect.fork(exchange(HttpClientRequest.get(url), ResponseDecoder.read))
      yield* Deferred.await(arrived)
      yield* Fiber.interrupt(fiber)
      yield* Deferred.await(gone)
      eventCame()
    })
})
