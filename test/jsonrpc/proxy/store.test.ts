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

describe("a reply", () => {
  it("is stored for as long as its rule allows, unless it is an error", () => {
    const cache = ResponseCache.make(2_000)
    const balance = readOf("a", cache.block())
    store(cache, {}, balance, { reply: { member: "error", text: "{}" }, isSubstitute: false }, 0)
    assert.isUndefined(cache.find(balance.key, 0))
    store(cache, {}, balance, result("1"), 0)
    assert.strictEqual(cache.find(balance.key, 2_000)?.text, "1")
    assert.isUndefined(cache.find(balance.key, 2_001))
  })

  it("makes earlier reads outdated if it shows a new block, and belongs to that block", () => {
    const cache = ResponseCache.make(2_000)
    const block = cache.block()
    const policy = { advances: ({ method }: { readonly method: string }) => method === "head" }
    store(cache, policy, readOf("balance", block), result("1"), 0)
    store(cache, policy, readOf("head", block), result("7"), 0)
    assert.isUndefined(cache.find(keyOf(call("balance")), 0))
    assert.strictEqual(cache.find(keyOf(call("head")), 0)?.text, "7")
    // This read was requested before that block.
    store(cache, policy, readOf("balance", block), result("1"), 0)
    assert.isUndefined(cache.find(keyOf(call("balance")), 0))
  })

  it("does not show a new block if it is a substitute that no node returned", () => {
    const cache = ResponseCache.make(2_000)
    const block = cache.block()
    store(cache, { advances: () => true }, readOf("head", block), result("7", true), 0)
    assert.strictEqual(cache.block(), block)
  })
})
