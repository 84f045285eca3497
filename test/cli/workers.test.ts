import { join } from "node:path"
import * as Effect from "effect/Effect"
import { closed, main, run, runInProcess, startScript } from "../support/command.ts"
import { eventually, folder } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", HOST: "127.0.0.1", PORT: "0", WORKERS: "2" }

/** Uses a new connection, so that any worker may respond. */
const get = (url: string) => Effect.tryPromise(() => fetch(url, { headers: { connection: "close" } }))

const text = (url: string) => Effect.flatMap(get(url), (response) => Effect.promise(() => response.text()))

const json = (url: string) => Effect.map(text(url), (body) => JSON.parse(body))

describe.concurrent("WORKERS", () => {
  it.scopedLive(
    "serve on one port, report each other's state, are restarted after a failure, and stop together",
    function* () {
      const files = yield* folder
      const { child, ended, said, until } = yield* startScript([main, "serve"], {
        ...sandbox,
        CACHE: "sqlite",
        LOG_LEVEL: "debug",
        SQLITE_PATH: join(files, "cache.db")
      })
      const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
      const both = eventually(Effect.filterOrFail(json(`${url}/health/ready`), ({ workers }) => workers === 2))
      const { status, store } = yield* both
      assert.deepStrictEqual({ status, store }, { status: "ready", store: { kind: "sqlite", state: "up" } })

      // Every worker reports the requests of all workers, each counted once.
      yield* Effect.forEach(Array.from({ length: 20 }), () => get(`${url}/price/coin?coin_ids=bitcoin`))
      const answered =
        /^http_requests_total\{method="GET",route="\/price\/coin",status="200",worker="([12])"\} (\d+)$/gm
      const counts = Effect.map(text(`${url}/metrics`), (body) =>
        Array.from(body.matchAll(answered), ([, , n]) => Number(n))
      )
      yield* eventually(Effect.filterOrFail(counts, (found) => found.reduce((sum, count) => sum + count, 0) === 20))
      const metrics = yield* text(`${url}/metrics`)
      assert.strictEqual(metrics.match(/^# TYPE store_up gauge$/gm)?.length, 1)
      assert.strictEqual(metrics.match(/^store_up\{store="sqlite",worker="[12]"\} 1$/gm)?.length, 2)
      assert.deepStrictEqual(metrics.match(/^workers_\w+ \d+$/gm), ["workers_wanted 2", "workers_serving 2"])

      const pids = () =>
        Bun.spawnSync(["ps", "-o", "pid=", "--ppid", String(child.pid)])
          .stdout.toString()
          .split("\n")
          .map(Number)
          .filter((pid) => pid > 0)
      const before = pids()
      process.kill(before.find((pid) => pid !== 0) ?? 0, "SIGKILL")
      yield* until(/worker \d ended by SIGKILL; it starts again in 1 s/)
      yield* both

      // A frozen worker accepts connections but does not respond.
      const [halted = 0] = pids()
      process.kill(halted, "SIGSTOP")
      yield* until(/worker \d does not respond and is killed/)
      yield* eventually(
        Effect.filterOrFail(
          Effect.sync(() => pids()),
          (found) => found.length === 2 && !found.includes(halted)
        )
      )
      yield* both

      // A terminal signals the workers too: a second signal must not end them before they have stopped.
      for (const pid of pids()) process.kill(pid, "SIGTERM")
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
      yield* ended
      assert.strictEqual(said().match(/"stopped"/g)?.length, 2)
      yield* closed(`${url}/health/live`)
      assert.notInclude(said(), "did you mean WORKERS")
      // Only one worker runs the background refreshes.
      assert.strictEqual(said().match(/token list of ethereum:/g)?.length, 1)
    }
  )

  it.scopedLive("are missing in the metrics of the others while they end before they serve", function* () {
    const preload = join(yield* folder, "preload.ts")
    yield* Effect.promise(() => Bun.write(preload, 'if (process.env["WALLET_DATA_WORKER"] === "2") process.exit(7)\n'))
    const { until } = yield* startScript([main, "serve"], {
      ...sandbox,
      CACHE: "memory",
      BUN_OPTIONS: `--preload=${preload}`
    })
    const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
    yield* until(/worker 2 ended with exit code 7; it starts again in 1 s/)
    const metrics = yield* text(`${url}/metrics`)
    assert.deepStrictEqual(metrics.match(/^workers_\w+ \d+$/gm), ["workers_wanted 2", "workers_serving 1"])
  })

  it.scopedLive("listen at the address from the command line, and stop when their parent is killed", function* () {
    const environment = { ...sandbox, HOST: "0.0.0.0", CACHE: "memory" }
    const { child, ended, until } = yield* startScript([main, "serve", "--host", "127.0.0.1"], environment)
    const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
    assert.strictEqual(new URL(url).hostname, "127.0.0.1")
    child.kill("SIGKILL")
    yield* ended
    yield* closed(`${url}/health/live`)
  })

  it.scopedLive("do not start with an invalid value, which is reported once", function* () {
    const { code, stderr } = yield* runInProcess(["serve"], { ...sandbox, CACHE: "memory", API_KEYS: "," })
    assert.strictEqual(code, 1)
    assert.match(stderr, /^API_KEYS: .+\n$/)
    const wrong = yield* run(["serve"], { ...sandbox, CACHE: "memory", WORKERS: "many" })
    assert.strictEqual(wrong.code, 1)
    assert.match(wrong.stderr, /^WORKERS: "many" is not allowed; allowed: auto .+, or a whole number from 1 to 256\n$/)
  })
})
