import { assert, describe, it } from "@effect/vitest"
import * as ResponseCache from "../../../src/jsonrpc/proxy/ResponseCache.ts"

const reply = (text: string) => ({ member: "result", text }) as const

describe("kept answers", () => {
  it("hold for ever, for a block, or not at all", () => {
    const kept = ResponseCache.make(2_000)
    kept.put("forever", reply("1"), "forever", 0, kept.block())
    kept.put("moment", reply("2"), "moment", 0, kept.block())
    kept.put("never", reply("3"), "never", 0, kept.block())
    assert.strictEqual(kept.find("forever", 1e9)?.text, "1")
    assert.strictEqual(kept.find("moment", 2_000)?.text, "2")
    assert.isUndefined(kept.find("moment", 2_001))
    assert.isUndefined(kept.find("never", 0))
  })

  it("of a block are dropped with the next one, and not kept where it came while they were asked for", () => {
    const kept = ResponseCache.make(2_000)
    const before = kept.block()
    kept.put("balance", reply("1"), "moment", 0, before)
    kept.put("code", reply("2"), "forever", 0, before)
    kept.advance()
    assert.isUndefined(kept.find("balance", 0))
    assert.strictEqual(kept.find("code", 0)?.text, "2")
    kept.put("late", reply("3"), "moment", 0, before)
    assert.isUndefined(kept.find("late", 0))
  })

  it("do not hold longer where the clock is set back", () => {
    const kept = ResponseCache.make(2_000)
    kept.put("balance", reply("1"), "moment", 1_000_000, kept.block())
    assert.isUndefined(kept.find("balance", 10))
  })

  it("are so many at most; what was not asked for the longest goes first", () => {
    const kept = ResponseCache.make(2_000)
    for (let index = 0; index < 5_000; index++) kept.put(`${index}`, reply("1"), "forever", 0, 0)
    assert.isDefined(kept.find("0", 0))
    kept.put("one more", reply("1"), "forever", 0, 0)
    assert.isDefined(kept.find("0", 0))
    assert.isUndefined(kept.find("1", 0))
    assert.isDefined(kept.find("one more", 0))
  })

  it("are so large at most together, and one that is too large is not kept", () => {
    const kept = ResponseCache.make(2_000)
    kept.put("huge", reply("x".repeat(600 * 1024)), "forever", 0, 0)
    assert.isUndefined(kept.find("huge", 0))
    const large = reply("x".repeat(500 * 1024))
    for (let index = 0; index < 100; index++) kept.put(`${index}`, large, "forever", 0, 0)
    const left = Array.from({ length: 100 }, (_, index) => kept.find(`${index}`, 0)).filter(
      (item) => item !== undefined
    )
    assert.isAtLeast(left.length, 30)
    assert.isAtMost(left.length, 33)
    // An answer that takes the place of an equal one is not counted twice.
    for (let index = 0; index < 100; index++) kept.put("99", large, "forever", 0, 0)
    assert.isDefined(kept.find("98", 0))
  })
})
