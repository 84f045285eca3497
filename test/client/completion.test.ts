import { resolve } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import ts from "typescript"
import { clientTypes } from "../../scripts/client-types.ts"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"

const folder = resolve("src/client")
const file = resolve(folder, "completion.ts")

/** Parses the files of the client once for all editors. */
const registry = ts.createDocumentRegistry()

/** The generated types, which are not in the repository. */
const types = await clientTypes()

/** An editor with one open file, in which `|` is the cursor. */
const editor = (text: string) => {
  const code = `import { make } from "./Client.ts"\nconst client = make({ baseUrl: "" })\n${text}`
  const { config } = ts.readConfigFile(resolve(folder, "tsconfig.json"), ts.sys.readFile)
  const { options } = ts.parseJsonConfigFileContent(config, ts.sys, folder)
  const textOf = (name: string) =>
    name === file ? code.replace("|", "") : name === resolve(folder, "types.ts") ? types : ts.sys.readFile(name)
  const service = ts.createLanguageService(
    {
      getCompilationSettings: () => options,
      getScriptFileNames: () => [file],
      getScriptVersion: (name) => (name === file ? code : "1"),
      getScriptSnapshot: (name) => {
        const content = textOf(name)
        return content === undefined ? undefined : ts.ScriptSnapshot.fromString(content)
      },
      getCurrentDirectory: () => folder,
      getDefaultLibFileName: ts.getDefaultLibFilePath,
      fileExists: (name) => textOf(name) !== undefined || ts.sys.fileExists(name),
      readFile: textOf,
      readDirectory: ts.sys.readDirectory,
      directoryExists: ts.sys.directoryExists,
      getDirectories: ts.sys.getDirectories
    },
    registry
  )
  const completions = service.getCompletionsAtPosition(file, code.indexOf("|"), undefined)?.entries ?? []
  return {
    completed: completions
      .filter(({ kind }) => /property|string/.test(kind))
      .map(({ name }) => name.replaceAll('"', "")),
    errors: service
      .getSemanticDiagnostics(file)
      .map(({ messageText }) => ts.flattenDiagnosticMessageText(messageText, " "))
  }
}

const ids = Catalogue.all.map(({ id }) => String(id))

describe("an editor", () => {
  it("completes the ids of networks as keys and as values, and allows others", () => {
    assert.includeMembers(editor("client.balances({ networks: { | } })").completed, ids)
    const value = editor('client.fees("|")')
    assert.includeMembers(value.completed, ids)
    const others = `client.balances({ networks: { "eip155:1": ["0x1"], pebble: [] } })
      const networks: Record<string, string[]> = {}
      client.history({ networks })|`
    assert.deepStrictEqual([value.errors, editor(others).errors], [[], []])
  })

  it("rejects another form of addresses", () => {
    const { errors } = editor(`client.balances({ networks: { ethereum: "0x1" } })
      client.balances({ networks: { pebble: [1] } })
      client.balances({ networks: [[]] })|`)
    assert.lengthOf(errors, 3)
  })
})
