import * as Effect from "effect/Effect"
import { main, startScript } from "../../support/command.ts"
import { holders } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

/** Sends more calls than a node accepts in a second, and returns the metrics. */
const metricsAfterManyCalls = (environment: Readonly<Record<string, string>>) =>
  Effect.gen(function* () {
    const { until } = yield* startScript([main, "serve"], environment)
    const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
    const calls = holders(400).map((address, id) => ({
      jsonrpc: "2.0",
      id,
      method: "eth_getBalance",
      params: [address, "latest"]
    }))
    return yield* Effect.promise(async () => {
      const headers = { "content-type": "application/json" }
      await fetch(`${url}/utils/rpc/ethereum`, { method: "POST", headers, body: JSON.stringify(calls) })
      return (await fetch(`${url}/metrics`)).text()
    })
  })

describe("the running sandbox", () => {
  it.scopedLive("limits and paces calls with SANDBOX_LIMITS=on", function* () {
    const metrics = yield* metricsAfterManyCalls({ ...sandbox, SANDBOX_LIMITS: "on" })
    assert.match(
      metrics,
      /^upstream_calls_total\{.*upstream="ethereum-rpc".*outcome="rate_limited".*\} [1-9]|^upstream_calls_total\{.*outcome="rate_limited".*upstream="ethereum-rpc".*\} [1-9]/m
    )
    assert.match(metrics, /^upstream_budget_left\{.*"etherscan".*\}/m)
  })

  it.scopedLive("does neither by default", function* () {
    const metrics = yield* metricsAfterManyCalls(sandbox)
    assert.match(metrics, /^upstream_calls_total\{.*"ethereum-rpc".*\} [1-9]/m)
    assert.notMatch(metrics, /^upstream_calls_total\{.*outcome="rate_limited".*\} [1-9]/m)
    assert.notMatch(metrics, /^upstream_budget_left\{/m)
  })
})
