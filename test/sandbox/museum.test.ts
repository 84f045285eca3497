import * as World from "../../src/sandbox/world/World.ts"
import { exactText, fixtureAt, recorded } from "../support/fixtures.ts"
import { assert, describe, it } from "../support/vitest.ts"
import type { MuseumCase } from "./museum.ts"
import * as museums from "./museums.ts"

const tables: ReadonlyArray<[family: string, cases: ReadonlyArray<MuseumCase>]> = Object.entries(museums)

describe("the table of the forms in a museum", () => {
  for (const [family, cases] of tables)
    it(`names a recording or a document, and a museum, in each row: ${family}`, () => {
      assert.isNotEmpty(cases)
      for (const { address, case: form, fixture: path, network } of cases) {
        assert.match(path, /^([\w-]+\/[\w-]+\.json|https:\/\/[\w./#-]+)$/, form)
        assert.strictEqual(address, World.museum(network), form)
      }
    })
})

for (const [family, cases] of tables)
  recorded(`the recordings of the forms in a museum: ${family}`, () => {
    for (const { case: form, fixture: path, shows } of cases.filter(({ fixture }) => !fixture.startsWith("https:")))
      it(`have ${form}`, () => {
        assert.match(exactText(fixtureAt(path)), shows)
      })
  })
