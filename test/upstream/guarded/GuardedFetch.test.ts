import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { CurrentUpstream } from "../../../src/upstream/CurrentUpstream.ts"
import { GuardedFetch } from "../../../src/upstream/guarded/GuardedFetch.ts"
import { assert, describe, it } from "../../support/vitest.ts"

/** A guarded fetch over a simulated client that responds when `respond` does; `open` counts the fetches in progress. */
const guarded = Effect.fnUntraced(function* (respond: (url: URL) => Effect.Effect<Response>) {
  const fetches: Array<{ readonly url: URL; readonly guard: AbortSignal | undefined }> = []
  const client = HttpClient.make((request, url) =>
    Effect.gen(function* () {
      const { guard, name } = yield* CurrentUpstream
      if (name !== "icons") return yield* new HttpClientError.RequestError({ request, reason: "Transport" })
      fetches.push({ url, guard })
      return HttpClientResponse.fromWeb(request, yield* respond(url))
    })
  )
  const { get } = yield* Effect.provide(
    GuardedFetch,
    Layer.provide(GuardedFetch.layer, Layer.succeed(HttpClient.HttpClient, client))
  )
  return {
    fetches,
    open: () => fetches.filter(({ guard }) => guard?.aborted === false).length,
    get: (url: string) =>
      Effect.map(
        Effect.either(get({ upstream: "icons", url, types: ["image/png"], maxBytes: 10 })),
        Either.match({ onLeft: ({ message }) => message, onRight: (bytes) => Buffer.from(bytes).toString() })
      )
  }
})

const image = (body: ReadableStream | string = "image") =>
  Effect.sync(() => new Response(body, { headers: { "content-type": "image/png; charset=x" } }))

describe("a guarded fetch", () => {
  it("closes the connection of a slow body after ten seconds, with all its parts", function* () {
    const slow = new ReadableStream({ start: (controller) => controller.enqueue(Buffer.from("i")) })
    const { get, open } = yield* guarded(() => image(slow))
    const fiber = yield* Effect.fork(get("https://icons.example/slow"))
    yield* TestClock.adjust(9_999)
    assert.strictEqual(open(), 1)
    yield* TestClock.adjust(1)
    assert.strictEqual(yield* Fiber.join(fiber), "icons: timed out after 10000 ms")
    assert.strictEqual(open(), 0)
  })

  it("counts the time of all redirects together", function* () {
    const { fetches, get } = yield* guarded(() =>
      Effect.as(Effect.sleep(4_000), new Response(null, { status: 302, headers: { location: "/next" } }))
    )
    const fiber = yield* Effect.fork(get("https://icons.example/"))
    yield* TestClock.adjust(10_000)
    assert.strictEqual(yield* Fiber.join(fiber), "icons: timed out after 10000 ms")
    assert.lengthOf(fetches, 3)
  })

  it("has at most eight fetches in progress", function* () {
    const { fetches, get, open } = yield* guarded(() => Effect.zipRight(Effect.sleep(1_000), image()))
    const fiber = yield* Effect.fork(
      Effect.forEach(Array(20).keys(), (index) => get(`https://icons.example/${index}`), { concurrency: "unbounded" })
    )
    const counts: Array<readonly [open: number, fetches: number]> = []
    for (let second = 0; second < 3; second++) {
      yield* TestClock.adjust(second === 0 ? 0 : 1_000)
      counts.push([open(), fetches.length])
    }
    assert.deepStrictEqual(counts, [
      [8, 8],
      [8, 16],
      [4, 20]
    ])
    yield* TestClock.adjust(1_000)
    assert.isTrue((yield* Fiber.join(fiber)).every((body) => body === "image"))
  })

  it("calls a host at most 2000 times per hour, with its redirects", function* () {
    const { fetches, get } = yield* guarded(({ pathname }) =>
      pathname === "/moved"
        ? Effect.succeed(new Response(null, { status: 301, headers: { location: "/image" } }))
        : image()
    )
    for (let call = 0; call < 999; call++) yield* get("https://icons.example/moved")
    assert.strictEqual(yield* get("https://icons.example/image"), "image")
    assert.strictEqual(yield* get("https://icons.example/moved"), "icons: rate limit reached")
    assert.strictEqual(yield* get("https://icons.example/image"), "icons: rate limit reached")
    assert.lengthOf(fetches, 2_000)
    assert.strictEqual(yield* get("https://other.example/image"), "image")
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* get("https://icons.example/image"), "image")
  })

  it("calls at most 200 hosts per hour", function* () {
    const { get } = yield* guarded(() => image())
    for (let host = 0; host < 200; host++) assert.strictEqual(yield* get(`https://icons.example${host}.com/`), "image")
    assert.strictEqual(yield* get("https://icons.example/"), "icons: rate limit reached")
    assert.strictEqual(yield* get("https://icons.example0.com/"), "image")
    yield* TestClock.adjust("1 hour")
    assert.strictEqual(yield* get("https://icons.example/"), "image")
  })

  it("reads a body up to its maximum size, without a declared length too", function* () {
    const parts = (count: number) =>
      new ReadableStream({
        start: (controller) => {
          for (let part = 0; part < count; part++) controller.enqueue(Buffer.from("12"))
          controller.close()
        }
      })
    const { get } = yield* guarded(({ pathname }) => image(parts(Number(pathname.slice(1)))))
    assert.strictEqual(yield* get("https://icons.example/5"), "1212121212")
    assert.strictEqual(yield* get("https://icons.example/6"), "icons: returned a response that is too large")
    assert.strictEqual(yield* get("https://icons.example/0"), "")
  })
})
