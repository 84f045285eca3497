import { existsSync, readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start, stop } from "./child.ts"
import { figure, median } from "./measure.ts"

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

let asked = 0
/** An address that nobody has asked for. */
const fresh = () => `0x${(++asked).toString(16).padStart(40, "c0de")}`

const ask = async (url: string) => {
  const address = fresh()
  const response = await fetch(`${url}/balance`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ networks: Object.fromEntries(networks.map((id) => [id, [address]])) })
  })
  const text = await response.text()
  return { status: response.status, unread: text.split('"balance":null').length - 1 }
}

/** So many requests, so many at a time. */
const load = async (url: string, count: number, atOnce: number) => {
  let left = count
  const answers: Array<Awaited<ReturnType<typeof ask>>> = []
  await Promise.all(
    Array.from({ length: atOnce }, async () => {
      while (left-- > 0) answers.push(await ask(url))
    })
  )
  return answers
}

/** The processor's time that a process has used, ms. */
const cpuOf = (pid: number) => {
  const fields = readFileSync(`/proc/${pid}/stat`, "utf8").split(") ")[1]?.split(" ") ?? []
  return (Number(fields[11]) + Number(fields[12])) * 10
}

const residentOf = (pid: number) =>
  Number(/VmRSS:\s+(\d+)/.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1]) / 1024

/** The service of a checkout, over upstreams that are ours. */
const service = (folder: string, checkout: string, upstreams: string, name: string) => {
  const at = (upstream: string) => `${upstreams}/${upstream}`
  return start(folder, name, ["bun", join(checkout, "src/main.ts"), "serve"], {
    CACHE: "memory",
    PORT: "0",
    HOST: "127.0.0.1",
    COINGECKO_PER_SECOND: "100000",
    COINGECKO_URL: at("coingecko"),
    COINGECKO_TOKENS_URL: at("coingecko-tokens"),
    DEFILLAMA_URL: at("defillama"),
    BINANCE_URL: at("binance"),
    ...Object.fromEntries(networks.map((id) => [`${id.toUpperCase().replaceAll("-", "_")}_RPC_URLS`, at(`${id}-rpc`)]))
  })
}

const rounds = 5

/**
 * What an answer costs, and what becomes of a thousand requests at once while upstreams take three seconds. `BEFORE` is
 * another checkout, which is measured in the same run, round by round.
 */
export const crowd = async (): Promise<void> => {
  console.log(`\na crowd: POST /balance, one new address on each of ${networks.length} EVM networks`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-crowd-"))
  const before = process.env.BEFORE
  const checkouts = [
    ...(before !== undefined && existsSync(before) ? [["before", before] as const] : []),
    ["now", "."] as const
  ]
  const upstreams = await start(folder, "upstreams", ["bun", "bench/crowd/upstreams.ts"])
  const services = []
  for (const [name, checkout] of checkouts)
    services.push({ name, ...(await service(folder, checkout, upstreams.url, name)) })
  // Token lists are read, prices are there and code is warm.
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
    console.log(`  ${key.padEnd(24)} ${cost.toFixed(2)} ms of CPU an answer: ${(1_000 / cost).toFixed(0)}/s on a core`)
  }
  if (before !== undefined)
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
    let [peak, slowest, going] = [resting, 0, true]
    const watching = (async () => {
      while (going) {
        const started = performance.now()
        await (await fetch(`${url}/health/live`)).text()
        slowest = Math.max(slowest, performance.now() - started)
        peak = Math.max(peak, residentOf(child.pid))
        await Bun.sleep(20)
      }
    })()
    const started = performance.now()
    const answers = await load(url, 1_000, 1_000)
    const last = (performance.now() - started) / 1_000
    going = false
    await watching
    const statuses = Object.entries(Object.groupBy(answers, ({ status }) => status))
    console.log(
      `  1,000 at once, ${name}: last answer after ${last.toFixed(1)} s; ${statuses.map(([status, all]) => `${all?.length} of ${status}`).join(", ")}; ` +
        `${answers.filter(({ status, unread }) => status === 200 && unread > 0).length} with a balance that is null; ` +
        `${resting.toFixed(0)} MB before, ${peak.toFixed(0)} MB at most; /health/live within ${slowest.toFixed(0)} ms`
    )
    if (name === "now") figure("last answer", `${last.toFixed(1)} s`, "15 s", last <= 15.5)
  }
  for (const one of [...services, upstreams]) await stop(one)
  await rm(folder, { recursive: true })
}
