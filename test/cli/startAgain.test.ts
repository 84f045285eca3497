import { existsSync, readFileSync } from "node:fs"
import * as Effect from "effect/Effect"
import { startVariables } from "../../src/settings/runtime.ts"
import { closed, main, startScript } from "../support/command.ts"
import { eventually } from "../support/process.ts"
import { exchange, statusOf } from "../support/rawSocket.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

const listening = /"listening on (http:[^"]+)"/

const marker = "WALLET_DATA_STARTED_AGAIN"

/** What /proc says of a process, separated by NUL. */
const partsOf = (pid: number, file: "environ" | "cmdline") =>
  readFileSync(`/proc/${pid}/${file}`, "utf8").split("\0").slice(0, -1)

const environmentOf = (pid: number) =>
  Object.fromEntries(partsOf(pid, "environ").map((line) => line.split(/=(.*)/s).slice(0, 2)))

const childrenOf = (pid: number) =>
  readFileSync(`/proc/${pid}/task/${pid}/children`, "utf8").split(" ").filter(Boolean).map(Number)

const onLinux = it.scopedLive.skipIf(!existsSync("/proc/self/task"))

describe.concurrent("serve without the limits of the runtime", () => {
  onLinux("starts itself again in the same process, with the same options, and stops by a signal to it", () =>
    Effect.gen(function* () {
      const { child, said, until } = yield* startScript(["--max-http-header-size=200000", main, "serve"], sandbox)
      const [, url = ""] = yield* until(listening)
      assert.deepInclude(environmentOf(child.pid), { ...startVariables, ...sandbox, [marker]: "1" })
      assert.include(partsOf(child.pid, "cmdline"), "--max-http-header-size=200000")
      assert.deepStrictEqual(partsOf(child.pid, "cmdline").slice(-2), [main, "serve"])
      assert.deepStrictEqual(childrenOf(child.pid), [])
      assert.notInclude(said(), "WARN")
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
      yield* closed(url)
    })
  )

  onLinux("keeps a value of the operator, and starts workers that need no second start", () =>
    Effect.gen(function* () {
      const set = { BUN_CONFIG_MAX_HTTP_REQUESTS: "300", WORKERS: "2", CACHE: "memory" }
      const { child, until } = yield* startScript([main, "serve"], { ...sandbox, ...set })
      yield* until(listening)
      const workers = yield* eventually(
        Effect.filterOrFail(
          Effect.sync(() => childrenOf(child.pid)),
          ({ length }) => length > 1
        )
      )
      assert.lengthOf(workers, 2)
      for (const pid of [child.pid, ...workers])
        assert.deepInclude(environmentOf(pid), { ...startVariables, BUN_CONFIG_MAX_HTTP_REQUESTS: "300" })
    })
  )

  for (const [why, variables] of Object.entries({
    "it already has": { [marker]: "1" },
    "it would lose an open file": { NOTES_FILE: "/dev/fd/3" }
  }))
    onLinux(`does not start itself again if ${why}, and warns`, () =>
      Effect.gen(function* () {
        const { child, until } = yield* startScript([main, "serve"], { ...sandbox, ...variables })
        const [line = ""] = yield* until(/.*could not start itself again.*/)
        assert.include(line, '"WARN"')
        assert.include(line, "set BUN_CONFIG_MAX_HTTP_REQUESTS=4096 and UV_THREADPOOL_SIZE=64 in its environment")
        assert.include(line, "at most 240 calls")
        assert.isUndefined(environmentOf(child.pid).UV_THREADPOOL_SIZE)
      })
    )
})

/** A node that answers `eth_getBalance` once `answer` is called, and everything else at once. */
const node = Effect.acquireRelease(
  Effect.sync(() => {
    const curtain = Promise.withResolvers<void>()
    let held = 0
    let isOpen = false
    let changed = Promise.withResolvers<void>()
    const server = Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: async (request) => {
        if (request.method !== "POST") return new Response("", { status: 404 })
        const { id, method } = (await request.json()) as { readonly id: unknown; readonly method: string }
        if (method === "eth_getBalance" && !isOpen) {
          held++
          changed.resolve()
          changed = Promise.withResolvers()
          await curtain.promise
        }
        return Response.json({ jsonrpc: "2.0", id, result: "0x1" })
      }
    })
    return {
      server,
      url: server.url.href,
      answer: () => {
        isOpen = true
        curtain.resolve()
      },
      until: (count: number) =>
        Effect.promise(async () => {
          while (held < count) await changed.promise
        })
    }
  }),
  ({ server }) => Effect.promise(() => server.stop(true))
)

describe("600 calls of clients to a slow node", () => {
  it.scopedLive("neither delay calls to other hosts nor fail, and no circuit opens", function* () {
    const [slow, fast] = [yield* node, yield* node]
    const { until } = yield* startScript([main, "serve"], {
      ...sandbox,
      UPSTREAMS: "live",
      POLYGON_RPC_URLS: slow.url,
      BASE_RPC_URLS: fast.url,
      ...Object.fromEntries(
        ["COINGECKO_URL", "COINGECKO_TOKENS_URL", "DEFILLAMA_URL", "BINANCE_URL"].map((name) => [name, fast.url])
      ),
      UPSTREAM_CONCURRENCY: "400",
      UPSTREAM_CONCURRENCY_MAX: "400",
      UPSTREAM_TIMEOUT_MS: "100000",
      REQUEST_DEADLINE_MS: "100000"
    })
    const [, url = ""] = yield* until(listening)
    // Over sockets: the test's own `fetch` would send 256 at a time.
    const call = (network: string, method: string, index = 0) => {
      const params = [`0x${index.toString(16).padStart(40, "0")}`, "latest"]
      const body = JSON.stringify({ jsonrpc: "2.0", id: 1, method, params })
      const head = [`POST /utils/rpc/${network} HTTP/1.1`, "host: test", "connection: close"]
      const fields = ["content-type: application/json", `content-length: ${body.length}`, "", body]
      return exchange(url, [...head, ...fields].join("\r\n"))
    }
    const calls = Promise.all(Array.from({ length: 600 }, (_, index) => call("polygon", "eth_getBalance", index)))
    // A quarter of all calls, which is the most for calls of clients to one host.
    yield* slow.until(128)
    // The others wait, and calls to other hosts do not.
    const other = (yield* Effect.promise(() => call("base", "eth_gasPrice"))) ?? ""
    assert.strictEqual(statusOf(other), 200)
    slow.answer()
    const statuses = (yield* Effect.promise(() => calls)).map((answer = "") => statusOf(answer))
    assert.deepStrictEqual([...new Set(statuses)], [200])
    const metrics = yield* Effect.promise(() => fetch(`${url}/metrics`).then((response) => response.text()))
    assert.include(metrics, 'upstream_circuits{upstream="polygon-rpc",state="closed"} 1')
  })
})
