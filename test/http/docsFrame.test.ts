import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { colours, framed } from "../../src/http/Documents.ts"

const tokens = readFileSync(new URL("../../src/page/style/tokens.css", import.meta.url), "utf8")

describe("the frame of the API reference", () => {
  it("has the colours of the page", () => {
    for (const [name, [light, dark]] of Object.entries(colours))
      assert.include(tokens, `--${name}: light-dark(${light}, ${dark});`)
  })

  it("links back to the page if there is a page, and keeps the original content", () => {
    const html = "<!doctype html><body><p>$& reference</p></body>"
    const withPage = framed(html, true)
    assert.match(withPage, /^<!doctype html><body><style>.*<nav.*<a [^>]*href="\/">.*<p>\$& reference<\/p><\/body>$/s)
    assert.notInclude(framed(html, false), "href")
  })
})
