import { assert, describe, it } from "@effect/vitest"
import * as FairShare from "../../../src/http/access/FairShare.ts"

/** How much a client gets, in steps of one. */
const greedy = (share: FairShare.FairShare, client: string) => {
  let count = 0
  while (share.take(() => client, 1) !== undefined) count++
  return count
}

describe("a capacity that clients share", () => {
  it("is never exceeded", () => {
    const share = FairShare.make(10)
    assert.isUndefined(share.take(() => "a", 11))
    const release = share.take(() => "a", 10)
    assert.isUndefined(share.take(() => "b", 1))
    release?.()
    assert.strictEqual(share.taken(), 0)
    assert.isDefined(share.take(() => "b", 1))
  })

  it("goes to the last one where it is small", () => {
    for (const capacity of [1, 2, 5, 10]) assert.strictEqual(greedy(FairShare.make(capacity), "a"), capacity)
  })

  it("has some left whoever takes all that it can get", () => {
    const share = FairShare.make(1000)
    assert.deepStrictEqual(
      ["a", "b", "c"].map((client) => greedy(share, client)),
      [911, 81, 8]
    )
  })

  it("counts what was given back as free, for its client and for all", () => {
    const share = FairShare.make(1000)
    greedy(share, "a")
    const release = share.take(() => "b", 50)
    assert.isUndefined(share.take(() => "a", 1))
    release?.()
    assert.strictEqual(greedy(share, "b"), 81)
  })

  it("finds out no clients while little is taken", () => {
    const share = FairShare.make(100)
    const unknown = (): string => assert.fail("a client was looked up")
    for (let taken = 0; taken < 10; taken++) assert.isDefined(share.take(unknown, 1))
  })
})
