import * as Effect from "effect/Effect"
import { main, startScript } from "../support/command.ts"
import { eventually, onFreePort } from "../support/process.ts"
import { load, nginx } from "../support/rolling.ts"
import { holder } from "../support/sandbox.ts"
import { isMissing } from "../support/tools.ts"
import { assert, describe, it } from "../support/vitest.ts"

/** Starts the service on this port; succeeds when it is ready. */
const instance = Effect.fnUntraced(function* (port: number, environment: Readonly<Record<string, string>> = {}) {
  const started = yield* startScript([main, "serve"], {
    UPSTREAMS: "sandbox",
    CACHE: "memory",
    HOST: "127.0.0.1",
    PORT: String(port),
    // Long enough to see the 503 on a busy machine.
    SHUTDOWN_DELAY_MS: "5000",
    ...environment
  })
  yield* started.until(/"listening on /)
  return { ...started, port }
})

const status = (port: number) =>
  Effect.tryPromise(() => fetch(`http://127.0.0.1:${port}/health/ready`, { headers: { connection: "close" } }))

describe.skipIf(process.platform !== "linux")("SHARE_PORT", () => {
  it.scopedLive("lets a second process take the port over without a proxy and without a lost request", function* () {
    const shared = { SHARE_PORT: "true", SHUTDOWN_DELAY_MS: "0" }
    const first = yield* onFreePort((port) => instance(port, shared))
    const stop = load(`http://127.0.0.1:${first.port}`, { networks: { ethereum: [holder(1)] } }, 8, {
      connection: "close"
    })
    yield* instance(first.port, shared)
    first.child.kill("SIGTERM")
    assert.strictEqual(yield* Effect.promise(() => first.child.exited), 0)
    assert.strictEqual((yield* status(first.port)).status, 200)
    const { answered, failures } = yield* Effect.promise(stop)
    assert.deepStrictEqual(failures, [])
    assert.isAbove(answered, 10)
  })
})

describe.skipIf(isMissing("nginx"))("a rolling update behind nginx", () => {
  it.scopedLive("loses no request; the service still serves requests after it reports 503", function* () {
    const instances = yield* Effect.replicateEffect(onFreePort(instance), 2, { concurrency: "unbounded" })
    const url = yield* nginx(instances.map(({ port }) => port))
    const stop = load(url, { networks: { ethereum: [holder(1)] } })
    const [{ child, port } = yield* Effect.die("no instance")] = instances
    child.kill("SIGTERM")
    yield* eventually(Effect.filterOrFail(status(port), (response) => response.status === 503))
    const during = yield* Effect.promise(() => fetch(`http://127.0.0.1:${port}/price/coin?coin_ids=bitcoin`))
    assert.deepStrictEqual([during.status, during.headers.get("connection")], [200, "close"])
    assert.strictEqual(yield* Effect.promise(() => child.exited), 0)
    yield* instance(port)
    const { answered, failures } = yield* Effect.promise(stop)
    assert.deepStrictEqual(failures, [])
    assert.isAbove(answered, 20)
  })
})
