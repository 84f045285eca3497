import { RedisClient } from "bun"
import { type Child, start, stop } from "../child.ts"
import { figure, median } from "../measure.ts"
import type { Allowed, Received } from "./nodes.ts"

const count = { machines: 4, processes: 8, known: 80, reads: 1_000, demand: 100, atOnce: 120 }

/** Limits of the nodes. The rate of the first is set in the service, those of the others are not known to it. */
const limits = {
  solana: { perMinute: 100, time: 20, pause: 10 },
  /** The same for one process alone. */
  alone: { perMinute: 100, time: 20, pause: 10 },
  ethereum: { atOnce: 4, time: 100, pause: 2 },
  base: { perMinute: 60, time: 50, pause: 20 }
} satisfies Readonly<Record<string, Allowed>>

type Network = keyof typeof limits

/** Each node has its own host, as limits apply to hosts. */
const addressOf = (nodes: string, network: Network) =>
  `http://127.0.2.${Object.keys(limits).indexOf(network) + 1}:${new URL(nodes).port}/${network}`

const nothing = "http://127.0.2.9:9"

/** Calls that the set rate allows in a minute, with the burst of two, are below the limit of the node. */
const rate = (limits.solana.perMinute - 10) / 60

const variables = (nodes: string) => (solana: Network) => ({
  CACHE: "redis",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "info",
  REQUEST_DEADLINE_MS: "30000",
  PRICE_REFRESH_MS: "0",
  OHLC_REFRESH_MS: "0",
  SOLANA_RPC_URLS: addressOf(nodes, solana),
  SOLANA_PER_SECOND: String(rate),
  ETHEREUM_RPC_URLS: addressOf(nodes, "ethereum"),
  BASE_RPC_URLS: addressOf(nodes, "base"),
  UPSTREAM_CONCURRENCY: String(limits.ethereum.atOnce),
  UPSTREAM_CONCURRENCY_MAX: String(limits.ethereum.atOnce),
  ...Object.fromEntries(
    ["COINGECKO", "COINGECKO_TOKENS", "DEFILLAMA", "BINANCE", "FRANKFURTER"].map((name) => [`${name}_URL`, nothing])
  )
})

const command = [process.execPath, "--max-http-header-size=409600", "scripts/run.ts", "serve"]

const started = (folder: string, name: string, env: Readonly<Record<string, string>>) =>
  start(folder, name, command, env)

interface Replied {
  readonly isGood: boolean
  readonly ms: number
}

/** Sends a call to the proxy of a machine. */
const sent = async (url: string, network: Network, method: string, params: unknown): Promise<Replied> => {
  const began = performance.now()
  const replied = await fetch(`${url}/utils/rpc/${network}`, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
  }).then(
    (response) => response.json() as Promise<{ readonly result?: unknown }>,
    () => ({})
  )
  return { isGood: "result" in replied, ms: performance.now() - began }
}

