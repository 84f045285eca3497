import { connect } from "node:net"
import { exchange, statusOf } from "../../test/support/rawSocket.ts"
import { start, stop } from "../child.ts"
import { type Bounded, base, type Setup } from "./attacks.ts"
import { peak, resident } from "./process.ts"

/** Upper bounds: one client or one moment takes nothing from the others. */
const most = { refused: 0, series: 200, docsMb: 64 }

/** HTTP methods that no route has, and the runtime accepts. */
export const oddMethods = ["PURGE", "LINK", "UNLINK", "PROPFIND", "MKCOL", "LOCK", "REPORT", "SEARCH", "SUBSCRIBE"]

export const metricsOf = (url: string): Promise<string> => fetch(`${url}/metrics`).then((response) => response.text())

/** Value of a metric without labels. */
export const valueOf = (metrics: string, name: string): number =>
  Number(new RegExp(`^${name} (\\S+)$`, "m").exec(metrics)?.[1] ?? Number.NaN)

export const seriesIn = (metrics: string): number => metrics.split("\n").filter((line) => /^[a-z]/.test(line)).length

/** Sends a request with two equal lengths, which switched off the limit of bodies. Returns its status. */
export const twoLengths = async (url: string): Promise<number> => {
  const head = "POST /balance HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nConnection: close\r\n"
  return statusOf(
    (await exchange(url, `${head}Content-Length: 15\r\nContent-Length: 15\r\n\r\n{"networks":{}}`, 5_000)) ?? ""
  )
}

/** Opens connections that request a page and read nothing; returns the function that closes them. */
export const unread = (url: string, path: string, count: number): (() => void) => {
  const { hostname, port } = new URL(url)
  const sockets = Array.from({ length: count }, () => {
    const socket = connect(Number(port), hostname).pause()
    socket.on("error", () => {})
    socket.write(`GET ${path} HTTP/1.1\r\nHost: h\r\n\r\n`)
    return socket
  })
  return () => {
    for (const socket of sockets) socket.destroy()
  }
}

const post = (url: string, body: unknown) =>
  fetch(url, {
    method: "POST",
    headers: { "content-type": "application/json" },
    body: JSON.stringify(body),
    signal: AbortSignal.timeout(30_000)
  })

const addressOf = (index: number) => `0x${index.toString(16).padStart(40, "a")}`

interface Outcome {
  readonly status: number
  readonly hasBalance: boolean
  /** A refusal says when to try again. */
  readonly isExplained: boolean
  readonly ms: number
}

const balanceOf = async (url: string, index: number): Promise<Outcome> => {
  const began = performance.now()
  const response = await post(`${url}/balance/token`, { networkId: "ethereum", address: addressOf(index) })
  const { balance = null } = (await response.json()) as { readonly balance?: unknown }
  const isExplained = response.headers.get("retry-after") !== null
  return { status: response.status, hasBalance: balance !== null, isExplained, ms: performance.now() - began }
}

interface Call {
  readonly id: unknown
  readonly method: string
}

const answer = ({ id, method }: Call) => {
  const now = Math.floor(Date.now() / 1000)
  const block = { number: `0x${now.toString(16)}`, timestamp: `0x${now.toString(16)}`, hash: `0x${"b".repeat(64)}` }
  return { jsonrpc: "2.0", id, result: method === "eth_getBlockByNumber" ? block : "0x1" }
}

/** A node that responds with a long pause to more than 30 calls at once. */
const touchy = () => {
  let calls = 0
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async (request) => {
      calls++
      const sent = (await request.json()) as Call | ReadonlyArray<Call>
      await Bun.sleep(50)
      if (calls-- > 30) return new Response("slow down", { status: 429, headers: { "retry-after": "600" } })
      return Response.json(Array.isArray(sent) ? sent.map(answer) : answer(sent as Call))
    }
  })
}

