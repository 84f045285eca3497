import { assert, describe, it } from "@effect/vitest"
import { type Fallback, judge, settle } from "../../../src/jsonrpc/proxy/attempt.ts"
import type { Fault } from "../../../src/upstream/UpstreamError.ts"

const result = (text: string) => ({ member: "result", text }) as const
const error = (text: string) => ({ member: "error", text }) as const
const fault: Fault = { reason: "upstream_error", detail: "no" }

describe("the verdict about a response", () => {
  const isImplausible = (text: string) => (text === "0" ? "is behind the network" : undefined)

  it("accepts a plausible result, and an error about the call", () => {
    for (const reply of [result("1"), error("0")])
      assert.deepStrictEqual(judge({ isImplausible }, { reply }, 0), { _tag: "Accept", reply })
    assert.deepStrictEqual(judge({}, { reply: result("0") }, 0), { _tag: "Accept", reply: result("0") })
  })

  it("moves the call to the next node if this node is at fault, with its error as the fallback", () => {
    assert.deepStrictEqual(judge({}, { fault }, 0), { _tag: "TryNext", fault, fallback: undefined })
    assert.deepStrictEqual(judge({}, { reply: error("1"), fault }, 0), {
      _tag: "TryNext",
      fault,
      fallback: { kind: "reply", reply: error("1") }
    })
  })

  it("moves the call to the next node if the result is implausible, with the result as the fallback", () => {
    assert.deepStrictEqual(judge({ isImplausible }, { reply: result("0") }, 0), {
      _tag: "TryNext",
      fault: { reason: "bad_answer", detail: "is behind the network" },
      fallback: { kind: "implausible", result: "0" }
    })
  })
})

describe("the reply if every node was rejected", () => {
  const reply = (text: string): Fallback => ({ kind: "reply", reply: error(text) })
  const implausible = (text: string): Fallback => ({ kind: "implausible", result: text })

  it("is the newest error of a node, and undefined without such an error", () => {
    assert.isUndefined(settle({}, [], 0))
    assert.deepStrictEqual(settle({}, [reply("1"), reply("2")], 0), { reply: error("2"), isSubstitute: false })
    assert.isUndefined(settle({}, [implausible("1")], 0))
  })

  it("is the policy's substitute for an implausible result, with priority over errors", () => {
    const fallbacks = [implausible("1"), implausible("2"), reply("3")]
    assert.deepStrictEqual(settle({ substitute: (text) => `${text}0` }, fallbacks, 0), {
      reply: result("20"),
      isSubstitute: true
    })
    assert.deepStrictEqual(settle({ substitute: (text) => text }, fallbacks, 0), {
      reply: result("2"),
      isSubstitute: false
    })
  })
})
