import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Compression from "../../../src/http/response/Compression.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const large = new Uint8Array(40_000)
const smaller = new Uint8Array(10)

/** A compression whose end the test decides. */
const controlled = () => {
  const started: Array<string> = []
  const waiting: Array<(result: Uint8Array | undefined) => void> = []
  const compress = (_: Uint8Array, encoding: Compression.Encoding, done: (typeof waiting)[number]) => {
    started.push(encoding)
    waiting.push(done)
  }
  const end = (result: Uint8Array | undefined) => {
    for (const done of waiting.splice(0)) done(result)
  }
  return { compress, end, started }
}

const encodingsOf = (forms: ReadonlyArray<Compression.EncodedBody>) => forms.map(({ encoding }) => encoding)

/** Lets all fibers run until they wait. */
const settle = Effect.repeatN(Effect.yieldNow(), 6)

describe("the encodings of a large body", () => {
  it("are made once for concurrent requests, even if the first client disconnects", function* () {
    const { compress, end, started } = controlled()
    const forms = Compression.forms(large, compress)
    const first = yield* Effect.fork(forms.get("zstd", 250))
    const others = yield* Effect.fork(
      Effect.all([forms.get("zstd", 250), forms.get("zstd", 250), forms.get("gzip", 250)], { concurrency: "unbounded" })
    )
    yield* settle
    yield* Fiber.interrupt(first)
    assert.isUndefined(forms.made("zstd"))
    end(smaller)
    const found = yield* Fiber.join(others)
    assert.deepStrictEqual(encodingsOf(found), ["zstd", "zstd", "gzip"])
    for (const { body } of found) assert.strictEqual(body, smaller)
    yield* forms.get("zstd", 250)
    assert.deepStrictEqual(started, ["zstd", "gzip"])
  })

  it("are plain for a response that waits too long, and at once until a thread is free again", function* () {
    const { compress, end, started } = controlled()
    const forms = Compression.forms(large, compress)
    const other = Compression.forms(large, compress)
    const first = yield* Effect.fork(forms.get("br", 250))
    yield* TestClock.adjust("249 millis")
    assert.isNull(first.unsafePoll())
    yield* TestClock.adjust("1 millis")
    assert.deepStrictEqual(yield* Fiber.join(first), { encoding: undefined, body: large })
    assert.deepStrictEqual(
      encodingsOf(yield* Effect.all([forms.get("br", 250), forms.get("gzip", 250), other.get("zstd", 250)])),
      [undefined, undefined, undefined]
    )
    assert.deepStrictEqual(started, ["br"])
    end(smaller)
    // The late result serves later requests.
    assert.deepStrictEqual(yield* forms.get("br", 250), { encoding: "br", body: smaller })
    const next = yield* Effect.fork(other.get("zstd", 250))
    yield* settle
    end(smaller)
    assert.strictEqual((yield* Fiber.join(next)).encoding, "zstd")
  })

  it("are plain after a failure, and made by the next request", function* () {
    const { compress, end, started } = controlled()
    const forms = Compression.forms(large, compress)
    for (const [result, encoding] of [
      [undefined, undefined],
      [smaller, "gzip"]
    ] as const) {
      const asked = yield* Effect.fork(forms.get("gzip", 250))
      yield* settle
      end(result)
      if (result !== undefined) assert.strictEqual(forms.made("gzip")?.body, smaller)
      assert.strictEqual((yield* Fiber.join(asked)).encoding, encoding)
    }
    assert.deepStrictEqual(started, ["gzip", "gzip"])
  })

  it("wait a tenth of the time that is left, and at most 250 ms", function* () {
    assert.deepStrictEqual([15_000, 2_500, 1_000, 0].map(Compression.maxWait), [250, 250, 100, 0])
    const { compress, started } = controlled()
    const { encoding } = yield* Compression.forms(large, compress).get("br", Compression.maxWait(-500))
    assert.isUndefined(encoding)
    assert.deepStrictEqual(started, [])
  })
})

describe("the encodings of a small body", () => {
  it("are made synchronously, without a thread", () => {
    const { compress, started } = controlled()
    for (const encoding of ["br", "gzip", "zstd"] as const) {
      const forms = Compression.forms(large.subarray(0, 32 * 1024), compress)
      const made = Effect.runSync(forms.get(encoding, 0))
      assert.strictEqual(made.encoding, encoding)
      assert.isBelow(made.body.byteLength, 1_000)
    }
    assert.deepStrictEqual(started, [])
  })
})
