// Starts the compiled binary in a new folder, as a new user does, and checks its basic functions.
import assert from "node:assert/strict"
import { writeFileSync } from "node:fs"
import { join, resolve } from "node:path"
import * as Effect from "effect/Effect"
import { folder, start } from "../test/support/process.ts"

interface Balance {
  readonly tokenType: string
  readonly holderAddress: string
  readonly balance: string
  readonly tokenSymbol: string
  readonly tokenPrice: string
}

const holder = "0xd8dA6BF26964aF9D7eEd9e03E53415D37aA96045"

const smoke = Effect.gen(function* () {
  const cwd = yield* folder
  // The service reads only `.env` of the working directory, none of the other files.
  writeFileSync(join(cwd, ".env"), "APP_NAME=smoke\n")
  writeFileSync(join(cwd, ".env.local"), "PORT=none\n")
  writeFileSync(join(cwd, "bunfig.toml"), 'preload = ["./preload.ts"]\n')
  writeFileSync(join(cwd, "preload.ts"), "process.exit(3)\n")
  const env = { ...process.env, UPSTREAMS: "sandbox", CACHE: "memory", PORT: "0", HOST: "127.0.0.1" }
  const { child, until } = yield* start([resolve("dist/wallet-data")], { cwd, env })
  const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
  const get = (path: string, init?: RequestInit) => Effect.promise(() => fetch(url + path, init))

  assert.equal((yield* get("/health/ready")).status, 200)

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

  const page = yield* Effect.flatMap(get("/"), (response) => Effect.promise(() => response.text()))
  const [, program = ""] = /src="(\/page\/[^"]+\.js)"/.exec(page) ?? []
  assert.match((yield* get(program)).headers.get("cache-control") ?? "", /immutable/)

  assert.equal((yield* get("/smoke/mdata/errors")).status, 200, ".env is not read")

  child.kill("SIGTERM")
  assert.equal(yield* Effect.promise(() => child.exited), 0)
  console.log(`dist/wallet-data: ${native.balance} ${native.tokenSymbol} at ${native.tokenPrice} USD; exit code 0`)
})

await Effect.runPromise(Effect.scoped(smoke))
