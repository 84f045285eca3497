import { readFileSync } from "node:fs"
import manifest from "../package.json" with { type: "json" }
import { run } from "./support/command.ts"
import { spec } from "./support/document.ts"
import { assert, describe, it } from "./support/vitest.ts"

const text = readFileSync("README.md", "utf8")

const section = (title: string) => text.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? ""

describe("the README", () => {
  it("has at most 150 lines", () => {
    assert.isAtMost(text.split("\n").length - 1, 150)
  })

  it("names scripts that exist, including the tests", () => {
    const scripts = [...text.matchAll(/bun@[\d.]+ run (\w+)/g)].map(([, name = ""]) => name)
    assert.includeMembers(scripts, ["start", "demo", "test", "build"])
    for (const name of scripts) assert.property(manifest.scripts, name)
  })

  it.live("names the ten most important variables, with their defaults", function* () {
    const { stdout } = yield* run(["config"])
    const rows = [...section("Configure it").matchAll(/^\| `([^`]+)` \| ([^|]*) \|/gm)]
    assert.strictEqual(rows.length, 10)
    for (const [, name = "", byDefault = ""] of rows) {
      const pattern = new RegExp(`^${name.replace(/<[A-Z]+>/, "[A-Z0-9_]+")}=(.*) {2}\\(default\\)$`, "m")
      const found = pattern.exec(stdout)
      assert.isNotNull(found, name)
      if (!name.startsWith("<")) assert.strictEqual(found?.[1], byDefault.replace("none", ""), name)
    }
  })

  it("names every route of the contract, except those that exist only for compatibility", () => {
    const routes = section("Routes").replace("{contract?}", "{contract}")
    // A fragment distinguishes two forms of a route.
    for (const path of Object.keys(spec.paths))
      if (!/\/mdata\/(errors|restart)$|\/details\/\{platform\}$/.test(path))
        assert.include(routes, path.replace(/#.*$/, ""))
  })

  it("names the status of every error", () => {
    const statuses = new Set(
      Object.values(spec.paths).flatMap((item) =>
        Object.values(item).flatMap(({ responses }) => Object.keys(responses))
      )
    )
    for (const status of statuses)
      if (Number(status) >= 400 && status !== "500") assert.include(section("Errors"), status)
  })
})
