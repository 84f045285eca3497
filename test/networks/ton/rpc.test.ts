import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { dialect } from "../../../src/networks/ton/rpc.ts"
import { answering, text } from "../../support/http.ts"
import { call, hosts, node, rpcOver, sent, told } from "../../support/rpc.ts"
import { run, test } from "../../support/upstream.ts"

/** TON Center, which refuses everything with these words. */
const refusing = (words: string) => () =>
  answering((asked) =>
    text(`{"ok":false,"error":"${words}","code":500,"jsonrpc":"2.0","id":"${sent(asked)[0]?.id}"}`, { status: 500 })
  )

const words = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : "

describe("sendBoc", () => {
  const send = call("sendBoc", '{"boc":"te6"}')

  test(
    "of a message that is there already is told as if it had just come",
    refusing(`${words}duplicate message`),
    ({ asked }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send))), {
          member: "result",
          text: '{"@type":"ok"}',
          more: '"ok":true'
        })
        assert.deepStrictEqual(hosts(asked), ["one"])
      })
  )

  for (const why of ["Duplicate msg_seqno 24", "External message was not accepted"])
    test(`of a message that is refused is the refusal: ${why}`, refusing(words + why), ({ asked }) =>
      Effect.gen(function* () {
        const { member, more, text } = Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send)))
        assert.deepStrictEqual([member, text, more], ["error", `"${words}${why}"`, '"ok":false,"code":500'])
        assert.deepStrictEqual(hosts(asked), ["one"])
      })
    )
})

describe("what clients ask of TON Center", () => {
  for (const [method, times] of [
    ["sendBocReturnHash", 2],
    ["sendQuery", 2],
    ["getConsensusBlock", 2],
    ["getMasterchainInfo", 1],
    ["packAddress", 1]
  ] as const)
    test(
      `goes out ${times === 1 ? "once" : "twice"} for two clients in a row: ${method}`,
      () => answering(node(() => ({}))),
      ({ asked }) =>
        Effect.gen(function* () {
          const rpc = yield* rpcOver(dialect)
          yield* told(rpc, method, "{}")
          yield* TestClock.adjust(100)
          yield* told(rpc, method, "{}")
          assert.lengthOf(asked, times)
          // Its ids are texts.
          assert.strictEqual(sent(asked[0] ?? { body: "{}" })[0]?.id, "1")
        })
    )
})
