import { writeFileSync } from "node:fs"
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

/** The CPU time of a file differs between runs by up to this factor, as JIT compilation, GC and neighbours do. */
const tolerance = 1.5

/**
 * Lists files clearly over their budget. `slowness` is relative to the machine where the budgets were measured. It is squared
 * because other processes also evict CPU caches, which slows tests more than the reference work in cpu.ts: next to two
 * busy loops, a file takes 2.4 times its CPU time and the reference work 1.55 times.
 */
export const overBudget = (files: ReadonlyArray<Usage>, slowness: number, table = budgets): ReadonlyArray<string> =>
  files.flatMap(({ cpu, name }) => {
    const budget = table[name] ?? standard
    const used = cpu / slowness ** 2
    return used > tolerance * budget ? [`${name} used ${used.toFixed(1)} CPU-seconds, its budget is ${budget}`] : []
  })

/** Whether the run contains all tests of its tier. */
export const isWhole = async (project: TestProject): Promise<boolean> => {
  const { testFiles } = await project.globTestFiles()
  return project.vitest.state.getFiles().length === testFiles.length && project.config.testNamePattern === undefined
}

/**
 * Runs once for the whole suite: fails `run test` at the end if a file exceeded its CPU budget. Skips the check for a
 * part of the tests, with coverage, with TIER and with recorded responses. Excludes the time of child processes.
 * CPU_TIMES is the path of a file to write the times to.
 */
export default (project: TestProject) => async () => {
  const { config, vitest } = project
  const files = vitest.state.getFiles()
  const usages = files.flatMap(({ meta: { cpu }, name }) => (cpu === undefined ? [] : [{ name, cpu }]))
  const units = files.flatMap(({ meta }) => meta.unit ?? [])
  const list = process.env.CPU_TIMES
  if (list !== undefined)
    writeFileSync(
      list,
      `${usages.map(({ cpu, name }) => `${cpu.toFixed(2)} ${name}`).join("\n")}\nunits ${[...new Set(units)].join(" ")}\n`
    )
  const isLonger = process.env.TIER !== undefined || process.env.FIXTURES !== undefined || config.coverage.enabled
  if (!(await isWhole(project)) || isLonger) return
  const problems = overBudget(usages, Math.max(1, ...units.map((unit) => unit / referenceUnit)))
  if (problems.length === 0) return
  console.error(`\n${problems.join("\n")}\nMake them cheaper; test/budget.json lists the budgets.`)
  process.exitCode = 1
}
