import { connect } from "node:net"
import { gzipSync } from "node:zlib"
import { longestHead } from "../../scripts/build.ts"
import { faultyRedis, redisFaults } from "../../test/support/illRedis.ts"
import { freePort } from "../../test/support/process.ts"
import { tool } from "../../test/support/tools.ts"
import { type Child, start, stop } from "../child.ts"
import { bursts, overload, small } from "./limits.ts"
import { peak, resident } from "./process.ts"

/** A measured value and its upper bound. */
export interface Bounded {
  readonly name: string
  readonly value: number
  readonly most: number
  readonly unit: string
}

export interface Setup {
  readonly folder: string
  /** The command of the service, with `serve`. */
  readonly words: ReadonlyArray<string>
}

/** Upper bounds. The shipped manifest limits memory to 1 GiB. */
const most = { refused: 0, peakMb: 700, headsMb: 64, closedMs: 1_000, redisMs: 2_000, workerMs: 5_000, besideMs: 1_500 }

export const base = {
  UPSTREAMS: "sandbox",
  CACHE: "memory",
  HOST: "127.0.0.1",
  PORT: "0",
  LOG_LEVEL: "info",
  LOG_FORMAT: "json"
}

/** Timeout, ms: more than any deadline of the service. */
const patience = 30_000

const status = (url: string, init: RequestInit = {}): Promise<number> =>
  fetch(url, { signal: AbortSignal.timeout(patience), ...init }).then(
    async (response) => {
      await response.arrayBuffer()
      return response.status
    },
    () => 0
  )

const post = (body: unknown): RequestInit => ({
  method: "POST",
  headers: { "content-type": "application/json" },
  body: JSON.stringify(body)
})

const balance = post({ networks: { ethereum: ["0x00000000219ab540356cBB839Cbe05303d7705Fa"] } })

/**
 * Opens sockets that announce a body of this length but send only one byte. `closed` is the longest time from a response
 * to the end of its connection, ms.
 */
export const stalledBodies = (url: string, count: number, length: number) => {
  const { hostname, port } = new URL(url)
  const closed = Promise.withResolvers<number>()
  let open = count
  let longest = 0
  const sockets = Array.from({ length: count }, (_, index) => {
    const path = index % 2 === 0 ? "/balance" : "/utils/rpc/ethereum"
    const socket = connect(Number(port), hostname)
    // The service responds and closes, at its deadline or at once.
    socket.on("error", () => {})
    let answered = Number.NEGATIVE_INFINITY
    socket.once("data", () => {
      answered = performance.now()
    })
    socket.on("close", () => {
      longest = Math.max(longest, performance.now() - answered)
      if (--open === 0) closed.resolve(longest)
    })
    socket.write(
      `POST ${path} HTTP/1.1\r\nHost: h\r\nContent-Type: application/json\r\nContent-Length: ${length}\r\n\r\n{`
    )
    return socket
  })
  return {
    closed: closed.promise,
    leave: () => {
      for (const socket of sockets) socket.destroy()
    }
  }
}

/** Opens 100 connections with unfinished heads of the allowed length. */
const heads = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const service = await start(folder, "heads", words, base)
  const { hostname, port } = new URL(service.url)
  const live = () => status(`${service.url}/health/live`)
  for (let times = 0; times < 50; times++) await live()
  const before = resident(service.child.pid)
  const head = Buffer.from("GET /health/live HTTP/1.1\r\nHost: h\r\nX-Long: ".padEnd(longestHead - 1_000, "a"))
  const sockets = Array.from({ length: 100 }, () => connect(Number(port), hostname))
  let refused = 0
  for (const socket of sockets) socket.on("error", () => refused++).write(head)
  for (let times = 0; times < 50; times++) {
    if ((await live()) !== 200) refused++
    await Bun.sleep(20)
  }
  const grown = resident(service.child.pid) - before
  for (const socket of sockets) socket.destroy()
  await stop(service)
  return [
    { name: "memory of 100 unfinished heads", value: grown, most: most.headsMb, unit: " MB" },
    { name: "rejected requests with unfinished heads", value: refused, most: most.refused, unit: "" }
  ]
}

