// Decides about a test run by its exit code and output (arguments) and its report (TEST_REPORT, vitest's JSON). Runs the files
// that failed once more, alone. A file that fails again fails the run. A file that passes is written down; it fails the run if
// that happened to it in one of the 19 runs before, too.
import { existsSync, mkdirSync, readFileSync, writeFileSync } from "node:fs"
import { homedir } from "node:os"
import { dirname, join, relative } from "node:path"

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly status: string }>
}

const fail = (why: string): never => {
  console.error(why)
  process.exit(1)
}

const [exitCode = "", output = ""] = process.argv.slice(2)

/** The files that passed only alone, by run. */
const log = join(
  process.env.XDG_CACHE_HOME ?? join(homedir(), ".cache"),
  "wallet-data",
  `flaky-${process.env.TIER ?? "first"}.json`
)
const runs: ReadonlyArray<ReadonlyArray<string>> = existsSync(log) ? JSON.parse(readFileSync(log, "utf8")) : []
const write = (names: ReadonlyArray<string>) => {
  mkdirSync(dirname(log), { recursive: true })
  writeFileSync(log, JSON.stringify([...runs, names].slice(-20)))
}

if (exitCode === "0") {
  write([])
  process.exit(0)
}

const path = process.env.TEST_REPORT ?? ""
if (!existsSync(path)) fail("the run wrote no report")
const report: Report = JSON.parse(readFileSync(path, "utf8"))
const failed = report.testResults
  .filter(({ status }) => status === "failed")
  .map(({ name }) => relative(process.cwd(), name))

if (failed.length === 0) {
  // The runner fails a run whose reports were not read in time, however its tests ended.
  const errors = readFileSync(output, "utf8").match(/^(?:\w*Error|Unhandled \w+): .*$/gm) ?? []
  const others = errors.filter((line) => !line.includes('Timeout calling "onTaskUpdate"'))
  const ended = report.numPassedTests + report.numPendingTests + report.numTodoTests
  if (errors.length === 0 || others.length > 0 || ended !== report.numTotalTests)
    fail(`no test failed, and yet the run did: ${others.join("; ")}`)
  console.log("every test passed; only reports of the runner came late")
  write([])
  process.exit(0)
}

console.log(`once more, alone: ${failed.join(", ")}`)
const { TEST_REPORT: _, ...env } = process.env
for (const file of failed) {
  const again = Bun.spawnSync([process.execPath, "--bun", "vitest", "run", file, "--minWorkers=1", "--maxWorkers=1"], {
    env,
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (again.exitCode !== 0) fail(`${file} failed twice`)
}

write(failed)
const often = failed.filter((file) => runs.slice(-19).some((names) => names.includes(file)))
if (often.length > 0) fail(`passed only alone, twice in 20 runs: ${often.join(", ")}`)
console.log(`FLAKY, passed only alone: ${failed.join(", ")}`)
