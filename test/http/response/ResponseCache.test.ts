import { brotliDecompressSync, gunzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import * as TestClock from "effect/TestClock"
import { Health } from "../../../src/http/Health.ts"
import * as EncodedResponse from "../../../src/http/response/ResponseCache.ts"
import { ResponseCache, targetOf } from "../../../src/http/response/ResponseCache.ts"
import { CannedResponses, readyOf } from "../../support/shelf.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { bytes, Pipelines, seen } from "./ways.ts"

const coin = "/price/coin?coin_ids=bitcoin"
const long = JSON.stringify(Array.from({ length: 500 }, (_, index) => index))
const short = '{"bitcoin":1}'

/** The service with a cached response, after its first request. */
const withCachedResponse = Effect.gen(function* () {
  const { handled, ready } = yield* CannedResponses
  const ways = yield* Pipelines
  ready.set(coin, readyOf(long))
  const first = yield* ways.call(coin)
  return { ...ways, handled, ready, first, etag: first.headers.get("etag") ?? "none" }
})

describe("a cached response", () => {
  it.effect("is requested from its handler once, and has Cache-Control, Vary and an ETag", () =>
    Effect.gen(function* () {
      const { handled, call, first } = yield* withCachedResponse
      const again = yield* call(coin)
      assert.deepStrictEqual(handled, [coin])
      assert.deepStrictEqual(yield* seen(again), yield* seen(first))
      assert.strictEqual(again.headers.get("cache-control"), "public, max-age=30")
      assert.strictEqual(again.headers.get("vary"), "accept-encoding")
      assert.strictEqual(again.headers.get("content-type"), "application/json")
      assert.match(again.headers.get("etag") ?? "", /^W\/"[\w-]{22}"$/)
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("is not sent, and gives no 304, once it is not current", () =>
    Effect.gen(function* () {
      const { handled, ready } = yield* CannedResponses
      const { call } = yield* Pipelines
      ready.set(coin, readyOf(`["old",${long}]`, { isCurrent: (now) => now < 5_000 }))
      const etag = (yield* call(coin)).headers.get("etag") ?? "none"
      ready.set(coin, readyOf(`["new",${long}]`))
      yield* TestClock.adjust("4999 millis")
      assert.include((yield* seen(yield* call(coin))).text, "old")
      assert.strictEqual((yield* call(coin, { headers: { "if-none-match": etag } })).status, 304)
      yield* TestClock.adjust("1 millis")
      const changed = yield* call(coin, { headers: { "if-none-match": etag } })
      assert.strictEqual(changed.status, 200)
      assert.include((yield* seen(changed)).text, "new")
      assert.strictEqual(handled.length, 2)
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it("has an ETag that depends only on its content", function* () {
    const tag = (text: string, headers = {}) => {
      const sent = EncodedResponse.encodedResponse(readyOf(text, { headers }), "public").sendSync({
        encoding: undefined,
        ifNoneMatch: undefined
      })
      return sent?.fields.etag
    }
    assert.strictEqual(tag("[1]"), tag("[1]"))
    assert.notStrictEqual(tag("[1]"), tag("[2]"))
    assert.notStrictEqual(tag("[1]"), tag("[1]", { "x-partial-failures": "[]" }))
  })

  it.effect("is 304 without a body if the client has it, in any encoding", () =>
    Effect.gen(function* () {
      const { call, etag, uncached } = yield* withCachedResponse
      const strong = etag.slice(2)
      for (const way of [call, uncached]) {
        for (const [given, status] of [
          [etag, 304],
          [strong, 304],
          ["*", 304],
          [`"a,b", ${etag}`, 304],
          [`W/"x",${strong} , "y"`, 304],
          ['"another"', 200],
          [strong.slice(1, -1), 200],
          ["", 200]
        ] as const) {
          const response = yield* way(coin, { headers: { "if-none-match": given, "accept-encoding": "gzip" } })
          assert.strictEqual(response.status, status, given)
          assert.strictEqual(response.headers.get("etag"), etag)
          assert.strictEqual(response.headers.get("cache-control"), "public, max-age=30")
          assert.strictEqual(response.headers.get("vary"), "accept-encoding")
          const body = yield* bytes(response)
          if (status === 304) {
            assert.strictEqual(body.length, 0)
            assert.isNull(response.headers.get("content-encoding"))
            assert.isNull(response.headers.get("content-type"))
          } else assert.strictEqual(response.headers.get("content-encoding"), "gzip")
        }
      }
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("is compressed once per encoding; a small response stays uncompressed", () =>
    Effect.gen(function* () {
      const { handled, call, ready } = yield* withCachedResponse
      const of = (encoding: string, path = coin) => call(path, { headers: { "accept-encoding": encoding } })
      const large = "/price/coin?coin_ids=large"
      ready.set(large, readyOf(long.repeat(40)))
      const back = {
        gzip: (body: Uint8Array) => gunzipSync(body),
        br: (body: Uint8Array) => brotliDecompressSync(body),
        zstd: (body: Uint8Array) => Bun.zstdDecompressSync(body)
      }
      for (const [encoding, decompress] of Object.entries(back))
        for (let time = 0; time < 2; time++)
          for (const [path, text] of [
            [coin, long],
            [large, long.repeat(40)]
          ] as const) {
            const response = yield* of(encoding, path)
            assert.strictEqual(response.headers.get("content-encoding"), encoding)
            const body = yield* bytes(response)
            assert.strictEqual(response.headers.get("content-length"), String(body.length))
            assert.strictEqual(new TextDecoder().decode(decompress(body)), text)
          }
      // A small body is compressed synchronously, a large body in the fiber of its handler.
      assert.deepStrictEqual(handled, [coin, large, large, large])
      const little = "/price/coin?coin_ids=little"
      ready.set(little, readyOf(short))
      for (let time = 0; time < 2; time++)
        assert.isNull((yield* of("gzip, br, zstd", little)).headers.get("content-encoding"))
      assert.strictEqual(handled.length, 5)
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("is private if API keys are configured", () =>
    Effect.gen(function* () {
      const { handled, ready } = yield* CannedResponses
      const { call } = yield* Pipelines
      ready.set(coin, readyOf(long))
      const status = (headers: Readonly<Record<string, string>>) => Effect.map(call(coin, { headers }), (r) => r.status)
      const first = yield* call(coin, { headers: { "x-api-key": "good-key-of-a-test" } })
      assert.strictEqual(first.headers.get("cache-control"), "private, max-age=30")
      assert.strictEqual(yield* status({}), 401)
      assert.strictEqual(yield* status({ "x-api-key": "bad" }), 403)
      assert.strictEqual(yield* status({ "x-api-key": "good-key-of-a-test" }), 200)
      assert.strictEqual(handled.length, 1)
    }).pipe(Effect.provide(Pipelines.layer({ API_KEYS: "good-key-of-a-test" })))
  )
})

describe("the pipeline with and without the response cache", () => {
  const environments: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { APP_NAME: "lantern", CORS_ORIGINS: "https://a.example,https://b.example" },
    { API_KEYS: "good-key-of-a-test" }
  ]
  const headers: ReadonlyArray<Readonly<Record<string, string>>> = [
    {},
    { "x-api-key": "good-key-of-a-test", "accept-encoding": "gzip;q=0.5, br" },
    { "x-api-key": "bad", origin: "https://a.example" },
    { "x-api-key": "good-key-of-a-test", origin: "https://b.example", "accept-encoding": "*", range: "bytes=0-1" },
    {
      "x-api-key": "good-key-of-a-test",
      origin: "https://c.example",
      "if-none-match": "*",
      authorization: "Basic none"
    }
  ]
  for (const environment of environments)
    it.effect(`gives the same response: ${JSON.stringify(environment)}`, () =>
      Effect.gen(function* () {
        const { handled, ready } = yield* CannedResponses
        const { call, lines, uncached } = yield* Pipelines
        const health = yield* Health
        const app = environment.APP_NAME ?? "app"
        for (const path of [coin, "/app/mdata/item/bitcoin/30", "/price/coin?coin_ids=little"])
          ready.set(path, readyOf(path.includes("little") ? short : long, { headers: { "x-partial-failures": "[]" } }))
        const paths = [coin, `/${app}/mdata/item/bitcoin/30`, "/price/coin?coin_ids=little"]
        const requests = paths.flatMap((path) =>
          ["GET", "HEAD"].flatMap((method) => headers.map((header) => [path, { method, headers: header }] as const))
        )
        for (const [path, init] of requests) yield* uncached(path, { ...init, headers: { ...init.headers } })
        for (const state of ["ready", "draining", "stopping"] as const) {
          yield* health.set(state)
          for (const [path, init] of requests) {
            const expected = yield* seen(yield* uncached(path, init))
            const before = handled.length
            for (let time = 0; time < 3; time++)
              assert.deepStrictEqual(yield* seen(yield* call(path, init)), expected, `${path} ${JSON.stringify(init)}`)
            assert.strictEqual(handled.length, before)
            const [theirs, ...ours] = lines.slice(-4).map(({ ms: _ms, requestId: _id, ...line }) => line)
            assert.deepStrictEqual(ours, [theirs, theirs, theirs])
          }
        }
      }).pipe(Effect.provide(Pipelines.layer(environment, { sandbox: true })))
    )

  it.effect("uses a valid request id of the client and replaces an invalid id", () =>
    Effect.gen(function* () {
      const { call, lines } = yield* withCachedResponse
      const id = (given: string) =>
        Effect.map(call(coin, { headers: { "x-request-id": given } }), (r) => r.headers.get("x-request-id"))
      assert.strictEqual(yield* id("wallet-42.a_b~c"), "wallet-42.a_b~c")
      assert.strictEqual(lines.at(-1)?.requestId, "wallet-42.a_b~c")
      const made = [yield* id("a b"), yield* id("a b")]
      for (const requestId of made) assert.match(requestId ?? "", /^[0-9a-f-]{36}$/)
      assert.strictEqual(new Set(made).size, 2)
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("gives each response its own id, even if many requests are sent before the first response is read", () =>
    Effect.gen(function* () {
      const { call } = yield* withCachedResponse
      const ids = Array.from({ length: 50 }, (_, index) => `hot-${index}`)
      const responses = yield* Effect.forEach(ids, (id) => call(coin, { headers: { "x-request-id": id } }))
      assert.deepStrictEqual(
        responses.map(({ headers }) => headers.get("x-request-id")),
        ids
      )
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("shares the rate limit and the metrics", () =>
    Effect.gen(function* () {
      const { call, uncached } = yield* withCachedResponse
      assert.strictEqual((yield* uncached(coin)).status, 200)
      assert.strictEqual((yield* call(coin)).status, 200)
      const [refused, theirs] = [yield* call(coin), yield* uncached(coin)]
      assert.strictEqual(refused.status, 429)
      assert.strictEqual(refused.headers.get("retry-after"), "20")
      assert.deepStrictEqual(yield* seen(refused), yield* seen(theirs))
      assert.strictEqual((yield* call(coin, { from: "192.0.2.2" })).status, 200)
      const metrics = yield* seen(yield* call("/metrics", { from: "192.0.2.3" }))
      assert.match(metrics.text, /http_requests_total\{method="GET",route="\/price\/coin",status="429"\} [2-9]/)
    }).pipe(Effect.provide(Pipelines.layer({ RATE_LIMIT_PER_MINUTE: "3" })))
  )
})

describe("the response cache", () => {
  it.effect("weighs its entries, and does not store a response to a very long target", () =>
    Effect.gen(function* () {
      const { ready } = yield* CannedResponses
      const { call } = yield* Pipelines
      const answers = yield* ResponseCache
      const cachedResponse = readyOf(long)
      const spellings = [coin, `${coin},bitcoin`, `${coin}${",".repeat(9_000)}`]
      for (const path of spellings) ready.set(path, cachedResponse)
      for (const path of spellings) assert.strictEqual((yield* call(path)).status, 200)
      const [first = "", second = ""] = spellings
      assert.deepStrictEqual(answers.size(), {
        targets: 2,
        bytes: 2 * 2048 + 6 * long.length + first.length + second.length
      })
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it.effect("holds 128 MiB, with each body counted three times, and drops the least recently requested response", () =>
    Effect.gen(function* () {
      const { handled, ready } = yield* CannedResponses
      const { call } = yield* Pipelines
      const cached = yield* ResponseCache
      const large = readyOf("x".repeat(20 * 1024 * 1024))
      const [first, second, third] = [coin, `${coin},ethereum`, `${coin},litecoin`] as const
      for (const path of [first, second, third]) ready.set(path, large)
      for (const path of [first, second, first, third, first]) yield* call(path)
      assert.deepStrictEqual(cached.size(), {
        targets: 2,
        bytes: 2 * 2048 + 6 * large.body.byteLength + first.length + third.length
      })
      yield* call(second)
      assert.deepStrictEqual(handled, [first, second, third, second])
    }).pipe(Effect.provide(Pipelines.layer()))
  )

  it("finds a response by path and query, for any host", () => {
    for (const url of ["http://wallet.test/a?b=c", "https://x:1/a?b=c", "/a?b=c"])
      assert.strictEqual(targetOf(url), "/a?b=c")
  })
})
