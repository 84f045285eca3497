import { readFileSync } from "node:fs"
import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join } from "node:path"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { pinned, start, stop } from "./child.ts"
import { tokens } from "./hot/World.ts"
import { figure, kilobytes, median } from "./measure.ts"

const chains = Catalogue.all.flatMap(({ chainId }) => chainId ?? [])
const coins = Catalogue.all
  .map(({ native }) => native.coinId)
  .filter((id, index, all) => id !== "" && all.indexOf(id) === index)
const all = `/price?network_ids=${chains.join(",")}`

interface Case {
  readonly name: string
  readonly path: string
  readonly encoding?: "gzip" | "zstd"
  /** Smallest accepted rate relative to bare `Bun.serve`. */
  readonly wanted?: number
}

const cases: ReadonlyArray<Case> = [
  { name: `GET /price of ${chains.length} chains, ${tokens} tokens`, path: all },
  { name: "  the same as gzip", path: all, encoding: "gzip" },
  { name: "  the same as zstd", path: all, encoding: "zstd" },
  { name: "GET /price/coin of 20 coins", path: `/price/coin?coin_ids=${coins.slice(0, 20).join(",")}` },
  { name: "GET /app/mdata/item/bitcoin/30", path: "/app/mdata/item/bitcoin/30" },
  { name: "GET /price/market_chart, 30 days", path: "/price/market_chart?coin_ids=bitcoin&days=30" },
  { name: "GET /health/live", path: "/health/live", wanted: 0.5 },
  { name: "GET /health/ready", path: "/health/ready", wanted: 0.5 },
  { name: "GET /networks", path: "/networks", wanted: 0.2 },
  // Its length varies with the digits of its numbers, so it is compared with a body of about the same length.
  { name: "GET /metrics", path: "/metrics", wanted: 0.2 }
]

const rounds = 9
const seconds = 0.5

/** Bytes below which the code dominates the cost of a response, not the copying. */
const small = 1_000_000
const usuallyWanted = 0.8

const script = (name: string) => new URL(`./hot/${name}.ts`, import.meta.url).pathname

const load = async (url: string, { encoding, path }: Case): Promise<number> => {
  const fields = encoding === undefined ? [] : [`accept-encoding: ${encoding}`]
  const child = Bun.spawn([...pinned(1, process.execPath, script("load"), url, path, String(seconds), ...fields)], {
    stdout: "pipe",
    stderr: "inherit"
  })
  return Number(await new Response(child.stdout).text())
}

/** Number of requests after which the code is fully optimized. */
const settled = 100_000

const warm = async (url: string, item: Case) => {
  for (let answered = 0; answered < settled; ) answered += seconds * (await load(url, item))
}

/** Header fields that the server sets itself. */
const ofServer = ["connection", "content-length", "date", "transfer-encoding"]

const answerOf = async (url: string, { encoding, path }: Case) => {
  const response = await fetch(`${url}${path}`, {
    headers: { "accept-encoding": encoding ?? "identity" },
    decompress: false
  })
  if (response.status !== 200) throw new Error(`${path}: ${response.status} ${await response.text()}`)
  const fields = [...response.headers].filter(([name]) => !ofServer.includes(name))
  return { bytes: await response.bytes(), fields: Object.fromEntries(fields) }
}

/** Waits until every token has a price: new token lists are noticed a few times per minute. */
const filled = async (url: string) => {
  for (const until = performance.now() + 120_000; performance.now() < until; ) {
    const body = new TextDecoder().decode((await answerOf(url, { name: "", path: all })).bytes)
    if (body.split('"source"').length > tokens) return
    await Bun.sleep(500)
  }
  throw new Error("some tokens got no price")
}

/** Servers with the same bytes, for comparison. */
const others = ["bare", "natives"] as const

const measure = async (folder: string, service: string, item: Case) => {
  const { bytes, fields } = await answerOf(service, item)
  const file = join(folder, "body")
  await Bun.write(file, bytes)
  const servers = await Promise.all(
    others.map((name) => start(folder, name, pinned(0, process.execPath, script(name), file, JSON.stringify(fields))))
  )
  const urls = [service, ...servers.map(({ url }) => url)]
  if (bytes.byteLength < small) for (const url of urls) await warm(url, item)
  const rates: Array<ReadonlyArray<number>> = []
  for (let round = 0; round < rounds; round++) {
    const measured: Array<number> = []
    for (const url of urls) measured.push(await load(url, item))
    rates.push(measured)
  }
  await Promise.all(servers.map(stop))
  // The speed of the machine changes between rounds, so ratios are per round.
  const [ofBare = Number.NaN, ofNatives = Number.NaN] = others.map((_, index) =>
    median(rates.map(([ours = 0, ...theirs]) => ours / (theirs[index] ?? 0)))
  )
  const wanted = item.wanted ?? usuallyWanted
  const rate = median(rates.map(([ours = 0]) => ours))
  const value = `${ofBare.toFixed(2)}, ${ofNatives.toFixed(2)} of natives, ${rate.toFixed(0)}/s`
  figure(`${item.name}, ${kilobytes(bytes.byteLength)}`, value, String(wanted), ofBare >= wanted)
}

/**
 * Measures cached responses relative to `Bun.serve` with the same body and header bytes, and relative to `natives.ts`,
 * which also makes the runtime calls that each request needs and is therefore an upper bound. Every log line is
 * written. The servers share one CPU core; the load has another.
 */
export const hot = async (): Promise<void> => {
  console.log(`\ncached responses, requests per second relative to bare Bun.serve, ${rounds} rounds`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  const service = await start(folder, "service", pinned(0, process.execPath, script("service")))
  await filled(service.url)
  const only = import.meta.main ? process.argv[2] : undefined
  for (const item of cases.filter(({ name }) => only === undefined || name.includes(only)))
    await measure(folder, service.url, item)
  await stop(service)
  const lines = readFileSync(service.output, "utf8").split('"message":"request"').length - 1
  console.log(`  lines in the access log  ${lines}`)
  await rm(folder, { recursive: true })
}

if (import.meta.main) await hot()
