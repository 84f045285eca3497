import { assert, describe, it } from "@effect/vitest"

const bundle = async () => {
  const { outputs } = await Bun.build({ entrypoints: ["src/client/Client.ts"], minify: true, target: "browser" })
  const [output, ...others] = outputs
  assert.isEmpty(others)
  return output === undefined ? "" : output.text()
}

describe("the client for browsers", () => {
  it("is under 15 kB minified, without code of Effect or of the service", async () => {
    const text = await bundle()
    assert.include(text, "x-api-key")
    assert.isBelow(new TextEncoder().encode(text).byteLength, 15_000)
    assert.notMatch(text, /effect|node:|process\.|\bimport\b|\brequire\b/i)
  })
})
