// Starts the service from source. npx does not forward SIGTERM: it dies, and the service would keep running. Under npx,
// the service therefore checks twice per second whether npx is still its ancestor, and otherwise stops as on SIGTERM.
import { existsSync, readFileSync } from "node:fs"

interface Process {
  readonly pid: number
  readonly parent: number
  readonly command: string
}

const look = (pid: number): Process => {
  if (existsSync(`/proc/${pid}/stat`)) {
    const [, parent = "0"] = /^\d+ \(.*\) \S (\d+)/s.exec(readFileSync(`/proc/${pid}/stat`, "utf8")) ?? []
    return { pid, parent: Number(parent), command: readFileSync(`/proc/${pid}/cmdline`, "utf8").replaceAll("\0", " ") }
  }
  const { stdout } = Bun.spawnSync(["ps", "-o", "ppid=,command=", "-p", String(pid)])
  const [, parent = "0", command = ""] = /^\s*(\d+)\s+(.*)/.exec(stdout.toString()) ?? []
  return { pid, parent: Number(parent), command }
}

/** The ancestor that is a direct child of npx, or this process itself; undefined without npx. */
const belowNpx = (pid = process.pid): Process | undefined => {
  const one = look(pid)
  if (one.parent <= 1) return undefined
  return /\b(npx|npm exec)\b/.test(look(one.parent).command) ? one : belowNpx(one.parent)
}

const child = belowNpx()
if (child !== undefined) {
  const watch = setInterval(() => {
    if (look(child.pid).parent === child.parent) return
    clearInterval(watch)
    process.kill(process.pid, "SIGTERM")
  }, 500)
  watch.unref()
}

await import("../src/main.ts")
