import { assert, it } from "../../support/vitest.ts"
import { continuations, groups } from "./sources.ts"

it("tests a source of each kind of adapter, or says why no route sends a parameter", () => {
  const sources = Object.values(groups).flatMap((all) => all.flatMap((group) => group.sources))
  assert.deepStrictEqual(
    [...new Set(sources.map(({ kind }) => kind as string))].sort(),
    Object.keys(continuations).sort()
  )
})
