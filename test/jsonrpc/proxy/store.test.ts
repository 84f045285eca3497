import { assert, describe, it } from "@effect/vitest"
import { read } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import { keyOf, store } from "../../../src/jsonrpc/proxy/Reads.ts"
import * as ResponseCache from "../../../src/jsonrpc/proxy/ResponseCache.ts"
import { call } from "../../support/rpc.ts"

const result = (text: string, isSubstitute = false) => ({ reply: { member: "result", text }, isSubstitute }) as const

const readOf = (method: string, block: number) => {
  const rpcCall = call(method)
  return { call: rpcCall, rule: read("moment"), key: keyOf(rpcCall), start: 0, block }
}

describe("a reply that is stored", () => {
  it("is found again as long as its rule says, an error is not", () => {
    const cache = ResponseCache.make(2_000)
    const balance = readOf("a", cache.block())
    store(cache, {}, balance, { reply: { member: "error", text: "{}" }, isSubstitute: false }, 0)
    assert.isUndefined(cache.find(balance.key, 0))
    store(cache, {}, balance, result("1"), 0)
    assert.strictEqual(cache.find(balance.key, 2_000)?.text, "1")
    assert.isUndefined(cache.find(balance.key, 2_001))
  })

  it("makes earlier reads outdated where it shows a new block, and is itself of that block", () => {
    const cache = ResponseCache.make(2_000)
    const block = cache.block()
    const policy = { advances: ({ method }: { readonly method: string }) => method === "head" }
    store(cache, policy, readOf("balance", block), result("1"), 0)
    store(cache, policy, readOf("head", block), result("7"), 0)
    assert.isUndefined(cache.find(keyOf(call("balance")), 0))
    assert.strictEqual(cache.find(keyOf(call("head")), 0)?.text, "7")
    // It was requested before that block.
    store(cache, policy, readOf("balance", block), result("1"), 0)
    assert.isUndefined(cache.find(keyOf(call("balance")), 0))
  })

  it("shows no new block where no node returned it", () => {
    const cache = ResponseCache.make(2_000)
    const block = cache.block()
    store(cache, { advances: () => true }, readOf("head", block), result("7", true), 0)
    assert.strictEqual(cache.block(), block)
  })
})
