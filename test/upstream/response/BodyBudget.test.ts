import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import { identity } from "effect/Function"
import * as BodyBudget from "../../../src/upstream/response/BodyBudget.ts"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../src/upstream/response/ResponseSize.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const mebibyte = 1024 * 1024
const part = 65_536

const request = HttpClientRequest.get("http://upstream.test/")

/** Bodies of this length, without Content-Length, that end after `open`; `pulled` is the total read, bytes. */
const bodies = (length: number) => {
  const gate = Promise.withResolvers<void>()
  let pulled = 0
  const response = () => {
    let left = length
    const stream = new ReadableStream<Uint8Array>(
      {
        pull: (controller) => {
          if (left === 0) return gate.promise.then(() => controller.close())
          left -= part
          pulled += part
          controller.enqueue(new Uint8Array(part).fill(32))
        }
      },
      { highWaterMark: 0 }
    )
    return HttpClientResponse.fromWeb(request, new Response(stream))
  }
  return { response, pulled: () => pulled, open: gate.resolve }
}

/** Waits until reading has stopped, and returns the total read, bytes. */
const settled = (pulled: () => number) =>
  Effect.promise(async () => {
    let before = -1
    for (let still = 0; still < 50; still = before === pulled() ? still + 1 : 0) {
      before = pulled()
      await new Promise((resolve) => setImmediate(resolve))
    }
    return before
  })

describe("garbage of large bodies", () => {
  it("is collected after each 64 MiB if the process is large, and is left to the runtime otherwise", () => {
    let memory = 300 * mebibyte
    let collections = 0
    const read = BodyBudget.collecting(
      () => memory,
      () => collections++
    )
    for (let body = 0; body < 40; body++) read(4 * mebibyte)
    assert.strictEqual(collections, 0)
    memory = 401 * mebibyte
    for (let body = 0; body < 40; body++) read(4 * mebibyte)
    assert.strictEqual(collections, 3)
  })
})

describe("the bodies of all upstreams together", () => {
  for (const [name, length, count] of [
    ["up to 1 MiB", mebibyte, 72],
    ["up to 4 MiB", 4 * mebibyte, 12]
  ] as const)
    it(`are read up to their budget at the same time, and all to the end in turn: ${name}`, function* () {
      const { open, pulled, response } = bodies(length)
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: count }, () =>
            Effect.suspend(() => ResponseDecoder.read(response(), ResponseSize.usual))
          ),
          { concurrency: "unbounded" }
        )
      )
      // Each body may have its first part, and one that its reader did not get yet.
      assert.isAtMost(yield* settled(pulled), 32 * mebibyte + count * 2 * part)
      assert.isAbove(pulled(), 8 * mebibyte)
      open()
      const texts = yield* Fiber.join(all)
      assert.deepStrictEqual([...new Set(texts.map(({ text }) => text.length))], [length])
    })

  it("release their memory once they are read or rejected, without waiting for a garbage collection", function* () {
    for (const [length, left] of [
      [2 * mebibyte, 0],
      [5 * mebibyte, 0],
      // A short body retains little memory: only its chunks.
      [mebibyte, mebibyte]
    ] as const) {
      const parts: Array<Uint8Array> = []
      const stream = new ReadableStream<Uint8Array>({
        pull: (controller) => {
          if (parts.length * part >= length) return controller.close()
          const next = new Uint8Array(part).fill(32)
          parts.push(next)
          controller.enqueue(next)
        }
      })
      const response = HttpClientResponse.fromWeb(request, new Response(stream))
      yield* Effect.either(ResponseDecoder.read(response, ResponseSize.usual))
      // Chunks that are still queued in the stream have not reached its reader.
      const kept = parts.reduce((sum, { byteLength }) => sum + byteLength, 0)
      assert.isAtMost(kept, left + 4 * part, String(length))
      assert.isAtLeast(kept, left, String(length))
    }
  })

  it("of one host get their memory in turns by client", function* () {
    const read: Array<string> = []
    const memoryOf = (client: string) => BodyBudget.ofClients("host.test", client, identity)
    const most = memoryOf("large")
    assert.isUndefined(most.reserve(part + 1, 9 * mebibyte, 9 * mebibyte))
    const body = (name: string, client: string) =>
      Effect.suspend(() => {
        const memory = memoryOf(client)
        const noted = Effect.zipRight(
          Effect.sync(() => read.push(name)),
          Effect.repeatN(Effect.yieldNow(), 6)
        )
        return Effect.ensuring(
          Effect.zipRight(memory.reserve(part + 1, 2 * mebibyte, 2 * mebibyte) ?? Effect.void, noted),
          memory.release
        )
      })
    const bodies = [body("1", "large"), body("2", "large"), body("3", "large"), body("4", "small")]
    yield* Effect.all(bodies, { concurrency: "unbounded" })
    assert.deepStrictEqual(read, ["1", "2", "4", "3"])
    yield* most.release
  })

  it("can use the memory of abandoned bodies again", function* () {
    const stuck = bodies(4 * mebibyte)
    const all = yield* Effect.fork(
      Effect.all(
        Array.from({ length: 70 }, () => Effect.suspend(() => ResponseDecoder.read(stuck.response()))),
        { concurrency: "unbounded" }
      )
    )
    yield* settled(stuck.pulled)
    yield* Fiber.interrupt(all)
    const next = bodies(4 * mebibyte)
    next.open()
    const texts = yield* Effect.all(
      Array.from({ length: 4 }, () => Effect.suspend(() => ResponseDecoder.read(next.response()))),
      { concurrency: "unbounded" }
    )
    assert.lengthOf(texts, 4)
  })
})