const bodies = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const service = await start(folder, "stalled", words, { ...base, REQUEST_DEADLINE_MS: "5000" })
  let refused = 0
  let last = 0
  for (const length of [100, 1_000_000]) {
    const { closed, leave } = stalledBodies(service.url, length === 100 ? 2_000 : 50, length)
    for (let times = 0; times < 50; times++) {
      if ((await status(`${service.url}/balance`, balance)) !== 200) refused++
      if ((await status(`${service.url}/price/coin?coin_ids=bitcoin`)) !== 200) refused++
      await Bun.sleep(20)
    }
    last = Math.max(last, (await Promise.race([closed, Bun.sleep(patience)])) ?? patience)
    leave()
  }
  const top = peak(service.child.pid)
  await stop(service)
  return [
    { name: "rejected requests with 2,000 stalled bodies", value: refused, most: most.refused, unit: "" },
    { name: "connections of stalled bodies, closed after the response", value: last, most: most.closedMs, unit: " ms" },
    { name: "peak memory, stalled bodies", value: top, most: most.peakMb, unit: " MB" }
  ]
}

/** A node whose compressed responses decompress to this size. */
const bombing = (bytes: number) => {
  const text = `{"jsonrpc":"2.0","id":1,"result":"0x${"0".repeat(bytes)}"}`
  const body = gzipSync(text)
  return Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => new Response(body, { headers: { "content-type": "application/json", "content-encoding": "gzip" } })
  })
}

const bombs = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const figures: Array<Bounded> = []
  for (const megabytes of [3, 15, 100]) {
    const node = bombing(megabytes * 1024 * 1024)
    const service = await start(folder, `bombs-${megabytes}`, words, {
      ...base,
      UPSTREAMS: "live",
      ETHEREUM_RPC_URLS: `http://127.0.0.1:${node.port}`
    })
    const calls = Array.from({ length: 160 }, (_, index) =>
      index % 2 === 0
        ? status(`${service.url}/balance`, post({ networks: { ethereum: [`0x${String(index).padStart(40, "0")}`] } }))
        : status(
            `${service.url}/utils/rpc/ethereum`,
            post({
              jsonrpc: "2.0",
              id: index,
              method: "eth_call",
              params: [{ to: `0x${String(index).padStart(40, "0")}` }, "latest"]
            })
          )
    )
    await Promise.all(calls)
    figures.push({
      name: `peak memory, 160 responses of ${megabytes} MB`,
      value: peak(service.child.pid),
      most: most.peakMb,
      unit: " MB"
    })
    await stop(service)
    await node.stop(true)
  }
  return figures
}

/** Waits until the condition holds; returns the time, ms, or infinity after the limit. */
const until = async (holds: () => Promise<boolean>, limit = patience): Promise<number> => {
  const began = performance.now()
  while (!(await holds())) {
    if (performance.now() - began > limit) return Number.POSITIVE_INFINITY
    await Bun.sleep(20)
  }
  return performance.now() - began
}

const redis = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const binary = tool("redis-server")
  if (binary === undefined || binary === null) return []
  const port = freePort()
  const server = Bun.spawn([binary, "--port", String(port), "--save", ""], { cwd: folder, stdout: "ignore" })
  const ill = faultyRedis(`redis://127.0.0.1:${port}`)
  const service = await start(folder, "redis", words, { ...base, CACHE: "redis", REDIS_URL: ill.url })
  const isUp = (up: boolean) => async () => {
    // Each readiness request returns the last known state and triggers a new check.
    await status(`${service.url}/health/ready`)
    const text = await fetch(`${service.url}/metrics`).then((response) => response.text())
    return text.includes(`store_up{store="redis"} ${up ? 1 : 0}\n`)
  }
  const figures: Array<Bounded> = []
  let failed = 0
  await until(isUp(true))
  for (const illness of redisFaults) {
    ill.set(illness)
    await until(isUp(false))
    for (let times = 0; times < 20; times++) if ((await status(`${service.url}/balance`, balance)) !== 200) failed++
    ill.set(undefined)
    figures.push({
      name: `Redis used again after: ${illness}`,
      value: await until(isUp(true)),
      most: most.redisMs,
      unit: " ms"
    })
  }
  await stop(service)
  ill.stop()
  server.kill("SIGKILL")
  await server.exited
  return [...figures, { name: "requests rejected while Redis failed", value: failed, most: most.refused, unit: "" }]
}

const workersOf = ({ child }: Child): ReadonlyArray<number> =>
  Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(child.pid)])
    .stdout.toString()
    .split("\n")
    .map(Number)
    .filter((pid) => pid > 0)

const frozen = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const service = await start(folder, "frozen", words, { ...base, WORKERS: "2" })
  const serving = async () =>
    fetch(`${service.url}/health/ready`, { headers: { connection: "close" }, signal: AbortSignal.timeout(1_000) }).then(
      async (response) => ((await response.json()) as { readonly workers: number }).workers === 2,
      () => false
    )
  await until(serving)
  const [pid = 0] = workersOf(service)
  process.kill(pid, "SIGSTOP")
  const took = await until(async () => {
    const found = workersOf(service)
    return found.length === 2 && !found.includes(pid)
  })
  // Only whether it serves is checked, because the duration of a start depends on the machine.
  const serves = Number.isFinite(await until(serving))
  await stop(service)
  return [
    { name: "a frozen worker is replaced", value: took, most: most.workerMs, unit: " ms" },
    { name: "workers that do not serve afterwards", value: serves ? 0 : 1, most: most.refused, unit: "" }
  ]
}

