import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkouts, start, startService, stop } from "./child.ts"
import { overload } from "./crowd/overload.ts"
import { cpuOf, figure, median } from "./measure.ts"

const networks = [
  "ethereum",
  "base",
  "polygon",
  "bsc",
  "arbitrum",
  "optimism",
  "avalanche",
  "sonic",
  "ethereum-classic"
]

/** Number of addresses requested so far; the next address is always new. */
let asked = 0

interface Answers {
  readonly statuses: Readonly<Record<string, number>>
  /** Responses with a null balance. */
  readonly incomplete: number
  readonly seconds: number
}

/** Sends `count` requests, `atOnce` concurrently, from a separate process with a higher limit than Bun's default. */
const load = async (url: string, count: number, atOnce: number): Promise<Answers> => {
  const words = ["bun", "bench/crowd/load.ts", url, String(count), String(atOnce), "0", String(asked), ...networks]
  asked += count
  const child = Bun.spawn(words, {
    stdout: "pipe",
    stderr: "inherit",
    env: { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" }
  })
  return (await new Response(child.stdout).json()) as Answers
}

const residentOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

const rounds = 5

/**
 * Measures the CPU time per response, and 1,000 concurrent requests while upstreams take three seconds. `BEFORE` is
 * another checkout, which is measured in the same run, round by round.
 */
export const crowd = async (): Promise<void> => {
  console.log(`\na crowd: POST /balance, one new address on each of ${networks.length} EVM networks`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-crowd-"))
  const upstreams = await start(folder, "upstreams", ["bun", "bench/crowd/upstreams.ts"])
  const services = []
  for (const [name, checkout] of checkouts())
    services.push({
      name,
      ...(await startService({ folder, name, checkout, upstreams: upstreams.url, evm: networks }))
    })
  // Loads token lists and prices, and warms up the code.
  for (const { url } of services) await load(url, 400, 8)
  const costs = new Map<string, Array<number>>()
  for (let round = 0; round < rounds; round++)
    for (const atOnce of [8, 64])
      for (const { child, name, url } of services) {
        const [used, count] = [cpuOf(child.pid), 4 * atOnce + 96]
        await load(url, count, atOnce)
        const key = `${name}, ${atOnce} at a time`
        costs.set(key, [...(costs.get(key) ?? []), (cpuOf(child.pid) - used) / count])
      }
  for (const [key, all] of costs) {
    const cost = median(all)
    console.log(
      `  ${key.padEnd(24)} ${cost.toFixed(2)} ms of CPU per response: ${(1_000 / cost).toFixed(0)}/s per core`
    )
  }
  if (services.length > 1)
    for (const [atOnce, wanted] of [
      [8, 2],
      [64, 5]
    ] as const) {
      const of = (name: string) => median(costs.get(`${name}, ${atOnce} at a time`) ?? [])
      const ratio = of("before") / of("now")
      figure(`cheaper by, ${atOnce} at a time`, ratio.toFixed(2), String(wanted), ratio >= wanted)
    }
  await fetch(`${upstreams.url}/latency/3000`)
  for (const { child, name, url } of services) {
    const resting = residentOf(child.pid)
    let [peak, going] = [resting, true]
    const ping = Bun.spawn(["bun", "bench/soak/ping.ts", url], { stdout: "pipe", stderr: "inherit" })
    const watching = (async () => {
      while (going) {
        peak = Math.max(peak, residentOf(child.pid))
        await Bun.sleep(20)
      }
    })()
    const { incomplete, seconds, statuses } = await load(url, 1_000, 1_000)
    going = false
    await watching
    // The ping prints once per second after a response, so the slowest time may not be printed yet.
    await Bun.sleep(1_100)
    ping.kill()
    const slowest = Math.max(...(await new Response(ping.stdout).text()).trim().split("\n").map(Number))
    const told = Object.entries(statuses).map(([status, number]) => `${number} of ${status}`)
    console.log(
      `  1,000 at once, ${name}: last response after ${seconds.toFixed(1)} s; ${told.join(", ")}; ${incomplete} with a null balance; ` +
        `${resting.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; /health/live within ${slowest.toFixed(0)} ms`
    )
    if (name === "now") figure("last response", `${seconds.toFixed(1)} s`, "15 s", seconds <= 15.5)
  }
  for (const item of [...services, upstreams]) await stop(item)
  await overload(folder, checkouts())
  await rm(folder, { recursive: true })
}
