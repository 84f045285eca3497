import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Runtime from "effect/Runtime"
import * as TestClock from "effect/TestClock"
import { type AttemptOptions, attempt, type Fallback, judge, settle } from "../../../src/jsonrpc/proxy/attempt.ts"
import { read } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import * as NodeOrder from "../../../src/jsonrpc/proxy/NodeOrder.ts"
import * as Task from "../../../src/kernel/Task.ts"
import type { Fault } from "../../../src/upstream/UpstreamError.ts"
import { json, simulatedClient } from "../../support/http.ts"
import { call, testPolicy } from "../../support/rpc.ts"
import { firstUrl, make, test } from "../../support/upstream.ts"

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
  const limit = (text: string): Fallback => ({ kind: "limit", reply: error(text) })
  const implausible = (text: string): Fallback => ({ kind: "implausible", result: text })

  it("is the first error of a node, if possible not about its limits, and undefined without an error", () => {
    assert.isUndefined(settle({}, [], 0))
    for (const fallbacks of [
      [reply("1"), reply("2")],
      [limit("0"), reply("1")],
      [limit("1"), limit("2")]
    ])
      assert.deepStrictEqual(settle({}, fallbacks, 0), { reply: error("1"), isSubstitute: false })
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

describe("the time of a node for a read", () => {
  const outside = () => simulatedClient(() => Effect.delay(json({ jsonrpc: "2.0", id: 1, result: 1 }), 800))

  test(
    "does not include the wait for other calls",
    outside,
    function* () {
      const upstream = yield* make([firstUrl])
      const [node = assert.fail()] = upstream.addresses
      const runtime = yield* Effect.runtime<never>()
      const post = HttpClientRequest.bodyText(HttpClientRequest.post(""), "", "application/json")
      const pass = node.pass(post, Task.fromEffect(Runtime.runFork(runtime)), false)
      const times: Array<number> = []
      const options: AttemptOptions = {
        policy: testPolicy,
        order: {
          ...NodeOrder.make(upstream.addresses),
          recordResponse: (_node, _method, time) => times.push(time),
          recordCancelled: (_node, time) => times.push(time)
        },
        pass: (_node, body, decode, client, time) => pass(body, decode, client, time),
        coalesce: undefined,
        clock: yield* Effect.clock
      }
      const begin = () => attempt(options, node, { call: call("read"), rule: read("never") })(() => {})
      const cancels = [begin(), begin(), begin()]
      yield* TestClock.adjust(1_700)
      cancels[2]?.()
      assert.deepStrictEqual(times, [800, 800, 100])
      cancels.push(begin(), begin())
      yield* TestClock.adjust(100)
      cancels[4]?.()
      assert.deepStrictEqual(times, [800, 800, 100, 0])
    },
    { UPSTREAM_CONCURRENCY_TOTAL: "2" }
  )
})
