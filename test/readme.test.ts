import { readFileSync } from "node:fs"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { suiMethods } from "../src/contract/nodesDocument.ts"
import { describe as describeApi } from "../src/contract/openapi.ts"
import { administrative } from "../src/domain/nodeMethods.ts"
import { run } from "./support/command.ts"

const text = readFileSync("README.md", "utf8")

const section = (title: string) => text.split(/^#{2,3} /m).find((part) => part.startsWith(`${title}\n`)) ?? ""

/** What stands between backticks in the first cells of the tables of a section. */
const names = (title: string) =>
  [...section(title).matchAll(/^\|([^|]+)\|/gm)].flatMap(([, cell = ""]) =>
    [...cell.matchAll(/`([^`]+)`/g)].map(([, name = ""]) => name)
  )

const pattern = (name: string) => new RegExp(`^${name.replace(/<[A-Z]+>/, "[A-Z0-9_]+")}$`)

describe("the README", () => {
  it.live("names every variable in its table, and none that there is not", () =>
    Effect.gen(function* () {
      const { stdout } = yield* run(["config"])
      const listed = [...stdout.matchAll(/^([A-Z0-9_]+)=/gm)].map(([, name = ""]) => name)
      const rows = names("Operate it")
      const silent = listed.filter((item) => !rows.some((name) => pattern(name).test(item)))
      assert.deepStrictEqual(silent, [])
      const invented = rows.filter((name) => !listed.some((element) => pattern(name).test(element)))
      assert.deepStrictEqual(invented, [])
    })
  )

  it("names every utility of the contract", () => {
    const { spec } = describeApi({ appName: "app", version: "0.0.0" })
    for (const path of Object.keys(spec.paths).filter((current) => current.startsWith("/utils/")))
      assert.include(text, path)
  })

  it("names the methods that the proxy refuses, and how many of Sui's are translated", () => {
    const access = section("Access to nodes")
    for (const name of administrative) assert.include(access, `\`${name}\``)
    assert.include(access, `all ${suiMethods.length}:`)
  })
})
