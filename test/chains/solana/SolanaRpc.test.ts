import { assert, describe } from "@effect/vitest"
import { base58 } from "@scure/base"
import * as TestClock from "effect/TestClock"
import { dialect } from "../../../src/chains/solana/SolanaRpc.ts"
import { byHost, simulatedClient } from "../../support/http.ts"
import { exactReply, hosts, node, replyText, rpcOver } from "../../support/rpc.ts"
import { firstUrl, test } from "../../support/upstream.ts"

describe("the cache of Solana", () => {
  for (const [what, times, method, params, result] of [
    ["a transaction", 1, "getTransaction", '["a"]', { slot: 1 }],
    ["a transaction that does not exist", 2, "getTransaction", '["a"]', null],
    ["a finalized transaction", 1, "getTransaction", '["a",{"commitment":"finalized"}]', { slot: 1 }],
    ["a transaction that may be rolled back", 2, "getTransaction", '["a",{"commitment":"confirmed"}]', { slot: 1 }],
    ["a block that may be rolled back", 2, "getBlock", '[1,{"commitment" : "confirmed"}]', { blockhash: "a" }],
    // Nodes also return it for blocks that are not final.
    ["the time of a block", 2, "getBlockTime", "[1]", 1_700_000_000],
    ["the genesis", 1, "getGenesisHash", "[]", "a"],
    ["the newest block hash", 2, "getLatestBlockhash", "[]", { value: {} }]
  ] as const)
    test(
      `${times === 1 ? "has" : "does not have"} ${what} a moment later`,
      () => simulatedClient(node(() => result)),
      function* ({ requests }) {
        const rpc = yield* rpcOver(dialect, [firstUrl])
        yield* replyText(rpc, method, params)
        yield* TestClock.adjust(401)
        yield* replyText(rpc, method, params)
        assert.lengthOf(requests, times)
      }
    )
})

describe("a transaction or block that a node does not have", () => {
  for (const method of ["getTransaction", "getBlock"])
    test(
      `is requested from one further node: ${method}`,
      () => simulatedClient(byHost({ "one.example": node(() => null), "two.example": node(() => ({ slot: 1 })) })),
      function* ({ requests }) {
        assert.strictEqual(yield* replyText(yield* rpcOver(dialect), method, '["a"]'), '{"slot":1}')
        assert.deepStrictEqual(hosts(requests), ["one", "two"])
      }
    )
})

describe("sendTransaction", () => {
  const processed =
    '{"code":-32002,"message":"Transaction simulation failed: This transaction has already been processed"}'
  const bytes = Uint8Array.from({ length: 100 }, (_, index) => (index === 0 ? 1 : index))
  const signature = base58.encode(bytes.slice(1, 65))
  const base64 = Buffer.from(bytes).toString("base64")

  for (const [what, params] of [
    ["in base58", `["${base58.encode(bytes)}"]`],
    ["in base58, with no options", `["${base58.encode(bytes)}",null]`],
    ["in base64", `["${base64}",{"encoding":"base64"}]`]
  ] as const)
    test(
      `returns the signature of a transaction that was already processed: ${what}`,
      () => simulatedClient(exactReply("error", processed)),
      function* () {
        assert.strictEqual(yield* replyText(yield* rpcOver(dialect), "sendTransaction", params), `"${signature}"`)
      }
    )

  for (const params of ["[]", "[1]", '["0OIl"]', `["${base64}"]`, "{}"])
    test(
      `returns the node's error if the parameters contain no signature: ${params}`,
      () => simulatedClient(exactReply("error", processed)),
      function* () {
        assert.strictEqual(yield* replyText(yield* rpcOver(dialect), "sendTransaction", params), processed)
      }
    )
})
