import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { operations } from "./support/document.ts"

describe("docs/migration.md", () => {
  it("names only routes of the service in the right column", () => {
    const cells = readFileSync("docs/migration.md", "utf8")
      .split("\n")
      .flatMap((line) => (line.startsWith("| ") ? [line.split("|").at(-2) ?? ""] : []))
    const named = cells.flatMap((cell) =>
      [...cell.matchAll(/`(GET|POST) (\/[^`]*)`/g)].map(([, method, path]) => `${method} ${path}`)
    )
    const known = new Set(operations.map(({ method, path }) => `${method.toUpperCase()} ${path.replace(/#.*/, "")}`))
    assert.isAbove(named.length, 25)
    assert.deepStrictEqual(
      [...new Set(named)].filter((route) => !known.has(route)),
      []
    )
  })
})
