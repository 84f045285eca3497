import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { MethodPolicy } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import { brokenBody, byHost, json, neverResponds, refused, simulatedClient, stalled, text } from "../../support/http.ts"
import { call, exactReply, hosts, methods, node, replyText, rpcOver, sent, testPolicy } from "../../support/rpc.ts"
import { run, test } from "../../support/upstream.ts"

type Handler = Parameters<typeof simulatedClient>[0]

const fine = node(({ method }) => method)

const withFirst = (first: Handler) => () => simulatedClient(byHost({ "one.example": first, "two.example": fine }))

/** Failures after which the call may have arrived. */
const uncertain: Readonly<Record<string, Handler>> = {
  hangs: () => neverResponds,
  resets: () => Effect.fail({ code: "ECONNRESET" }),
  "closes the connection in the response": () => brokenBody('{"jsonrpc":"2.0","id":1,"re'),
  "stalls in the response": () => stalled('{"jsonrpc":"2.0","id":1,"re'),
  "returns half of a response": () => text('{"jsonrpc":"2.0","id":1,"result":{"a":'),
  "returns HTML": () => text("<html></html>"),
  "returns the response of another call": () => json({ jsonrpc: "2.0", id: 77, result: "of another" }),
  "returns HTTP 500": () => text("down", { status: 500 }),
  "returns HTTP 502": () => text("down", { status: 502 }),
  "returns HTTP 503": () => text("down", { status: 503, headers: { "retry-after": "1" } })
}

/** Failures after which the call cannot have arrived. */
const unsent: Readonly<Record<string, Handler>> = {
  "refuses the connection": () => refused,
  "returns HTTP 429": () => text("slow down", { status: 429 }),
  "returns HTTP 401": () => text("no", { status: 401 }),
  "returns HTTP 403": () => text("no", { status: 403 }),
  "returns a rate limit": exactReply("error", '{"code":-32005,"message":"too many requests"}')
}

describe("a call with side effects", () => {
  for (const [what, first] of Object.entries(uncertain))
    test(
      `is not sent to another node, and not again, if the first ${what}`,
      withFirst(first),
      function* ({ requests }) {
        const rpc = yield* rpcOver()
        assert.isTrue(Either.isLeft(yield* run(rpc.call(call("send")))))
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(hosts(requests), ["one"])
      }
    )

  for (const [what, first] of Object.entries(unsent))
    test(`falls back to the second node if the first ${what}`, withFirst(first), function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "send"), '"send"')
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
    })

  test(
    "gets the error of the node, even if the node is at fault",
    withFirst(exactReply("error", '{"code":-32603,"message":"internal error"}')),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "send"), '{"code":-32603,"message":"internal error"}')
      assert.deepStrictEqual(hosts(requests), ["one"])
    }
  )

  test(
    "is not sent to another node while it runs, and is not joined with an equal call",
    () => simulatedClient((requests) => Effect.delay(fine(requests), 900)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const both = yield* Effect.fork(
        Effect.all([rpc.call(call("send")), rpc.call(call("send"))], { concurrency: "unbounded" })
      )
      yield* TestClock.adjust(900)
      yield* Fiber.join(both)
      assert.deepStrictEqual(hosts(requests), ["one", "one"])
    }
  )

  test(
    "continues when the client disconnects",
    () => simulatedClient((requests) => Effect.delay(fine(requests), 500)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "moment")
      const client = yield* Effect.fork(rpc.call(call("send")))
      yield* TestClock.adjust(100)
      yield* Fiber.interrupt(client)
      yield* TestClock.adjust(100)
      assert.isFalse(requests[1]?.signal.aborted)
      yield* TestClock.adjust(300)
      // The call has completed: earlier reads are outdated.
      yield* replyText(rpc, "moment")
      assert.deepStrictEqual(methods(requests), ["moment", "send", "moment"])
    }
  )

  test(
    "leaves the earlier reads valid if its method sends nothing by its name, but for once per block time",
    () => simulatedClient(fine),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const reads = () => methods(requests).filter((method) => method === "moment").length
      const readsAfter = Effect.fnUntraced(function* (method: string) {
        yield* replyText(rpc, method)
        yield* replyText(rpc, "moment")
        return reads()
      })
      yield* replyText(rpc, "moment")
      assert.deepStrictEqual(
        [yield* readsAfter("custom"), yield* readsAfter("custom"), yield* readsAfter("custom")],
        [2, 2, 2]
      )
      assert.strictEqual(yield* readsAfter("sendCustom"), 3)
      yield* TestClock.adjust(testPolicy.blockTime)
      assert.strictEqual(yield* readsAfter("custom"), 4)
    }
  )

  test(
    "leaves the earlier reads valid if the node refuses it",
    () =>
      simulatedClient((request) =>
        sent(request)[0]?.method === "moment"
          ? fine(request)
          : exactReply("error", '{"code":-32601,"message":"the method does not exist"}')(request)
      ),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "moment")
      assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call("send")))).member, "error")
      yield* replyText(rpc, "moment")
      assert.deepStrictEqual(methods(requests), ["moment", "send"])
    }
  )
})

describe("a transaction that the node already has", () => {
  const policy: MethodPolicy = {
    ...testPolicy,
    rule: ({ method }) => ({
      kind: "once",
      duplicateResult: (error) => (/already/.test(error) ? JSON.stringify(method) : undefined),
      more: '"ok":true'
    })
  }

  test(
    "succeeds like a new transaction",
    () => simulatedClient(exactReply("error", '{"code":-32000,"message":"already known"}')),
    function* () {
      const rpc = yield* rpcOver(policy)
      assert.deepStrictEqual(Either.getOrThrow(yield* run(rpc.call(call("send")))), {
        member: "result",
        text: '"send"',
        more: '"ok":true'
      })
    }
  )

  test(
    "is not assumed for other errors",
    () => simulatedClient(exactReply("error", '{"code":-32000,"message":"nonce too low"}')),
    function* () {
      const rpc = yield* rpcOver(policy)
      assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call("send")))).member, "error")
    }
  )
})

