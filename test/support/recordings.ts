import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"
import unused from "../uncompared.json" with { type: "json" }
import { isWhole } from "./budget.ts"

/** The problems of recorded responses, `provider/name`: those that no test compares, and wrong lines of the table. */
export const problemsOf = (
  all: ReadonlyArray<string>,
  compared: ReadonlySet<string>,
  table: Readonly<Record<string, ReadonlyArray<string>>> = unused
): ReadonlyArray<string> => {
  const listed = Object.values(table).flat()
  const isListed = (file: string) => listed.some((entry) => file === entry || file.startsWith(`${entry}/`))
  return [
    ...all.filter((file) => !compared.has(file) && !isListed(file)).map((file) => `${file}: no test compares it`),
    ...all
      .filter((file) => compared.has(file) && isListed(file))
      .map((file) => `${file}: a test compares it, so remove it from the table`),
    ...listed
      .filter((entry) => !all.some((file) => file === entry || file.startsWith(`${entry}/`)))
      .map((entry) => `${entry}: does not exist`)
  ]
}

const jsonIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))

/**
 * Runs once for the whole suite: fails `run test` at the end if no test compares a sample, and `run test:all` if no
 * test compares an exchange of the folder FIXTURES. test/uncompared.json lists the exceptions. Skips the check for a
 * part of the tests, and if a test failed.
 */
export default (project: TestProject) => {
  const isAll = process.env.TIER === "all"
  if (isAll) console.log(`SEED=${process.env.SEED}`)
  const given = process.env.FIXTURES
  if (given !== undefined && !(existsSync(given) && statSync(given).isDirectory()))
    throw new Error(
      `FIXTURES: "${given}" is not a folder; expected a folder with recorded exchanges, <provider>/<case>.json`
    )
  const folder = isAll ? given : "test/fixtures"
  if (folder === undefined) return
  const temporary = mkdtempSync(join(tmpdir(), "compared-"))
  const list = join(temporary, "list")
  process.env.COMPARED = list
  return async () => {
    const files = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : []
    rmSync(temporary, { recursive: true })
    if (process.exitCode || !(await isWhole(project))) return
    const start = `${resolve(folder)}/`
    const compared = new Set(
      files.flatMap((file) => (file.startsWith(start) ? [file.slice(start.length, -".json".length)] : []))
    )
    const problems = problemsOf(jsonIn(folder), compared, isAll ? unused : {})
    if (problems.length === 0) return
    console.error(`\nRecorded responses:\n${problems.join("\n")}`)
    process.exitCode = 1
  }
}
