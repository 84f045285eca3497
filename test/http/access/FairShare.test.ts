import { assert, describe, it } from "@effect/vitest"
import * as FairShare from "../../../src/http/access/FairShare.ts"

/** Takes one unit at a time and returns how many units the client gets. */
const greedy = (share: ReturnType<typeof FairShare.fairShare>, client: string) => {
  let count = 0
  while (share.take(() => client, 1) !== undefined) count++
  return count
}

describe("a shared capacity", () => {
  it("is never exceeded", () => {
    const share = FairShare.fairShare(10)
    for (const amount of [11, -1, Number.NaN]) assert.isUndefined(share.take(() => "a", amount))
    const release = share.take(() => "a", 10)
    assert.isUndefined(share.take(() => "b", 1))
    release?.()
    assert.strictEqual(share.taken(), 0)
    assert.isDefined(share.take(() => "b", 1))
  })

  it("is given out completely if it is small", () => {
    for (const capacity of [1, 2, 5, 10]) assert.strictEqual(greedy(FairShare.fairShare(capacity), "a"), capacity)
  })

  it("leaves a rest for other clients when a client takes as much as it can", () => {
    const share = FairShare.fairShare(1000)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((client) => greedy(share, client)),
      [911, 81, 8]
    )
  })

  it("counts released units as free, for their client and in total", () => {
    const share = FairShare.fairShare(1000)
    greedy(share, "a")
    const release = share.take(() => "b", 50)
    assert.isUndefined(share.take(() => "a", 1))
    release?.()
    assert.strictEqual(greedy(share, "b"), 81)
  })

  it("keeps its amounts when the capacity changes, and may leave a reserve", () => {
    const share = FairShare.fairShare(100)
    const release = share.take(() => "a", 60)
    share.resize(50)
    assert.isUndefined(share.take(() => "b", 1))
    release?.()
    assert.isUndefined(share.take(() => "b", 41, 10))
    assert.isDefined(share.take(() => "b", 40, 10))
    assert.isUndefined(share.take(() => "a", 1, 10))
    assert.isDefined(share.take(() => "a", 1))
    assert.strictEqual(share.taken(), 41)
  })

  it("does not look up the client while little is taken", () => {
    const share = FairShare.fairShare(100)
    const unknown = (): string => assert.fail("a client was looked up")
    for (let taken = 0; taken < 10; taken++) assert.isDefined(share.take(unknown, 1))
  })
})
