import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Either from "effect/Either"
import { callAll } from "../../src/jsonrpc/callAll.ts"
import { json, type SentRequest, simulatedClient, text } from "../support/http.ts"
import { make, run, test } from "../support/upstream.ts"

describe("many calls to one node", () => {
  const calls = ["small", "large", "small"].map((method) => ({ method, params: [] }))
  const large = text(`{"jsonrpc":"2.0","id":1,"result":"${"0".repeat(5 * 1024 * 1024)}"}`)
  const node = ({ body }: SentRequest) => {
    const requests = JSON.parse(body) as { readonly method: string } | ReadonlyArray<{ readonly method: string }>
    const isLarge = Array.isArray(requests) || ("method" in requests && requests.method === "large")
    return isLarge ? large : json({ jsonrpc: "2.0", id: 1, result: requests })
  }

  const format = { ofContracts: true }

  test(
    "succeed if the response to another call is too large",
    () => simulatedClient(node),
    function* ({ requests }) {
      const upstream = yield* make()
      const outcomes = Either.getOrThrow(yield* run(upstream.over((address) => callAll(address, calls, format))))
      assert.deepStrictEqual(outcomes.map(Either.isRight), [true, false, true])
      // The batch, and each call once on its own.
      assert.strictEqual(requests.length, 4)
      const [only] = Either.getOrThrow(
        yield* run(upstream.over((address) => callAll(address, calls.slice(1, 2), format)))
      )
      assert.isTrue(only !== undefined && Either.isLeft(only))
      assert.strictEqual(requests.length, 5)
      assert.strictEqual(upstream.addresses[0]?.circuit.state(yield* Clock.currentTimeMillis), "closed")
      // If it cannot be the result of a contract, the node is at fault.
      const failed = yield* run(upstream.over((address) => callAll(address, calls)))
      assert.strictEqual(Either.isLeft(failed) && failed.left.reason, "bad_answer")
      assert.strictEqual(upstream.addresses[0]?.circuit.state(yield* Clock.currentTimeMillis), "open")
    }
  )
})
