import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { dialect } from "../../../src/chains/ton/TonRpc.ts"
import { replay, sample, samplesOf } from "../../support/fixtures.ts"
import { answering, text } from "../../support/http.ts"
import { call, hosts, node, replyText, rpcOver, sent } from "../../support/rpc.ts"
import { run, test } from "../../support/upstream.ts"

/** TON Center, which refuses everything with these words. */
const refusing = (words: string) => () =>
  answering((request) =>
    text(`{"ok":false,"error":"${words}","code":500,"jsonrpc":"2.0","id":"${sent(request)[0]?.id}"}`, { status: 500 })
  )

const words = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : "

describe("sendBoc", () => {
  const send = call("sendBoc", '{"boc":"te6"}')

  test(
    "of a message that was already accepted is the same as the first time",
    refusing(`${words}duplicate message`),
    ({ requests }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send))), {
          member: "result",
          text: '{"@type":"ok"}',
          more: '"ok":true'
        })
        assert.deepStrictEqual(hosts(requests), ["one"])
      })
  )

  for (const why of ["Duplicate msg_seqno 24", "External message was not accepted"])
    test(`of a message that is refused is the refusal: ${why}`, refusing(words + why), ({ requests }) =>
      Effect.gen(function* () {
        const { member, more, text } = Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send)))
        assert.deepStrictEqual([member, text, more], ["error", `"${words}${why}"`, '"ok":false,"code":500'])
        assert.deepStrictEqual(hosts(requests), ["one"])
      })
    )
})

describe("TON Center's methods for clients", () => {
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
      ({ requests }) =>
        Effect.gen(function* () {
          const rpc = yield* rpcOver(dialect)
          yield* replyText(rpc, method, "{}")
          yield* TestClock.adjust(100)
          yield* replyText(rpc, method, "{}")
          assert.lengthOf(requests, times)
          // Its ids are texts.
          assert.strictEqual(sent(requests[0] ?? { body: "{}" })[0]?.id, "1")
        })
    )
})

/** A transaction's hash of equal digits, in base64. */
const hash = (digit: string) => Buffer.from(digit.repeat(64), "hex").toString("base64")

describe("samples of answers of TON Center's JSON-RPC are handed on letter by letter", () => {
  const ok = '"ok":true'
  const expected: Readonly<Record<string, readonly [member: "result" | "error", text: string, more: string]>> = {
    "address-balance": ["result", '"48200000017"', ok],
    "address-uninitialized": [
      "result",
      '{"@type":"raw.fullAccountState","balance":"1000000000","code":"","data":"","state":"uninitialized"}',
      ok
    ],
    "wallet-uninitialized": ["result", '{"wallet":false,"balance":0,"account_state":"uninitialized"}', ok],
    fees: [
      "result",
      '{"@type":"query.fees","source_fees":{"in_fwd_fee":987600,"storage_fee":1411,"gas_fee":0,"fwd_fee":0},"destination_fees":[]}',
      ok
    ],
    "send-hash": ["result", `{"@type":"raw.extMessageInfo","hash":"${hash("8")}","hash_norm":"${hash("8")}"}`, ok],
    // Only its acceptance is returned.
    "send-without-result": ["result", "null", `"ok":true,"msg":"${hash("9")}","code":200`],
    "send-refused": [
      "error",
      JSON.stringify(`${words}External message was not accepted\nexitcode=35, steps=19`),
      '"ok":false,"code":500'
    ]
  }

  for (const name of samplesOf("toncenter-v2"))
    test(
      name,
      () => answering(() => replay(sample("toncenter-v2", name))),
      ({ requests }) =>
        Effect.gen(function* () {
          const { method, params } = sample("toncenter-v2", name).request.body as {
            readonly method: string
            readonly params: unknown
          }
          const rpc = yield* rpcOver(dialect)
          const { member, more, text } = Either.getOrThrow(yield* run(rpc.call(call(method, JSON.stringify(params)))))
          assert.deepStrictEqual<unknown>([member, text, more], expected[name])
          assert.lengthOf(requests, 1)
        })
    )
})
