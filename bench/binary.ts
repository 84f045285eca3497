import { existsSync, readFileSync, statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { cpuOf, figure, median } from "./measure.ts"

const path = new URL("../dist/wallet-data", import.meta.url).pathname

/** Builds a minimal server, as the lower bound for a compiled binary. */
const buildBare = async (folder: string): Promise<string> => {
  const output = join(folder, "bare")
  const source = new URL("./binary/bare.ts", import.meta.url).pathname
  const words = ["build", "--compile", "--minify", "--bytecode", "--format=esm", source, "--outfile", output]
  await Bun.spawn([process.execPath, ...words], { stdout: "ignore", stderr: "inherit" }).exited
  return output
}

/** The URL from the log line "listening on"; later output is read and discarded. */
const listening = async (output: ReadableStream<Uint8Array>): Promise<string> => {
  const reader = output.getReader()
  const decoder = new TextDecoder()
  let text = ""
  for (;;) {
    const { done, value } = await reader.read()
    if (done) throw new Error(`the binary ended: ${text}`)
    text += decoder.decode(value, { stream: true })
    const [, url] = /listening on (http:[^"\s]+)/.exec(text) ?? []
    if (url === undefined) continue
    void (async () => {
      while (!(await reader.read()).done);
    })()
    return url
  }
}

/** Starts a compiled binary with the default store in a new folder, measures the start, and stops it. */
const start = async (binary: string, upstreams: "live" | "sandbox") => {
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  const started = performance.now()
  const child = Bun.spawn([binary], {
    cwd: folder,
    env: { UPSTREAMS: upstreams, PORT: "0", HOST: "127.0.0.1" },
    stdout: "pipe",
    stderr: "inherit"
  })
  const url = await listening(child.stdout)
  const { status } = await fetch(`${url}/health/ready`)
  const first = status === 200 ? performance.now() - started : Number.NaN
  const cpu = cpuOf(child.pid)
  await Bun.sleep(1_000)
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
  child.kill("SIGTERM")
  const code = await child.exited
  await rm(folder, { recursive: true })
  return { first, cpu, resident: Number(resident) / 1024, code }
}

type Start = Awaited<ReturnType<typeof start>>

export const binary = async (): Promise<void> => {
  console.log("\nthe compiled binary")
  if (!existsSync(path)) return console.log("  skipped: dist/wallet-data does not exist, run the build first")
  console.log(`  size             ${(statSync(path).size / 1e6).toFixed(0)} MB`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  const bare = await buildBare(folder)
  for (const upstreams of ["live", "sandbox"] as const) {
    const [runs, least] = [[], []] as [Array<Start>, Array<Start>]
    for (let index = 0; index < 7; index++) {
      runs.push(await start(path, upstreams))
      least.push(await start(bare, upstreams))
    }
    const first = median(runs.map((run) => run.first))
    const resident = median(runs.map((run) => run.resident))
    console.log(`  first 200        ${runs.map((run) => run.first.toFixed(0)).join(", ")} ms, ${upstreams}`)
    console.log(`  CPU time by then ${median(runs.map((run) => run.cpu)).toFixed(0)} ms on all cores`)
    console.log(
      `  a bare server    ${median(least.map((run) => run.first)).toFixed(0)} ms, ${median(least.map((run) => run.resident)).toFixed(0)} MB`
    )
    console.log(`  exit codes       ${runs.map((run) => run.code).join(", ")}`)
    figure(`time to the first 200, ${upstreams}`, `${first.toFixed(0)} ms`, "200 ms", first < 200)
    figure(`resident memory after start, ${upstreams}`, `${resident.toFixed(0)} MB`, "100 MB", resident < 100)
  }
  await rm(folder, { recursive: true })
}
