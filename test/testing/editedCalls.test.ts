import * as Effect from "effect/Effect"
import { type CallOutcome, edited } from "../../src/testing/editedCalls.ts"
import { assert, describe, it } from "../support/vitest.ts"

const editing = (request: string, response: string, change: (params: unknown, outcome: CallOutcome) => CallOutcome) =>
  edited(request, response, "balance", (params, outcome) => Effect.sync(() => change(params, outcome)))

const request = '{"id":1,"method":"balance","params":["a"]}'
const batch = `[${request},{"id":"2","method":"height"},{"id":3,"method":"balance","params":["b"]}]`
const changedTo = (result: unknown) => () => ({ result })

describe("edited calls", () => {
  it("change the result of a call, and no other member", function* () {
    const response = '{"jsonrpc":"2.0","id":1, "result":5,"usage":1.50}'
    assert.strictEqual(
      yield* editing(request, response, changedTo({ a: 1 })),
      '{"jsonrpc":"2.0","id":1,"usage":1.50,"result":{"a":1}}'
    )
  })

  it("of a batch are separate, in any order, and the other calls preserve their text", function* () {
    const response = '[{"id":3,"result":3},{"id":"2","result":9007199254740993.50},{"id":1,"error":{"code":1}}]'
    const calls: Array<unknown> = []
    const changed = yield* editing(batch, response, (params, outcome) => {
      calls.push([params, outcome])
      return outcome.error === undefined ? { error: { code: 2 } } : { result: 4 }
    })
    assert.deepStrictEqual(calls, [
      [["b"], { result: 3 }],
      [["a"], { error: { code: 1 } }]
    ])
    assert.strictEqual(
      changed,
      '[{"id":3,"error":{"code":2}},{"id":"2","result":9007199254740993.50},{"id":1,"result":4}]'
    )
  })

  it("preserve the whole text if no outcome changes", function* () {
    const response = '[ {"id":1,"result":1.0}, {"id":3,"result":2e3} ]'
    assert.strictEqual(yield* editing(batch, response, (_, outcome) => outcome), response)
  })

  it("may modify a result in place", function* () {
    const modify = (_: unknown, outcome: CallOutcome) => {
      ;(outcome.result as { amount: number }).amount = 6
      return outcome
    }
    assert.strictEqual(yield* editing(request, '{"result":{"amount":5}}', modify), '{"result":{"amount":6}}')
  })

  it("preserve integers beyond 2^53, which are bigint", function* () {
    const double = (_: unknown, { result }: CallOutcome) => ({ result: [result, (result as bigint) * 2n] })
    assert.strictEqual(
      yield* editing(request, '{"id":1,"result":18446744073709551615}', double),
      '{"id":1,"result":[18446744073709551615,36893488147419103230]}'
    )
  })

  it("of version 1.0 have a result and an error, of which one is null", function* () {
    const good = '{"result":1,"error":null,"id":1}'
    const bad = '{"result":null,"error":{"code":1},"id":1}'
    assert.strictEqual(
      yield* editing(request, good, () => ({ error: { code: 1 } })),
      '{"id":1,"error":{"code":1},"result":null}'
    )
    assert.strictEqual(yield* editing(request, bad, changedTo(1)), '{"id":1,"result":1,"error":null}')
  })

  it("are absent in requests with other methods, and in responses without calls", function* () {
    const never = () => assert.fail("there is no call to change")
    for (const [body, response] of [
      ['{"id":1,"method":"height"}', '{"id":1,"result":1}'],
      ["", "{}"],
      ["/balance", "{}"],
      [request, "<!doctype html>"],
      [request, "[]"],
      [batch, '{"error":"too many requests"}'],
      [batch, '[{"id":4,"result":1}]']
    ] as const)
      assert.isUndefined(yield* editing(body, response, never), `${body} ${response}`)
  })
})
