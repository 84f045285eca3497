import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import type { TestProject } from "vitest/node"
import listed from "../budget.json" with { type: "json" }

/** CPU time of the reference work in cpu.ts on the machine where the budgets were measured, s. */
const referenceUnit = 0.08

/** Budget of a file that is not in the table, s. */
export const standard = 3

/** Higher budgets of single files, s. */
export const budgets: Readonly<Record<string, number>> = listed

interface Usage {
  readonly name: string
  readonly cpu: number
}

interface Excess {
  readonly name: string
  readonly problem: string
}

/** The CPU time of a file differs between runs by up to this factor, as JIT compilation, GC and neighbours do. */
const tolerance = 1.5

/**
 * Lists files clearly over their budget. `slowness` is relative to the machine where the budgets were measured. It is squared
 * because other processes also evict CPU caches, which slows tests more than the reference work in cpu.ts: next to two
 * busy loops, a file takes 2.4 times its CPU time and the reference work 1.55 times.
 */
export const overBudget = (files: ReadonlyArray<Usage>, slowness: number, table = budgets): ReadonlyArray<Excess> =>
  files.flatMap(({ cpu, name }) => {
    const budget = table[name] ?? standard
    const used = cpu / slowness ** 2
    const problem = `${name} used ${used.toFixed(1)} CPU-seconds, its budget is ${budget}`
    return used > tolerance * budget ? [{ name, problem }] : []
  })

/** Whether the run contains all tests of its tier. */
export const isWhole = async (project: TestProject): Promise<boolean> => {
  const { testFiles } = await project.globTestFiles()
  return project.vitest.state.getFiles().length === testFiles.length && project.config.testNamePattern === undefined
}

interface Times {
  readonly files: ReadonlyArray<Usage>
  readonly units: ReadonlyArray<number>
}

const excesses = ({ files, units }: Times) =>
  overBudget(files, Math.max(1, ...units.map((unit) => unit / referenceUnit)))

const problemsOf = (files: ReadonlyArray<Excess>) => files.map(({ problem }) => problem).join("\n")

/** Runs test files by themselves, one after the other, and reads their CPU times. */
const measuredAlone = (names: ReadonlyArray<string>): Times => {
  const folder = mkdtempSync(join(tmpdir(), "cpu-"))
  const CPU_TIMES = join(folder, "times.json")
  const { TEST_REPORT: _, ...env } = process.env
  Bun.spawnSync([process.execPath, "--bun", "vitest", "run", ...names, "--minWorkers=1", "--maxWorkers=1"], {
    env: { ...env, CPU_TIMES },
    stdio: ["ignore", "ignore", "inherit"]
  })
  const times: Times = JSON.parse(readFileSync(CPU_TIMES, "utf8"))
  rmSync(folder, { recursive: true })
  return times
}

/**
 * Runs once for the whole suite: fails `run test` at the end if a file exceeded its CPU budget, and again by itself:
 * neighbours on the machine can triple the CPU time of a file. Skips the check for a part of the tests, with coverage,
 * with TIER and with recorded responses. Excludes the time of child processes. CPU_TIMES is the path of a file to
 * write the times to.
 */
export default (project: TestProject) => async () => {
  const { config, vitest } = project
  const tests = vitest.state.getFiles()
  const files = tests.flatMap(({ meta: { cpu }, name }) => (cpu === undefined ? [] : [{ name, cpu }]))
  const units = [...new Set(tests.flatMap(({ meta }) => meta.unit ?? []))]
  const list = process.env.CPU_TIMES
  if (list !== undefined) writeFileSync(list, JSON.stringify({ files, units }, null, 2))
  const isLonger = process.env.TIER !== undefined || process.env.FIXTURES !== undefined || config.coverage.enabled
  if (!(await isWhole(project)) || isLonger) return
  const exceeded = excesses({ files, units })
  if (exceeded.length === 0) return
  console.error(`\n${problemsOf(exceeded)}\nMeasured again, by themselves:`)
  const again = excesses(measuredAlone(exceeded.map(({ name }) => name)))
  if (again.length === 0) return console.error("none used more than its budget")
  console.error(`${problemsOf(again)}\nMake them cheaper; test/budget.json lists the budgets.`)
  process.exitCode = 1
}
