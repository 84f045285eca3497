import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as Request from "../../src/jsonrpc/Request.ts"
import * as Response from "../../src/jsonrpc/Response.ts"
import { call } from "../support/rpc.ts"

const answer = (text: string, status = 200) => ({ status, text, retryAfter: undefined })

const single = (text: string, status?: number) => Response.single()(answer(text, status))
const several = (size: number, text: string, status?: number) => Response.several(size)(answer(text, status))

const reason = <A>(parsed: Either.Either<A, { readonly reason: string }>) =>
  Either.match(parsed, { onLeft: (fault) => fault.reason, onRight: () => "answered" })

/** The part that is passed on to the client. */
const reply = (text: string, status?: number) =>
  Either.getOrUndefined(Either.map(single(text, status), (parsed) => parsed.reply))

describe("a call to a node", () => {
  it("has an id of the service and the unchanged parameters of the client", () => {
    assert.strictEqual(
      Request.write(call("eth_call", "[ 1.0,\n12345678901234567890 ]"), 1),
      '{"jsonrpc":"2.0","id":1,"method":"eth_call","params":[ 1.0,\n12345678901234567890 ]}'
    )
    assert.strictEqual(Request.write(call('a"b'), 3, true), '{"jsonrpc":"2.0","id":"3","method":"a\\"b"}')
  })
})

