// Starts the compiled binary in a new folder, as a new user does, and checks its basic functions. Another binary, or an
// emulator with its arguments and the binary, can be given: `bun scripts/smoke.ts qemu-aarch64-static FILE`.
import assert from "node:assert/strict"
import { existsSync, writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import manifest from "../package.json" with { type: "json" }
import { leave, madeOnce, responsesOf } from "../test/support/firstReaders.ts"
import { folder, start } from "../test/support/process.ts"

interface Balance {
  readonly tokenType: string
  readonly holderAddress: string
  readonly balance: string
  readonly tokenSymbol: string
  readonly tokenPrice: string
}

const holder = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

const given = process.argv.slice(2)
const command = (given.length === 0 ? ["dist/wallet-data"] : given).map((word) =>
  existsSync(word) ? resolve(word) : word
)

const smoke = Effect.gen(function* () {
  const cwd = yield* folder
  // The service reads only `.env` of the working directory, none of the other files.
  writeFileSync(join(cwd, ".env"), "APP_NAME=smoke\n")
  writeFileSync(join(cwd, ".env.local"), "PORT=none\n")
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(cwd, "preload.ts"), "process.exit(3)\n")
  const env = { ...process.env, UPSTREAMS: "sandbox", CACHE: "memory", PORT: "0", HOST: "127.0.0.1" }
  const { child, until } = yield* start(command, { cwd, env })
  const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
  const get = (path: string, init?: RequestInit) => Effect.promise(() => fetch(url + path, init))
  const text = (path: string) => Effect.flatMap(get(path), (response) => Effect.promise(() => response.text()))

  assert.equal((yield* get("/health/ready")).status, 200)

  const live = yield* Effect.map(text("/health/live"), JSON.parse)
  assert.equal(live.version, manifest.version)
  assert.match(live.commit, /^([0-9a-f]{40}(-dirty)?|unknown)$/)

  const body = JSON.stringify({ networks: { ethereum: [holder] } })
  const headers = { "content-type": "application/json" }
  const balances = yield* get("/balance", { method: "POST", body, headers })
  assert.equal(balances.status, 200)
  assert.equal(balances.headers.get("x-sandbox"), "true")
  const [native] = yield* Effect.promise(() => balances.json() as Promise<ReadonlyArray<Balance>>)
  assert(native !== undefined)
  assert.equal(native.tokenType, "NATIVE")
  assert.equal(native.holderAddress, holder)
  assert.match(native.balance, /^\d+(\.\d+)?$/)

  const page = yield* text("/")
  const [, program = ""] = /src="(\/page\/[^"]+\.js)"/.exec(page) ?? []
  assert.match((yield* get(program)).headers.get("cache-control") ?? "", /immutable/)

  const document = yield* Effect.map(text("/openapi.json"), JSON.parse)
  assert.equal(document.info.version, manifest.version)
  assert.match(yield* text("/docs"), /<html/i)

  const licenses = Bun.spawnSync([...command, "licenses"], { cwd }).stdout.toString()
  for (const text of ["wallet-data", "effect", "GNU LESSER GENERAL PUBLIC LICENSE"])
    assert(licenses.includes(text), text)

  assert.equal((yield* get("/smoke/mdata/errors")).status, 200, ".env is not read")

  child.kill("SIGTERM")
  assert.equal(yield* Effect.promise(() => child.exited), 0)
  console.log(`${command.at(-1)}: ${native.balance} ${native.tokenSymbol} at ${native.tokenPrice} USD; exit code 0`)
})

/** A client that is the first of a route and disconnects must not change the responses of later clients. */
const firstReaders = Effect.gen(function* () {
  const env = { ...process.env, UPSTREAMS: "sandbox", CACHE: "memory", PORT: "0", HOST: "127.0.0.1" }
  for (const [path, status] of Object.entries(madeOnce))
    for (const after of [1, 5, 20, 100, 400])
      yield* Effect.scoped(
        Effect.gen(function* () {
          const { until } = yield* start(command, { cwd: yield* folder, env })
          const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
          yield* leave(url, path, after)
          assert.deepEqual(yield* responsesOf(url, path), { statuses: Array(4).fill(status), bodies: 1 }, path)
        })
      )
})

await Effect.runPromise(Effect.scoped(smoke))
// Takes 25 starts, which an emulator would make slow.
if (given.length === 0) await Effect.runPromise(firstReaders)
