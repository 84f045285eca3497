import { existsSync, readFileSync, statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { figure, median } from "./measure.ts"

const path = new URL("../dist/wallet-data", import.meta.url).pathname

/** The compiled binary with its default store, in a folder of its own, started anew each time. */
const start = async () => {
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  const port = 20_000 + Math.floor(Math.random() * 20_000)
  const started = performance.now()
  const child = Bun.spawn([path], {
    cwd: folder,
    env: { UPSTREAMS: "sandbox", PORT: String(port), HOST: "127.0.0.1" },
    stdout: "ignore",
    stderr: "ignore"
  })
  let first = Number.NaN
  while (Number.isNaN(first) && performance.now() - started < 10_000) {
    const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
      (response) => response.status,
      () => 0
    )
    if (status === 200) first = performance.now() - started
    else await Bun.sleep(1)
  }
  await Bun.sleep(1_000)
  const resident = /VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${child.pid}/status`, "utf8"))?.[1]
  child.kill("SIGTERM")
  const code = await child.exited
  await rm(folder, { recursive: true })
  return { first, resident: Number(resident) / 1024, code }
}

export const binary = async (): Promise<void> => {
  console.log("\nthe compiled binary")
  if (!existsSync(path)) return console.log("  skipped: dist/wallet-data is not there, run the build first")
  const runs = []
  for (let index = 0; index < 7; index++) runs.push(await start())
  const first = median(runs.map((run) => run.first))
  const resident = median(runs.map((run) => run.resident))
  console.log(`  size             ${(statSync(path).size / 1e6).toFixed(0)} MB`)
  console.log(`  first 200        ${runs.map((run) => run.first.toFixed(0)).join(", ")} ms`)
  console.log(`  exit codes       ${runs.map((run) => run.code).join(", ")}`)
  figure("time to the first 200", `${first.toFixed(0)} ms`, "200 ms", first < 200)
  figure("resident memory after start", `${resident.toFixed(0)} MB`, "120 MB", resident < 120)
}
