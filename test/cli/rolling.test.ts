import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import { folder, main, soon, start } from "../support/command.ts"
import { freePort } from "../support/freePort.ts"
import { load, nginx, nginxBinary } from "../support/rolling.ts"
import { holder } from "../support/sandbox.ts"

const title =
  nginxBinary === undefined ? "a rolling update (skipped: nginx is not installed)" : "a rolling update behind nginx"

const instance = (port: number) =>
  Effect.gen(function* () {
    const started = yield* start([main, "serve"], {
      UPSTREAMS: "sandbox",
      CACHE: "memory",
      HOST: "127.0.0.1",
      LOG_LEVEL: "none",
      PORT: String(port),
      SHUTDOWN_DELAY_MS: "200"
    })
    yield* ready(port)
    return started
  })

const status = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: "close" } }))

const ready = (port: number) => soon(Effect.filterOrFail(status(port), (response) => response.status === 200))

describe.skipIf(nginxBinary === undefined)(title, () => {
  it.scopedLive("loses no request, and serves on while it says that it is about to end", () =>
    Effect.gen(function* () {
      const ports = [freePort(), freePort()]
      const [first] = yield* Effect.forEach(ports, instance, { concurrency: "unbounded" })
      const { url } = yield* nginx(yield* folder, ports)
      const stop = load(url, { networks: { ethereum: [holder(1)] } })
      const [port = 0] = ports
      first?.child.kill("SIGTERM")
      yield* soon(Effect.filterOrFail(status(port), (response) => response.status === 503))
      const during = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/price/coin?coin_ids=bitcoin`))
      assert.deepStrictEqual([during.status, during.headers.get("connection")], [200, "close"])
      assert.strictEqual(yield* Effect.promise(() => first?.child.exited ?? Promise.resolve(-1)), 0)
      yield* instance(port)
      const { answered, failures } = yield* Effect.promise(stop)
      assert.deepStrictEqual(failures, [])
      assert.isAbove(answered, 20)
    })
  )
})