/** Stops the process for longer than the timeout of an attempt, while calls are in progress that are answered meanwhile. */
const paused = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const received = Promise.withResolvers<void>()
  let calls = 0
  const node = Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: async () => {
      if (++calls === 6) received.resolve()
      await Bun.sleep(800)
      return Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
    }
  })
  const service = await start(folder, "paused", words, {
    ...base,
    UPSTREAMS: "live",
    ETHEREUM_RPC_URLS: `http://127.0.0.1:${node.port}`
  })
  const read = (index: number) =>
    status(
      `${service.url}/utils/rpc/ethereum`,
      post({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_call",
        params: [{ to: `0x${String(index).padStart(40, "0")}` }, "latest"]
      })
    )
  const reads = Array.from({ length: 6 }, (_, index) => read(index))
  await received.promise
  process.kill(service.child.pid, "SIGSTOP")
  await Bun.sleep(7_000)
  process.kill(service.child.pid, "SIGCONT")
  const statuses = [...(await Promise.all(reads)), await read(6)]
  await stop(service)
  await node.stop(true)
  const refused = statuses.filter((found) => found !== 200).length
  return [{ name: "calls that failed although answered in a pause", value: refused, most: most.refused, unit: "" }]
}

/** A node whose responses have this number of parts of 64 KiB, with this pause before each, ms. */
const partly = (parts: number, pause: number) =>
  Bun.serve({
    port: 0,
    hostname: "127.0.0.1",
    fetch: () => {
      const text = `{"jsonrpc":"2.0","id":1,"result":["${"0".repeat(parts * 65_536)}"]}`
      let sent = 0
      const pull = async (controller: ReadableStreamDefaultController<string>) => {
        if (sent === text.length) return controller.close()
        await Bun.sleep(pause)
        controller.enqueue(text.slice(sent, sent + 65_536))
        sent = Math.min(text.length, sent + 65_536)
      }
      return new Response(new ReadableStream({ pull }))
    }
  })

/** Many large, slow responses of one node, and a few quick ones of another. */
const slowBodies = async ({ folder, words }: Setup): Promise<ReadonlyArray<Bounded>> => {
  const [slow, quick] = [partly(100, 25), partly(20, 0)]
  const service = await start(folder, "slow-bodies", words, {
    ...base,
    UPSTREAMS: "live",
    ETHEREUM_RPC_URLS: `http://127.0.0.1:${slow.port}`,
    BASE_RPC_URLS: `http://127.0.0.1:${quick.port}`
  })
  const logs = (network: string, index: number) =>
    status(
      `${service.url}/utils/rpc/${network}`,
      post({
        jsonrpc: "2.0",
        id: 1,
        method: "eth_getLogs",
        params: [{ address: `0x${String(index).padStart(40, "0")}` }]
      })
    )
  const large = Array.from({ length: 30 }, (_, index) => logs("ethereum", index))
  await Bun.sleep(1_500)
  const began = performance.now()
  const statuses = await Promise.all(Array.from({ length: 4 }, (_, index) => logs("base", index)))
  const took = performance.now() - began
  await Promise.all(large)
  const metrics = await fetch(`${service.url}/metrics`).then((response) => response.text())
  const open = metrics
    .split("\n")
    .filter((line) => /^upstream_circuits\{upstream="(ethereum|base)-rpc",state=".*open"\} [1-9]/.test(line)).length
  const top = peak(service.child.pid)
  await stop(service)
  await Promise.all([slow.stop(true), quick.stop(true)])
  const failed = statuses.filter((found) => found !== 200).length
  return [
    { name: "quick responses that failed beside large, slow ones", value: failed, most: most.refused, unit: "" },
    { name: "time of quick responses beside large, slow ones", value: took, most: most.besideMs, unit: " ms" },
    { name: "open circuits after large, slow responses", value: open, most: most.refused, unit: "" },
    { name: "peak memory, large, slow responses", value: top, most: most.peakMb, unit: " MB" }
  ]
}

/** Runs the attacks one after another, each on a new service; `measured` receives each value. */
export const attacks = async (setup: Setup, measured: (figure: Bounded) => void): Promise<void> => {
  for (const attack of [heads, bodies, paused, redis, frozen, bombs, slowBodies, bursts, overload, small])
    for (const figure of await attack(setup)) measured(figure)
}
