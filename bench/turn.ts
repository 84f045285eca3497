import { mkdtemp, rm } from "node:fs/promises"
import { tmpdir } from "node:os"
import { join, resolve } from "node:path"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { checkouts, start, startService, stop } from "./child.ts"
import { figure, median } from "./measure.ts"

const evm = Catalogue.all.flatMap(({ chainId, family, id }) =>
  family === "evm" && chainId !== undefined ? [{ chainId, id }] : []
)
const allPrices = `/price?network_ids=${evm.map(({ chainId }) => chainId).join(",")}`

/** Tokens of the simulated lists: prices of all chains then take about 9 MB. */
const tokens = 20_000

const maxTurn = 50
const rounds = 3

const get = async (url: string) => {
  const response = await fetch(url)
  const body = await response.text()
  if (response.status !== 200) throw new Error(`${url}: ${response.status} ${body.slice(0, 200)}`)
  return body
}

const post = async (url: string, body: string) =>
  (await fetch(url, { method: "POST", headers: { "content-type": "application/json" }, body })).text()

/** Waits until all tokens have a price. */
const filled = async (url: string) => {
  for (const until = performance.now() + 180_000; performance.now() < until; ) {
    if ((await get(`${url}/networks`)).length > 0 && (await get(url + allPrices)).split('"source"').length > tokens)
      return
    await Bun.sleep(1_000)
  }
  throw new Error("some tokens got no price")
}

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, "c0de")}`

const batch = (call: (index: number) => unknown) => JSON.stringify(Array.from({ length: 1_000 }, (_, id) => call(id)))

let used = 0
const balanceOf = (address: string) => (id: number) => ({
  jsonrpc: "2.0",
  id,
  method: "eth_getBalance",
  params: [address === "" ? addressOf(used++) : address, "latest"]
})

/** Measured in this order on a service that has just started. */
const cases: ReadonlyArray<readonly [name: string, run: (url: string) => Promise<unknown>]> = [
  ["the first GET /openapi.json", (url) => get(`${url}/openapi.json`)],
  ["the first GET /docs", (url) => get(`${url}/docs`)],
  ["token lists and first prices", filled],
  ["GET /price of all chains, in euros", (url) => get(`${url}${allPrices}&currency=eur`)],
  ["GET /price/coin of 250 new ids", (url) => get(`${url}/price/coin?coin_ids=${newIds(250)}`)],
  ["a batch of 1,000 different calls", (url) => post(`${url}/utils/rpc/ethereum`, batch(balanceOf("")))],
  ["a batch of 1,000 equal calls", (url) => post(`${url}/utils/rpc/ethereum`, batch(balanceOf(addressOf(1))))],
  [
    "POST /balance of 500 addresses",
    (url) =>
      post(
        `${url}/balance`,
        JSON.stringify({ networks: { ethereum: Array.from({ length: 500 }, () => addressOf(used++)) } })
      )
  ],
  [
    "1,000 requests at once",
    async (url) => {
      const words = ["bun", "bench/crowd/load.ts", url, "1000", "1000", "0", String(1e6), "ethereum", "base"]
      const env = { ...process.env, BUN_CONFIG_MAX_HTTP_REQUESTS: "20000" }
      await Bun.spawn(words, { stdout: "ignore", stderr: "inherit", env }).exited
    }
  ]
]

const newIds = (count: number) => Array.from({ length: count }, () => `new-coin-${used++}`).join(",")

const service = async (folder: string, checkout: string, upstreams: string, name: string) => {
  const file = join(folder, `${name}.turn`)
  const child = await startService({
    folder,
    name,
    checkout,
    upstreams,
    evm: evm.map(({ id }) => id),
    env: () => ({ TURN_FILE: file }),
    options: ["--preload", resolve("bench/turn/probe.ts")]
  })
  return { ...child, probe: await Bun.file(file).text() }
}

/**
 * Measures the longest time for which each case holds the event loop of the service, in ms: the median of several
 * processes. `BEFORE` is another checkout, measured in the same run.
 */
export const turn = async (): Promise<void> => {
  console.log(`\nthe longest turn of the event loop, ${tokens} tokens, median of ${rounds} processes`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-turn-"))
  const words = ["bun", "bench/crowd/upstreams.ts", "tokens"]
  const upstreams = await start(folder, "upstreams", words, { TOKENS: String(tokens) })
  const turns = new Map<string, Array<number>>()
  for (let round = 0; round < rounds; round++)
    for (const [checkout, path] of checkouts()) {
      const running = await service(folder, path, upstreams.url, `${checkout}-${round}`)
      for (const [name, run] of cases) {
        await Bun.sleep(300)
        await get(running.probe)
        await run(running.url)
        const key = `${checkout} ${name}`
        turns.set(key, [...(turns.get(key) ?? []), Number(await get(running.probe))])
      }
      await stop(running)
    }
  for (const [name] of cases) {
    const of = (checkout: string) => median(turns.get(`${checkout} ${name}`) ?? [])
    const before = turns.has(`before ${name}`) ? ` (before ${of("before").toFixed(0)})` : ""
    figure(name, `${of("now").toFixed(0)} ms${before}`, `<= ${maxTurn} ms`, of("now") <= maxTurn)
  }
  await stop(upstreams)
  await rm(folder, { recursive: true })
}

if (import.meta.main) await turn()
