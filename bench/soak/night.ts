import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { createServer } from "node:net"
import { join } from "node:path"
import { type Child, start, stop } from "../child.ts"
import { next } from "./mix.ts"

// Events of a night without an operator, one after another and under load: reloads of the keys, stops with a
// successor on the port, a full disk, a Redis that is away, and a killed worker. Each at least three times.

/** Clients of each service, and their pause between requests, ms. */
const clients = 2
const rest = 50

const rounds = 3

/** The longest time until a change has its effect, ms. */
const patience = 60_000

/** Size of the disk that is filled. */
const disk = "48m"

const key = (name: string | number) => `key-of-the-night-${name}`

/** A request without a response, or with an error; times are those of the clock. */
interface Failed {
  readonly from: number
  readonly to: number
  readonly text: string
}

/** How one service is started, and what its clients got. */
interface Watched {
  readonly name: string
  readonly keys: string
  service: Child
  readonly environment: Readonly<Record<string, string>>
  readonly failed: Array<Failed>
  /** What happens to it now. */
  phase: string
  refused: number
  answered: number
}

const run = (...words: ReadonlyArray<string>) => Bun.spawnSync([...words], { stderr: "ignore" }).success

const freePort = () =>
  new Promise<number>((resolve) => {
    const server = createServer().listen(0, "127.0.0.1", () => {
      const address = server.address()
      server.close(() => resolve(typeof address === "object" && address !== null ? address.port : 0))
    })
  })

/** Waits until a check succeeds; throws after a minute. */
const until = async (what: string, check: () => Promise<boolean>) => {
  for (const end = performance.now() + patience; performance.now() < end; await Bun.sleep(100))
    if (await check().catch(() => false)) return
  throw new Error(`not within ${patience / 1000} s: ${what}`)
}

/** A new connection for each request: one that a stop or a kill has closed is not used again. */
const send = (url: string, apiKey: string, { body, path } = next()) =>
  fetch(`${url}${path}`, {
    keepalive: false,
    headers: { "content-type": "application/json", "x-api-key": apiKey, connection: "close" },
    ...(body === undefined ? {} : { method: "POST", body: JSON.stringify(body) })
  })

const ask = async (watched: Watched) => {
  const from = Date.now()
  const answer = await send(watched.service.url, key("first")).then(
    async (response) => ({ status: response.status, text: await response.text() }),
    (error) => ({ status: 0, text: String(error) })
  )
  if (answer.status === 503 && answer.text.includes("overloaded")) watched.refused++
  else if (answer.status > 0 && answer.status < 500) watched.answered++
  else
    watched.failed.push({
      from,
      to: Date.now(),
      text: `${watched.phase}: ${answer.status} ${answer.text.slice(0, 200)}`
    })
}

/** The workers of a service, or nothing if it serves by itself. */
const workersOf = ({ child: { pid } }: Child) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8")
    .split(" ")
    .filter((id) => id !== "")
    .map(Number)

/** Waits until all workers serve: before that, one that ends may be the only one that listens. */
const complete = ({ environment: { WORKERS = "1" }, service: { url, output } }: Watched) =>
  until("all workers", async () => {
    const said = readFileSync(output, "utf8").includes("listening on")
    if (WORKERS === "1") return said
    const response = await send(url, key("first"), { path: "/health/ready" })
    return ((await response.json()) as { readonly workers?: number }).workers === Number(WORKERS)
  })

/** Largest time between the end of a process and the errors of its requests, ms. */
const slack = 2_000

/** The times at which workers were killed, by this run or because they did not respond, from the logs of a service. */
const killsOf = (folder: string, { name }: Watched) =>
  readdirSync(folder)
    .filter((file) => file.startsWith(`${name}-`) && file.endsWith(".log"))
    .flatMap((file) =>
      readFileSync(join(folder, file), "utf8")
        .split("\n")
        .flatMap((line) =>
          /ended by SIGKILL|does not respond and is killed/.test(line) ? [Date.parse(JSON.parse(line).timestamp)] : []
        )
    )

/** Gives the port to a successor, and stops the first: no connection is refused. */
const replace = async (watched: Watched, folder: string, command: ReadonlyArray<string>, round: number) => {
  watched.phase = "stop"
  const before = watched.service
  const environment = { ...watched.environment, PORT: new URL(before.url).port }
  watched.service = await start(folder, `${watched.name}-${round}`, command, environment)
  await complete(watched)
  await stop(before)
  if (before.child.exitCode !== 0) throw new Error(`${watched.name} ended with ${before.child.exitCode}`)
}

/** Adds a key to the file, and waits until the service accepts it. */
const reload = async (watched: Watched, round: number) => {
  const { keys, service } = watched
  watched.phase = "reload"
  writeFileSync(keys, `${key("first")}\n${key(round)}\n`)
  service.child.kill("SIGHUP")
  await until("the new key", async () => (await send(service.url, key(round), { path: "/networks" })).status === 200)
}