/** Runs this many at once. */
const pooled = async <A>(all: ReadonlyArray<() => Promise<A>>, atOnce: number): Promise<ReadonlyArray<A>> => {
  const results: Array<A> = []
  let next = 0
  const worker = async () => {
    for (let task = all[next++]; task !== undefined; task = all[next++]) results.push(await task())
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
  return results
}

const received = async (nodes: string, network: Network) =>
  (await (await fetch(`${nodes}/counts/${network}`)).json()) as Received

const good = (replies: ReadonlyArray<Replied>) => replies.filter(({ isGood }) => isGood).length

/** Numbers below `max`, low ones far more often, the same in each run. */
const popular = (length: number, max: number) => {
  let seed = 1
  return Array.from({ length }, () => {
    seed = (Math.imul(seed, 1_103_515_245) + 12_345) & 0x7fff_ffff
    return Math.floor(max * (seed / 0x7fff_ffff) ** 2)
  })
}

const transaction = (number: number) => [`signature${number}`, { encoding: "json" }]

/** Reads of transactions by all clients, of which some are popular. Returns the share that no node was called for. */
const hits = async (nodes: string, urls: ReadonlyArray<string>, network: Network) => {
  const reads = popular(count.reads, count.known).map(
    (number, index) => () => sent(urls[index % urls.length] ?? "", "solana", "getTransaction", transaction(number))
  )
  const replies = await pooled(reads, 8)
  const { calls } = await received(nodes, network)
  return { rate: 1 - calls / count.reads, calls, good: good(replies) }
}

/** Commands that the service sends; others run in its scripts. */
const sentCommands = /^cmdstat_(?:mget|set|evalsha|eval|unlink):calls=(\d+),usec=(\d+)/gm

/** What a Redis has done since it started. */
const statistics = async (client: RedisClient) => {
  const text = String(await client.send("INFO", ["everything"]))
  const of = (name: string) => Number(new RegExp(`^${name}:(\\d+)`, "m").exec(text)?.[1])
  const sum = (all: ReadonlyArray<string | undefined>) => all.reduce((total, one) => total + Number(one), 0)
  const sent = [...text.matchAll(sentCommands)]
  return {
    commands: sum(sent.map(([, calls]) => calls)),
    bytes: of("total_net_input_bytes") + of("total_net_output_bytes"),
    ms: sum(sent.map(([, , micros]) => micros)) / 1_000
  }
}

/** What `work` costs a Redis, without what it costs at rest. */
const costing = async <A>(client: RedisClient, work: () => Promise<A>) => {
  const rest = 10_000
  const first = await statistics(client)
  await Bun.sleep(rest)
  const second = await statistics(client)
  const began = performance.now()
  const result = await work()
  const share = (performance.now() - began) / rest
  const last = await statistics(client)
  const of = (name: keyof typeof first) => last[name] - second[name] - share * (second[name] - first[name])
  return {
    result,
    commands: of("commands"),
    bytes: of("bytes"),
    ms: of("ms"),
    atRest: (second.commands - first.commands) / (rest / 1_000)
  }
}

const requests = (urls: ReadonlyArray<string>, network: Network, calls: number) =>
  Array.from({ length: calls }, (_, index) => () => {
    const url = urls[index % urls.length] ?? ""
    return network === "solana"
      ? sent(url, network, "getTransaction", transaction(10_000 + index))
      : sent(url, network, "eth_call", [{ to: `0x${index.toString(16).padStart(40, "0")}`, data: "0x" }, "latest"])
  })

const cost = (value: number) => (value / count.reads).toFixed(2)

/** Machines that share a Redis, as processes on this one, at nodes with limits. */
export const machines = async (folder: string, redis: string): Promise<void> => {
  console.log(`\n${count.machines} machines as ${count.processes} processes with one Redis, at nodes with limits`)
  const file = new URL("./nodes.ts", import.meta.url).pathname
  const nodes = await start(folder, "nodes", [process.execPath, file, JSON.stringify(limits)])
  const of = variables(nodes.url)
  const one = await started(folder, "one", { ...of("alone"), REDIS_URL: `${redis}/1` })
  const alone = await hits(nodes.url, [one.url], "alone")
  await stop(one)

  const env = { ...of("solana"), REDIS_URL: `${redis}/2`, REPLICAS: String(count.processes) }
  const all: ReadonlyArray<Child> = await Promise.all(
    Array.from({ length: count.processes }, (_, index) => started(folder, `process-${index}`, env))
  )
  await Bun.sleep(15_000)
  const urls = all.map(({ url }) => url)
  const client = new RedisClient(redis)

  const { result: shared, ...used } = await costing(client, () => hits(nodes.url, urls, "solana"))
  const isNear = shared.rate >= 0.9 * alone.rate
  figure(
    "hit rate of 8 processes, of a single process",
    `${percent(shared.rate)}, ${percent(alone.rate)}`,
    "within 10 %",
    isNear
  )
  console.log(`    ${shared.calls} and ${alone.calls} calls; ${shared.good} and ${alone.good} of ${count.reads} good`)
  console.log(
    `    the store, per request: ${cost(used.commands)} commands, ${cost(used.bytes)} bytes, ${cost(used.ms)} ms of Redis; at rest ${used.atRest.toFixed(0)} commands a second`
  )
  const elsewhere = await pooled(
    Array.from(
      { length: count.known },
      (_, number) => () => sent(urls[number % urls.length] ?? "", "solana", "getTransaction", transaction(number))
    ),
    1
  )
  console.log(`    a reply in memory or in the store: ${median(elsewhere.map(({ ms }) => ms)).toFixed(1)} ms`)

  const many = await pooled(requests(urls, "solana", count.demand), 32)
  const known = await received(nodes.url, "solana")
  const { perMinute } = limits.solana
  const isBelow = known.inMinute <= perMinute && known.refused === 0
  figure(
    `calls in a minute, limit ${perMinute}, a set rate`,
    `${known.inMinute}, ${known.refused} refused`,
    `${perMinute}, 0`,
    isBelow
  )
  console.log(`    ${good(many)} of ${count.demand} further reads were good, the others had no budget`)

  const { result: busy, ...counted } = await costing(client, () => pooled(requests(urls, "ethereum", count.atOnce), 32))
  const ethereum = await received(nodes.url, "ethereum")
  const { atOnce } = limits.ethereum
  figure(
    `calls at once, limit ${atOnce}`,
    `${ethereum.atOnce}, ${ethereum.refused} refused`,
    `${atOnce}, 0`,
    ethereum.atOnce <= atOnce
  )
  console.log(
    `    ${good(busy)} of ${count.atOnce} reads were good; the store, per call: ${(counted.commands / count.atOnce).toFixed(1)} commands, ${(counted.ms / count.atOnce).toFixed(2)} ms of Redis`
  )

  const unknown = await pooled(requests(urls, "base", count.demand), 32)
  const base = await received(nodes.url, "base")
  figure(
    `calls refused, limit ${limits.base.perMinute}, no set rate`,
    String(base.refused),
    String(count.processes),
    base.refused <= count.processes
  )
  console.log(`    ${good(unknown)} of ${count.demand} reads were good`)
  client.close()
  for (const child of [...all, nodes]) await stop(child)
}

const percent = (share: number) => `${(100 * share).toFixed(1)} %`
