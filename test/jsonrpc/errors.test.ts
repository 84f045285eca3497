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
    [-32002, "invalid opcode: INVALID"]
  ],
  behind: [[-32005, "Node is behind by 42 slots"]],
  rateLimited: [
    [429, "no"],
    [-32029, "limit"],
    [-32005, "slow down"],
    [-32000, "daily request count exceeded"]
  ],
  tooWide: [
    [-32005, "query returned more than 10000 results"],
    [-32614, "eth_getLogs is limited to a 1000 blocks range"]
  ],
  noHistory: [[-32000, "Archive requests require a personal token"]],
  unable: [
    [-32000, "missing trie node 00 (path )"],
    [-32603, "Internal error"],
    [-28, "Loading block index..."]
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

  it("moves the call to the next node unless it is a rejection", () => {
    assert.isUndefined(faultOf(rpcErrorOf({ code: 3, message: "" }), inResponse))
    assert.strictEqual(faultOf(rpcErrorOf({ code: 429 }), inResponse)?.reason, "rate_limited")
    assert.strictEqual(faultOf(rpcErrorOf("internal error"), inResponse)?.reason, "upstream_error")
  })
})
