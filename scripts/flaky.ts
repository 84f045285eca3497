import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join } from "node:path"

/**
 * Records what passed only when it was repeated in this run, and returns which of it was recorded in one of the previous
 * 19 runs too.
 */
export const recordFlaky = (
  kind: string,
  names: ReadonlyArray<string>,
  cache = join(process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"), "wallet-data")
): ReadonlyArray<string> => {
  const log = join(cache, `flaky-${kind}.json`)
  const runs: ReadonlyArray<ReadonlyArray<string>> = existsSync(log) ? JSON.parse(readFileSync(log, "utf8")) : []
  const last = runs.slice(-19)
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, JSON.stringify([...last, names]))
  return names.filter((name) => last.some((run) => run.includes(name)))
}
