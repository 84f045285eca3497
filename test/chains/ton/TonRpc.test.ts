import { assert, describe } from "@effect/vitest"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import { dialect } from "../../../src/chains/ton/TonRpc.ts"
import { replay, sample, samplesOf } from "../../support/fixtures.ts"
import { simulatedClient, text } from "../../support/http.ts"
import { call, hosts, node, replyText, rpcOver, sent } from "../../support/rpc.ts"
import { run, test } from "../../support/upstream.ts"

/** TON Center that rejects every call with this error text. */
const refusing = (words: string) => () =>
  simulatedClient((request) =>
    text(`{"ok":false,"error":"${words}","code":500,"jsonrpc":"2.0","id":"${sent(request)[0]?.id}"}`, { status: 500 })
  )

const words = "LITE_SERVER_UNKNOWN: cannot apply external message to current state : "

describe("sendBoc", () => {
  const send = call("sendBoc", '{"boc":"te6"}')

  test(
    "returns the first result again for a message that was already accepted",
    refusing(`${words}duplicate message`),
    function* ({ requests }) {
      assert.deepStrictEqual(Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send))), {
        member: "result",
        text: '{"@type":"ok"}',
        more: '"ok":true'
      })
      assert.deepStrictEqual(hosts(requests), ["one"])
    }
  )

  for (const why of ["Duplicate msg_seqno 24", "External message was not accepted"])
    test(`returns the rejection of a message: ${why}`, refusing(words + why), function* ({ requests }) {
      const { member, more, text } = Either.getOrThrow(yield* run((yield* rpcOver(dialect)).call(send)))
      assert.deepStrictEqual([member, text, more], ["error", `"${words}${why}"`, '"ok":false,"code":500'])
      assert.deepStrictEqual(hosts(requests), ["one"])
    })
})

describe("a TON Center method", () => {
  for (const [method, times] of [
    ["sendBocReturnHash", 2],
    ["sendQuery", 2],
    ["getConsensusBlock", 2],
    ["getMasterchainInfo", 1],
    ["packAddress", 1]
  ] as const)
    test(
      `is sent ${times === 1 ? "once" : "twice"} for two clients in a row: ${method}`,
      () => simulatedClient(node(() => ({}))),
      function* ({ requests }) {
        const rpc = yield* rpcOver(dialect)
        yield* replyText(rpc, method, "{}")
        yield* TestClock.adjust(100)
        yield* replyText(rpc, method, "{}")
        assert.lengthOf(requests, times)
        // TON Center's request ids are strings.
        assert.strictEqual(sent(requests[0] ?? { body: "{}" })[0]?.id, "1")
      }
    )
})

/** Transaction hash of 64 equal hexadecimal digits, in base64. */
const hash = (digit: string) => Buffer.from(digit.repeat(64), "hex").toString("base64")

describe("sample TON Center JSON-RPC responses are forwarded unchanged:", () => {
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
    // TON Center reports only that it accepted the message.
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
      () => simulatedClient(() => replay(sample("toncenter-v2", name))),
      function* ({ requests }) {
        const { method, params } = sample("toncenter-v2", name).request.body as {
          readonly method: string
          readonly params: unknown
        }
        const rpc = yield* rpcOver(dialect)
        const { member, more, text } = Either.getOrThrow(yield* run(rpc.call(call(method, JSON.stringify(params)))))
        assert.deepStrictEqual<unknown>([member, text, more], expected[name])
        assert.lengthOf(requests, 1)
      }
    )
})
