import { readFileSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { main, startScript } from "../support/command.ts"
import { eventually, folder, start } from "../support/process.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Signals at random moments from the first statement of the program on.

const sandbox = {
  UPSTREAMS: "sandbox",
  CACHE: "memory",
  HOST: "127.0.0.1",
  PORT: "0",
  PAGE: "off",
  PRICE_REFRESH_MS: "0",
  OHLC_REFRESH_MS: "0"
}

const listening = /"listening on (http:[^"]+)"/

const seed = isAll ? Number(process.env.SEED) : Date.now() % 1_000

/** Moments after the first statement, ms: from an even sequence that the seed shifts. */
const moments = Array.from({ length: isAll ? 20 : 1 }, (_, index) =>
  Math.round(2_000 * ((seed * 0.618 + index * 0.382) % 1))
)

const hangupAndStop = 0x4001n

/** Whether a process has listeners for SIGHUP and SIGTERM. */
const listens = (pid: number) =>
  Effect.filterOrFail(
    Effect.try(() => /^SigCgt:\s*([0-9a-f]+)$/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1] ?? "0"),
    (mask) => (BigInt(`0x${mask}`) & hangupAndStop) === hangupAndStop
  )

const keyFile = Effect.map(folder, (path) => {
  const file = join(path, "keys.json")
  writeFileSync(file, "a-key-of-this-test\n")
  return file
})

const serving = (environment: Readonly<Record<string, string>> = {}) =>
  startScript([main, "serve"], { ...sandbox, ...environment })

/** The child of a process, once it exists. */
const childOf = (pid: number) =>
  eventually(
    Effect.filterOrFail(
      Effect.try(() => Number(readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").trim().split(" ")[0])),
      (child) => child > 0
    )
  )

/** The first two are part of every run. */
const variants = {
  alone: Effect.map(serving(), (one) => ({ ...one, pid: one.child.pid })),
  "with workers": Effect.map(serving({ WORKERS: "2" }), (one) => ({ ...one, pid: one.child.pid })),
  "with a file of keys": Effect.flatMap(keyFile, (file) =>
    Effect.map(serving({ API_KEYS_FILE: file }), (one) => ({ ...one, pid: one.child.pid }))
  ),
  "as process 1": Effect.gen(function* () {
    const one = yield* start(["unshare", "--pid", "--fork", "--mount-proc", process.execPath, main, "serve"], {
      cwd: yield* folder,
      env: { PATH: process.env.PATH ?? "", BUN_JSC_useDFGJIT: "0", ...sandbox }
    })
    return { ...one, pid: yield* childOf(one.child.pid) }
  })
}

/** Other systems do not say which signals a process listens to, and only root can make a process the first. */
const testable = Object.entries(variants)
  .slice(0, isAll ? 4 : 2)
  .filter(([name]) => process.platform === "linux" && (process.getuid?.() === 0 || name !== "as process 1"))

describe.concurrent(`a signal at a random moment, seed ${seed}`, () => {
  for (const [name, variant] of testable)
    for (const moment of moments) {
      it.scopedLive(`SIGTERM after ${moment} ms ends it with 0: ${name}`, function* () {
        const { child, ended, pid } = yield* variant
        yield* eventually(listens(pid))
        yield* Effect.sleep(moment)
        process.kill(pid, "SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
        yield* ended
      })

      it.scopedLive(`SIGHUP after ${moment} ms never ends it: ${name}`, function* () {
        const { child, pid, until } = yield* variant
        yield* eventually(listens(pid))
        yield* Effect.sleep(moment)
        process.kill(pid, "SIGHUP")
        const [, url = ""] = yield* until(listening)
        process.kill(pid, "SIGHUP")
        yield* until(name === "with a file of keys" ? /API_KEYS_FILE: reloaded, 1 key/ : /SIGHUP: nothing to reload/)
        assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/health/live`))).status, 200)
        process.kill(pid, "SIGTERM")
        assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
      })
    }
})

describe.concurrent("another command", () => {
  it.scopedLive("that a signal stops has not done its work: its exit code says so", function* () {
    const silent = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Promise<Response>(() => {}) })),
      (server) => Effect.promise(() => server.stop(true))
    )
    const { child } = yield* startScript([main, "health", "--port", String(silent.port)], { HOST: "127.0.0.1" })
    yield* eventually(listens(child.pid))
    child.kill("SIGTERM")
    assert.strictEqual(yield* Effect.promise(() => child.exited), 143)
  })
})

describe.concurrent("during a stop", () => {
  it.scopedLive("further signals change nothing, and requests are completed", function* () {
    const { child, said, until } = yield* serving({ SHUTDOWN_DELAY_MS: "600" })
    const [, url = ""] = yield* until(listening)
    for (const signal of ["SIGTERM", "SIGTERM", "SIGHUP", "SIGINT", "SIGINT"] as const) child.kill(signal)
    const response = yield* Effect.promise(() => fetch(`${url}/health/live`, { headers: { connection: "close" } }))
    assert.strictEqual(response.status, 200)
    for (const signal of ["SIGINT", "SIGTERM"] as const) child.kill(signal)
    assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
    assert.match(said(), /"stopped"/)
  })
})
