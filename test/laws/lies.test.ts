import { assert, describe, it } from "@effect/vitest"
import { changes, undetectable } from "./changes.ts"
import { factsOf, hasReason, isAdmission } from "./facts.ts"
import { kindOf, rootOf, spliced, within } from "./places.ts"

const text = ' {"a" : [ {"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":"-1.5e3"}],"c":null}'

const placesOf = (document: string) => {
  const root = rootOf(document)
  assert(root !== undefined)
  return within(root)
}

/** All texts that a change makes of a document. */
const made = (name: string, document: string, known: ReadonlyArray<string> = []) =>
  placesOf(document).flatMap(
    (place) => changes.find((change) => change.name === name)?.at(document, place, known) ?? []
  )

describe("the places of a response", () => {
  it("are all its values, each with its span in the text", () => {
    assert.deepStrictEqual(
      placesOf(text).map((place) => [kindOf(place), text.slice(place.start, place.end)]),
      [
        ["", text.trim()],
        ["a", '[ {"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":"-1.5e3"}]'],
        ["a.[]", '{"b":18446744073709551615, "0xabcdefabcdefabcdefabcdefab":"7"}'],
        ["a.[].b", "18446744073709551615"],
        ["a.[].{}", '"7"'],
        ["a.[]", '{"b":"-1.5e3"}'],
        ["a.[].b", '"-1.5e3"'],
        ["c", "null"]
      ]
    )
    assert.isUndefined(rootOf("<html>"))
  })

  it("are replaced without a change of the others", () => {
    const [, , , number, , , string] = placesOf(text)
    assert(number !== undefined && string !== undefined)
    assert.strictEqual(
      spliced(text, [
        [number, "1"],
        [string, "{}"]
      ]),
      ' {"a" : [ {"b":1, "0xabcdefabcdefabcdefabcdefab":"7"} , {"b":{}}],"c":null}'
    )
  })
})

describe("lies about a response", () => {
  it("keep it valid, and the form of numbers", () => {
    assert.deepStrictEqual(made("negative", '{"a":"0x10","b":5,"c":"5","d":"five"}'), [
      '{"a":"-0x7","b":5,"c":"5","d":"five"}',
      '{"a":"0x10","b":-7,"c":"5","d":"five"}',
      '{"a":"0x10","b":5,"c":"-7","d":"five"}'
    ])
    assert.deepStrictEqual(made("absent", '{"a":[{"b":1}]}'), ['{"unknown":0}', '{"a":[{"unknown":0}]}'])
    for (const { at, name } of changes)
      for (const place of placesOf(text)) {
        const changed = at(text, place, ["7", "8"])
        if (changed !== undefined) assert.isDefined(rootOf(changed), `${name} ${kindOf(place)}`)
      }
  })

  it("double and reorder rows, and name another address of the request", () => {
    const rows = '[{"a":1},{"a":2}]'
    assert.deepStrictEqual(made("doubled", rows), ['[{"a":1},{"a":1},{"a":2}]'])
    assert.deepStrictEqual(made("reordered", rows), ['[{"a":2},{"a":1}]'])
    assert.deepStrictEqual(made("of another", '{"a":"0xAB","b":"0xEF"}', ["0xab", "0xcd"]), ['{"a":"0xcd","b":"0xEF"}'])
  })

  it("leave out the undetectable ones, each with its reason", () => {
    const fits = (place: string, change: string) => undetectable.filter((row) => row.fits(place, change)).length
    assert.strictEqual(fits("trongrid /wallet/getaccountresource NetLimit", "absent"), 1)
    assert.strictEqual(fits("trongrid /wallet/getaccountresource NetLimit", "null"), 0)
    for (const { why } of undetectable) assert.match(why, /^.{20,}$/)
  })
})

describe("the facts of a response", () => {
  it("are its numbers and statements, named by the rows that contain them", () => {
    const body = [
      { hash: "0x1", status: "Success", fee: null, note: "words" },
      { hash: "0x1", fee: "12" }
    ]
    assert.deepStrictEqual(factsOf(body), [
      { path: "/0x1/status", value: "Success" },
      { path: "/0x1/fee", value: null },
      { path: "/0x1#2/fee", value: "12" }
    ])
  })

  it("may be admitted not to be known, with a reason", () => {
    assert.isTrue(isAdmission({ path: "/a/complete", value: false }))
    assert.isFalse(isAdmission({ path: "/a/complete", value: true }))
    assert.isTrue(hasReason([{ balance: null, errorCode: "timeout" }]))
    assert.isTrue(hasReason({ meta: { missing: ["transfers: timed out"] } }))
    assert.isFalse(hasReason({ meta: { missing: [] }, errorCode: null }))
  })
})
