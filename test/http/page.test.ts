import { gzipSync } from "node:zlib"
import * as Effect from "effect/Effect"
import { Edge, problem } from "../support/edge.ts"
import { assert, built, describe, it } from "../support/vitest.ts"

const textOf = (response: Response) => Effect.promise(() => response.text())

/** The paths of the files that the document references. */
const filesIn = (html: string) => [...html.matchAll(/(?:src|href)="(\/page\/[^"]+)"/g)].map(([, path = ""]) => path)

describe("the page", () => {
  it("is a document without inline code that loads nothing from other origins", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    const response = yield* call("/")
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("content-type"), "text/html; charset=utf-8")
    assert.strictEqual(response.headers.get("cache-control"), "no-cache")
    assert.strictEqual(response.headers.get("referrer-policy"), "no-referrer")
    const policy = response.headers.get("content-security-policy") ?? ""
    assert.match(policy, /^default-src 'none'; script-src 'self'; style-src 'self';/)
    assert.notMatch(policy, /unsafe|data:|blob:|https?:|\*/)
    const html = yield* textOf(response)
    assert.notMatch(html, /<script(?![^>]*\bsrc=)|<style|\sstyle=|\son\w+=|https?:\/\//)
    assert.isAtLeast(filesIn(html).length, 3)
    // Rendering waits for the script, which sets the colours.
    assert.match(html, /<script type="module" blocking="render"/)

    const head = yield* call("/", { method: "HEAD" })
    assert.strictEqual(head.status, 200)
    assert.strictEqual(yield* textOf(head), "")
    assert.strictEqual(head.headers.get("etag"), response.headers.get("etag"))
    const again = yield* call("/", { headers: { "if-none-match": response.headers.get("etag") ?? "" } })
    assert.strictEqual(again.status, 304)
    assert.strictEqual((yield* call("/", { method: "POST" })).status, 405)
  })

  it("has small files that are cached forever, because their names change with their content", function* () {
    const { call } = yield* built(Edge, Edge.layer())
    let bytes = 0
    for (const path of filesIn(yield* Effect.flatMap(call("/"), textOf))) {
      const response = yield* call(path, { headers: { "accept-encoding": "gzip" } })
      assert.strictEqual(response.status, 200, path)
      assert.strictEqual(response.headers.get("cache-control"), "public, max-age=31536000, immutable")
      assert.isNotNull(response.headers.get("etag"))
      bytes += (yield* Effect.promise(() => response.arrayBuffer())).byteLength
    }
    assert.isBelow(bytes, 41_000)
    for (const path of ["/page/none.js", "/page/index.html", "/page/", "/page/%2e%2e%2findex.html"])
      assert.strictEqual((yield* problem(yield* call(path))).status, 404, path)
  })

  it.effect("is at most 130 kB in any language, compressed, with every view", () =>
    Effect.promise(async () => {
      const { files } = await import("../../src/http/page/files.ts")
      const sizes = files.map(({ name, text }) => [name, gzipSync(text, { level: 9 }).byteLength] as const)
      const languages = sizes.filter(([name]) => /^(de|es|fr)-/.test(name)).map(([, size]) => size)
      assert.lengthOf(languages, 3)
      const all = sizes.reduce((sum, [, size]) => sum + size, 0)
      assert.isBelow(all - languages.reduce((sum, size) => sum + size, 0) + Math.max(...languages), 130_000)
    })
  )

  it("serves its icon at the path that browsers request, cached for a day", function* () {
    const { call } = yield* built(Edge, Edge.layer({ API_KEYS: "key-of-the-test-page" }))
    const { headers, status } = yield* call("/favicon.ico")
    assert.deepStrictEqual(
      [status, headers.get("content-type"), headers.get("cache-control")],
      [200, "image/svg+xml", "public, max-age=86400"]
    )
  })

  it("needs no API key, but its data does", function* () {
    const { call } = yield* built(Edge, Edge.layer({ API_KEYS: "key-of-the-test-page" }))
    const html = yield* Effect.flatMap(call("/"), textOf)
    const [path = ""] = filesIn(html)
    const file = yield* call(path)
    assert.strictEqual(file.status, 200)
    assert.match(file.headers.get("cache-control") ?? "", /^public/)
    for (const route of ["/networks", "/address/x", "/nowhere"])
      assert.strictEqual((yield* problem(yield* call(route))).status, 401, route)
  })

  it("is 404 if PAGE is off", function* () {
    const { call } = yield* built(Edge, Edge.layer({ PAGE: "off" }))
    for (const path of ["/", "/page/index.html"])
      assert.strictEqual((yield* problem(yield* call(path))).status, 404, path)
  })
})