/** Kills one worker; its requests may be lost. Waits until another has taken its place. */
const killWorker = async (watched: Watched) => {
  watched.phase = "killed worker"
  const before = workersOf(watched.service)
  const [victim = 0] = before
  process.kill(victim, "SIGKILL")
  await until("a new worker", async () => !workersOf(watched.service).includes(victim))
  await complete(watched)
}

const startRedis = async (port: number) => {
  const child = Bun.spawn(["redis-server", "--port", `${port}`, "--save", "", "--appendonly", "no"], {
    stdout: "ignore"
  })
  await until("Redis", async () => run("redis-cli", "-p", `${port}`, "ping"))
  return child
}

const fill = (path: string) => {
  try {
    writeFileSync(path, Buffer.alloc(Number.parseInt(disk, 10) * 2 ** 20))
  } catch (error) {
    if ((error as NodeJS.ErrnoException).code === "ENOSPC") return
    throw error
  }
  throw new Error("the disk is not full")
}

export interface Night {
  /** How often each event happened. */
  readonly events: Readonly<Record<string, number>>
  readonly lost: ReadonlyArray<string>
  /** A line for the report. */
  readonly line: string
}

/** Runs a night of this length, or as long as three rounds take. Needs root, for a small disk, and redis-server. */
export const night = async (folder: string, command: ReadonlyArray<string>, minutes: number): Promise<Night> => {
  const mounted = join(folder, "disk")
  mkdirSync(mounted)
  if (!run("mount", "-t", "tmpfs", "-o", `size=${disk}`, "tmpfs", mounted))
    throw new Error("a small disk cannot be mounted: run this as root")
  const end = performance.now() + minutes * 60_000
  const hold = Math.min(20_000, Math.max(2_000, minutes * 1_000))
  const port = await freePort()
  let redis = await startRedis(port)
  const watch = async (name: string, store: Readonly<Record<string, string>>): Promise<Watched> => {
    const keys = join(folder, `${name}.keys`)
    writeFileSync(keys, `${key("first")}\n`)
    const shared = { UPSTREAMS: "sandbox", HOST: "127.0.0.1", PORT: "0", SHARE_PORT: "true", API_KEYS_FILE: keys }
    const environment = { ...shared, REPLICAS: "1", ...store }
    const service = await start(folder, `${name}-0`, command, environment)
    const watched: Watched = { name, keys, environment, service, phase: "start", failed: [], refused: 0, answered: 0 }
    await complete(watched)
    return watched
  }
  const onDisk = await watch("disk", {
    CACHE: "sqlite",
    SQLITE_PATH: join(mounted, "cache.sqlite"),
    CACHE_MAX_MB: "16"
  })
  const onRedis = await watch("redis", {
    CACHE: "redis",
    REDIS_URL: `redis://127.0.0.1:${port}`,
    WORKERS: "2"
  })
  const all = [onDisk, onRedis]
  const events = { reloads: 0, stops: 0, "full disks": 0, "Redis away": 0, "killed workers": 0 }
  let isOver = false
  const load = all.flatMap((watched) =>
    Array.from({ length: clients }, async () => {
      while (!isOver) {
        await ask(watched)
        await Bun.sleep(rest)
      }
    })
  )
  try {
    for (let round = 1; round <= rounds || performance.now() < end; round++) {
      for (const watched of all) {
        await reload(watched, round)
        events.reloads++
        await replace(watched, folder, command, round)
        events.stops++
      }
      for (const watched of all) watched.phase = "full disk and Redis away"
      fill(join(mounted, "filler"))
      await Bun.sleep(hold)
      rmSync(join(mounted, "filler"))
      events["full disks"]++
      redis.kill("SIGKILL")
      await redis.exited
      await Bun.sleep(hold)
      redis = await startRedis(port)
      events["Redis away"]++
      await Bun.sleep(hold)
      await killWorker(onRedis)
      events["killed workers"]++
      await Bun.sleep(hold)
    }
  } finally {
    isOver = true
    await Promise.all(load)
    for (const { service } of all) await stop(service)
    redis.kill()
    await redis.exited
    run("umount", mounted)
  }
  const sum = (count: (watched: Watched) => number) => all.reduce((total, watched) => total + count(watched), 0)
  const lost = all.flatMap((watched) => {
    const kills = killsOf(folder, watched)
    const isKilled = ({ from, to }: Failed) => kills.some((time) => from < time + slack && to > time - slack)
    return watched.failed.flatMap((failed) => (isKilled(failed) ? [] : [`${watched.name}, ${failed.text}`]))
  })
  return {
    events,
    lost,
    line:
      `night: ${Object.entries(events)
        .map(([name, count]) => `${count} ${name}`)
        .join(", ")}; ` +
      `${sum(({ answered }) => answered)} requests answered, ${sum(({ refused }) => refused)} refused as overloaded, ` +
      `${sum(({ failed }) => failed.length) - lost.length} lost in killed processes, ${lost.length} lost otherwise`
  }
}
