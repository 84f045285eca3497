import { assert, describe, it } from "@effect/vitest"
import * as FastCheck from "effect/FastCheck"
import { elements, members } from "../../src/jsonrpc/jsonMembers.ts"

/** Any JSON value, and any whitespace. */
const written = FastCheck.tuple(FastCheck.jsonValue(), FastCheck.constantFrom("", " ", "\n\t", "\r\n  "))

const unlike = (value: unknown) => JSON.parse(JSON.stringify(value)) as unknown

const byName = (entries: ReadonlyArray<readonly [string, unknown]>) =>
  entries.toSorted(([a], [b]) => (a < b ? -1 : Number(a > b)))

const read = (texts: Readonly<Record<string, string | undefined>>) =>
  byName(Object.keys(texts).map((name) => [name, JSON.parse(texts[name] ?? "") as unknown]))

describe("the members of an object, as JSON text", () => {
  it("are those of JSON.parse, for any whitespace, escapes and depth", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.dictionary(FastCheck.fullUnicodeString(), FastCheck.jsonValue()),
        written,
        (record, two) => {
          const value = { ...record, "and one more": two[0] }
          const text = `${two[1]}${JSON.stringify(value, null, two[1].replaceAll(/[^ \t]/g, ""))}${two[1]}`
          const found = members(text)
          assert.isDefined(found)
          assert.deepStrictEqual(read(found ?? {}), byName(Object.entries(unlike(value) as object)))
        }
      ),
      { numRuns: 300 }
    ))

  it("keep digits, exponents and escapes character by character", () => {
    for (const part of [
      "1.0",
      "1e400",
      "-0",
      "0.10",
      "1E+2",
      "12345678901234567890",
      '"\\u00e9\\/\\ud83d\\ude00 é 😀"',
      '"\\\\"',
      '"\\\\\\""',
      '""',
      "[ 1 , [ ] , { } ]",
      '{ "a" : [ { "b" : "]}" } ] }',
      "true",
      "false",
      "null"
    ]) {
      assert.strictEqual(members(`{"a" : ${part} ,"b":${part}}`)?.a, part)
      assert.strictEqual(members(`{"a":1,"b":${part}}`)?.b, part)
      assert.deepStrictEqual(elements(`[${part} , ${part}]`), [part, part])
    }
  })

  it("are named as by JSON.parse: escapes are decoded, and the last of equal names counts", () => {
    assert.deepEqual<unknown>(members('{"id":1,"id":2}'), { __proto__: null, id: "2" })
    assert.deepEqual<unknown>(members('{"id":1,"\\u0069d":2}'), { __proto__: null, id: "2" })
    assert.deepEqual<unknown>(members('{"\\u0069d":1,"id":2}'), { __proto__: null, id: "2" })
    assert.deepEqual<unknown>(members('{"a\\"b":1}'), { __proto__: null, 'a"b': "1" })
    assert.deepEqual(Object.entries(members('{"__proto__":{"id":1}}') ?? {}), [["__proto__", '{"id":1}']])
    assert.isUndefined(members('{"__proto__":{"id":1}}')?.id)
    assert.isUndefined(members('{"\\x":1}'))
  })

  it("are undefined if the text is cut off at any position", () => {
    const text = '{"a":[1,{"b":"x\\"]"}],"c":"\\\\","d":-1.5e3,"e":null,"f":{"g":[]}}'
    assert.isDefined(members(text))
    for (let end = 0; end < text.length; end++) assert.isUndefined(members(text.slice(0, end)), text.slice(0, end))
    const list = `[${text},1,"]"]`
    assert.lengthOf(elements(list) ?? [], 3)
    for (let end = 0; end < list.length; end++) assert.isUndefined(elements(list.slice(0, end)), list.slice(0, end))
  })

  it("are undefined for anything but an object", () => {
    for (const text of [
      "",
      " ",
      "1",
      "null",
      '"a"',
      "[]",
      "<html></html>",
      "{,}",
      '{"a":1,}',
      '{"a":1 "b":2}',
      '{"a"}',
      '{"a":}',
      "{a:1}",
      '{"a":01}',
      '{"a":+1}',
      '{"a":.5}',
      '{"a":1.}',
      '{"a":NaN}',
      '{"a":tru}',
      '{"a":truex}',
      '{"a":[}]}',
      '{"a":1}}',
      '{"a":1} x',
      "\u00a0{}"
    ])
      assert.isUndefined(members(text), text)
    assert.deepEqual<unknown>(members(" {\r\n\t} "), { __proto__: null })
  })
})

describe("the elements of an array, as JSON text", () => {
  it("are those of JSON.parse", () =>
    FastCheck.assert(
      FastCheck.property(
        FastCheck.array(FastCheck.jsonValue()),
        FastCheck.constantFrom(0, 1, 2, "\t"),
        (value, indent) => {
          const found = elements(JSON.stringify(value, null, indent))
          assert.deepStrictEqual(
            found?.map((text) => JSON.parse(text) as unknown),
            unlike(value)
          )
        }
      ),
      { numRuns: 300 }
    ))

  it("are undefined for anything but an array", () => {
    for (const text of ["", "{}", "1", "[1,]", "[,1]", "[1 2]", "[1", "1]", "[1]]", "[tru]", "[1}"])
      assert.isUndefined(elements(text), text)
    assert.deepStrictEqual(elements(" [ ] "), [])
  })

  it("are found in a text of a megabyte of quotation marks and brackets", () => {
    const nasty = JSON.stringify('\\"[{]}'.repeat(150_000))
    assert.deepStrictEqual(elements(`[${nasty},${nasty}]`), [nasty, nasty])
    const deep = `${"[".repeat(100_000)}${"]".repeat(100_000)}`
    assert.deepStrictEqual(elements(`[${deep}]`), [deep])
  })
})
