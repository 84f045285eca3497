import { assert, describe, it } from "@effect/vitest"
import * as ResponseCache from "../../../src/jsonrpc/proxy/ResponseCache.ts"

const reply = (text: string) => ({ member: "result", text }) as const

describe("cached replies", () => {
  it("are current forever, for one block, or never", () => {
    const cache = ResponseCache.make(2_000)
    cache.put("forever", reply("1"), "forever", 0, cache.block())
    cache.put("moment", reply("2"), "moment", 0, cache.block())
    cache.put("never", reply("3"), "never", 0, cache.block())
    assert.strictEqual(cache.find("forever", 1e9)?.text, "1")
    assert.strictEqual(cache.find("moment", 2_000)?.text, "2")
    assert.isUndefined(cache.find("moment", 2_001))
    assert.isUndefined(cache.find("never", 0))
  })

  it("of a block are dropped with the next block, and not stored if that block arrived while they were read", () => {
    const cache = ResponseCache.make(2_000)
    const before = cache.block()
    cache.put("balance", reply("1"), "moment", 0, before)
    cache.put("code", reply("2"), "forever", 0, before)
    cache.advance()
    assert.isUndefined(cache.find("balance", 0))
    assert.strictEqual(cache.find("code", 0)?.text, "2")
    cache.put("late", reply("3"), "moment", 0, before)
    assert.isUndefined(cache.find("late", 0))
  })

  it("count their further members as memory", () => {
    const cache = ResponseCache.make(2_000)
    cache.put("large", { ...reply("1"), more: `"@extra":"${"0".repeat(600_000)}"` }, "forever", 0, 0)
    assert.isUndefined(cache.find("large", 0))
  })

  it("are not current for longer if the clock is set back", () => {
    const cache = ResponseCache.make(2_000)
    cache.put("balance", reply("1"), "moment", 1_000_000, cache.block())
    assert.isUndefined(cache.find("balance", 10))
  })

  it("are bounded in number; the least recently used is dropped first", () => {
    const cache = ResponseCache.make(2_000)
    for (let index = 0; index < 5_000; index++) cache.put(`${index}`, reply("1"), "forever", 0, 0)
    assert.isDefined(cache.find("0", 0))
    cache.put("one more", reply("1"), "forever", 0, 0)
    assert.isDefined(cache.find("0", 0))
    assert.isUndefined(cache.find("1", 0))
    assert.isDefined(cache.find("one more", 0))
  })

  it("are bounded in size, and a reply that is too large is not stored", () => {
    const cache = ResponseCache.make(2_000)
    cache.put("huge", reply("x".repeat(600 * 1024)), "forever", 0, 0)
    assert.isUndefined(cache.find("huge", 0))
    // Each reply is put in its own block, so that all are stored.
    const large = reply("x".repeat(500 * 1024))
    const put = (key: string) => {
      cache.put(key, large, "forever", 0, 0)
      cache.advance()
    }
    for (let index = 0; index < 100; index++) put(`${index}`)
    const left = Array.from({ length: 100 }, (_, index) => cache.find(`${index}`, 0)).filter(
      (found) => found !== undefined
    )
    assert.isAtLeast(left.length, 30)
    assert.isAtMost(left.length, 33)
    // A reply that replaces another of the same key is not counted twice.
    for (let index = 0; index < 100; index++) put("99")
    assert.isDefined(cache.find("98", 0))
  })

  it("beyond the capacity are stored one in 32 during a block, and all of them again in the next block", () => {
    const stored = (cache: ResponseCache.ProxyResponseCache, name: string, count: number, at: number, size = 1) => {
      const keys = Array.from({ length: count }, (_, index) => `${name} ${index}`)
      for (const key of keys) cache.put(key, reply("1".repeat(size)), "forever", at, cache.block())
      return keys.filter((key) => cache.find(key, at) !== undefined).length
    }
    const cache = ResponseCache.make(2_000)
    assert.strictEqual(stored(cache, "first", 5_000, 0), 5_000)
    assert.strictEqual(stored(cache, "more", 3_200, 1_999), 100)
    // A reply that is already stored is updated.
    const [more] = Array.from({ length: 3_200 }, (_, index) => `more ${index}`).filter(
      (key) => cache.find(key, 0) !== undefined
    )
    cache.put(more ?? "", reply("2"), "forever", 1_999, cache.block())
    assert.strictEqual(cache.find(more ?? "", 0)?.text, "2")
    cache.advance()
    assert.strictEqual(stored(cache, "second", 5_000, 1_999), 5_000)
    assert.strictEqual(stored(cache, "time of a block", 100, 3_999), 100)
    assert.strictEqual(stored(cache, "large", 64, 3_999, 512_000), 32)
    assert.isUndefined(cache.find("large 63", 3_999))
  })
})
