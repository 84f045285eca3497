import { existsSync, readFileSync } from "node:fs"

/**
 * CPU time of the main thread of a process, ms: unlike wall time, it does not depend on other load. Zero if the system
 * does not report it.
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

/** Resident memory of a process, MB. */
export const resident = (pid: number): number => memory(pid, "VmRSS")

/** Peak resident memory of a process, MB. */
export const peak = (pid: number): number => memory(pid, "VmHWM")
