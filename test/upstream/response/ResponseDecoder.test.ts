import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as ResponseDecoder from "../../../src/upstream/response/ResponseDecoder.ts"
import * as ResponseSize from "../../../src/upstream/response/ResponseSize.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const answer = (text: string): ResponseDecoder.UpstreamResponse => ({ status: 200, text, retryAfter: undefined })

describe("the size of a response", () => {
  const nested = (depth: number, open: string, close: string) => `${open.repeat(depth)}1${close.repeat(depth)}`
  const sized = (text: string, size?: ResponseSize.Size) =>
    Effect.map(
      Effect.either(
        ResponseDecoder.read(
          HttpClientResponse.fromWeb(HttpClientRequest.get("http://one.example"), new Response(text)),
          size
        )
      ),
      Either.mapLeft(({ detail }) => detail)
    )
  const refused = Either.left("returned a response that is too large")

  it("is bounded in bytes, in values and in depth", function* () {
    const size = { bytes: 10_000, values: 1_000 }
    for (const text of [
      "x".repeat(10_000),
      `[${"1,".repeat(998)}1]`.padEnd(9_000),
      nested(ResponseSize.maxDepth - 1, "[", "]"),
      nested(ResponseSize.maxDepth - 1, '{"a":', "}"),
      // The content of a string does not count as values.
      JSON.stringify({ a: '[{,"'.repeat(1_200) })
    ])
      assert.deepStrictEqual(
        Either.map(yield* sized(text, size), ({ text }) => text),
        Either.right(text)
      )
    for (const text of [
      "x".repeat(10_001),
      `[${"1,".repeat(1_000)}1]`.padEnd(9_000),
      `[${"[],".repeat(1_000)}[]]`,
      nested(ResponseSize.maxDepth + 1, "[", "]"),
      nested(ResponseSize.maxDepth + 1, '{"a":', "}"),
      "[".repeat(9_000)
    ])
      assert.deepStrictEqual(yield* sized(text, size), refused)
  })

  it("is not bounded in values if it is passed on", function* () {
    for (const text of [`[${"1,".repeat(500_000)}1]`, nested(2_000, "[", "]")])
      assert.isTrue(Either.isRight(yield* sized(text, ResponseSize.proxied)))
  })
})

/** JSON as upstreams send it: any numbers, many of them long, and strings that look like numbers. */
const json = FastCheck.letrec<{ value: string }>((tie) => ({
  value: FastCheck.oneof(
    { depthSize: "small", withCrossShrink: true },
    FastCheck.bigInt({ min: -(10n ** 20n), max: 10n ** 20n }).map(String),
    FastCheck.constantFrom("9007199254740991", "9007199254740992", "-9007199254740993", "1e400", "-0", "1e-7", "0.1"),
    FastCheck.constantFrom("12345678901234567.5", "12345678901234567e3", "null", "true", '"a"', '"\\"', "00", "-", "x"),
    FastCheck.constantFrom('":12345678901234567890,"', '"[-12345678901234567890]"', '"__proto__"', "\u0000"),
    FastCheck.constantFrom('"\ue00012345678901234567890"', '"\\uE000-12345678901234567890"', "012345678901234567890"),
    FastCheck.array(tie("value")).map((all) => `[ ${all.join(" ,")} ]`),
    FastCheck.array(FastCheck.tuple(FastCheck.constantFrom("a", "b", "__proto__"), tie("value"))).map(
      (all) => `{${all.map(([name, value]) => `"${name}": ${value}`).join()}}`
    )
  )
})).value

/** Reference implementation: keeps all digits of every integer. */
const precisely = (text: string): unknown =>
  JSON.parse(text, ((_key: string, value: unknown, context?: { readonly source: string }) =>
    typeof value === "number" && !Number.isSafeInteger(value) && /^-?\d+$/.test(context?.source ?? "")
      ? BigInt(context?.source ?? "")
      : value) as (key: string, value: unknown) => unknown)

