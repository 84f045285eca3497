// Sends hostile requests over real sockets to the service with simulated upstreams, and reports how it handles them.
// Then the upstreams return wrong numbers, and it reports which of them reach a response.
//   bun run fuzz [--requests 100000] [--seed 1] [--concurrency 2]
import { existsSync, mkdtempSync, readFileSync, rmSync } from "node:fs"
import { tmpdir } from "node:os"
import { join } from "node:path"
import { parseArgs } from "node:util"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import { headLimit, longestHead } from "../scripts/build.ts"
import { type Hostile, hostile } from "../test/support/hostile.ts"
import { exchange, statusOf } from "../test/support/rawSocket.ts"
import { limited, shippedMemory, start, stop } from "./child.ts"
import { attacks } from "./fuzz/attacks.ts"
import { lies } from "./fuzz/lies.ts"
import { peak, resident } from "./fuzz/process.ts"
import { figure } from "./measure.ts"

const { values } = parseArgs({
  options: {
    requests: { type: "string", default: "100000" },
    seed: { type: "string", default: String(Math.floor(Math.random() * 2 ** 31)) },
    concurrency: { type: "string", default: "2" }
  }
})
const requests = Number(values.requests)
const seed = Number(values.seed)

/** Upper bounds. The main thread may handle several requests between two pings. */
const bounds = { heldMs: 100, peakMb: 500, grownMb: 150 }

/** A request without a response within this time, ms, hangs: more than the longest deadline. */
const patience = 30_000

/** Timeout for incomplete requests, ms: the server may wait for the rest. */
const impatience = 150

interface Sent {
  readonly bytes: Uint8Array
  /** Text for the report if the response is wrong. */
  readonly shown: string
  /** The server may close the connection without a response. */
  readonly malformed: boolean
}

const written = ({ body, headers, method, target }: Hostile, host: string): Uint8Array => {
  const content = body === undefined ? undefined : Buffer.from(body)
  const lines = [
    `${method} ${target} HTTP/1.1`,
    `Host: ${host}`,
    ...headers.map(([name, value]) => `${name}: ${value}`),
    ...(content === undefined ? [] : [`Content-Length: ${content.length}`]),
    "Connection: close"
  ]
  return Buffer.concat([Buffer.from(`${lines.join("\r\n")}\r\n\r\n`), content ?? new Uint8Array()])
}

const sent = (item: Hostile, host: string): Sent => ({
  bytes: written(item, host),
  shown: JSON.stringify(item).slice(0, 300),
  // Bun's parser accepts only ASCII in a target, and a limited head.
  malformed:
    !/^\/[!-~]*$/.test(item.target) || item.target.length + JSON.stringify(item.headers).length > longestHead - 1_000
})

const wellFormed = (most: number) =>
  FastCheck.tuple(hostile(most), FastCheck.constantFrom("h", "h", "h", "", "a b", "a:99999", "[::1", "é")).map(
    ([item, host]) => sent(item, host)
  )

/** A request with changed, missing or inserted bytes, which may end early. */
const malformed = FastCheck.tuple(
  hostile(200),
  FastCheck.array(
    FastCheck.tuple(
      FastCheck.nat(300),
      FastCheck.constantFrom("\0", "\r", "\n", " ", ":", "\xff", "%", "/", ""),
      FastCheck.nat(3)
    ),
    { minLength: 1, maxLength: 4 }
  ),
  FastCheck.option(FastCheck.nat(200), { freq: 3 })
).map(([item, edits, end]): Sent => {
  const text = edits.reduce(
    (before, [at, byte, skipped]) => before.slice(0, at) + byte + before.slice(at + skipped),
    Buffer.from(written(item, "h")).toString("latin1")
  )
  const bytes = Buffer.from(end === null ? text : text.slice(0, end), "latin1")
  return { bytes, shown: JSON.stringify(bytes.toString("latin1")).slice(0, 300), malformed: true }
})

const traffic = FastCheck.oneof(
  { weight: 94, arbitrary: wellFormed(2_000) },
  { weight: 1, arbitrary: wellFormed(1_000_000) },
  { weight: 5, arbitrary: malformed }
)

/** Number of requests to generate at a time, to limit memory. */
const slice = 500

