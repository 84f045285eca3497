import { assert, describe, it } from "@effect/vitest"
import { faultOf, type Meaning, meaningOf, rpcErrorOf } from "../../src/jsonrpc/errors.ts"

const inResponse = { jsonrpc: "2.0", id: 1 }

const meaningOfError = (code: number, message: string, response: Readonly<Record<string, unknown>> = inResponse) =>
  meaningOf(rpcErrorOf({ code, message }), response)

const examples: Readonly<Record<Meaning, ReadonlyArray<readonly [code: number, message: string]>>> = {
  refused: [
    [3, "timeout"],
    [-32603, "execution reverted"],
    [-32602, "invalid argument 0"],
    [-32000, "gas limit exceeded"],
    [-32000, "exceeds block gas limit"],
    [-32000, "block height exceeded"],
    [-32602, "invalid block range params"],
    [-32602, "unknown transaction type"],
    [-32602, "index out of range, the maximum is 5"],
    [-32000, "transaction failed for an unknown reason"],
    [-32000, "filter not found"],
    [-32601, "the method eth_none does not exist/is not available"],
    [-32002, "invalid opcode: INVALID"],
    [-32602, "Invalid params: unknown variant `rate limit`, expected one of `base58`"],
    [-32602, "invalid argument 0: quota"],
    [-32601, "the method too many requests does not exist"],
    [-32600, "request limit: unknown member"]
  ],
  behind: [[-32005, "Node is behind by 42 slots"]],
  rateLimited: [
    [429, "no"],
    [-32029, "limit"],
    [-32005, "project ID request rate exceeded"],
    [-32000, "Too many requests, reason: call rate limit exhausted"],
    [-32005, "rate limit reached, at most 5 responses a second"],
    [-32000, "daily request count exceeded"]
  ],
  methodLimited: [
    [-32005, "limit exceeded"],
    [-32005, "slow down"]
  ],
  quota: [[-32000, "your plan's credits are used up"]],
  tooWide: [
    [-32005, "query returned more than 10000 results"],
    [-32614, "eth_getLogs is limited to a 1000 blocks range"],
    [-32614, "eth_getLogs is limited to a 10,000 range"],
    [-32602, "Log response size exceeded. You can make eth_getLogs requests with up to a 2K block range"],
    [-32602, "query exceeds max results 20000, retry with the range 1-2"],
    [-32000, "block range greater than 10000 max"],
    [-32000, "requested too many blocks from 0 to 100, maximum is set to 2048"],
    [-32020, "backend response too large"],
    [-32005, "Requested range exceeds maximum range limit"],
    [-32005, "too many logs"],
    [-32008, "Response size is larger than 150MB limit."],
    [-32701, "Please specify an address in your request or, to remove restrictions, order a dedicated full node here"],
    [35, "not supported on freetier"]
  ],
  absent: [
    [-32000, "Archive requests require a personal token"],
    [-32000, "missing trie node 00 (path )"],
    [-32014, "block not found with number 0x17ffff0"],
    [-32019, "out of range"],
    [-39001, "Unknown block"],
    [-32000, "could not find block"],
    [-32000, "requested to block is after last accepted block"],
    [-32602, "block range extends beyond current head block: requested 118612457, head 118612456"],
    [-32000, "header for hash not found"],
    [-32000, "cannot query unfinalized data"],
    [-32000, "transaction indexing is in progress"],
    [-32000, "One of the blocks specified in filter (fromBlock, toBlock or blockHash) cannot be found."],
    [-32000, "state 0xab is not available, not found"],
    [4444, "pruned history unavailable"],
    [-32004, "Block not available for slot 348"]
  ],
  unable: [
    [-32603, "Internal error"],
    [-32000, 'Post "https://sequencer.test/": 429 Too Many Requests'],
    [-32000, "HTTPSConnectionPool(host='sequencer', port=443): Max retries exceeded with url: /"],
    [-32005, "read tcp: connection reset by peer"],
    [-28, "Loading block index..."],
    [-32002, "Transaction simulation failed: Error processing Instruction 0: Max instruction trace length exceeded"]
  ],
  notFromNode: []
}

describe("the meaning of a node's error", () => {
  for (const [meaning, errors] of Object.entries(examples))
    for (const [code, message] of errors)
      it(`is ${meaning}: ${code} ${message}`, () => assert.strictEqual(meaningOfError(code, message), meaning))

  it("is notFromNode if the response has neither a version nor an id", () => {
    assert.strictEqual(meaningOfError(0, "forbidden", {}), "notFromNode")
    assert.strictEqual(meaningOfError(0, "forbidden", { id: 1 }), "refused")
  })

  it("excludes that the node has the call only if it is certainly a rate limit", () => {
    for (const [meaning, errors] of Object.entries(examples))
      for (const [code, message] of errors) {
        const fault = faultOf(rpcErrorOf({ code, message }), inResponse)
        assert.strictEqual(fault?.unsent ?? false, meaning === "rateLimited" || meaning === "methodLimited", message)
        if (meaning === "quota") assert.strictEqual(fault?.reason, "rate_limited")
      }
  })

  it("is no limit by the words of the client, however the node quotes them", () => {
    const meaningTo = (method: string, params: string, message: string) =>
      meaningOf(rpcErrorOf({ code: -32000, message }), inResponse, { method, params })
    for (const [params, message] of [
      ['["rate limit"]', 'unknown tag "rate limit"'],
      ['["\\u0072ate limit \\""]', 'unknown tag "rate limit \\""'],
      ['[{"to":{"x":["Credits and a long text"]}}]', "unknown tag CREDITS AND A…"],
      ['["limit"]', "request limit: unknown"]
    ] as const)
      assert.strictEqual(meaningTo("eth_call", params, message), "refused", message)
    assert.strictEqual(meaningTo("quota", "[]", "cannot run quota"), "refused")
    assert.strictEqual(meaningTo("eth_call", '["quota"]', "too many requests"), "rateLimited")
    assert.strictEqual(meaningTo("eth_call", '[{"limit":5}]', "rate limit reached"), "rateLimited")
    assert.strictEqual(meaningTo("eth_call", "[", "rate limit reached"), "rateLimited")
  })

  it("moves the call to the next node unless it is a rejection", () => {
    assert.isUndefined(faultOf(rpcErrorOf({ code: 3, message: "" }), inResponse))
    assert.strictEqual(faultOf(rpcErrorOf({ code: 429 }), inResponse)?.reason, "rate_limited")
    assert.strictEqual(faultOf(rpcErrorOf("internal error"), inResponse)?.reason, "upstream_error")
  })
})
