import { assert, describe, it } from "@effect/vitest"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Request from "../../src/jsonrpc/Request.ts"

/** The same body with a leading space: no client sends it, so it takes the slow path, member by member. */
const viaSlowPath = (text: string) => ` ${text}`

const ordinary = { jsonrpc: "2.0", id: 7, method: "eth_call", params: [{ to: "0x1", data: "0x" }, "latest"] }

const ordered = (order: ReadonlyArray<string>, call: object) =>
  JSON.stringify(Object.fromEntries(order.map((name) => [name, call[name as keyof typeof call]])))

const orders = [
  ["jsonrpc", "id", "method", "params"],
  ["method", "params", "id", "jsonrpc"],
  ["id", "jsonrpc", "params", "method"]
]

describe("a call in the usual form", () => {
  it("is parsed like a call in any other form", () => {
    for (const order of orders) {
      const text = ordered(order, ordinary)
      assert.deepStrictEqual(Request.parse(text), {
        kind: "single",
        call: {
          id: "7",
          call: Either.right({ method: "eth_call", params: '[{"to":"0x1","data":"0x"},"latest"]' })
        }
      })
      assert.deepStrictEqual(Request.parse(text), Request.parse(viaSlowPath(text)))
    }
  })

  it("has no unexpected members: similar text is parsed member by member, or rejected", () => {
    for (const text of [
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[1],"method":"b","params":[2]}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[],"params":[2]}',
      '{"jsonrpc":"2.0","id":1,"x":[",\\"method\\":\\"a\\""],"method":"b","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"a\\",\\"params\\":[]","params":[]}',
      '{"jsonrpc":"2.0","id":01,"method":"a","params":[]}',
      '{"jsonrpc":"2.0","id":12345678901234567890,"method":"a","params":[]}',
      '{"jsonrpc":"2.0","id":"1","method":"a","params":[]}',
      '{"jsonrpc":"2.0","id":null,"method":"a","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"","params":[]}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":{}}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[1,]}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params": [1]}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[1] }',
      '{"method":"a","params":\t[1],"id":3,"jsonrpc":"2.0"}',
      '{"method":"a","params":[1]\n,"id":3,"jsonrpc":"2.0"}',
      '{"jsonrpc":"2.0","id":1,"method":"a","params":[]}}',
      '{"jsonrpc":"2.0","method":"a","params":[]}',
      '{"method":"a","params":[1],"id":2,"id":3,"jsonrpc":"2.0"}',
      '{"method":"a","params":[1],"x":[2],"id":3,"jsonrpc":"2.0"}',
      '{"method":"a","params":[",\\"id\\":9"],"id":3,"jsonrpc":"2.0"}',
      '{"method":"a","params":[1],"jsonrpc":"2.0"}',
      '{"x":{"method":"a","params":[]},"id":3,"jsonrpc":"2.0"}',
      "{}",
      ""
    ]) {
      const [read, apart] = [Request.parse(text), Request.parse(viaSlowPath(text))]
      assert.strictEqual(read.kind, apart.kind, text)
      if (read.kind !== "malformed") assert.deepStrictEqual(read, apart, text)
    }
  })

  it("keeps the digits of its numbers and its spaces", () => {
    const text = '{"jsonrpc":"2.0","id":1,"method":"a","params":[1e400, 12345678901234567890 ,"\\u0041"]}'
    assert.deepStrictEqual(Request.parse(text), {
      kind: "single",
      call: { id: "1", call: Either.right({ method: "a", params: '[1e400, 12345678901234567890 ,"\\u0041"]' }) }
    })
  })

  it("is parsed like a call in any other form, for any parameters and any errors", () => {
    const pieces = ['"', "\\", "[", "]", "{", "}", ",", ":", '"params":', '"method":"', '"id":1', "1", " ", "é"]
    FastCheck.assert(
      FastCheck.property(
        FastCheck.constantFrom(...orders),
        FastCheck.array(FastCheck.jsonValue()),
        FastCheck.nat(),
        FastCheck.option(FastCheck.tuple(FastCheck.nat(), FastCheck.constantFrom(...pieces), FastCheck.nat(3))),
        (order, params, id, fault) => {
          const whole = ordered(order, { ...ordinary, id, params })
          const [at, piece, removed] = fault ?? [0, "", 0]
          const place = fault === null ? 0 : at % whole.length
          const text = whole.slice(0, place) + piece + whole.slice(place + removed)
          const [read, apart] = [Request.parse(text), Request.parse(viaSlowPath(text))]
          assert.strictEqual(read.kind, apart.kind)
          if (read.kind !== "malformed") assert.deepStrictEqual(read, apart)
        }
      ),
      { numRuns: 2_000 }
    )
  })
})
