import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { callAll } from "../../src/jsonrpc/callAll.ts"
import { json, type SentRequest, simulatedClient, text } from "../support/http.ts"
import { firstUrl, make, run, secondUrl, test } from "../support/upstream.ts"

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
      // The batch, its half of two calls, and each call once on its own.
      assert.strictEqual(requests.length, 5)
      const [only] = Either.getOrThrow(
        yield* run(upstream.over((address) => callAll(address, calls.slice(1, 2), format)))
      )
      assert.isTrue(only !== undefined && Either.isLeft(only))
      assert.strictEqual(requests.length, 6)
      assert.strictEqual(upstream.addresses[0]?.circuit.state(yield* Clock.currentTimeMillis), "closed")
      // If it cannot be the result of a contract, the node is at fault.
      const failed = yield* run(upstream.over((address) => callAll(address, calls)))
      assert.strictEqual(Either.isLeft(failed) && failed.left.reason, "bad_answer")
      assert.strictEqual(upstream.addresses[0]?.circuit.state(yield* Clock.currentTimeMillis), "open")
    }
  )

  const numbered = Array.from({ length: 40 }, (_, index) => ({ method: "get", params: [index] }))
  const sizesOf = (requests: ReadonlyArray<SentRequest>) => requests.map(({ body }) => [JSON.parse(body)].flat().length)

  test(
    "are sent again in two batches if one response of a batch cannot be used, and then alone",
    () => {
      let batches = 0
      return simulatedClient(({ body }) => {
        const requests = [JSON.parse(body)].flat() as ReadonlyArray<{ readonly id: number; readonly params: [number] }>
        const results = requests.map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params[0] }))
        if (results.length > 1 && (batches++ === 0 || requests[0]?.params[0] === 20))
          results[0] = { ...results[0], id: -7 } as never
        return json(results.length === 1 ? results[0] : results)
      })
    },
    function* ({ requests }) {
      const upstream = yield* make()
      const outcomes = Either.getOrThrow(yield* run(upstream.over((address) => callAll(address, numbered))))
      assert.deepStrictEqual(
        outcomes.map(Either.getOrThrow),
        numbered.map(({ params: [value] }) => value)
      )
      assert.deepStrictEqual(sizesOf(requests), [40, 20, 20, ...numbered.slice(20).map(() => 1)])
    }
  )

  /** Accepts this many calls per second, and demands a pause after more. */
  const limited = (perSecond: number, pause = "1") => {
    let [window, used] = [0, 0]
    return simulatedClient(({ body }) =>
      Effect.flatMap(Clock.currentTimeMillis, (now) => {
        const requests = [JSON.parse(body)].flat() as ReadonlyArray<{ readonly id: number; readonly params: [number] }>
        if (now >= window + 1_000) [window, used] = [now, 0]
        if (used + requests.length > perSecond) return text("", { status: 429, headers: { "retry-after": pause } })
        used += requests.length
        const results = requests.map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params[0] }))
        return json(results.length === 1 ? results[0] : results)
      })
    )
  }

  /** All calls to the first of two addresses: an only address repeats requests itself. */
  const callFirst = Effect.gen(function* () {
    const { addresses } = yield* make([firstUrl, secondUrl])
    return yield* run(callAll(addresses[0] ?? assert.fail("no address"), numbered))
  })

  test(
    "are sent in smaller batches if the node allows fewer per second, after the pause that it demands",
    () => limited(11),
    function* ({ requests }) {
      const outcomes = Either.getOrThrow(yield* callFirst)
      assert.deepStrictEqual(outcomes.map(Either.getOrNull), Array.from(numbered.keys()))
      assert.deepStrictEqual(sizesOf(requests), [40, 20, 10, 10, 5, 5, 20, 10, 10, 5, 5])
    }
  )

  for (const [pause, sizes] of [
    ["1", [40, 20, 10, 5, 3, 2]],
    ["2", [40]]
  ] as const)
    test(
      `fail if the node allows none, or demands a longer pause: ${pause} s`,
      () => limited(0, pause),
      function* ({ requests }) {
        assert.deepInclude(Either.flip(yield* callFirst).pipe(Either.getOrThrow), { reason: "rate_limited" })
        assert.deepStrictEqual<unknown>(sizesOf(requests), sizes)
      }
    )
})
