import * as Effect from "effect/Effect"
import { main, startScript } from "../../support/command.ts"
import { hashOf, sample, serialize } from "../../support/rawTransactions.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const sandbox = { UPSTREAMS: "sandbox", CACHE: "memory", HOST: "127.0.0.1", PORT: "0" }

/** A transaction of 400,000 hexadecimal digits. */
const large = sample(200_000 - (serialize(sample(70_000)).length / 2 - 70_000))

describe("the service as a separate process", () => {
  it.scopedLive("sends a raw transaction of 400,000 hexadecimal digits, from the query and from a body", function* () {
    const tx = serialize(large)
    assert.strictEqual(tx.length, 400_000)
    const { until } = yield* startScript(["--max-http-header-size=2000000", main, "serve"], sandbox)
    const [, url = ""] = yield* until(/"listening on (http:[^"]+)"/)
    const answered = (path: string, init: RequestInit) =>
      Effect.promise(async () => {
        const response = await fetch(`${url}/utils/${path}`, { method: "POST", ...init })
        return [response.status, await response.json()] as const
      })
    const headers = { "content-type": "application/json" }
    const taken = [200, { result: hashOf(large), error: null, id: null }]
    assert.deepStrictEqual(yield* answered(`sendrawtransaction?chain=bitcoin&tx=${tx}`, {}), taken as never)
    const inBody = { headers, body: JSON.stringify({ chain: "doge", tx }) }
    assert.deepStrictEqual(yield* answered("sendrawtransaction", inBody), taken as never)
    const found = yield* answered(`getrawtransaction?chain=bitcoin&tx=${hashOf(large)}`, {})
    assert.deepStrictEqual(found, [200, { result: tx, error: null, id: null }] as never)
  })
})
