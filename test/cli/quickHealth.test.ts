import { writeFileSync } from "node:fs"
import { join } from "node:path"
import * as Effect from "effect/Effect"
import { defaults } from "../../src/cli/quickHealth.ts"
import { settings } from "../../src/http/ServerSettings.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { runInProcess } from "../support/command.ts"
import { folder } from "../support/process.ts"
import { assert, describe, it } from "../support/vitest.ts"

const serving = Effect.acquireRelease(
  Effect.sync(() =>
    Bun.serve({
      port: 0,
      hostname: "127.0.0.1",
      fetch: ({ url }) => new Response("", { status: url.endsWith("/health/live") ? 200 : 503 })
    })
  ),
  (listening) => Effect.promise(() => listening.stop(true))
)

describe("wallet-data health, as an image calls it", () => {
  it.scopedLive("responds without the modules of the service, which would refuse another variable", function* () {
    const { port } = yield* serving
    const variables = { HOST: "127.0.0.1", PORT: String(port), MAX_REQUESTS: "many" }
    const [live, ready, nobody] = yield* Effect.all(
      [
        runInProcess(["health", "--live"], variables),
        runInProcess(["health"], variables),
        runInProcess(["health"], { ...variables, PORT: "1" })
      ],
      { concurrency: 3 }
    )
    assert.deepStrictEqual(live, { code: 0, stdout: "live\n", stderr: "" })
    const url = `http://127.0.0.1:${port}/health/ready`
    assert.deepStrictEqual(ready, { code: 1, stdout: `not ready: ${url} responded with status 503\n`, stderr: "" })
    assert.deepStrictEqual(nobody, {
      code: 1,
      stdout: "",
      stderr: "no response from http://127.0.0.1:1/health/ready\n"
    })
  })

  it.scopedLive("reads a .env file of the working directory", function* () {
    const { port } = yield* serving
    const cwd = yield* folder
    writeFileSync(join(cwd, ".env"), `PORT=${port}\n`)
    const { code, stdout } = yield* runInProcess(["health", "--live"], { HOST: "127.0.0.1" }, cwd)
    assert.deepStrictEqual([code, stdout], [0, "live\n"])
  })

  it("has the defaults of the variables", function* () {
    const { host, port } = yield* Effect.provide(settings, Settings.layer({ ACCESS: "open" }))
    assert.deepStrictEqual(defaults, { host, port: String(port) } as typeof defaults)
  })
})