/** Bursts of one client to a node that all networks share, and the balances of others meanwhile and afterwards. */
export const bursts = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const node = touchy()
  const service = await start(folder, "bursts", words, {
    ...base,
    UPSTREAMS: "live",
    HTTPS_PROXY: "http://127.0.0.1:9",
    ETHEREUM_RPC_URLS: `http://127.0.0.1:${node.port}`,
    BASE_RPC_URLS: `http://127.0.0.1:${node.port}`
  })
  const burst = (network: string, count: number) =>
    Array.from({ length: count }, async (_, index) => {
      const params = [addressOf(index), "latest"]
      const call = { jsonrpc: "2.0", id: 1, method: "eth_getBalance", params }
      return (await post(`${service.url}/utils/rpc/${network}`, call)).arrayBuffer()
    })
  let missing = 0
  for (const count of [150, 60, 150]) {
    const calls = [...burst("ethereum", count), ...burst("base", count)]
    for (let index = 0; index < 5; index++) if (!(await balanceOf(service.url, 1_000 + index)).hasBalance) missing++
    await Promise.all(calls)
    if (!(await balanceOf(service.url, 2_000 + count)).hasBalance) missing++
  }
  const paused = /^upstream_circuits\{upstream="(ethereum|base)-rpc",state="(open|paused)"\} [1-9]/m
  const stopped = paused.test(await metricsOf(service.url)) ? 1 : 0
  await stop(service)
  await node.stop(true)
  return [
    { name: "missing balances beside bursts of a client", value: missing, most: most.refused, unit: "" },
    { name: "nodes that a client's bursts have stopped", value: stopped, most: most.refused, unit: "" }
  ]
}

/** More clients than one process can serve: it completes what it admits, and refuses the others at once. */
export const overload = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const service = await start(folder, "overload", words, { ...base, REQUEST_DEADLINE_MS: "10000" })
  for (let index = 0; index < 20; index++) await balanceOf(service.url, index)
  const until = performance.now() + 10_000
  let next = 1_000
  const client = async (): Promise<ReadonlyArray<Outcome>> => {
    const outcomes: Array<Outcome> = []
    while (performance.now() < until) {
      const outcome = await balanceOf(service.url, next++)
      outcomes.push(outcome)
      if (outcome.status === 503) await Bun.sleep(1_000)
    }
    return outcomes
  }
  const outcomes = (await Promise.all(Array.from({ length: 600 }, client))).flat()
  await Bun.sleep(5_000)
  const after = await Promise.all(Array.from({ length: 8 }, (_, index) => balanceOf(service.url, next + index)))
  await stop(service)
  const isWrong = ({ hasBalance, isExplained, status }: Outcome) =>
    status === 503 ? !isExplained : status !== 200 || !hasBalance
  const answered = outcomes.filter(({ status }) => status === 200).length
  console.log(`  under overload      ${answered} of ${outcomes.length} requests answered`)
  return [
    {
      name: "admitted requests without a balance",
      value: outcomes.filter(isWrong).length,
      most: most.refused,
      unit: ""
    },
    {
      name: "requests refused after the overload",
      value: after.filter(({ hasBalance }) => !hasBalance).length,
      most: most.refused,
      unit: ""
    }
  ]
}

/** Requests that switched off limits, or filled memory and metrics. */
export const small = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const service = await start(folder, "small", words, base)
  const { url } = service
  const accepted = (await twoLengths(url)) === 400 ? 0 : 1
  const methods = async (names: ReadonlyArray<string>) => {
    for (const path of ["/balance", "/price", "/networks", "/docs", "/unknown"])
      for (const method of names)
        await exchange(url, `${method} ${path} HTTP/1.1\r\nHost: h\r\nConnection: close\r\n\r\n`, 5_000)
  }
  await methods(oddMethods.slice(0, 1))
  await balanceOf(url, 1)
  await metricsOf(url)
  const before = await metricsOf(url)
  await methods(oddMethods)
  const series = seriesIn(await metricsOf(url)) - seriesIn(before)
  const unlimited = Number.isNaN(valueOf(before, "http_request_body_bytes")) ? 1 : 0
  await (await fetch(`${url}/docs`)).arrayBuffer()
  const used = resident(service.child.pid)
  const leave = unread(url, "/docs", 200)
  await Bun.sleep(5_000)
  const grown = peak(service.child.pid) - used
  leave()
  await stop(service)
  return [
    { name: "requests with two lengths that are accepted", value: accepted, most: most.refused, unit: "" },
    { name: "limits of bodies that are switched off", value: unlimited, most: most.refused, unit: "" },
    { name: "metrics added by unknown methods", value: series, most: most.series, unit: "" },
    { name: "memory of 200 pages that are not read", value: grown, most: most.docsMb, unit: " MB" }
  ]
}
