import { readdirSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Runtime from "effect/Runtime"
import { closed, main, run, runScriptPath, startScript } from "../support/command.ts"
import { eventually, folder } from "../support/process.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

const listening = /"listening on (http:[^"]+)"/

const post = (url: string, body: unknown) =>
  Effect.promise(() =>
    fetch(url, { method: "POST", body: JSON.stringify(body), headers: { "content-type": "application/json" } })
  )

/** A slow upstream: responds as a node once it is released, and rejects other requests. */
const slowNode = Effect.gen(function* () {
  const entered = yield* Deferred.make<void>()
  const curtain = yield* Deferred.make<void>()
  const runtime = yield* Effect.runtime()
  const server = yield* Effect.acquireRelease(
    Effect.sync(() =>
      Bun.serve({
        port: 0,
        hostname: "127.0.0.1",
        fetch: (request) => {
          if (request.method !== "POST") return new Response("", { status: 404 })
          return Runtime.runPromise(runtime)(
            Deferred.succeed(entered, undefined).pipe(
              Effect.zipRight(Deferred.await(curtain)),
              Effect.as(Response.json({ jsonrpc: "2.0", id: 1, error: { code: -32601, message: "no such method" } }))
            )
          )
        }
      })
    ),
    (server) => Effect.promise(() => server.stop(true))
  )
  return { entered, curtain, url: server.url.href.replace(/\/$/, "") }
})

