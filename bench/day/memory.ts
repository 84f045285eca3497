import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { checkouts, shippedMemory, start, startService, stop } from "../child.ts"
import { figure } from "../measure.ts"
import { env, evm, failures, latency, networks, type Opened, percentile, spread } from "./wallets.ts"

const minutes = Number(process.env.MINUTES ?? 2)
const rate = Number(process.env.RATE ?? 5)
const wallets = process.env.WALLETS ?? "100000"
/** Memory that the service may use, MB. The engine collects garbage sooner if it has less. */
const limit = Number(process.env.LIMIT_MB ?? shippedMemory)
/** Pause between two rows. */
const interval = Number(process.env.ROW_SECONDS ?? 15) * 1_000

const mebibytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)

const residentOf = (pid: number) => {
  const [, kilobytes = ""] = /VmRSS:\s+(\d+) kB/.exec(readFileSync(`/proc/${pid}/status`, "utf8")) ?? []
  return Number(kilobytes) * 1024
}

interface Sample {
  readonly name: string
  readonly labels: Readonly<Record<string, string>>
  readonly value: number
}

const samplesOf = async (url: string): Promise<ReadonlyArray<Sample>> => {
  const text = await (await fetch(`${url}/metrics`)).text()
  return [...text.matchAll(/^(\w+)(?:\{(.*)\})? (\S+)$/gm)].map(([, name = "", labels = "", value]) => ({
    name,
    labels: Object.fromEntries([...labels.matchAll(/(\w+)="([^"]*)"/g)].map(([, key, text]) => [key, text])),
    value: Number(value)
  }))
}

const sumOf = (samples: ReadonlyArray<Sample>, name: string) =>
  samples.reduce((sum, sample) => (sample.name === name ? sum + sample.value : sum), 0)

const largest = (samples: ReadonlyArray<Sample>) =>
  samples
    .filter(({ name, value }) => name === "cache_bytes" && value >= 1024 * 1024)
    .sort((a, b) => b.value - a.value)
    .map(({ labels, value }) => `${labels.cache} ${mebibytes(value)}`)

/** The share of the reads of each cache that found an entry in memory. */
const hitRates = (samples: ReadonlyArray<Sample>) => {
  const reads = samples.filter(({ name, value }) => name === "cache_reads_total" && value > 0)
  return [...Map.groupBy(reads, ({ labels }) => labels.cache ?? "")].map(([cache, all]) => {
    const hits = all.reduce((count, { labels, value }) => (labels.result === "hit" ? count + value : count), 0)
    return `${cache} ${((100 * hits) / all.reduce((count, { value }) => count + value, 0)).toFixed(0)} %`
  })
}

/** Memory of one service, row by row, while wallets are opened. Returns the resident memory of each row. */
const watched = async (url: string, pid: number, opened: Promise<Opened>): Promise<ReadonlyArray<number>> => {
  const rows: Array<number> = []
  let isOver = false
  const end = opened.then(() => {
    isOver = true
  })
  const started = performance.now()
  for (;;) {
    await Promise.race([Bun.sleep(interval), end])
    const samples = await samplesOf(url)
    const resident = residentOf(pid)
    rows.push(resident)
    console.log(
      `  ${((performance.now() - started) / 60_000).toFixed(1).padStart(5)} min: RSS ${mebibytes(resident)} MB, heap ${mebibytes(sumOf(samples, "process_heap_bytes"))}, ` +
        `caches ${mebibytes(sumOf(samples, "cache_bytes"))} of ${mebibytes(sumOf(samples, "memory_budget_bytes"))}, ` +
        `${sumOf(samples, "cache_evictions_total")} evictions (${largest(samples).join(", ")})`
    )
    if (!isOver) continue
    console.log(`  hits: ${hitRates(samples).join(", ")}`)
    return rows
  }
}

/**
 * Wallets are opened at a steady rate for MINUTES, RATE a second, out of WALLETS: the memory of the process over time,
 * by cache, and the hit rates. `bun run bench memory` with MINUTES=60 is an hour of the day.
 */
export const memory = async (): Promise<void> => {
  console.log(`\nmemory: ${rate} of ${wallets} wallets opened a second for ${minutes} minutes, in ${limit} MB`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-memory-"))
  const upstreams = await start(folder, "upstreams", ["bun", "bench/crowd/upstreams.ts"])
  await fetch(`${upstreams.url}/latency/${latency}/${spread}/${failures}`)
  for (const [name, checkout] of checkouts()) {
    const service = await startService({ folder, name, checkout, upstreams: upstreams.url, evm, env, memory: limit })
    console.log(name)
    const words = ["bun", "bench/day/load.ts", service.url, String(rate), String(60 * minutes), "0", ...networks]
    const child = Bun.spawn(words, { stdout: "pipe", stderr: "inherit", env: { ...process.env, WALLETS: wallets } })
    const opened = new Response(child.stdout).json() as Promise<Opened>
    const rows = await watched(service.url, service.child.pid, opened)
    const { balance, history, incomplete } = await opened
    const times = [balance, history].map((all) => [0.5, 0.9, 0.99].map((share) => percentile(all, share).toFixed(0)))
    console.log(`  balances ${times[0]?.join(" / ")} ms, histories ${times[1]?.join(" / ")} ms (p50 / p90 / p99)`)
    console.log(`  ${balance.length} opens, ${incomplete} incomplete requests`)
    const quarter = Math.max(1, Math.floor(rows.length / 4))
    const growth = percentile(rows.slice(-quarter), 0.5) / percentile(rows.slice(-2 * quarter, -quarter), 0.5)
    figure("largest RSS", `${mebibytes(Math.max(...rows))} MB`, "<= 700 MB", Math.max(...rows) <= 700 * 1024 * 1024)
    figure(
      "growth from the third quarter to the last",
      `${((growth - 1) * 100).toFixed(0)} %`,
      "<= 10 %",
      growth <= 1.1
    )
    await stop(service)
  }
  await stop(upstreams)
  await rm(folder, { recursive: true })
}
