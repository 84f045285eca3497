import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { byHost, simulatedClient } from "../../support/http.ts"
import { call, exactReply, hosts, node, replyText, rpcOver, sent } from "../../support/rpc.ts"
import { run, test, upstreamDependencies } from "../../support/upstream.ts"

describe("the error of a node", () => {
  for (const error of [
    '{"code":-32002,"message":"Transaction simulation failed: Error processing Instruction 2: Computational budget exceeded"}',
    '{"code":-32000,"message":"context deadline exceeded"}'
  ])
    test(
      `is returned for a send, which is not sent to another node: ${error}`,
      () => simulatedClient(exactReply("error", error)),
      function* ({ requests }) {
        const reply = yield* run((yield* rpcOver()).call(call("send")))
        assert.deepStrictEqual(hosts(requests), ["one"])
        assert.deepStrictEqual(Either.getOrThrow(reply), { member: "error", text: error })
      }
    )
  for (const error of [
    '{"code":-32005,"message":"query returned more than 10000 results"}',
    '{"code":-32000,"message":"exceed maximum block range: 50000"}',
    '{"code":-32000,"message":"exceeded maximum block range: 50000"}',
    '{"code":-32000,"message":"block range limit exceeded"}',
    '{"code":-32602,"message":"eth_getLogs range too large, limit reached"}',
    '{"code":-32614,"message":"eth_getLogs is limited to a 1000 blocks range"}',
    '{"code":35,"message":"ranges over 10000 blocks are not supported on freetier"}',
    '{"code":-32600,"message":"You can make eth_getLogs requests with up to a 10 block range."}',
    '{"code":-32000,"message":"maximum [from, to] blocks distance: 2000"}'
  ])
    test(
      `about a call that is too large moves the call to the next node, and is not a fault of the node: ${error}`,
      () =>
        simulatedClient(
          byHost({
            "one.example": (request) =>
              sent(request)[0]?.method === "slow" ? exactReply("error", error)(request) : node(() => 1)(request),
            "two.example": node(() => 2)
          })
        ),
      function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* replyText(rpc, "slow"), "2")
        assert.strictEqual(yield* replyText(rpc, "read"), "1", "the node is not called")
      }
    )

  for (const error of [
    '{"code":-32000,"message":"exceeds block gas limit"}',
    '{"code":-32602,"message":"invalid block range params"}'
  ])
    test(
      `about a call that no node accepts is returned to the client: ${error}`,
      () => simulatedClient(byHost({ "one.example": exactReply("error", error), "two.example": node(() => 2) })),
      function* () {
        assert.strictEqual(yield* replyText(yield* rpcOver(), "slow"), error)
      }
    )

  const key = "0123456789abcdefSECRET"
  const percent = (text: string) => Array.from(Buffer.from(text), (byte) => `%${byte.toString(16)}`).join("")
  for (const method of ["read", "send"])
    it.effect(`is passed on without the operator's key in its text: ${method}`, () => {
      const spellings = [key, percent(key), encodeURIComponent(percent(key)), Buffer.from(key).toString("base64")]
      const message = `no such path: /v3/${key}?k=${spellings.join()}`
      const outside = simulatedClient(exactReply("error", `{"code":-32000,"message":"${message}"}`))
      return Effect.gen(function* () {
        const rpc = yield* rpcOver(undefined, [`https://one.example/v3/${key}`])
        const { text } = Either.getOrThrow(yield* run(rpc.call(call(method))))
        assert.strictEqual(
          text,
          '{"code":-32000,"message":"no such path: /v3/{apiKey}?k={apiKey},{apiKey},{apiKey},{apiKey}"}'
        )
      }).pipe(Effect.scoped, Effect.provide(upstreamDependencies(outside)))
    })
})
