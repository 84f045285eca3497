import * as Effect from "effect/Effect"
import { Service } from "../../support/app.ts"
import { assert, layer } from "../../support/vitest.ts"

const policy = "default-src 'none'; style-src 'unsafe-inline'; sandbox"

const icon = Effect.fnUntraced(function* (path: string) {
  const { get } = yield* Service
  const response = yield* get(path)
  const field = (name: string) => response.headers.get(name)
  return { field, status: response.status, text: yield* Effect.promise(() => response.text()) }
})

layer(Service.layer(), { excludeTestServices: true })("GET /icon/{coinId}", (it) => {
  it("returns the icon of a coin for a day", function* () {
    const { field, status, text } = yield* icon("/icon/bitcoin")
    assert.strictEqual(status, 200)
    assert.strictEqual(field("cache-control"), "public, max-age=86400, stale-while-revalidate=2592000")
    assert.strictEqual(field("content-type"), "image/svg+xml")
    assert.strictEqual(field("content-security-policy"), policy)
    assert.strictEqual(field("x-content-type-options"), "nosniff")
    assert.include(text, ">BTC</text>")
  })

  it("draws the icon of an unknown coin for five minutes, and draws it again identically", function* () {
    const { field, status, text } = yield* icon("/icon/unheard-of")
    assert.strictEqual(status, 200)
    assert.strictEqual(field("cache-control"), "public, max-age=300, stale-while-revalidate=2592000")
    assert.strictEqual(field("content-type"), "image/svg+xml")
    assert.strictEqual(field("content-security-policy"), policy)
    assert.include(text, ">U</text>")
    assert.strictEqual((yield* icon("/icon/unheard-of")).text, text)
    assert.notStrictEqual((yield* icon("/icon/unheard-or")).text, text)
  })
})