describe("the response of a node to a single call", () => {
  it("yields its result, character by character", () => {
    for (const text of ["null", "0", "1.0", "1e400", "12345678901234567890", '"\\u00e9\\/"', '{ "a" : [ ] }', "false"])
      assert.deepStrictEqual(reply(`{"result":${text},"id":1,"jsonrpc":"2.0"}`), { member: "result", text })
  })

  it("yields the same result in the usual order of members, with any whitespace or members after it", () => {
    const usual = '{"jsonrpc":"2.0","id":1,"result":'
    for (const text of ["null", "1.0", "12345678901234567890", '"}\\u00e9"', '{ "a" : [ {} ] }', "false"])
      for (const end of ["}", "}\n", " }", "\n}\n", "}\r\n", "}  "])
        assert.deepStrictEqual(reply(usual + text + end), { member: "result", text })
    assert.deepStrictEqual(reply(`${usual}1,"result":2}`), { member: "result", text: "2" })
    assert.deepStrictEqual(reply(`${usual}1,"more":[2]}`), { member: "result", text: "1", more: '"more":[2]' })
    for (const end of [
      '1,"id":2}',
      "}",
      "1",
      "1}}",
      "[1}",
      "1}\n}",
      "01}",
      "1 2}",
      '1,"error":{"code":-32602,"message":"no"},"id":2}'
    ])
      assert.isUndefined(reply(usual + end), end)
    assert.isUndefined(reply(`${usual}1}`, 500))
    const long = `"${"a".repeat(70_000)}"`
    assert.deepStrictEqual(reply(`${usual}${long}}`), { member: "result", text: long })
    assert.deepStrictEqual(reply(`${usual}${long},"result":2}`), { member: "result", text: "2" })
  })

  it("yields additional members of the node with their names", () => {
    assert.deepStrictEqual(reply('{"ok":true,"a\\"b":[1.0],"result":1,"id":"1","jsonrpc":"2.0"}'), {
      member: "result",
      text: "1",
      more: '"ok":true,"a\\"b":[1.0]'
    })
  })

  it("yields null if TON Center omits the result of a successful response", () => {
    for (const [ok, expected] of [
      ["true", { member: "result", text: "null", more: '"ok":true,"code":200' }],
      ["false", undefined],
      ['"true"', undefined]
    ] as const)
      assert.deepStrictEqual<unknown>(reply(`{"ok":${ok},"code":200,"jsonrpc":"2.0","id":"1"}`), expected)
  })

  it("yields its error if it has an error, for any status, also without an id", () => {
    const revert = '{"code":3,"message":"execution reverted: no","data":"0x08c379a0"}'
    for (const status of [200, 400, 500])
      for (const id of ['"id":1,', '"id":null,', ""])
        assert.deepStrictEqual(reply(`{${id}"jsonrpc":"2.0","error":${revert}}`, status), {
          member: "error",
          text: revert
        })
    assert.deepStrictEqual(reply('{"jsonrpc":"2.0","id":1,"error":"Missed `to` address"}'), {
      member: "error",
      text: '"Missed `to` address"'
    })
    assert.deepStrictEqual(reply('{"jsonrpc":"2.0","id":1,"error":null,"result":5}'), { member: "result", text: "5" })
  })

  it("is a fault of the node if state is missing, a limit is reached, or the node has an internal error", () => {
    const fault = (error: string) =>
      Either.getOrUndefined(single(`{"jsonrpc":"2.0","id":1,"error":${error}}`))?.fault?.reason
    assert.strictEqual(fault('{"code":-32000,"message":"missing trie node ab (path ) <nil>"}'), "upstream_error")
    assert.strictEqual(fault('{"code":-32603,"message":"Internal error"}'), "upstream_error")
    assert.strictEqual(fault('{"code":-32005,"message":"daily request count exceeded"}'), "rate_limited")
    assert.isUndefined(fault('{"code":-32603,"message":"execution reverted"}'))
    assert.isUndefined(fault('{"code":3,"message":"internal error"}'))
    assert.isUndefined(fault('{"code":-32602,"message":"invalid argument 0"}'))
    assert.isUndefined(fault('{"code":-32000,"message":"insufficient funds for gas * price + value"}'))
  })

  it("is rejected if it belongs to another call or to no call, or is not JSON", () => {
    for (const [text, status, expected] of [
      ['{"jsonrpc":"2.0","id":2,"result":1}', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","id":1.0,"result":1}', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","result":1}', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","id":2,"error":{"code":3}}', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","id":1}', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","id":1,"result":{"a":1', 200, "bad_answer"],
      ['{"jsonrpc":"2.0","id":1,"result":{a:1}}', 200, "bad_answer"],
      ['[{"jsonrpc":"2.0","id":1,"result":1}]', 200, "bad_answer"],
      ["<html>hello</html>", 200, "bad_answer"],
      ["", 200, "bad_answer"],
      ['{"error":"boom"}', 200, "bad_answer"],
      ['{"error":"boom"}', 500, "upstream_error"],
      ['{"error":{"code":-32000,"message":"boom"}}', 500, "upstream_error"],
      ['{"error":"rate limit exceeded"}', 200, "answered"],
      ["<html>bad gateway</html>", 502, "upstream_error"],
      ['{"jsonrpc":"2.0","id":1,"result":1}', 500, "upstream_error"],
      ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 503, "upstream_error"],
      ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 401, "upstream_error"],
      ['{"jsonrpc":"2.0","id":1,"error":{"code":1}}', 429, "rate_limited"]
    ] as const)
      assert.strictEqual(reason(single(text, status)), expected, `${status} ${text}`)
  })

  it("is a fault for this call only if the node has no state of old blocks", () => {
    for (const message of [
      "no historical RPC is available for this historical (pre-bedrock) block",
      "Archive requests require a personal token",
      "missing trie node ab (path ) <nil>"
    ]) {
      const parsed = single(`{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"${message}"}}`)
      assert.strictEqual(Either.getOrThrow(parsed).fault?.reason, "upstream_error")
    }
    const forbidden = '{"jsonrpc":"2.0","id":1,"error":{"code":-32602,"message":"Archive requests require a token"}}'
    for (const [text, historical] of [
      [forbidden, false],
      [forbidden, true],
      ["no", true]
    ] as const) {
      assert.strictEqual(Either.getOrThrow(Response.single(historical)(answer(text, 403))).fault?.status, 403)
      assert.deepStrictEqual(Either.getOrThrow(Response.several(2, historical)(answer(text, 403))), [
        undefined,
        undefined
      ])
    }
    for (const [status, historical] of [
      [403, false],
      [401, true]
    ] as const) {
      assert.isTrue(Either.isLeft(Response.single(historical)(answer("no", status))))
      assert.isTrue(Either.isLeft(Response.several(2, historical)(answer("no", status))))
    }
  })

  it("is never final: the next node may succeed", () => {
    for (const status of [400, 404, 413]) {
      const parsed = single("no", status)
      assert.isUndefined(Either.isLeft(parsed) ? parsed.left.final : true)
    }
  })

  it("means that the call was not processed if it is a rate limit", () => {
    const limited = Response.unlessLimited()(
      answer('{"jsonrpc":"2.0","id":1,"error":{"code":429,"message":"slow down"}}')
    )
    assert.deepInclude(Either.isLeft(limited) ? limited.left : {}, { reason: "rate_limited", unsent: true })
    assert.isTrue(
      Either.isRight(
        Response.unlessLimited()(answer('{"jsonrpc":"2.0","id":1,"error":{"code":-32603,"message":"internal error"}}'))
      )
    )
  })

  it("is not a rate limit if the node timed out: the call may have been processed", () => {
    for (const message of ["context deadline exceeded", "request timeout exceeded", "Time limit exceeded"])
      assert.isTrue(
        Either.isRight(
          Response.unlessLimited()(answer(`{"jsonrpc":"2.0","id":1,"error":{"code":-32000,"message":"${message}"}}`))
        ),
        message
      )
  })
})

