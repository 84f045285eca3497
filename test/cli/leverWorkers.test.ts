import * as Effect from "effect/Effect"
import { main, run, startScript } from "../support/command.ts"
import { eventually } from "../support/process.ts"
import { redisServer } from "../support/redis.ts"
import { isAll } from "../support/tier.ts"
import { isMissing } from "../support/tools.ts"
import { assert, describe, it } from "../support/vitest.ts"

describe.skipIf(!isAll || isMissing("redis-server"))("wallet-data lever, with CACHE=redis and WORKERS=2", () => {
  it.scopedLive("switches a source off and on in every worker", function* () {
    const { url: REDIS_URL } = yield* redisServer()
    const environment = { UPSTREAMS: "sandbox", CACHE: "redis", REDIS_URL }
    const variables = { HOST: "127.0.0.1", PORT: "0", WORKERS: "2", PAGE: "off" }
    const { until } = yield* startScript([main, "serve"], { ...environment, ...variables })
    const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
    const gauge = /^upstream_switched_off\{(?=.*upstream="koios").*worker="([12])".*\} (\d)$/gm
    /** Waits until both workers have this value. */
    const both = (value: string) =>
      eventually(
        Effect.filterOrFail(
          Effect.tryPromise(async () => (await fetch(`${url}/metrics`)).text()),
          (text) => {
            const found = new Map(Array.from(text.matchAll(gauge), ([, worker, state]) => [worker, state]))
            return found.get("1") === value && found.get("2") === value
          }
        )
      )
    const off = yield* run(["lever", "off", "--source", "koios", "--reason", "returns old blocks"], environment)
    assert.deepStrictEqual([off.code, off.stdout], [0, "koios off: returns old blocks\n"])
    yield* both("1")
    assert.strictEqual((yield* run(["lever", "on", "--source", "koios"], environment)).code, 0)
    yield* both("0")
  })
})
