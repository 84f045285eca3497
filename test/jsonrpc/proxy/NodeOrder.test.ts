import { assert, describe, it } from "@effect/vitest"
import * as NodeOrder from "../../../src/jsonrpc/proxy/NodeOrder.ts"
import type { SourceState } from "../../../src/upstream/Sources.ts"
import type { Upstream } from "../../../src/upstream/Upstream.ts"

const nodes = (count: number) => {
  const states = Array.from({ length: count }, (): SourceState => "works")
  const addresses = states.map((_, index) => {
    const passStanding = () => ({ state: states[index], usual: 1_000 })
    return { index, passStanding, limits: () => false } as unknown as Upstream["addresses"][number]
  })
  const order = NodeOrder.make(addresses)
  return { states, order, ranked: (now: number) => order.ranked(now).map(({ index }) => index) }
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

  it("is that of all sources; only equal nodes are ordered by whether they are behind, and by latency", () => {
    const { order, ranked, states } = nodes(6)
    states.splice(0, 6, "blocked", "silent", "failing", "limited", "probe", "works")
    assert.deepStrictEqual(ranked(0), [4, 5, 3, 2, 1, 0])
    order.recordResponse({ index: 4 }, "read", 2_000, 0)
    order.behind({ index: 5 }, 0)
    assert.deepStrictEqual(ranked(0), [4, 5, 3, 2, 1, 0])
    assert.deepStrictEqual(ranked(10_000), [5, 4, 3, 2, 1, 0])
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
