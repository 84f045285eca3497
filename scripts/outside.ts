// Tries the service of this checkout from outside, with the checks and cases in the folders CHECKS and CASES, and compares
// the verdicts with test/known.json. Arguments select topics, statements and cases. A run without them repeats unlisted
// failures alone.
import { existsSync, readdirSync } from "node:fs"
import { join, resolve } from "node:path"
import known from "../test/known.json" with { type: "json" }
import { recordFlaky } from "./flaky.ts"
import { judge, listedIds, type Runner } from "./outside/judge.ts"

const stop = new AbortController()
for (const signal of ["SIGINT", "SIGTERM", "SIGHUP"] as const) process.on(signal, () => stop.abort())

const folderOf = (runner: Runner): string | undefined => {
  const variable = runner.toUpperCase()
  const folder = process.env[variable]
  if (folder === undefined || existsSync(join(folder, "run.ts"))) return folder
  console.error(`${variable}: "${folder}" has no run.ts; expected the folder of the ${runner}`)
  process.exit(1)
}

/** Runs a runner on this checkout; its errors go to the terminal. */
const run = async (folder: string, ...words: ReadonlyArray<string>) => {
  const child = Bun.spawn([process.execPath, resolve(folder, "run.ts"), ...words], {
    cwd: join(import.meta.dir, ".."),
    stdio: ["ignore", "pipe", "inherit"],
    signal: stop.signal
  })
  const output = await new Response(child.stdout).text()
  await child.exited
  return { code: child.exitCode, output, cpu: Number(child.resourceUsage()?.cpuTime.total ?? 0) / 1e6 }
}

const folders = { checks: folderOf("checks"), cases: folderOf("cases") }
const given = process.argv.slice(2)

const isCase = (name: string) => existsSync(join(folders.cases ?? "", name, "case.json"))

/** The statements or cases that a run with these names contains. */
const idsIn = async (runner: Runner, folder: string, names: ReadonlyArray<string>) => {
  if (runner === "checks") return listedIds((await run(folder, "--list", ...names)).output)
  return names.length === 0 ? readdirSync(folder).filter(isCase) : names
}

const judged = async (runner: Runner, folder: string, names: ReadonlyArray<string>, needsAll: boolean) => {
  const start = performance.now()
  const { code, cpu, output } = await run(folder, ...names)
  process.stdout.write(output)
  const seconds = (performance.now() - start) / 1000
  console.log(`${runner}: ${seconds.toFixed(0)} s, ${cpu.toFixed(0)} CPU-seconds`)
  return judge(runner, { code, output, ids: await idsIn(runner, folder, names), names, needsAll }, known)
}

for (const runner of ["checks", "cases"] as const) {
  const folder = folders[runner]
  const names = given.filter((name) => isCase(name) === (runner === "cases"))
  if (given.length > 0 && names.length === 0) continue
  if (folder === undefined) {
    console.log(`skipped because ${runner.toUpperCase()} is not set: the ${runner} of the service from outside`)
    continue
  }
  const first = await judged(runner, folder, names, process.env.REQUIRE_TOOLS !== undefined)
  const { problems, unlisted } = first
  let failing = first.failing
  if (names.length === 0 && unlisted.length > 0 && problems.length === 0) {
    console.log(`running again, alone: ${unlisted.join(", ")}`)
    const again = await judged(runner, folder, unlisted, true)
    // A part of a topic cannot be run alone: the runner refuses it, which is a problem, and the first verdict stays.
    // A listed fault instead of another one is a failure too.
    if (again.problems.length === 0) failing = again.failing
  }
  const failures = unlisted.filter((id) => failing.has(id))
  const flaky = unlisted.filter((id) => !failing.has(id))
  if (flaky.length > 0) console.log(`FLAKY, passed only alone: ${flaky.join(", ")}`)
  const often = names.length === 0 ? recordFlaky(runner, flaky) : []
  const all = [
    ...problems,
    ...failures.map((id) => `${id} fails, and not as test/known.json lists it`),
    ...often.map((id) => `${id} passed only alone, twice in 20 runs`)
  ]
  for (const problem of all) console.error(`${runner}: ${problem}`)
  if (all.length > 0) process.exitCode = 1
}
