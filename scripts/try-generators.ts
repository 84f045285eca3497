// Generates clients in Kotlin and Swift from the document for generators, with openapi-generator, which needs Java.
import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { forGenerators } from "../src/contract/document/generators.ts"
import { describe } from "../src/contract/openapi.ts"
import { project, run, step, trial } from "./trial.ts"

/** The last version that npm has as a whole; later versions load their program from another registry. */
const generator = "@openapitools/openapi-generator-cli@1.0.18-5.0.0-beta2"

/** Messages about generator options and names, not about the document. */
const irrelevant = /CodegenIgnoreProcessor|generator's option|reserved word/

/** Generates a client and returns its source; throws if the generator has warnings about the document. */
const generate = (language: string, extension: string): string => {
  const out = join(project, language)
  const log = run([
    ...["npx", "-y", "-p", generator, "--", "openapi-generator"],
    ...["generate", "-g", language, "-i", join(project, "openapi.json"), "-o", out]
  ])
  const warnings = log.split("\n").filter((line) => /WARN|ERROR|Exception/.test(line) && !irrelevant.test(line))
  if (warnings.length > 0) throw new Error(`${language}: ${warnings.join("\n")}`)
  const files = [...new Bun.Glob(`**/*.${extension}`).scanSync(out)]
  return files.map((file) => readFileSync(join(out, file), "utf8")).join("\n")
}

const languages = [
  { language: "kotlin", extension: "kt", balance: "val balance: kotlin.String?" },
  { language: "swift5", extension: "swift", balance: "var balance: String?" }
]

await trial(async () => {
  const spec = await Effect.runPromise(describe({ appName: "app", version: "0.0.0" }))
  const document = forGenerators(spec)
  writeFileSync(join(project, "openapi.json"), JSON.stringify(document))
  const ids = Object.values(document.paths as object).flatMap((item) =>
    Object.values(item as Record<string, { readonly operationId: string }>).map(({ operationId }) => operationId)
  )
  // `balances.token` -> `balancesToken`
  const names = ids.map((id) => id.replace(/\.(.)/g, (_, letter: string) => letter.toUpperCase()))
  if (Bun.which("java") === null) {
    const line = "skipped because a program is not installed: generated clients of Swift and Kotlin (java)"
    if (process.env.REQUIRE_TOOLS === "1") throw new Error(line)
    return console.log(line)
  }
  for (const { balance, extension, language } of languages)
    await step(`${language}: ${names.length} operations`, () => {
      const source = generate(language, extension)
      const missing = names.filter((name) => !new RegExp(`fun[c]? ${name}\\(`).test(source))
      if (missing.length > 0) throw new Error(`${language} has no function ${missing.join(", ")}`)
      if (!source.includes(balance)) throw new Error(`${language} has no nullable balance`)
      const union = source.match(/\b(OneOf|AnyOf)\w+/)
      if (union !== null) throw new Error(`${language} has a union without a declaration: ${union[0]}`)
    })
})
