import { renameSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import manifest from "../../../package.json" with { type: "json" }
import { hashOf } from "../../../src/http/access/ApiKey.ts"
import { SettingError } from "../../../src/settings/Settings.ts"
import { Edge, problem, token } from "../../support/edge.ts"
import { folder } from "../../support/process.ts"
import { isMissing, tool } from "../../support/tools.ts"

const entry = (name: string, more: object = {}) => ({ name, hash: `sha256:${hashOf(`${name}-secret`)}`, ...more })

/** Runs with a key file with these entries, which `write` replaces. */
const withKeys = <A, E>(
  entries: ReadonlyArray<object>,
  use: (write: (text: string) => void, path: string) => Effect.Effect<A, E, Edge>,
  environment: Readonly<Record<string, string>> = {}
) =>
  Effect.gen(function* () {
    const path = join(yield* folder, "keys.json")
    const write = (text: string) => {
      writeFileSync(`${path}.new`, text)
      renameSync(`${path}.new`, path)
    }
    write(JSON.stringify(entries))
    // A minute before the end of a UTC day.
    yield* TestClock.setTime(86_340_000)
    return yield* Effect.provide(use(write, path), Edge.layer({ API_KEYS_FILE: path, ...environment }))
  }).pipe(Effect.scoped)

const withKey = (name: string): RequestInit => ({ headers: { "x-api-key": `${name}-secret` } })

const status = (path: string, init?: RequestInit) =>
  Effect.flatMap(Edge, ({ call }) => Effect.map(call(path, init), (response) => response.status))

const metricsBy = (init: RequestInit) =>
  Effect.flatMap(Edge, ({ call }) =>
    Effect.flatMap(call("/metrics", init), (response) => Effect.promise(() => response.text()))
  )

describe("keys in a file", () => {
  it.effect("are accepted in addition to API_KEYS, and their names are logged", () =>
    withKeys(
      [entry("shop")],
      () =>
        Effect.gen(function* () {
          const { call, lines } = yield* Edge
          assert.strictEqual(yield* status("/networks"), 401)
          assert.strictEqual(yield* status("/networks", withKey("other")), 403)
          assert.strictEqual(yield* status("/networks", withKey("shop")), 200)
          yield* call("/networks", { headers: { "x-api-key": "plain-one-of-a-test", "user-agent": "x".repeat(300) } })
          const named = lines.filter(({ message }) => message === "request").map(({ annotations }) => annotations)
          assert.deepStrictEqual(
            named.map(({ key, status }) => [status, key]),
            [
              [401, undefined],
              [403, undefined],
              [200, "shop"],
              [200, "key-1"]
            ]
          )
          assert.deepInclude(named[3], { client: "192.0.2.1", userAgent: "x".repeat(200) })
          assert.notInclude(JSON.stringify(lines), "secret")
        }),
      { API_KEYS: "plain-one-of-a-test" }
    )
  )

  it.effect("have their own limits per minute and per UTC day, or no limits", () =>
    withKeys(
      [entry("minute", { perMinute: 2 }), entry("day", { perDay: 3, perMinute: 0 }), entry("free", { perMinute: 0 })],
      () =>
        Effect.gen(function* () {
          const { call, post } = yield* Edge
          const statuses = (name: string, times: number) =>
            Effect.replicateEffect(status("/networks", withKey(name)), times)
          assert.deepStrictEqual(yield* statuses("minute", 3), [200, 200, 429])
          assert.deepStrictEqual(yield* statuses("day", 4), [200, 200, 200, 429])
          assert.deepStrictEqual(yield* statuses("free", 5), Array(5).fill(200))
          const refused = yield* call("/networks", withKey("day"))
          assert.strictEqual(refused.headers.get("ratelimit-limit"), "3")
          assert.strictEqual(refused.headers.get("retry-after"), "60")
          assert.include(yield* problem(refused), {
            detail: "More than 3 requests per day with this key. Try again in 60 s."
          })
          yield* TestClock.adjust("50 seconds")
          assert.deepStrictEqual(yield* statuses("minute", 1), [200])
          assert.deepStrictEqual(yield* statuses("day", 1), [429])
          yield* TestClock.adjust("10 seconds")
          assert.deepStrictEqual(yield* statuses("day", 1), [200])
          // Each call of a batch counts: two are left, and three are requested.
          const batch = Array.from({ length: 3 }, (_, id) => ({ jsonrpc: "2.0", id, method: "eth_chainId" }))
          const send = (name: string) =>
            call("/utils/rpc/base", {
              method: "POST",
              body: JSON.stringify(batch),
              headers: { "content-type": "application/json", "x-api-key": `${name}-secret` }
            })
          assert.strictEqual((yield* send("day")).status, 429)
          assert.strictEqual((yield* send("free")).status, 200)
          assert.strictEqual((yield* post("/balance/token", token("any"))).status, 401)
        }),
      { RATE_LIMIT_PER_MINUTE: "50" }
    )
  )

  it.effect("give access to their routes only, also if a path is spelled differently", () =>
    withKeys([entry("prices", { routes: ["/price*", "/utils/rpc/{network}"] })], () =>
      Effect.gen(function* () {
        const statusOf = (path: string, init: RequestInit = {}) => status(path, { ...init, ...withKey("prices") })
        assert.strictEqual(yield* statusOf("/price/coin?coin_ids=bitcoin"), 501)
        for (const path of ["/networks", "/networks/", "/metrics"]) assert.strictEqual(yield* statusOf(path), 403, path)
        assert.strictEqual(yield* statusOf("/utils/rpc/base/testnet", { method: "POST" }), 403)
        assert.strictEqual(yield* statusOf("/nowhere"), 404)
        assert.strictEqual(yield* statusOf("/health/ready"), 503)
        assert.strictEqual(yield* statusOf("/openapi.json"), 200)
      })
    )
  )

  it.effect("are counted in the metrics by name and outcome", () =>
    withKeys([entry("counted", { perDay: 2, routes: ["/networks", "/metrics"] })], () =>
      Effect.gen(function* () {
        for (const path of ["/networks", "/networks", "/networks", "/price?network_ids=1"])
          yield* status(path, withKey("counted"))
        const text = yield* metricsBy(withKey("counted"))
        assert.include(text, 'api_key_requests_total{key="counted",outcome="accepted"} 2\n')
        assert.include(text, 'api_key_requests_total{key="counted",outcome="rate_limited"} 2\n')
        assert.include(text, 'api_key_day_requests{key="counted"} 2\n')
        assert.include(text, 'api_key_day_limit{key="counted"} 2\n')
      })
    )
  )

  it.effect("have no usage of yesterday in the metrics, and none after they were removed", () => {
    const monitor = entry("monitor", { routes: ["/metrics"] })
    return withKeys([entry("daily", { perDay: 20, routes: ["/networks"] }), monitor], (write) =>
      Effect.gen(function* () {
        const usage = Effect.map(metricsBy(withKey("monitor")), (text) =>
          [...text.matchAll(/^api_key_day_(\w+)\{key="daily"\} (\S+)$/gm)].map(([, name, value]) => `${name} ${value}`)
        )
        for (let request = 0; request < 19; request++) yield* status("/networks", withKey("daily"))
        assert.deepStrictEqual(yield* usage, ["requests 19", "limit 20"])
        // To the next UTC day, in which the key sends nothing.
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(yield* usage, ["requests 0", "limit 20"])
        yield* status("/networks", withKey("daily"))
        yield* TestClock.adjust("1 second")
        assert.deepStrictEqual(yield* usage, ["requests 1", "limit 20"])
        write(JSON.stringify([monitor]))
        yield* TestClock.adjust("6 seconds")
        assert.deepStrictEqual(yield* usage, [])
      })
    )
  })

  it.effect("are reloaded when the file changes and on SIGHUP; an invalid file changes nothing", () =>
    withKeys([entry("old")], (write) =>
      Effect.gen(function* () {
        const { lines } = yield* Edge
        const accepted = Effect.all([status("/networks", withKey("old")), status("/networks", withKey("new"))])
        assert.deepStrictEqual(yield* accepted, [200, 403])
        write(JSON.stringify([entry("new")]))
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* accepted, [403, 200])
        write('[{"name": "new", "hash": "new-secret"}]')
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* accepted, [403, 200])
        write("<!doctype html>\n<title>404 Not Found</title>\n")
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual(yield* accepted, [403, 200])
        assert.strictEqual(yield* status("/networks", withKey("<!doctype html>")), 403)
        write(JSON.stringify([entry("old"), entry("new")]))
        process.emit("SIGHUP")
        yield* TestClock.adjust("1 millis")
        assert.deepStrictEqual(yield* accepted, [200, 200])
        const returned = lines.filter(({ message }) => message.startsWith("API_KEYS_FILE"))
        assert.deepStrictEqual(
          returned.map(({ level, message }) => `${level} ${message.replace(/"[^"]*keys.json"/, "FILE")}`).slice(0, 4),
          [
            "INFO API_KEYS_FILE: reloaded, 1 key",
            "ERROR API_KEYS_FILE: FILE: 0.hash: must be sha256: and 64 hexadecimal digits in lower case; the previous keys stay in use",
            "ERROR API_KEYS_FILE: FILE: line 1 is not a key: a key has 16 to 512 letters, digits and characters of . _ ~ + / = -; the previous keys stay in use",
            "INFO API_KEYS_FILE: reloaded, 2 keys"
          ]
        )
      })
    )
  )

  it.effect("stay in use while the file is missing, which is an error in the log every minute, and a metric", () =>
    withKeys([entry("shop", { routes: ["/networks", "/metrics"] })], (write, path) =>
      Effect.gen(function* () {
        const { lines } = yield* Edge
        const errors = () => lines.filter(({ level, message }) => level === "ERROR" && message.includes("is missing"))
        const metric = Effect.map(metricsBy(withKey("shop")), (text) => /^api_keys_file_missing (\d)$/m.exec(text)?.[1])
        assert.strictEqual(yield* metric, "0")
        rmSync(path)
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual([errors().length, yield* metric], [0, "0"])
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual([errors().length, yield* metric], [1, "1"])
        yield* TestClock.adjust("2 minutes")
        assert.deepStrictEqual([errors().length, yield* metric], [3, "1"])
        assert.match(errors()[0]?.message ?? "", /^API_KEYS_FILE: ".*keys.json" is missing; its keys stay in use/)
        assert.strictEqual(yield* status("/networks", withKey("shop")), 200)
        write(JSON.stringify([entry("shop", { routes: ["/metrics"] })]))
        yield* TestClock.adjust("5 seconds")
        assert.deepStrictEqual([errors().length, yield* metric], [3, "0"])
        assert.strictEqual(yield* status("/networks", withKey("shop")), 403)
      })
    )
  )

  it.effect("prevent the start if the file is missing or invalid", () =>
    Effect.gen(function* () {
      const path = join(yield* folder, "keys")
      const start = Effect.flip(Effect.scoped(Layer.build(Edge.layer({ API_KEYS_FILE: path }))))
      const missing = yield* start
      assert.instanceOf(missing, SettingError)
      assert.strictEqual(missing.message, `API_KEYS_FILE: "${path}" cannot be read: ENOENT`)
      writeFileSync(path, "[]")
      assert.match((yield* start).message, /^API_KEYS_FILE: ".*": has no key$/)
    }).pipe(Effect.scoped)
  )
})

