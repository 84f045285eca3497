import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import type { TestProject } from "vitest/node"
import { isWhole } from "./budget.ts"
import { recordingFolders } from "./recordingFolders.ts"
import { isListed, isOf, uncompared } from "./uncompared.ts"

/**
 * The problems of recorded responses, `provider/name`: those that no test compares, and wrong lines of the table. A group
 * of the table none of whose files exists belongs to a folder that is not given.
 */
export const problemsOf = (
  all: ReadonlyArray<string>,
  compared: ReadonlySet<string>,
  table: Readonly<Record<string, ReadonlyArray<string>>> = uncompared
): ReadonlyArray<string> => {
  const exists = (entry: string) => all.some((file) => isOf(entry, file))
  return [
    ...all
      .filter((file) => !compared.has(file) && !isListed(file, table))
      .map((file) => `${file}: no test compares it`),
    ...all
      .filter((file) => compared.has(file) && isListed(file, table))
      .map((file) => `${file}: a test compares it, so remove it from the table`),
    ...Object.values(table)
      .filter((group) => group.some(exists))
      .flatMap((group) => group.filter((entry) => !exists(entry)))
      .map((entry) => `${entry}: does not exist`)
  ]
}

const jsonIn = (folder: string) =>
  readdirSync(folder, { recursive: true, encoding: "utf8" })
    .filter((file) => file.endsWith(".json"))
    .map((file) => file.slice(0, -".json".length))

const isFolder = (path: string) => existsSync(path) && statSync(path).isDirectory()

/**
 * Runs once for the whole suite: fails `run test` at the end if no test compares a sample, and `run test:all` if no
 * test compares an exchange of the folders in FIXTURES. test/uncompared.json lists the exceptions. Skips the check for a
 * part of the tests, and if a test failed.
 */
export default (project: TestProject) => {
  const isAll = process.env.TIER === "all"
  if (isAll) console.log(`SEED=${process.env.SEED}`)
  for (const folder of recordingFolders)
    if (!isFolder(folder))
      throw new Error(
        `FIXTURES: "${folder}" is not a folder; expected folders with recorded exchanges, <provider>/<case>.json, separated by colons`
      )
  const folders = isAll ? recordingFolders : [resolve("test/fixtures")]
  if (folders.length === 0) return
  const temporary = mkdtempSync(join(tmpdir(), "compared-"))
  const list = join(temporary, "list")
  process.env.COMPARED = list
  return async () => {
    const files = existsSync(list) ? readFileSync(list, "utf8").trim().split("\n") : []
    rmSync(temporary, { recursive: true })
    if (process.exitCode || !(await isWhole(project))) return
    const compared = new Set(
      files.flatMap((file) => {
        const folder = folders.find((each) => file.startsWith(`${each}/`))
        return folder === undefined ? [] : [file.slice(folder.length + 1, -".json".length)]
      })
    )
    const problems = problemsOf(folders.flatMap(jsonIn), compared, isAll ? uncompared : {})
    if (problems.length === 0) return
    console.error(`\nRecorded responses:\n${problems.join("\n")}`)
    process.exitCode = 1
  }
}
