// Sends a steady load of new addresses to the service in the sandbox for a number of minutes (default 5), together with
// request bodies that never arrive, pages that are not read, and odd heads. Exits with 1 if a response was a 500 or
// missing, if memory seems to grow without bound, if its peak was too high, or if requests hold something after their end.
// With `night`, two other services have reloads, stops, a full disk, a Redis that is away and killed workers, at least three
// times each; a request that is lost otherwise than in a killed process fails the run. That needs root and redis-server.
import { existsSync, statSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { headLimit } from "../scripts/build.ts"
import { limited, shippedMemory, start, stop } from "./child.ts"
import { stalledBodies } from "./fuzz/attacks.ts"
import { metricsOf, oddMethods, seriesIn, twoLengths, unread, valueOf } from "./fuzz/limits.ts"
import { peak } from "./fuzz/process.ts"
import { next } from "./soak/mix.ts"
import { night } from "./soak/night.ts"

const [, , given, mode] = process.argv
const minutes = Number(given ?? 5)
if (!(minutes > 0) || !["night", undefined].includes(mode)) throw new Error("usage: bun run soak [MINUTES [night]]")

/** Number of concurrent clients, and their pause between requests, ms. */
const clients = 4
const rest = 20

/** Interval between report lines, ms. */
const interval = 15_000

/** Ratio of the memory in the second half to that in the first, above which it seems to grow without bound. */
const growth = 1.5

/** Largest accepted peak memory, MB. */
const maxPeak = 700

/** Number of request bodies that never arrive, during the whole run. */
const stalled = 500

/** Connections that request the documentation and do not read it, during the whole run. */
const unreadPages = 100

/** Largest accepted number of metrics. */
const maxSeries = 5_000

/** Fraction of the run in which caches and compiled code grow; excluded from the comparison of memory. */
const warmUp = 0.2

const megabytes = (bytes: number) => (bytes / 1024 / 1024).toFixed(0)
const average = (numbers: ReadonlyArray<number>) => numbers.reduce((sum, item) => sum + item, 0) / numbers.length
const percentile = (times: ReadonlyArray<number>, share: number) =>
  ([...times].sort((a, b) => a - b)[Math.floor(times.length * share)] ?? Number.NaN).toFixed(1)

const folder = await mkdtemp(join(tmpdir(), "wallet-data-soak-"))
const store = join(folder, "cache.sqlite")
const binary = new URL("../dist/wallet-data", import.meta.url).pathname
const source = [process.execPath, headLimit, new URL("../src/main.ts", import.meta.url).pathname]
const words = existsSync(binary) ? [binary] : source
const command = [...words, "serve"]
const service = await start(folder, "service", limited(shippedMemory, command) ?? command, {
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
    () => "no response"
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

/** The report line for the measurements after these numbers of responses and pings. */
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

/** Opens new stalled bodies, because the service closes them at its deadline. */
const stall = async () => {
  while (performance.now() < end) {
    const { leave } = stalledBodies(service.url, stalled, 1_000)
    await Bun.sleep(Math.min(interval, Math.max(1, end - performance.now())))
    leave()
  }
}

/** Requests that must take no limit, memory or metric for good. */
const attack = async () => {
  const leave = unread(service.url, "/docs", unreadPages)
  while (performance.now() < end) {
    await twoLengths(service.url)
    for (const method of oddMethods) await fetch(`${service.url}${next().path}`, { method }).catch(() => {})
    await Bun.sleep(1_000)
  }
  leave()
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
const nights = mode === undefined ? [] : [night(folder, command, minutes)]
await Promise.all([report(), stall(), attack(), ...Array.from({ length: clients }, client)])
console.log(`total:\n${line(0, 0, passed())}`)

const warm = samples.filter(({ at }) => at > warmUp * minutes * 60_000)
const halves = [warm.slice(0, warm.length / 2), warm.slice(warm.length / 2)]
const [first = Number.NaN, second = Number.NaN] = halves.map((half) => average(half.map(({ bytes }) => bytes)))
const grows = second > growth * first
console.log(
  `memory: ${megabytes(first)} MB in the first half, ${megabytes(second)} MB in the second${grows ? ": it grows without bound" : ""}`
)
const top = peak(service.child.pid)
console.log(`peak memory: ${top.toFixed(0)} MB${top > maxPeak ? `, limit ${maxPeak} MB` : ""}`)
const failed = [...statuses].some(([status]) => status === "500" || status === "no response")
if (failed) console.log("a response was a 500 or missing")
const losses = (await Promise.all(nights)).flatMap(({ line, lost }) => {
  console.log(line)
  for (const text of new Set(lost)) console.log(text)
  return lost
})
// What clients have left behind is released by the deadline.
await Bun.sleep(1_000)
const metrics = await metricsOf(service.url)
const held = ["http_request_body_bytes", "http_requests_in_flight"].map((name) => valueOf(metrics, name))
const keeps = held.some((value) => value !== 0) || seriesIn(metrics) > maxSeries
console.log(`afterwards: ${held[0]} bytes of bodies, ${held[1]} requests in flight, ${seriesIn(metrics)} metrics`)
if (keeps) console.log("requests that have ended still hold something, or there are too many metrics")
ping.kill()
await stop(service)
await rm(folder, { recursive: true, force: true })
process.exit(losses.length > 0 || grows || failed || keeps || top > maxPeak ? 1 : 0)