describe("a metrics collector", () => {
  const bearer = (key: string): RequestInit => ({ headers: { authorization: `Bearer ${key}` } })

  it.effect("may send the key as a bearer token, for /metrics only", () =>
    Effect.gen(function* () {
      assert.strictEqual(yield* status("/metrics", bearer("good-key-of-a-test")), 200)
      assert.strictEqual(yield* status("/metrics", bearer("bad")), 403)
      assert.strictEqual(yield* status("/networks", bearer("good-key-of-a-test")), 401)
    }).pipe(Effect.provide(Edge.layer({ API_KEYS: "good-key-of-a-test" })))
  )

  it.effect("is exempt from the rate limit, unless its key is wrong", () =>
    Effect.gen(function* () {
      for (let round = 0; round < 5; round++)
        assert.strictEqual(yield* status("/metrics", bearer("good-key-of-a-test")), 200)
      assert.strictEqual(yield* status("/metrics", bearer("bad")), 403)
      assert.strictEqual(yield* status("/metrics", bearer("bad")), 429)
      assert.strictEqual(yield* status("/metrics", bearer("good-key-of-a-test")), 200)
    }).pipe(Effect.provide(Edge.layer({ API_KEYS: "good-key-of-a-test", RATE_LIMIT_PER_MINUTE: "1" })))
  )

  it.effect("gets 404 on the main port if METRICS_PORT is set", () =>
    Effect.map(status("/metrics"), (found) => assert.strictEqual(found, 404)).pipe(
      Effect.provide(Edge.layer({ METRICS_PORT: "0" }))
    )
  )

  it.effect.skipIf(isMissing("promtool"))("gets metrics that promtool accepts", () =>
    Effect.gen(function* () {
      yield* status("/networks")
      const text = yield* metricsBy({})
      for (const name of ["build_info", "process_cpu_seconds_total", "process_resident_memory_bytes"])
        assert.match(text, new RegExp(`^# HELP ${name} \\S`, "m"))
      assert.include(text, `version="${manifest.version}",commit="unknown"`)
      assert.notInclude(text, "effect_")
      const { exitCode, stderr, stdout } = Bun.spawnSync([tool("promtool") ?? "", "check", "metrics"], {
        stdin: Buffer.from(text)
      })
      assert.strictEqual(`${stdout}${stderr}`, "")
      assert.strictEqual(exitCode, 0)
    }).pipe(Effect.provide(Edge.layer()))
  )
})
