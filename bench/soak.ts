// A steady load of ever new addresses on the service in the sandbox, for as many minutes as are given (5 unless it is
// said), beside bodies that never come. Ends with 1 where an answer was a 500, or where the memory seems to grow without
// end, or was too much.
import { existsSync, statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { start, stop } from "./child.ts"
import { stalledBodies } from "./fuzz/attacks.ts"
import { peak } from "./fuzz/process.ts"
import { next } from "./soak/mix.ts"

const minutes = Number(process.argv[2] ?? 5)
if (!(minutes > 0)) throw new Error("usage: bun run soak [MINUTES]")

/** Requests under way at a time, and how long each of them rests, ms. */
const clients = 4
const rest = 20

/** How often a line is printed, ms. */
const interval = 15_000

/** Memory of the second half over that of the first, from which on it seems to grow without end. */
const growth = 1.5

/** The most memory, MB: the shipped manifest limits it to 1 GiB. */
const maxPeak = 700

/** Bodies that never come, beside the load all the time. */
const stalled = 500

/** The part of the time in which caches and compiled code grow, which does not count for that. */
const warmUp = 0.2

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
const average = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, item) => sum + item, 0) / numbers.length
const percentile = (times: ReadonlyArray<number>, share: number) =>
  ([...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1)

const folder = await mkdtemp(join(tmpdir(), "wallet-data-soak-"))
const store = join(folder, "cache.sqlite")
const binary = new URL("../dist/wallet-data", import.meta.url).pathname
const source = [process.execPath, "--max-http-header-size=2000000", new URL("../src/main.ts", import.meta.url).pathname]
const words = existsSync(binary) ? [binary] : source
const service = await start(folder, "service", [...words, "serve"], {
  UPSTREAMS: "sandbox",
  CACHE: "sqlite",
  SQLITE_PATH: store,
  HOST: "127.0.0.1",
  PORT: "0"
})
const ping = Bun.spawn([process.execPath, new URL("./soak/ping.ts", import.meta.url).pathname, service.url], {
  stdout: "pipe",
  stderr: "inherit"
})

const sizeOf = (path: string) => statSync(path, { throwIfNoEntry: false })?.size ?? 0
const memory = () =>
  1024 * Number(Bun.spawnSync(["ps", "-o", "rss=", "-p", String(service.child.pid)]).stdout.toString())

const times: Array<number> = []
const statuses = new Map<string, number>()
const samples: Array<{ readonly at: number; readonly bytes: number }> = []
const holds: Array<number> = []
const started = performance.now()
const end = started + minutes * 60_000
const passed = () => performance.now() - started

const read = async () => {
  for await (const text of ping.stdout.pipeThrough(new TextDecoderStream()))
    holds.push(...text.trim().split("\n").map(Number))
}

const ask = async () => {
  const { body, path } = next()
  const began = performance.now()
  const init = { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } }
  const status = await fetch(`${service.url}${path}`, body === undefined ? {} : init).then(
    async (response) => {
      await response.arrayBuffer()
      return String(response.status)
    },
    () => "no answer"
  )
  times.push(performance.now() - began)
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
}

const client = async () => {
  while (performance.now() < end) {
    await ask()
    await Bun.sleep(rest)
  }
}

/** What was measured since these numbers of answers and pings. */
const line = (answers: number, pings: number, during: number) => {
  const all = times.slice(answers)
  const held = Math.max(0, ...holds.slice(pings))
  const counts = [...statuses].sort().map(([status, count]) => `${status}: ${count}`)
  return (
    `${(passed() / 60_000).toFixed(2).padStart(6)} min  ${((1000 * all.length) / during).toFixed(0).padStart(5)}/s  ` +
    `p50 ${percentile(all, 0.5)} ms  p99 ${percentile(all, 0.99)} ms  slowest ping ${held} ms  ` +
    `RSS ${megabytes(memory())} MB  file ${megabytes(sizeOf(store))} MB, log ${megabytes(sizeOf(`${store}-wal`))} MB  ` +
    `[${counts.join(", ")}]`
  )
}

/** Replaces them as the service gives them up. */
const stall = async () => {
  while (performance.now() < end) {
    const leave = stalledBodies(service.url, stalled, 1_000)
    await Bun.sleep(Math.min(interval, Math.max(1, end - performance.now())))
    leave()
  }
}

const report = async () => {
  while (performance.now() < end) {
    const [answers, pings, since] = [times.length, holds.length, performance.now()]
    for (const until = Math.min(since + interval, end); performance.now() < until; ) {
      samples.push({ at: passed(), bytes: memory() })
      await Bun.sleep(Math.min(1_000, Math.max(1, until - performance.now())))
    }
    console.log(line(answers, pings, performance.now() - since))
  }
}

console.log(`${words === source ? "from source" : "the binary"}, ${minutes} minutes, ${clients} clients`)
void read()
await Promise.all([report(), stall(), ...Array.from({ length: clients }, client)])
console.log(`all of it:\n${line(0, 0, passed())}`)

const warm = samples.filter(({ at }) => at > warmUp * minutes * 60_000)
const halves = [warm.slice(0, warm.length / 2), warm.slice(warm.length / 2)]
const [first = Number.NaN, second = Number.NaN] = halves.map((half) => average(half.map(({ bytes }) => bytes)))
const grows = second > growth * first
console.log(
  `memory: ${megabytes(first)} MB in the first half, ${megabytes(second)} MB in the second${grows ? ": it grows" : ""}`
)
const top = peak(service.child.pid)
console.log(`memory at most: ${top.toFixed(0)} MB${top > maxPeak ? `, wanted at most ${maxPeak} MB` : ""}`)
const failed = [...statuses].some(([status]) => status === "500" || status === "no answer")
if (failed) console.log("an answer was a 500, or missing")
ping.kill()
await stop(service)
await rm(folder, { recursive: true, force: true })
process.exit(grows || failed || top > maxPeak ? 1 : 0)
