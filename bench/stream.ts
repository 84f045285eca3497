import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { checkouts, start, startService, stop } from "./child.ts"
import { cpuOf, figure, median } from "./measure.ts"

const networks = Catalogue.all.flatMap(({ family, id }) => (family === "evm" && id !== "zkevm" ? [id] : []))

/** In a request: two known addresses on each network, so that most of the work is the response. */
const body = JSON.stringify({
  networks: Object.fromEntries(
    networks.map((id) => [id, ["c0de", "beef"].map((start) => `0x${"1".padStart(40, start)}`)])
  )
})

const forms = ["application/json", "application/x-ndjson", "text/event-stream"] as const

const rounds = 9
const count = 100
const atOnce = 20

const ask = async (url: string, accept: string) => {
  const headers = { "content-type": "application/json", accept }
  const response = await fetch(`${url}/balance`, { method: "POST", headers, body })
  const text = await response.text()
  if (response.status !== 200 || !text.includes('"balance"'))
    throw new Error(`${response.status} ${text.slice(0, 200)}`)
}

const load = async (url: string, accept: string) => {
  let left = count
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) await ask(url, accept)
    })
  )
}

const memoryOf = (pid: number, name: "VmRSS" | "VmHWM") =>
  Number(new RegExp(`${name}:\\s+(\\d+)`).exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/**
 * Compares streams of POST /balance with the plain response: CPU time and memory. Each form has its own process; rounds
 * alternate between the forms. `BEFORE` is another checkout, measured in the same run.
 */
export const stream = async (): Promise<void> => {
  console.log(`\nstreams of POST /balance, 2 addresses on each of ${networks.length} networks, ${atOnce} at a time`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-stream-"))
  const upstreams = await start(folder, "upstreams", ["bun", "bench/crowd/upstreams.ts"])
  for (const [name, checkout] of checkouts()) {
    const running = []
    for (const form of forms)
      running.push({
        form,
        costs: [] as Array<number>,
        resting: 0,
        ...(await startService({
          folder,
          checkout,
          upstreams: upstreams.url,
          evm: networks,
          name: `${name}-${running.length}`
        }))
      })
    // Loads token lists and prices with the plain form in each process, and warms up the code of each form.
    for (const item of running) {
      await load(item.url, "application/json")
      await load(item.url, item.form)
    }
    for (const item of running) {
      item.resting = memoryOf(item.child.pid, "VmRSS")
      // Resets the peak of the resident memory.
      await Bun.write(`/proc/${item.child.pid}/clear_refs`, "5")
    }
    for (let round = 0; round < rounds; round++)
      for (const { child, costs, form, url } of running) {
        const used = cpuOf(child.pid)
        await load(url, form)
        costs.push((cpuOf(child.pid) - used) / count)
      }
    const [plain, ...streams] = running.map(({ child, costs, form, resting }) => ({
      form,
      costs,
      memory: memoryOf(child.pid, "VmHWM"),
      resting
    }))
    for (const { costs, form, memory, resting } of plain === undefined ? [] : [plain, ...streams])
      console.log(
        `  ${name}, ${form.padEnd(22)} ${median(costs).toFixed(2)} ms of CPU per response; ${resting.toFixed(0)} MB before, ${memory.toFixed(0)} MB at most`
      )
    for (const { costs, form, memory } of plain === undefined ? [] : streams) {
      const cpu = median(costs.map((cost, round) => cost / (plain?.costs[round] ?? Number.NaN)))
      figure(`${name}, ${form}: CPU`, `${cpu.toFixed(2)} times`, "<= 1.5 times", cpu <= 1.5)
      const more = memory / (plain?.memory ?? Number.NaN)
      figure(`${name}, ${form}: memory`, `${more.toFixed(2)} times`, "<= 1.2 times", more <= 1.2)
    }
    for (const item of running) await stop(item)
  }
  await stop(upstreams)
  await rm(folder, { recursive: true })
}

if (import.meta.main) await stream()
