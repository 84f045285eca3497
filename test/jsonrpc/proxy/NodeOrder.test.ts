import * as Effect from "effect/Effect"
import * as NodeOrder from "../../../src/jsonrpc/proxy/NodeOrder.ts"
import * as CallTime from "../../../src/upstream/CallTime.ts"
import * as CircuitBreaker from "../../../src/upstream/CircuitBreaker.ts"
import type { Upstream } from "../../../src/upstream/Upstream.ts"
import { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const nodes = (count: number) => {
  const circuits = Array.from({ length: count }, () => CircuitBreaker.make(CircuitBreaker.block(), 1_000))
  const addresses = circuits.map((circuit, index) => ({ circuit, index }) as unknown as Upstream["addresses"][number])
  const order = NodeOrder.make(addresses)
  return { circuits, order, ranked: (now: number) => order.ranked(now).map(({ index }) => index) }
}

describe("the order of nodes", () => {
  it("is the order of the operator if all are equally fast, and else by latency in steps of a factor of two", () => {
    const { order, ranked } = nodes(3)
    assert.deepStrictEqual(ranked(0), [0, 1, 2])
    order.recordResponse({ index: 0 }, "read", 90, 0)
    order.recordResponse({ index: 1 }, "read", 10, 0)
    assert.deepStrictEqual(ranked(0), [0, 1, 2])
    order.recordResponse({ index: 0 }, "read", 2_000, 0)
    assert.deepStrictEqual(ranked(0), [1, 2, 0])
    // Old latencies are forgotten.
    assert.deepStrictEqual(ranked(60_001), [0, 1, 2])
  })

  it("puts nodes that have just failed last, after nodes that are behind", function* () {
    const { circuits, order, ranked } = nodes(3)
    const failed = new UpstreamError({ upstream: "node", reason: "timeout", detail: "no answer" })
    circuits[0]?.ended(circuits[0].begun(CallTime.make(yield* Effect.clock)), 0, failed)
    order.behind({ index: 1 }, 0)
    assert.deepStrictEqual(ranked(0), [2, 1, 0])
    assert.deepStrictEqual(ranked(1_000), [0, 2, 1])
    assert.deepStrictEqual(ranked(10_000), [0, 1, 2])
  })

  it("counts the time of an abandoned call, unless it was short", () => {
    const { order, ranked } = nodes(2)
    order.recordCancelled({ index: 0 }, 1_000, 0)
    assert.deepStrictEqual(ranked(0), [1, 0])
    order.recordCancelled({ index: 0 }, 1, 0)
    assert.deepStrictEqual(ranked(0), [1, 0])
  })
})

describe("the delay before a call is hedged to the next node", () => {
  it("is a second for a new method, then the 90th percentile of its calls, and never below 100 ms", () => {
    const { order } = nodes(2)
    assert.strictEqual(order.hedgeDelay("read"), 1_000)
    for (let index = 0; index < 8; index++) order.recordResponse({ index: 0 }, "read", index === 7 ? 700 : 300, 0)
    assert.strictEqual(order.hedgeDelay("read"), 700)
    for (let index = 0; index < 64; index++) order.recordResponse({ index: 0 }, "read", 5, 0)
    assert.strictEqual(order.hedgeDelay("read"), 100)
    assert.strictEqual(order.hedgeDelay("other"), 1_000)
  })
})
