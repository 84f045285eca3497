import { copyFileSync, mkdirSync, rmSync, writeFileSync } from "node:fs"
import { basename, join, resolve } from "node:path"
import ts from "typescript"
import manifest from "../package.json" with { type: "json" }
import client from "../packages/client/package.json" with { type: "json" }
import { writeClientTypes } from "./client-types.ts"

// Builds the package of the promise client: ES modules and CommonJS, with types for both. `npm pack` in packages/client
// runs it.

process.chdir(resolve(import.meta.dir, ".."))
if (client.version !== manifest.version)
  throw new Error(`packages/client has version ${client.version}, the service has version ${manifest.version}`)
await writeClientTypes()

const folder = "packages/client"
const formats = ["esm", "cjs"] as const
rmSync(join(folder, "dist"), { recursive: true, force: true })
for (const format of formats) mkdirSync(join(folder, "dist", format), { recursive: true })

const commonjs = (text: string) =>
  ts.transpileModule(text, { compilerOptions: { module: ts.ModuleKind.CommonJS, target: ts.ScriptTarget.ES2022 } })
    .outputText

/** Names the built files in declarations, as older compilers require. */
const withBuiltNames = (text: string) => text.replace(/(["'])(\.\/\w+)\.ts\1/g, "$1$2.js$1")

const { config } = ts.readConfigFile("src/client/tsconfig.json", ts.sys.readFile)
const { fileNames, options } = ts.parseJsonConfigFileContent(config, ts.sys, "src/client")
const program = ts.createProgram(fileNames, {
  ...options,
  noEmit: false,
  noCheck: true,
  declaration: true,
  allowImportingTsExtensions: false,
  rewriteRelativeImportExtensions: true
})
program.emit(undefined, (path, text) => {
  for (const format of formats) {
    const built = path.endsWith(".d.ts") ? withBuiltNames(text) : format === "cjs" ? commonjs(text) : text
    writeFileSync(join(folder, "dist", format, basename(path)), built)
  }
})
writeFileSync(join(folder, "dist/cjs/package.json"), '{ "type": "commonjs" }\n')
copyFileSync("LICENSE", join(folder, "LICENSE"))
