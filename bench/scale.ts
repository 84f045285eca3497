import { mkdtemp, rm } from "node:fs/promises"
import { availableParallelism, tmpdir } from "node:os"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { headLimit } from "../scripts/build.ts"
import { freePort } from "../test/support/process.ts"
import { redisServer } from "../test/support/redis.ts"
import { load, nginx } from "../test/support/rolling.ts"
import { holder } from "../test/support/sandbox.ts"
import { isMissing } from "../test/support/tools.ts"
import { type Child, start, stop } from "./child.ts"
import { figure, median } from "./measure.ts"
import { machines } from "./scale/machines.ts"

const rounds = 3
const seconds = 3
const restarts = 20

const balance = { networks: { ethereum: [holder(1)] } }

const script = (name: string) => new URL(`./scale/${name}.ts`, import.meta.url).pathname

interface Measured {
  readonly rate: number
  readonly p50: number
  readonly p99: number
  /** CPU use of the load, as a fraction of one core. */
  readonly processor: number
}

interface Request {
  readonly name: string
  readonly words: readonly [method: string, path: string, body: string]
}

const get: Request = { name: "GET /price/coin", words: ["GET", "/price/coin?coin_ids=bitcoin", ""] }
const post: Request = { name: "POST /balance", words: ["POST", "/balance", JSON.stringify(balance)] }

const measure = async (url: string, { words }: Request, connections = 32): Promise<Measured> => {
  const command = [process.execPath, script("load"), url, ...words, String(seconds), String(connections)]
  const child = Bun.spawn(command, { stdout: "pipe", stderr: "inherit" })
  return (await new Response(child.stdout).json()) as Measured
}

const service = (folder: string, name: string, env: Readonly<Record<string, string>>) =>
  start(folder, name, [process.execPath, headLimit, "scripts/run.ts", "serve"], {
    UPSTREAMS: "sandbox",
    HOST: "127.0.0.1",
    PORT: "0",
    ...env
  })

/** Waits until all workers serve. */
const complete = async ({ url }: Child, workers: number) => {
  for (const until = performance.now() + 30_000; performance.now() < until; await Bun.sleep(50)) {
    const response = await fetch(`${url}/health/ready`)
    const { workers: found = 1 } = (await response.json()) as { readonly workers?: number }
    if (found === workers) return
  }
  throw new Error(`${workers} workers did not start`)
}

const of = (all: ReadonlyArray<Measured>, value: (one: Measured) => number) => median(all.map(value))

/** Measures two services alternately with the same requests, so that conditions are equal. */
const inTurns = async (request: Request, urls: readonly [string, string], connections?: number) => {
  const first: Array<Measured> = []
  const second: Array<Measured> = []
  for (const url of urls) await measure(url, request, connections)
  for (let round = 0; round < rounds; round++) {
    first.push(await measure(urls[0], request, connections))
    second.push(await measure(urls[1], request, connections))
  }
  return [first, second] as const
}

const workers = async (folder: string) => {
  const services: Array<Child> = []
  for (const count of [1, 2]) {
    const env = { CACHE: "sqlite", SQLITE_PATH: join(folder, `${count}.db`), WORKERS: String(count) }
    const started = await service(folder, `workers-${count}`, env)
    await complete(started, count)
    services.push(started)
  }
  const urls = [services[0]?.url ?? "", services[1]?.url ?? ""] as const
  for (const request of [get, post]) {
    const [single, both] = await inTurns(request, urls)
    const ratio = of(both, ({ rate }) => rate) / of(single, ({ rate }) => rate)
    const rates = `${of(both, ({ rate }) => rate).toFixed(0)} of ${of(single, ({ rate }) => rate).toFixed(0)}/s`
    figure(`${request.name}, 2 workers relative to 1`, `${ratio.toFixed(2)}  ${rates}`, "1.8", ratio >= 1.8)
    const sending = of(both, ({ processor }) => processor)
    console.log(`    the load used ${sending.toFixed(2)} of ${availableParallelism()} CPU cores`)
  }
  for (const one of services) await stop(one)
}

const rolling = async (folder: string) => {
  if (isMissing("nginx")) return console.log("  rolling restarts: skipped, nginx is not installed")
  const ports = [freePort(), freePort()]
  const instance = (port: number) =>
    service(folder, `instance-${port}`, {
      PORT: String(port),
      CACHE: "memory",
      LOG_LEVEL: "info",
      SHUTDOWN_DELAY_MS: "300"
    })
  const instances = await Promise.all(ports.map(instance))
  const { answered, failures } = await Effect.runPromise(
    Effect.scoped(
      Effect.flatMap(nginx(ports), (url) =>
        Effect.promise(async () => {
          const end = load(url, balance, 16)
          for (let count = 0; count < restarts; count++) {
            const index = count % ports.length
            const old = instances[index]
            if (old !== undefined) await stop(old)
            instances[index] = await instance(ports[index] ?? 0)
          }
          return end()
        })
      )
    )
  )
  const value = `${failures.length} of ${answered + failures.length}`
  figure(`requests lost over ${restarts} restarts behind nginx`, value, "0", failures.length === 0)
  for (const failure of new Set(failures)) console.log(`    ${failure}`)
  for (const one of instances) await stop(one)
}

const withRedis = async (folder: string, url: string) => {
  const inMemory = await service(folder, "memory", { CACHE: "memory" })
  const inRedis = await service(folder, "redis", { CACHE: "redis", REDIS_URL: url })
  const [memory, redis] = await inTurns(post, [inMemory.url, inRedis.url], 4)
  const [before, after] = [of(memory, ({ p99 }) => p99), of(redis, ({ p99 }) => p99)]
  const value = `${(after / before).toFixed(2)}  ${after.toFixed(1)} of ${before.toFixed(1)} ms`
  figure("p99 of POST /balance, Redis relative to memory", value, "1.5", after / before <= 1.5)
  await stop(inMemory)
  await stop(inRedis)
}

const overBudget = async (name: string, place: string) => {
  const begin = String(Date.now() + 2_000)
  const children = Array.from({ length: 4 }, () =>
    Bun.spawn([process.execPath, script("caller"), place, "100", begin], { stdout: "pipe", stderr: "inherit" })
  )
  const counts = await Promise.all(children.map(async ({ stdout }) => Number(await new Response(stdout).text())))
  const sum = counts.reduce((total, count) => total + count, 0)
  figure(`calls of 4 processes over a budget of 100, ${name}`, `${sum - 100} (${counts.join(" + ")})`, "0", sum === 100)
}

/** Measures the gain and the cost of several processes. */
export const scale = async (): Promise<void> => {
  console.log(`\nseveral processes, ${rounds} alternate rounds of ${seconds} s; the load runs on the same CPU cores`)
  const folder = await mkdtemp(join(tmpdir(), "wallet-data-bench-"))
  await workers(folder)
  await overBudget("a sqlite file", join(folder, "budget.db"))
  if (isMissing("redis-server")) console.log("  Redis: skipped, redis-server is not installed")
  else
    await Effect.runPromise(
      Effect.scoped(
        Effect.flatMap(redisServer(), ({ url }) =>
          Effect.promise(async () => {
            await overBudget("Redis", url)
            await withRedis(folder, url)
            await machines(folder, url)
          })
        )
      )
    )
  await rolling(folder)
  await rm(folder, { recursive: true })
}