const notFound = '{"code":-32000,"message":"filter not found"}'

describe("a session that a node opened for a client", () => {
  test(
    "is continued at that node",
    () => {
      const opening = node(({ method }) => (method === "open" ? "0x1" : method))
      let open = 0
      return simulatedClient(
        byHost({
          "one.example": (request) => (open++ === 0 ? refused : opening(request)),
          "two.example": opening
        })
      )
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "open"), '"0x1"')
      yield* TestClock.adjust("1 minute")
      yield* replyText(rpc, "read")
      yield* replyText(rpc, "session")
      yield* replyText(rpc, "session")
      assert.deepStrictEqual(hosts(requests), ["one", "two", "one", "two", "two"])
    }
  )

  test(
    "is not found by another client, and belongs to its own until that has opened 200 more",
    () => {
      let opened = 0
      return simulatedClient(node(({ method }) => (method === "open" ? `0x${++opened}` : method)))
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const by = (client: string, method: string) =>
        Effect.map(
          run(rpc.call({ ...call(method), client: () => client })),
          Either.map(({ text }) => text)
        )
      const found = Either.right('"session"')
      yield* by("a", "open")
      assert.deepStrictEqual(yield* by("b", "session"), Either.right(notFound))
      assert.strictEqual(requests.length, 1)
      assert.deepStrictEqual(yield* by("a", "session"), found)
      for (let more = 0; more < 200; more++) yield* by("a", "open")
      // It is unknown now, and any node may have it.
      assert.deepStrictEqual(yield* by("b", "session"), found)
    }
  )

  test(
    "fails if that node is down, because no other node has it",
    () => {
      let calls = 0
      return simulatedClient(
        byHost({
          "one.example": (request) => (calls++ === 0 ? node(() => "0x1")(request) : refused),
          "two.example": fine
        })
      )
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "open")
      assert.isTrue(Either.isLeft(yield* run(rpc.call(call("session")))))
      assert.deepStrictEqual(hosts(requests), ["one", "one"])
    }
  )

  test(
    "has a unique name, although two nodes count from one",
    () => {
      let first = 0
      return simulatedClient(
        byHost({
          "one.example": (request) => (++first === 2 ? refused : node(() => (first === 1 ? "0x1" : "0x2"))(request)),
          "two.example": node(() => "0x1")
        })
      )
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "open"), '"0x1"')
      assert.strictEqual(yield* replyText(rpc, "open"), '"0x2"')
      assert.deepStrictEqual(hosts(requests), ["one", "one", "two", "one"])
    }
  )

  for (const [what, second] of Object.entries({
    "is out of calls": () => text("slow down", { status: 429 }),
    "refuses it": exactReply("error", '{"code":-32000,"message":"too many filters"}')
  }))
    test(
      `stays with its client if the first node to use its name ${what}: the other node opens the next`,
      () => {
        let [first, last] = [0, 0]
        return simulatedClient(
          byHost({
            "one.example": (request) => {
              if (sent(request)[0]?.method !== "open") return node(() => "from one")(request)
              first++
              return first === 1 ? node(() => "0x1")(request) : first === 2 ? refused : second(request)
            },
            "two.example": node(({ method }) => (method === "open" ? `0x${++last}` : "from two"))
          })
        )
      },
      function* ({ requests }) {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* replyText(rpc, "open"), '"0x1"')
        assert.strictEqual(yield* replyText(rpc, "open"), '"0x2"')
        assert.deepStrictEqual(hosts(requests), ["one", "one", "two", "one", "two"])
        yield* TestClock.adjust("1 minute")
        assert.strictEqual(yield* replyText(rpc, "session"), '"from one"')
      }
    )

  test(
    "is not opened if every node returns a name that is in use at another node",
    () => {
      let first = 0
      return simulatedClient(
        byHost({
          "one.example": (request) =>
            sent(request)[0]?.method === "open" && ++first > 1
              ? refused
              : node(({ method }) => (method === "open" ? "0x1" : "from one"))(request),
          "two.example": node(() => "0x1")
        })
      )
    },
    function* () {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "open"), '"0x1"')
      assert.isTrue(Either.isLeft(yield* run(rpc.call(call("open")))))
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(yield* replyText(rpc, "session"), '"from one"')
    }
  )

  test(
    "goes to any node if the service did not open it",
    () => simulatedClient(fine),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "session"), '"session"')
      assert.deepStrictEqual(hosts(requests), ["one"])
    }
  )
})

describe("a batch", () => {
  test(
    "keeps the order around calls with side effects",
    () => {
      let sends = 0
      return simulatedClient(node(({ method }) => (method === "send" ? ++sends : sends)))
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const all = [call("moment"), call("send"), call("moment"), call("send"), call("moment")]
      const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
      assert.deepStrictEqual(
        replies.map((reply) => Either.getOrThrow(reply).text),
        ["0", "1", "1", "2", "2"]
      )
      assert.deepStrictEqual(methods(requests), ["moment", "send", "moment", "send", "moment"])
    }
  )

  test(
    "does not fail as a whole if one of its calls fails",
    () =>
      simulatedClient((request) =>
        sent(request)[0]?.method === "send" ? text("down", { status: 500 }) : fine(request)
      ),
    function* () {
      const rpc = yield* rpcOver()
      const replies = Either.getOrThrow(yield* run(rpc.batch([call("read"), call("send"), call("slow")])))
      assert.deepStrictEqual(replies.map(Either.isRight), [true, false, true])
    }
  )
})
