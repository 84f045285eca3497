// Decides whether a test run passes, by its exit code and output (arguments) and its report (TEST_REPORT: vitest's
// JSON). Runs failed files again, alone. A file that fails again fails the run. A file that passes is recorded as
// flaky, and fails the run if it was already flaky in one of the previous 19 runs.
import { existsSync, readFileSync } from "node:fs"
import { relative } from "node:path"
import { recordFlaky } from "./flaky.ts"

interface Report {
  readonly numTotalTests: number
  readonly numPassedTests: number
  readonly numFailedTests: number
  readonly numPendingTests: number
  readonly numTodoTests: number
  readonly testResults: ReadonlyArray<{ readonly name: string; readonly status: string }>
}

const fail = (why: string): never => {
  console.error(why)
  process.exit(1)
}

const [exitCode = "", output = ""] = process.argv.slice(2)

const tier = process.env.TIER ?? "first"

if (exitCode === "0") {
  recordFlaky(tier, [])
  process.exit(0)
}

const path = process.env.TEST_REPORT ?? ""
if (!existsSync(path)) fail("the test run wrote no report")
const report: Report = JSON.parse(readFileSync(path, "utf8"))
const failed = report.testResults
  .filter(({ status }) => status === "failed")
  .map(({ name }) => relative(process.cwd(), name))

// The runner fails a run if its reports were not read in time, even if all tests passed.
const errors = readFileSync(output, "utf8").match(/^(?:\w*Error|Unhandled \w+): .*$/gm) ?? []
const others = errors.filter((line) => !line.includes('Timeout calling "onTaskUpdate"'))
const ended = report.numPassedTests + report.numFailedTests + report.numPendingTests + report.numTodoTests
if (ended !== report.numTotalTests) fail(`only ${ended} of ${report.numTotalTests} tests ended`)

if (failed.length === 0) {
  if (errors.length === 0 || others.length > 0) fail(`the run failed although no test failed: ${others.join("; ")}`)
  console.log("every test passed; only reports of the runner were late")
  recordFlaky(tier, [])
  process.exit(0)
}

console.log(`running again, alone: ${failed.join(", ")}`)
const { TEST_REPORT: _, ...env } = process.env
for (const file of failed) {
  const again = Bun.spawnSync([process.execPath, "--bun", "vitest", "run", file, "--minWorkers=1", "--maxWorkers=1"], {
    env,
    stdio: ["ignore", "inherit", "inherit"]
  })
  if (again.exitCode !== 0) fail(`${file} failed twice`)
}

const often = recordFlaky(tier, failed)
if (often.length > 0) fail(`passed only alone, twice in 20 runs: ${often.join(", ")}`)
console.log(`FLAKY, passed only alone: ${failed.join(", ")}`)
