import { mkdirSync, writeFileSync } from "node:fs"
import { dirname, join } from "node:path"
import { project, root } from "../trial.ts"

export const packageName = "wallet-data-client"

interface Bundle {
  /** To write, in the project. */
  readonly file: string
  readonly format: "esm" | "cjs" | "iife"
  /** Module with the trial, in `scripts`. */
  readonly trial?: string
  /** What to do with `client` and `main`. */
  readonly use: string
  /** Whether the file loads the client as a package, instead of containing it. */
  readonly loads?: boolean
}

/** Writes a trial as one file; returns its name in the project. */
export const bundle = async ({ file, format, loads = false, trial = "clientTrial.ts", use }: Bundle) => {
  const entry = join(project, `${file}.ts`)
  mkdirSync(dirname(entry), { recursive: true })
  const load =
    format === "cjs" ? `const client = require("${packageName}")` : `import * as client from "${packageName}"`
  writeFileSync(entry, `import { main } from "${join(root, "scripts", trial)}"\n${load}\n${use}\n`)
  const external = loads ? [packageName] : []
  const { outputs } = await Bun.build({ entrypoints: [entry], format, external, target: "node" })
  writeFileSync(join(project, file), (await outputs[0]?.text()) ?? "")
  return file
}
