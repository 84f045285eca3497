import { existsSync } from "node:fs"
import { assert, it } from "../../support/vitest.ts"
import { continuations, elsewhere, groups } from "./sources.ts"

it("tests a source of each kind of adapter, or says why no route sends a parameter", () => {
  const sources = Object.values(groups).flatMap((all) => all.flatMap((group) => group.sources))
  assert.deepStrictEqual(
    [...new Set(sources.map(({ kind }) => kind as string))].sort(),
    Object.keys(continuations).sort()
  )
})

it("names existing tests for parameters that other addresses or routes send", () => {
  const reasons = [...Object.values(continuations).flatMap((all) => Object.values(all)), ...Object.values(elsewhere)]
  const files = reasons.flatMap((reason) => (typeof reason === "string" ? (reason.match(/test\/\S+\.ts/g) ?? []) : []))
  assert.isNotEmpty(files)
  for (const file of files) assert.isTrue(existsSync(file), file)
})
