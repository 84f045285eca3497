import { existsSync, readFileSync } from "node:fs"

/**
 * For how long the main thread of a process has had a processor, ms: unlike the time of the clock, this does not grow where
 * others keep the machine busy. Zero where the system does not say.
 */
export const busy = (pid: number): number => {
  const file = `/proc/${pid}/task/${pid}/schedstat`
  return existsSync(file) ? Number(readFileSync(file, "utf8").split(" ")[0]) / 1e6 : 0
}

const memory = (pid: number, field: string): number => {
  const file = `/proc/${pid}/status`
  const [, kilobytes = "NaN"] =
    new RegExp(`${field}:\\s+(\\d+) kB`).exec(existsSync(file) ? readFileSync(file, "utf8") : "") ?? []
  return Number(kilobytes) / 1024
}

/** What a process has in memory, MB. */
export const resident = (pid: number): number => memory(pid, "VmRSS")

/** The most that it ever had, MB. */
export const peak = (pid: number): number => memory(pid, "VmHWM")