const folder = mkdtempSync(join(tmpdir(), "fuzz-"))
const binary = "dist/wallet-data"
const command = existsSync(binary) ? [binary] : [process.execPath, headLimit, "src/main.ts"]
const words = [...command, "serve"]
const service = await start(folder, "service", limited(shippedMemory, words) ?? words, {
  UPSTREAMS: "sandbox",
  CACHE: "memory",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "info",
  LOG_FORMAT: "json"
})
const { pid } = service.child
console.log(`\n${requests} hostile requests to ${command.join(" ")}, seed ${seed}`)

const statuses = new Map<number, number>()
const wrong: Array<string> = []
let hangs = 0

const send = async ({ bytes, malformed, shown }: Sent) => {
  // The server waits for the rest of a truncated request.
  const answer = await exchange(service.url, bytes, malformed ? impatience : patience)
  const status = statusOf((answer ?? "").replace(/^HTTP\/1\.1 100 [^\r]*\r\n\r\n/, ""))
  statuses.set(status, (statuses.get(status) ?? 0) + 1)
  if (answer === undefined && !malformed) hangs++
  if (status === 500 || (status === 0 && !malformed)) wrong.push(`${status} ${shown}`)
}

// The first requests trigger lazy loading.
for (const item of FastCheck.sample(wellFormed(2_000), { seed, numRuns: 200 })) await send(item)
statuses.clear()
const before = resident(pid)
const pings = join(folder, "pings.json")
const ping = Bun.spawn([process.execPath, "bench/fuzz/ping.ts", service.url, String(pid), pings])

for (let done = 0; done < requests; done += slice) {
  const queue = FastCheck.sample(traffic, { seed: seed + done, numRuns: Math.min(slice, requests - done) })
  const worker = async () => {
    for (let item = queue.pop(); item !== undefined; item = queue.pop()) await send(item)
  }
  await Promise.all(Array.from({ length: Number(values.concurrency) }, worker))
}

ping.kill("SIGTERM")
await ping.exited
const held: { readonly wall: number; readonly busy: number; readonly failed: number } = await Bun.file(pings).json()
// Memory is returned to the system after some seconds.
await Bun.sleep(10_000)
const after = resident(pid)
const top = peak(pid)
const isAlive = statusOf(
  (await exchange(service.url, "GET /health/live HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n")) ?? ""
)
await stop(service)
const faults = readFileSync(service.output, "utf8")
  .split("\n")
  .filter((line) => line.includes('"level":"ERROR"'))

console.log(
  `  responses by status ${[...statuses]
    .sort(([a], [b]) => a - b)
    .map(([status, count]) => `${status === 0 ? "closed" : status}: ${count}`)
    .join(", ")}`
)
console.log(
  `  memory              ${before.toFixed(0)} MB before, ${top.toFixed(0)} MB at most, ${after.toFixed(0)} MB after`
)
console.log(`  longest ping        ${held.wall.toFixed(0)} ms of wall time`)

let met = true
const check = (name: string, value: number, most: number, unit = "") => {
  figure(name, `${value.toFixed(0)}${unit}`, `at most ${most}${unit}`, value <= most)
  met = met && value <= most
}
check("responses with an internal error", statuses.get(500) ?? 0, 0)
check("requests without a response", wrong.length - (statuses.get(500) ?? 0), 0)
check("of these still open after the longest deadline", hangs, 0)
check("errors in the log", faults.length, 0)
check("pings that failed", held.failed + (isAlive === 200 ? 0 : 1), 0)
check("CPU time of the main thread during a ping", held.busy, bounds.heldMs, " ms")
check("memory at most", top, bounds.peakMb, " MB")
check("memory grown", after - before, bounds.grownMb, " MB")
const told = await Effect.runPromise(lies)
console.log(`\n  wrong numbers       affected ${told.affected} of ${told.responses} responses`)
check("responses that contain a wrong number", told.believed.length, 0)
check("internal errors after wrong numbers", told.broken.length, 0)
for (const line of [...wrong, ...faults, ...told.believed, ...told.broken].slice(0, 20))
  console.log(`  ${line.slice(0, 600)}`)
console.log("\nattacks, each on a separate service")
await attacks({ folder, words: [...command, "serve"] }, ({ most, name, unit, value }) => check(name, value, most, unit))
rmSync(folder, { recursive: true })
process.exit(met ? 0 : 1)
