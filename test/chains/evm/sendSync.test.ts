import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { privateKeyToAccount } from "viem/accounts"
import { keccak256 } from "viem/utils"
import * as EvmMethodPolicy from "../../../src/chains/evm/rpc/EvmMethodPolicy.ts"
import { sendable } from "../../../src/chains/evm/sending.ts"
import type { RpcReply, SendingRpc } from "../../../src/jsonrpc/Rpc.ts"
import { simulatedClient } from "../../support/http.ts"
import { call, exactReply, rpcOver } from "../../support/rpc.ts"
import { firstUrl, run, test } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

// EIP-7966: eth_sendRawTransactionSync returns the receipt, or an error with the hash when its time is over.

const facts = { chainId: 1, blockTime: 12_000, finality: 900 }

const transaction = { chainId: 1, nonce: 0, to: `0x${"11".repeat(20)}`, gas: 21_000n, gasPrice: 1n } as const

const signed = Effect.map(
  Effect.promise(() => privateKeyToAccount(`0x${"77".repeat(32)}`).signTransaction(transaction)),
  (raw) => ({ raw, hash: keccak256(raw) })
)

const message = "The transaction was added to the transaction pool but wasn't processed in 20s"
const late = (hash: string) => `{"code":4,"message":"${message}","data":"${hash}"}`
const receipt = (hash: string) => `{"transactionHash":"${hash}","status":"0x1"}`

const replies: Readonly<Record<string, RpcReply>> = {
  "a receipt": { member: "result", text: receipt("0x05") },
  "the error when the time of the node is over": { member: "error", text: late("0x05") },
  "the error for a transaction that the node has": {
    member: "error",
    text: '{"code":-32000,"message":"already known"}'
  }
}

describe("eth_sendRawTransactionSync", () => {
  for (const [what, { member, text }] of Object.entries(replies))
    test(
      `returns ${what} as the node does, also after the time of other calls`,
      () => simulatedClient((request) => Effect.delay(exactReply(member, text)(request), 7_000)),
      function* ({ requests }) {
        const rpc = yield* rpcOver(EvmMethodPolicy.make(facts), [firstUrl])
        const outcome = yield* run(rpc.call(call("eth_sendRawTransactionSync", '["0x02f8"]')), 500)
        assert.deepStrictEqual(outcome, Either.right({ member, text }))
        assert.lengthOf(requests, 1)
      }
    )

  it("is an accepted send if its reply names the transaction", function* () {
    const { hash, raw } = yield* signed
    const send = sendable({ rpc: {} as SendingRpc, chainId: 1 })
    const outcomeOf = (reply: RpcReply) => {
      const outcome = Either.getOrThrow(send(raw)).decided?.(reply)
      return outcome !== undefined && Either.isRight(outcome) && outcome.right.accepted
    }
    for (const reply of [
      { member: "result", text: receipt(hash) },
      { member: "error", text: late(hash) }
    ] as const)
      assert.isTrue(outcomeOf(reply), reply.text)
    for (const reply of [
      { member: "result", text: receipt("0x05") },
      { member: "error", text: late("0x05") },
      { member: "error", text: late(hash).replace("4", "5") }
    ] as const)
      assert.isFalse(outcomeOf(reply), reply.text)
  })
})