describe("a response that is too large", () => {
  it("is rejected for too many members, errors, elements or nested arrays", () => {
    const many = Array.from({ length: 2_000 }, (_, index) => `"m${index}":1`).join()
    const nested = "[".repeat(1_500_000)
    for (const text of [
      `{"jsonrpc":"2.0","id":1,"result":1,${many}}`,
      `{"jsonrpc":"2.0","id":1,"error":[${"1,".repeat(600_000)}1]}`,
      `{"jsonrpc":"2.0","id":1,"result":${nested}${nested.replaceAll("[", "]")}}`
    ])
      assert.strictEqual(reason(single(text)), "bad_answer")
    const two = '{"jsonrpc":"2.0","id":1,"result":1},{"jsonrpc":"2.0","id":2,"result":1}'
    assert.strictEqual(reason(several(2, `[${two}${",1".repeat(100_000)}]`)), "bad_answer")
  })

  it("is accepted if only its result is long", () => {
    const text = `[${"[],".repeat(400_000)}"${"\\\\".repeat(200_000)}"]`
    assert.strictEqual(reply(`{"jsonrpc":"2.0","id":1,"result":${text}}`)?.text, text)
  })
})

describe("the response of a node to a batch", () => {
  const reply = (id: number | string | null, result: string) =>
    `{"jsonrpc":"2.0","id":${JSON.stringify(id)},"result":${result}}`
  const texts = (size: number, text: string, status?: number) =>
    Either.getOrUndefined(Either.map(several(size, text, status), (all) => all.map((parsed) => parsed?.reply?.text)))

  it("is ordered by its ids, with undefined for a missing response", () => {
    assert.deepStrictEqual(texts(3, `[${reply(3, "1.0")}, ${reply("1", '"a"')}]`), ['"a"', undefined, "1.0"])
    assert.deepStrictEqual(texts(2, "[]"), [undefined, undefined])
  })

  it("is undefined for all calls if the node accepts no batches", () => {
    for (const [text, status] of [
      ['{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"no batches"}}', 200],
      ["too large", 413],
      ['{"detail":[{"msg":"value is not a valid dict"}]}', 422],
      ["", 400]
    ] as const)
      assert.deepStrictEqual(texts(2, text, status), [undefined, undefined])
  })

  it("is a rate limit if the node accepts no calls at all: they are not sent one by one", () => {
    const error = (message: string) => `{"jsonrpc":"2.0","id":null,"error":{"code":-32005,"message":"${message}"}}`
    assert.strictEqual(reason(several(2, error("daily request count exceeded"))), "rate_limited")
    assert.deepStrictEqual(texts(2, error("batch limit exceeded")), [undefined, undefined])
  })

  it("is undefined for a call whose element has no result", () => {
    const text = reply(1, "1").replace("result", "none")
    assert.deepStrictEqual(texts(3, `[${text},${reply(2, "2")}]`), [undefined, "2", undefined])
  })

  it("is undefined for all calls if one element has an unknown id, or the id of another", () => {
    for (const text of [
      reply(5, "1"),
      reply(0, "1"),
      reply(null, "1"),
      '{"jsonrpc":"2.0","id":null,"error":{"code":-32600,"message":"invalid"}}',
      `${reply(1, "1")},${reply(1, "2")},${reply(1, "2")}`,
      "1"
    ])
      assert.deepStrictEqual(texts(4, `[${text},${reply(2, "2")}]`), [undefined, undefined, undefined, undefined], text)
  })

  it("is rejected if it is cut off or is not a batch", () => {
    for (const text of [`[${reply(1, "1")},`, "<html></html>"])
      assert.strictEqual(reason(several(2, text)), "bad_answer", text)
    for (const status of [401, 429, 502, 503]) assert.notStrictEqual(reason(several(2, "[]", status)), "answered")
  })
})

describe("a reply", () => {
  /** Bytes that remain in use with 128 replies, each a small part of a response of this size. */
  const bytesWith = (size: number, member: string): number => {
    const usedNow = () => {
      // The first collection leaves what the code before it has used last.
      Bun.gc(true)
      Bun.gc(true)
      return process.memoryUsage().heapUsed
    }
    const before = usedNow()
    const replies = Array.from({ length: 128 }, (_, index) => {
      const long = new TextDecoder().decode(new Uint8Array(size).fill(48))
      const response = `[{"jsonrpc":"2.0","id":1,${member}},{"jsonrpc":"2.0","id":2,"result":"${index}${long}"}]`
      const responses = Either.getOrThrow(several(2, Buffer.from(response).toString()))
      return responses[0]?.reply
    })
    const after = usedNow()
    assert.isTrue(replies.every((reply) => reply !== undefined))
    return after - before
  }

  const size = 1024 * 1024

  it("does not keep the batch response in memory of which its result, its error or another member is a small part", () => {
    assert.isBelow(bytesWith(size, `"result":"${"1".repeat(100)}"`), 32 * size)
    assert.isBelow(bytesWith(size, `"error":{"code":3,"message":"${"1".repeat(100)}"}`), 32 * size)
    assert.isBelow(bytesWith(size, `"result":"1","@extra":"${"1".repeat(100)}"`), 32 * size)
  })
})
