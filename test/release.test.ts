import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import { modulesOf } from "../scripts/build.ts"
import { billOfMaterials, type Contents, packageOf, parseLock } from "../scripts/release/billOfMaterials.ts"
import { cut, sectionOf } from "../scripts/release/changelog.ts"
import { refusalsOf } from "../scripts/release/refusalsOf.ts"
import { runtimeLicense } from "../scripts/release/runtime.ts"

const empty = "# Changelog\n\n## Unreleased\n"
const changes = "\n### Balances\n\n- Add balances.\n- Read them in time.\n"

describe("the changelog of a release", () => {
  it("is cut from the unreleased changes, which are empty then", () => {
    const first = cut(`${empty}${changes}`, "0.1.0", "2026-11-26")
    assert.strictEqual(first, `${empty}\n## 0.1.0 - 2026-11-26\n${changes}`)
    assert.strictEqual(sectionOf(first, "0.1.0"), `## 0.1.0 - 2026-11-26\n${changes}`)
    assert.isUndefined(sectionOf(first, "Unreleased"))
    assert.isUndefined(sectionOf(first, "0.1"))
    const second = cut(first.replace(empty, `${empty}\n- Fix a price.\n`), "0.1.1", "2026-12-01")
    assert.strictEqual(sectionOf(second, "0.1.1"), "## 0.1.1 - 2026-12-01\n\n- Fix a price.\n")
    assert.strictEqual(sectionOf(second, "0.1.0"), sectionOf(first, "0.1.0"))
  })

  it("is not cut twice, without changes, or with another form of date", () => {
    const first = cut(`${empty}${changes}`, "0.1.0", "2026-11-26")
    assert.throws(() => cut(first, "0.1.0", "2026-11-27"), /already has version 0\.1\.0/)
    assert.throws(() => cut(first, "0.1.1", "2026-11-27"), /no changes in "Unreleased"/)
    for (const date of ["26.11.2026", "2026-13-01", ""])
      assert.throws(() => cut(`${empty}${changes}`, "0.1.0", date), /is not a date/)
  })

  it("has an empty or filled section of unreleased changes on top", () => {
    assert.match(readFileSync("CHANGELOG.md", "utf8"), /^# Changelog\n\n## Unreleased\n\n(?:### |- |## \d)/)
  })

  it("lists each change once, also after merges", () => {
    const changes: ReadonlyArray<string> = readFileSync("CHANGELOG.md", "utf8").match(/^- .*$/gm) ?? []
    assert.isNotEmpty(changes)
    assert.deepStrictEqual(
      changes.filter((line, index) => changes.indexOf(line) !== index),
      []
    )
  })
})

describe("a release", () => {
  const state = {
    version: "0.1.0",
    commit: "abc",
    changes: "",
    tagged: undefined,
    section: "## 0.1.0\n\n- Add it.\n",
    isDescribed: true,
    unreleased: undefined
  }

  it("is made from a commit with a section in the changelog, also again if the tag is at this commit", () => {
    assert.deepStrictEqual(refusalsOf(state), [])
    assert.deepStrictEqual(refusalsOf({ ...state, tagged: "abc" }), [])
  })

  it("is refused with each reason", () => {
    const refused = refusalsOf({ ...state, changes: " M src/main.ts", tagged: "def", section: undefined })
    assert.deepStrictEqual(refused, [
      "these files have changes that are not committed:\n M src/main.ts",
      "CHANGELOG.md has no changes of version 0.1.0: run `bun run release --cut DATE` and commit the result",
      "the tag v0.1.0 exists at commit def: set the next version in package.json"
    ])
    assert.deepStrictEqual(refusalsOf({ ...state, commit: undefined }), [
      "this is not a git repository: a release is made from a commit"
    ])
    assert.deepStrictEqual(refusalsOf({ ...state, isDescribed: false }), [
      "docs/openapi/0.1.0.json is not the document of this commit: write it with `wallet-data openapi`"
    ])
    assert.deepStrictEqual(refusalsOf({ ...state, unreleased: "## Unreleased\n\n- Add more.\n" }), [
      'CHANGELOG.md has changes in "Unreleased", which this commit contains: move them to version 0.1.0'
    ])
  })
})

describe("the bill of materials", () => {
  const page = readFileSync(runtimeLicense, "utf8")
  const integrity = `sha512-${Buffer.from("abcd").toString("base64")}`
  const files: Readonly<Record<string, string>> = {
    "node_modules/bun-types/docs/project/license.mdx": page,
    "node_modules/viem/package.json": '{"license": "MIT"}',
    "node_modules/viem/node_modules/@noble/curves/package.json": '{"license": "(MIT OR CC0-1.0)"}'
  }
  const contents: Contents = {
    name: "wallet-data",
    version: "0.1.0",
    license: "MIT",
    commit: "abc",
    time: "2026-11-26T00:00:00.000Z",
    bun: "1.4.5",
    modules: ["src/main.ts", "node_modules/viem/a.js", "node_modules/viem/node_modules/@noble/curves/b.js"],
    lock: parseLock(
      `{ "packages": { "viem": ["viem@2.57.1", "", {}, "${integrity}"],
        "unused": ["unused@1.0.0", "", {}, "${integrity}"],
        "viem/@noble/curves": ["@noble/curves@1.9.1", "", { "dependencies": { "a": "1", }, }, "${integrity}"], }, }`
    ),
    read: (path) => files[path] ?? ""
  }

  it("lists the packages whose code is in the binary, with license and hash, and the runtime", () => {
    const bill = JSON.parse(billOfMaterials(contents))
    assert.deepStrictEqual(
      [bill.bomFormat, bill.specVersion, bill.metadata.timestamp],
      ["CycloneDX", "1.6", contents.time]
    )
    assert.deepStrictEqual(bill.metadata.component, {
      type: "application",
      "bom-ref": "wallet-data@0.1.0",
      name: "wallet-data",
      version: "0.1.0",
      licenses: [{ license: { id: "MIT" } }],
      properties: [{ name: "commit", value: "abc" }]
    })
    assert.deepStrictEqual(
      bill.components.map(({ purl }: { readonly purl: string }) => purl),
      ["pkg:npm/%40noble/curves@1.9.1", "pkg:npm/bun@1.4.5", "pkg:npm/viem@2.57.1"]
    )
    assert.deepStrictEqual(bill.components[0], {
      type: "library",
      "bom-ref": "pkg:npm/%40noble/curves@1.9.1",
      group: "@noble",
      name: "curves",
      version: "1.9.1",
      scope: "required",
      hashes: [{ alg: "SHA-512", content: "61626364" }],
      licenses: [{ expression: "(MIT OR CC0-1.0)" }],
      purl: "pkg:npm/%40noble/curves@1.9.1"
    })
  })

  it("has the same bytes for the same input, in any order", () => {
    const reversed = { ...contents, modules: contents.modules.toReversed() }
    assert.strictEqual(billOfMaterials(reversed), billOfMaterials(contents))
  })

  it("is not made if bun.lock lacks a package", () => {
    assert.throws(() => billOfMaterials({ ...contents, lock: {} }), "viem is in the binary, but not in bun.lock")
  })

  it("is not made if a package does not say its license, or the license of a library inside the runtime is new", () => {
    const without = (path: string, text: string) => () =>
      billOfMaterials({ ...contents, read: (name) => (name === path ? text : contents.read(name)) })
    assert.throws(without("node_modules/viem/package.json", "{}"), "viem is in the binary, but has no license")
    const changed = page.replace("LGPL v2.1", "LGPL v3")
    assert.throws(without(runtimeLicense, changed), 'the license of tinycc inside Bun is new: "LGPL v3"')
    assert.throws(without(runtimeLicense, page.replace("LGPL-2 licensed", "free")), /license of JavaScriptCore/)
    assert.throws(without(runtimeLicense, page.slice(0, 1_000)), /no longer lists the libraries/)
  })

  it("names the licenses of the runtime and of the libraries that it links", () => {
    const { components } = JSON.parse(billOfMaterials(contents))
    const [runtime] = components.filter(({ name }: { readonly name: string }) => name === "bun")
    const [{ expression }] = runtime.licenses
    assert.match(expression, /^MIT AND /)
    for (const id of ["LGPL-2.0-only", "LGPL-2.1-only", "Apache-2.0", "BSD-3-Clause", "LicenseRef-boringssl"])
      assert.include(expression.split(" AND "), id)
  })

  it("reads the lock file of this repository", () => {
    const [id, , , hash] = parseLock(readFileSync("bun.lock", "utf8")).effect ?? []
    assert.match(String(id), /^effect@3\./)
    assert.match(String(hash), /^sha512-/)
  })

  it("finds the package of a module, and modules with code in a bundle", () => {
    assert.isUndefined(packageOf("src/main.ts"))
    assert.deepStrictEqual(packageOf("node_modules/viem/node_modules/@noble/curves/esm/b.js"), {
      place: "viem/@noble/curves",
      folder: "node_modules/viem/node_modules/@noble/curves"
    })
    const outputs = { "main.js": { inputs: { "a.ts": { bytesInOutput: 5 }, "b.ts": { bytesInOutput: 0 } } } }
    assert.deepStrictEqual(modulesOf({ outputs }), ["a.ts"])
  })
})
