import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import { marksOf } from "../../src/page/parts/networkMarks.ts"

describe("the marks of networks", () => {
  it("have letters of the name, and differ in letters and colour", () => {
    const marks = marksOf(Catalogue.all)
    const all = [...marks.values()]
    assert.lengthOf(all, Catalogue.all.length)
    assert.lengthOf([...new Set(all.map(({ letters }) => letters))], all.length)
    assert.lengthOf([...new Set(all.map(({ hue }) => hue))], all.length)
    for (const { id, name } of Catalogue.all) {
      const letters = marks.get(id)?.letters ?? ""
      assert.match(letters, /^[A-Z0-9]{2}$/, id)
      assert.strictEqual(letters[0], name[0]?.toUpperCase())
    }
  })

  it("do not change, and exist for any name", () => {
    const networks = ["", "A", "A", "B c", "🙂"].map((name, index) => ({ id: String(index), name }))
    assert.deepStrictEqual(marksOf(networks), marksOf(networks))
    for (const { letters } of marksOf(networks).values()) assert.notStrictEqual(letters, "")
  })
})
