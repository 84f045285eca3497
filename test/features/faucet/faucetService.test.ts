import * as Effect from "effect/Effect"
import { body, Service, textOf } from "../../support/app.ts"
import { run, runInProcess } from "../../support/command.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { address, key } from "./testnet.ts"

interface Body {
  readonly hash?: string | null
  readonly detail?: string
  readonly issues?: ReadonlyArray<{ readonly path: string }>
}

const path = (to: string) => `/utils/fund-testnet-account/${to}`

const configured = { TESTNET_RPC_URL: "https://testnet.example", TESTNET_FUNDER_PRIVATE_KEY: key }

describe("the variables of the faucet", () => {
  it.live("are listed without the key", function* () {
    for (const written of [key, `0x${key}`]) {
      const { code, stderr, stdout } = yield* run(["config"], { ...configured, TESTNET_FUNDER_PRIVATE_KEY: written })
      assert.strictEqual(code, 0, stderr)
      assert.match(stdout, /^TESTNET_FUNDER_PRIVATE_KEY=<set>$/m)
      assert.match(stdout, /^TESTNET_FUND_AMOUNT=1 {2}\(default\)$/m)
      assert.match(stdout, /^TESTNET_FUND_INTERVAL_MS=86400000 {2}\(default\)$/m)
      assert.notInclude(stdout + stderr, key)
    }
  })

  it.live("stop the start if the key is invalid, without showing it", function* () {
    const wrong = `${key}00`
    for (const [command, runs] of [
      ["config", run],
      ["serve", runInProcess]
    ] as const) {
      const { code, stderr, stdout } = yield* runs([command], {
        ...configured,
        TESTNET_FUNDER_PRIVATE_KEY: wrong,
        PORT: "0"
      })
      assert.notStrictEqual(code, 0)
      assert.include(stdout + stderr, "TESTNET_FUNDER_PRIVATE_KEY: the value, which is not shown, is not allowed")
      assert.notInclude(stdout + stderr, key)
    }
  })
})

describe("GET /utils/fund-testnet-account/{address}", () => {
  layer(Service.layer({ UPSTREAMS: "live" }), { excludeTestServices: true })("without a test network", (it) => {
    it("names the variables that the operator must set", function* () {
      const { get } = yield* Service
      const response = yield* get(path(address(1)))
      assert.strictEqual(response.status, 501)
      assert.match((yield* body<Body>(response)).detail ?? "", /set TESTNET_RPC_URL.*TESTNET_FUNDER_PRIVATE_KEY/)
    })
  })

  layer(Service.layer(configured), { excludeTestServices: true })("in the sandbox", (it) => {
    it("funds an address once, and returns when the next funding is allowed", function* () {
      const { get } = yield* Service
      const first = yield* get(path(address(1)))
      assert.strictEqual(first.status, 200)
      const { hash, ...rest } = yield* body<Body>(first)
      assert.match(String(hash), /^0x[0-9a-f]{64}$/)
      assert.deepStrictEqual(rest as unknown, { address: address(1), amount: "1" })
      const second = yield* get(path(address(1).toUpperCase().replace("X", "x")))
      assert.strictEqual(second.status, 429)
      const seconds = second.headers.get("retry-after") ?? ""
      assert.match(seconds, /^\d+$/)
      assert.isAtLeast(Number(seconds), 86_300)
      assert.isAtMost(Number(seconds), 86_400)
      const wrong = yield* get(path("0x12"))
      assert.strictEqual(wrong.status, 400)
      const { issues } = yield* body<Body>(wrong)
      assert.deepStrictEqual(
        issues?.map(({ path }) => path),
        ["address"]
      )
    })

    it("funds no address on HEAD, which returns 405, or on OPTIONS", function* () {
      const { get, handler } = yield* Service
      const requested = (method: string) =>
        Effect.promise(() => handler(new Request(`http://wallet.test${path(address(3))}`, { method })))
      const head = yield* requested("HEAD")
      assert.strictEqual(head.status, 405)
      assert.strictEqual(head.headers.get("allow"), "GET, OPTIONS")
      assert.strictEqual(yield* textOf(head), "")
      const options = yield* requested("OPTIONS")
      assert.strictEqual(options.status, 204)
      assert.strictEqual(options.headers.get("allow"), "GET, OPTIONS")
      assert.strictEqual((yield* get(path(address(3)))).status, 200)
    })

    it("never shows the key", function* () {
      const { get } = yield* Service
      for (const shown of [
        path(address(2)),
        path(address(2)),
        "/metrics",
        "/networks",
        "/health/ready",
        "/openapi.json"
      ])
        assert.notInclude((yield* textOf(yield* get(shown))).toLowerCase(), key)
    })
  })
})
