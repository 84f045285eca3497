import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { clientTypes, clientTypesFile } from "../../scripts/client-types.ts"

const bundle = async () => {
  const { outputs } = await Bun.build({ entrypoints: ["src/client/Client.ts"], minify: true, target: "browser" })
  const [output, ...others] = outputs
  assert.isEmpty(others)
  return output === undefined ? "" : output.text()
}

describe("the client for browsers", () => {
  it("is under 15 kB minified, and has nothing of Effect or of the service in it", async () => {
    const text = await bundle()
    assert.include(text, "x-api-key")
    assert.isBelow(new TextEncoder().encode(text).byteLength, 15_000)
    assert.notMatch(text, /effect|node:|process\.|\bimport\b|\brequire\b/i)
  })

  it("has the types of the document as it is: else run client-types", async () => {
    assert.strictEqual(readFileSync(clientTypesFile, "utf8"), await clientTypes())
  })
})