describe.concurrent("wallet-data serve", () => {
  it.scopedLive("logs the variables that the runtime obeys, and calls local addresses without a proxy", function* () {
    const proxied: Array<string> = []
    const result = () => Response.json({ jsonrpc: "2.0", id: 1, result: "0x1" })
    const serving = (fetch: (request: Request) => Response) =>
      Effect.acquireRelease(
        Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch })),
        (server) => Effect.promise(() => server.stop(true))
      )
    const proxy = yield* serving(({ url }) => {
      proxied.push(url)
      return result()
    })
    const node = yield* serving(result)
    const { said, until } = yield* startScript([main, "serve"], {
      ...sandbox,
      UPSTREAMS: "live",
      PRICE_REFRESH_MS: "0",
      OHLC_REFRESH_MS: "0",
      HTTP_PROXY: `http://user:password@127.0.0.1:${proxy.port}`,
      HTTPS_PROXY: `http://127.0.0.1:${proxy.port}`,
      NO_PROXY: "other.example",
      NODE_TLS_REJECT_UNAUTHORIZED: "0",
      BASE_RPC_URLS: `http://localhost:${node.port}/base`,
      BSC_RPC_URLS: `http://127.0.0.1:${node.port}/bsc`,
      ETHEREUM_RPC_URLS: "http://node.example/ethereum"
    })
    const [, url = ""] = yield* until(listening)
    yield* until(/NODE_TLS_REJECT_UNAUTHORIZED is 0: certificates are not checked/)
    for (const scheme of ["http", "https"])
      assert.include(said(), `${scheme}:// addresses are called through the proxy 127.0.0.1:${proxy.port} (`)
    assert.notInclude(said(), "password")
    for (const network of ["base", "bsc", "ethereum"]) {
      const call = { jsonrpc: "2.0", id: 1, method: "eth_gasPrice" }
      const response = yield* post(`${url}/utils/rpc/${network}`, call)
      assert.strictEqual(response.status, 200, yield* Effect.promise(() => response.text()))
    }
    assert.deepStrictEqual(
      proxied.filter((address) => address.startsWith("http:")),
      ["http://node.example/ethereum"]
    )
  })

  it("does not start with a proxy that the runtime cannot use", function* () {
    for (const command of ["serve", "check"]) {
      const { code, stderr } = yield* run([command], { ...sandbox, HTTPS_PROXY: "socks5://user:password@127.0.0.1:1" })
      assert.deepStrictEqual([code, stderr], [1, "HTTPS_PROXY: is not the http:// or https:// address of a proxy\n"])
    }
  })

  it.scopedLive(
    "listens on a free port; logs it, unknown variables, and requests without queries; closes the store",
    function* () {
      const files = yield* folder
      const store = { CACHE: "sqlite", SQLITE_PATH: join(files, "cache.db") }
      const { child, ended, said, until } = yield* startScript([main, "serve"], {
        ...sandbox,
        ...store,
        CORS_ORIGIN: "https://wallet.example",
        ETHERUM_RPC_URLS: "https://node.example"
      })
      const [, url = ""] = yield* until(listening)
      assert.notMatch(url, /:(0|3000)$/)
      const ready = yield* Effect.promise(() => fetch(`${url}/health/ready`))
      assert.strictEqual(ready.status, 200)
      const priced = yield* Effect.promise(() =>
        fetch(`${url}/price/coin?coin_ids=whispered-coin`, { headers: { "x-api-key": "whispered-key" } })
      )
      assert.strictEqual(priced.headers.get("x-sandbox"), "true")
      const balances = yield* post(`${url}/balance`, { networks: { ethereum: [holder(1)] } })
      assert.strictEqual(balances.status, 200)
      const id = balances.headers.get("x-request-id") ?? "none"
      yield* until(new RegExp(id))
      assert.include(readdirSync(files), "cache.db-wal")
      child.kill("SIGTERM")
      assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
      assert.deepStrictEqual(readdirSync(files), ["cache.db"])
      yield* ended
      const lines = said()
        .trim()
        .split("\n")
        .map((line) => JSON.parse(line))
      const line = lines.find(({ requestId }) => requestId === id)
      assert.deepInclude(line, { method: "POST", route: "/balance", status: 200, networks: ["ethereum"] })
      assert.isTrue(lines.some(({ route }) => route === "/price/coin"))
      assert.notInclude(said(), "whispered")
      // The start logs warnings about unknown variables.
      assert.sameDeepMembers(
        lines
          .filter(({ message }) => /not a known variable/.test(message))
          .map(({ level, message }) => [level, message]),
        [
          ["WARN", "CORS_ORIGIN is set but is not a known variable: did you mean CORS_ORIGINS?"],
          ["WARN", "ETHERUM_RPC_URLS is set but is not a known variable: did you mean ETHEREUM_RPC_URLS?"]
        ]
      )
    }
  )

  it.live("names the reason of a failed start in the format of its log, if that is JSON by its variable", function* () {
    const start = (environment: Readonly<Record<string, string>>) =>
      run(["serve"], { ...sandbox, PORT: "none", ...environment })
    const { code, stderr } = yield* start({ LOG_FORMAT: "JSON" })
    assert.strictEqual(code, 1)
    const { timestamp, ...entry } = JSON.parse(stderr)
    assert.match(timestamp, /^\d{4}-\d\d-\d\dT[\d:.]+Z$/)
    const message = 'PORT: "none" is not allowed; allowed: a whole number from 0 to 65535'
    assert.deepStrictEqual(entry, { level: "FATAL", message })
    assert.strictEqual((yield* start({ LOG_FORMAT: "logfmt" })).stderr, `${message}\n`)
    assert.strictEqual((yield* run(["health"], { PORT: "none", LOG_FORMAT: "json" })).stderr, `${message}\n`)
  })

  it.scopedLive("starts its refreshes only after it listens", function* () {
    const port = yield* Effect.acquireUseRelease(
      Effect.sync(() => Bun.serve({ port: 0, hostname: "127.0.0.1", fetch: () => new Response() })),
      (server) => Effect.succeed(server.port),
      (server) => Effect.promise(() => server.stop(true))
    )
    const called = yield* Deferred.make<number>()
    const runtime = yield* Effect.runtime()
    const upstream = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          fetch: async () => {
            const status = await fetch(`http://127.0.0.1:${port}/health/ready`).then(
              (response) => response.status,
              () => 0
            )
            Runtime.runSync(runtime)(Deferred.succeed(called, status))
            return new Response("", { status: 404 })
          }
        })
      ),
      (server) => Effect.promise(() => server.stop(true))
    )
    const names = ["COINGECKO_URL", "COINGECKO_TOKENS_URL", "DEFILLAMA_URL", "BINANCE_URL"]
    yield* startScript([main, "serve"], {
      CACHE: "memory",
      HOST: "127.0.0.1",
      PORT: `${port}`,
      ...Object.fromEntries(names.map((name) => [name, upstream.url.href.replace(/\/$/, "")]))
    })
    assert.strictEqual(yield* Deferred.await(called), 200)
  })

  it.scopedLive("on SIGTERM finishes requests in flight, accepts no new ones, and exits with 0", function* () {
    const node = yield* slowNode
    const { child, until } = yield* startScript([main, "serve"], {
      CACHE: "memory",
      HOST: "127.0.0.1",
      PORT: "0",
      ETHEREUM_RPC_URLS: node.url,
      ...Object.fromEntries(
        ["COINGECKO_URL", "COINGECKO_TOKENS_URL", "DEFILLAMA_URL", "BINANCE_URL"].map((name) => [name, node.url])
      )
    })
    const [, url = ""] = yield* until(listening)
    const request = { networkId: "ethereum", address: holder(1) }
    const answer = yield* Effect.fork(post(`${url}/balance/token`, request))
    yield* Deferred.await(node.entered)
    child.kill("SIGTERM")
    yield* eventually(closed(`${url}/health/live`))
    assert.isNull(child.exitCode)
    yield* Deferred.succeed(node.curtain, undefined)
    const response = yield* Fiber.join(answer)
    assert.strictEqual(response.status, 200)
    assert.strictEqual(response.headers.get("connection"), "close")
    assert.deepInclude(yield* Effect.promise(() => response.json()), { balance: null })
    assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
  })

  it.scopedLive("logs in one line which networks lack a source", function* () {
    const { until } = yield* startScript([main, "serve"], sandbox)
    yield* until(/"networks without a source: zkevm \(balance\): Polygon zkEVM was shut down on 2026-07-01"/)
  })

  it.scopedLive("fails to start on a port that is in use, and names it", function* () {
    const taken = yield* Effect.acquireRelease(
      Effect.sync(() => Bun.listen({ hostname: "127.0.0.1", port: 0, socket: { data() {} } })),
      (listener) => Effect.sync(() => listener.stop(true))
    )
    const { code, stderr } = yield* run([], { ...sandbox, LOG_LEVEL: "none", PORT: String(taken.port) })
    assert.strictEqual(code, 1)
    assert.match(stderr, new RegExp(`^PORT: cannot listen on 127\\.0\\.0\\.1:${taken.port}: .+\\n$`))
  })
})

describe.concurrent("the service behind npx", () => {
  it.scopedLive("stops when npx is killed and does not forward a signal", function* () {
    const npx = join(yield* folder, "npx")
    const command = `"${process.execPath}" "${runScriptPath}" serve; echo it has ended`
    writeFileSync(
      npx,
      `require("node:child_process").spawn("sh", ["-c", ${JSON.stringify(command)}], {
          stdio: "inherit",
          env: { ...process.env, npm_command: "exec" }
        })`
    )
    const { child, ended, said, until } = yield* startScript([npx], sandbox)
    const [, url = ""] = yield* until(listening)
    assert.strictEqual((yield* Effect.promise(() => fetch(`${url}/health/live`))).status, 200)
    child.kill("SIGKILL")
    yield* Effect.promise(() => child.exited)
    yield* eventually(closed(`${url}/health/live`))
    yield* ended
    assert.include(said(), "it has ended")
  })
})
