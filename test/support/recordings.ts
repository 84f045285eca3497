import { existsSync, mkdtempSync, readdirSync, readFileSync, rmSync, statSync } from "node:fs"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"

/**
 * Runs once for the whole suite. If FIXTURES is set, prints at the end how many of the recorded exchanges in that
 * folder the tests have read.
 */
export default () => {
  if (process.env.TIER === "all") console.log(`SEED=${process.env.SEED}`)
  const given = process.env.FIXTURES
  if (given === undefined) return
  const folder = resolve(given)
  if (!existsSync(folder) || !statSync(folder).isDirectory())
    throw new Error(
      `FIXTURES: "${given}" is not a folder; expected a folder with recorded exchanges, <provider>/<case>.json`
    )
  const temporary = mkdtempSync(join(tmpdir(), "fixtures-"))
  const list = join(temporary, "read")
  process.env.FIXTURES_READ = list
  return () => {
    const read = existsSync(list) ? new Set(readFileSync(list, "utf8").trim().split("\n")).size : 0
    const all = readdirSync(folder, { recursive: true, encoding: "utf8" }).filter((file) => file.endsWith(".json"))
    console.log(`recorded responses: the tests read ${read} of ${all.length} cases`)
    rmSync(temporary, { recursive: true })
  }
}
