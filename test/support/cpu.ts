import { afterAll, beforeAll } from "vitest"

// Runs once per test file: vitest.config.ts leaves this file to vitest, which evaluates it before every test file.

declare module "vitest" {
  interface TaskMeta {
    /** CPU time of the file's tests and hooks in its worker, s. */
    cpu?: number
    /** CPU time of a fixed amount of work in that worker, s. */
    unit?: number
  }
}

const secondsSince = (start: NodeJS.CpuUsage) => {
  const { system, user } = process.cpuUsage(start)
  return (system + user) / 1e6
}

/** CPU time of work like that of tests (objects, strings and maps), s. */
const measured = (): number => {
  const start = process.cpuUsage()
  const seen = new Map<string, number>()
  for (let index = 0; index < 100_000; index++) {
    const { key, value } = JSON.parse(`{"key":"${index % 5_000}","value":${index}}`)
    seen.set(key, (seen.get(key) ?? 0) + value)
  }
  return secondsSince(start)
}

const worker = globalThis as { cpuUnit?: number }
worker.cpuUnit ??= measured()
const unit = worker.cpuUnit

let start = process.cpuUsage()

beforeAll(() => {
  start = process.cpuUsage()
})

afterAll((suite) => {
  Object.assign(suite.meta, { cpu: secondsSince(start), unit })
})
