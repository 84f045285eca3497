import { existsSync, readdirSync, readFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../src/catalogue/Catalogue.ts"

// Each family has the same files for the same abilities; see docs/design.md, "A family". A family that lacks one says so in
// its table: `// No history: no source lists the transactions of an address.`

const folder = "src/chains"

const abilities = ["holdings", "history", "status", "findTransaction", "sending", "context", "fees"]

/** Abilities that few families have; their tables need not say so. */
const others = ["breakdown", "estimate", "recipient", "replacement"]

/** The longest table, lines: it fits on a screen, or nearly. */
const maxTable = 110

/** The families, by folder: those with a table. */
const tables = readdirSync(folder, { withFileTypes: true }).flatMap((entry) => {
  const [table] = entry.isDirectory()
    ? readdirSync(`${folder}/${entry.name}`).filter((name) => name.toLowerCase() === `${entry.name}.ts`)
    : []
  return table === undefined ? [] : [[entry.name, `${folder}/${entry.name}/${table}`] as const]
})

describe("the shape of families", () => {
  it("has a folder of the kit for abilities only", () => {
    assert.deepStrictEqual(
      readdirSync(`${folder}/kit`).filter((name) => ![...abilities, ...others].includes(name)),
      []
    )
  })

  it("is checked for each of them", () => {
    assert.sameMembers(
      tables.map(([name]) => name),
      Catalogue.all.map(({ family }): string => family).filter((family, index, all) => all.indexOf(family) === index)
    )
  })

  for (const [name, table] of tables)
    it(`is that of ${name}: a table, and a file for each ability`, () => {
      const text = readFileSync(table, "utf8")
      const family = dirname(table)
      // Where a family has a node proxy, its connection makes the sending too.
      const all = readdirSync(family, { recursive: true, encoding: "utf8" })
        .filter((name) => name.endsWith(".ts"))
        .map((name) => readFileSync(join(family, name), "utf8"))
      const hasFile = (name: string) => existsSync(join(family, `${name}.ts`))
      const lacking = [...text.matchAll(/^ *\/\/ No (\w+): \w/gm)].map(([, name = ""]) => name)
      const expected = [
        ...abilities.filter((name) => !lacking.includes(name)),
        ...[...others, ...lacking].filter(hasFile)
      ]
      const missing = expected.filter((name) => !hasFile(name))
      const unused = expected.filter((name) =>
        name === "sending"
          ? !all.some((other) => /from "\.{1,2}\/sending\.ts"/.test(other))
          : !text.includes(`from "./${name}.ts"`)
      )
      assert.deepStrictEqual({ missing, unused }, { missing: [], unused: [] })
      assert.isAtMost(text.split("\n").length, maxTable)
    })
})