describe("the exact JSON parser", () => {
  it("rejects more long integers than it can parse without blocking the event loop", () => {
    const list = (count: number) => `[${`${2n ** 60n},`.repeat(count - 1)}${2n ** 60n}]`
    assert.isTrue(Either.isRight(ResponseDecoder.exactJson(answer(list(100_000)))))
    // A text that contains the placeholder character for integers takes a slower path.
    const marked = (length: number) => `[${2n ** 60n},"\ue000${"a".repeat(length)}"]`
    assert.deepStrictEqual(
      ResponseDecoder.exactJson(answer(marked(10))),
      Either.right([2n ** 60n, `\ue000${"a".repeat(10)}`])
    )
    for (const text of [list(100_001), marked(1_000_000)])
      assert.include(Option.getOrThrow(Either.getLeft(ResponseDecoder.exactJson(answer(text)))), {
        reason: "bad_answer"
      })
  })

  it("keeps all digits of integers in any context, and rejects text that is not JSON", () => {
    FastCheck.assert(
      FastCheck.property(json, (text) => {
        const expected = Either.try(() => precisely(text))
        const found = ResponseDecoder.exactJson(answer(text))
        assert.strictEqual(Either.isRight(found), Either.isRight(expected))
        if (Either.isRight(expected)) assert.deepStrictEqual(Either.getOrThrow(found), expected.right)
      }),
      { numRuns: 500 }
    )
  })
})

describe("a response that cannot be decoded", () => {
  const decoded = <A, I>(schema: Schema.Schema<A, I>, body: string) =>
    Either.mapLeft(ResponseDecoder.fitting(schema)(answer(body)), ({ detail }) => detail)

  it("is reported by the path of its first issue, for any number of issues", () => {
    const Row = Schema.Struct({ a: Schema.Number })
    const rows = `[${'{"a":1},'.repeat(1_000)}${'{"a":"secret"},'.repeat(100_000)}{}]`
    assert.deepStrictEqual(decoded(Schema.Array(Row), rows), Either.left(`${unexpected} (at 1000.a)`))
    const Union = Schema.Struct({ rows: Schema.Union(Schema.Array(Row), Row) })
    assert.deepStrictEqual(decoded(Union, '{"rows":[{"a":null}]}'), Either.left(`${unexpected} (at rows.0.a)`))
    const Refined = Schema.Struct({ a: Schema.NonEmptyString.pipe(Schema.maxLength(2)) })
    assert.deepStrictEqual(decoded(Refined, '{"a":"secret"}'), Either.left(`${unexpected} (at a)`))
    assert.deepStrictEqual(decoded(Schema.Number, '"secret"'), Either.left(unexpected))
    assert.deepStrictEqual(
      decoded(Schema.Struct({ a: Schema.BigInt }), '{"a":"x"}'),
      Either.left(`${unexpected} (at a)`)
    )
    const Named = Schema.Record({ key: Schema.String, value: Schema.Number })
    const long = decoded(Named, JSON.stringify({ ["n".repeat(100_000)]: "secret" }))
    assert.isBelow(Either.isLeft(long) ? long.left.length : Number.NaN, 300)
  })

  it("is reported even if it is nested too deeply to be formatted", () => {
    const outcome = decoded(Schema.Struct({ a: Schema.String }), `{"a":${"[".repeat(100_000)}${"]".repeat(100_000)}}`)
    assert.deepStrictEqual(outcome, Either.left(`${unexpected} (at a)`))
  })

  it("is reported even if its decoder throws", () => {
    const interpret = ResponseDecoder.guarded(() => {
      throw new RangeError("secret")
    })
    assert.deepStrictEqual(
      interpret(answer("{}")),
      Either.left({ reason: "bad_answer", detail: "returned a response that cannot be read", status: 200 })
    )
    const fine = ResponseDecoder.guarded(ResponseDecoder.json)
    assert.deepStrictEqual(fine(answer("[1]")), Either.right([1]))
    assert.isTrue(Either.isLeft(fine(answer("["))))
  })
})

const unexpected = "returned a response in an unexpected format"
