import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import type { MethodPolicy } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import { answering, brokenOff, byHost, hang, json, refused, stalled, text } from "../../support/http.ts"
import { call, hosts, methods, node, rpcOver, sent, simple, told, written } from "../../support/rpc.ts"
import { run, test } from "../../support/upstream.ts"

type Handler = Parameters<typeof answering>[0]

const fine = node(({ method }) => method)

const beside = (first: Handler) => () => answering(byHost({ "one.example": first, "two.example": fine }))

/** What may have arrived. */
const unsure: Readonly<Record<string, Handler>> = {
  hangs: () => hang,
  resets: () => Effect.fail({ code: "ECONNRESET" }),
  "breaks off": () => brokenOff('{"jsonrpc":"2.0","id":1,"re'),
  "stops halfway": () => stalled('{"jsonrpc":"2.0","id":1,"re'),
  "answers half": () => text('{"jsonrpc":"2.0","id":1,"result":{"a":'),
  "answers HTML": () => text("<html></html>"),
  "answers another call": () => json({ jsonrpc: "2.0", id: 77, result: "of another" }),
  "answers HTTP 500": () => text("down", { status: 500 }),
  "answers HTTP 502": () => text("down", { status: 502 }),
  "answers HTTP 503": () => text("down", { status: 503, headers: { "retry-after": "1" } })
}

/** What cannot have arrived. */
const unsent: Readonly<Record<string, Handler>> = {
  "refuses the connection": () => refused,
  "answers HTTP 429": () => text("slow down", { status: 429 }),
  "answers HTTP 401": () => text("no", { status: 401 }),
  "answers HTTP 403": () => text("no", { status: 403 }),
  "says that it takes no more calls": written("error", '{"code":-32005,"message":"too many requests"}')
}

describe("a call that may do something", () => {
  for (const [what, first] of Object.entries(unsure))
    test(`goes to no other node where the first ${what}, and not to it again`, beside(first), ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.isTrue(Either.isLeft(yield* run(rpc.call(call("send")))))
        yield* TestClock.adjust("1 minute")
        assert.deepStrictEqual(hosts(requests), ["one"])
      })
    )

  for (const [what, first] of Object.entries(unsent))
    test(`goes to the second node where the first ${what}`, beside(first), ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* told(rpc, "send"), '"send"')
        assert.deepStrictEqual(hosts(requests), ["one", "two"])
      })
    )

  test(
    "is answered with what the node says against it, also about itself",
    beside(written("error", '{"code":-32603,"message":"internal error"}')),
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* told(rpc, "send"), '{"code":-32603,"message":"internal error"}')
        assert.deepStrictEqual(hosts(requests), ["one"])
      })
  )

  test(
    "is not asked of another node however long it takes, nor joined with an equal one",
    () => answering((request) => Effect.delay(fine(request), 900)),
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        const both = yield* Effect.fork(
          Effect.all([rpc.call(call("send")), rpc.call(call("send"))], { concurrency: "unbounded" })
        )
        yield* TestClock.adjust(900)
        yield* Fiber.join(both)
        assert.deepStrictEqual(hosts(requests), ["one", "one"])
      })
  )

  test(
    "goes on when the client leaves",
    () => answering((request) => Effect.delay(fine(request), 500)),
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        yield* told(rpc, "moment")
        const client = yield* Effect.fork(rpc.call(call("send")))
        yield* TestClock.adjust(100)
        yield* Fiber.interrupt(client)
        yield* TestClock.adjust(100)
        assert.isFalse(requests[1]?.signal.aborted)
        yield* TestClock.adjust(300)
        // It has come to its end: what was read before is old.
        yield* told(rpc, "moment")
        assert.deepStrictEqual(methods(requests), ["moment", "send", "moment"])
      })
  )
})

describe("what the node has already", () => {
  const dialect: MethodPolicy = {
    ...simple,
    rule: ({ method }) => ({
      kind: "once",
      known: (error) => (/already/.test(error) ? JSON.stringify(method) : undefined),
      more: '"ok":true'
    })
  }

  test(
    "is told as if it had just come",
    () => answering(written("error", '{"code":-32000,"message":"already known"}')),
    () =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver(dialect)
        assert.deepStrictEqual(Either.getOrThrow(yield* run(rpc.call(call("send")))), {
          member: "result",
          text: '"send"',
          more: '"ok":true'
        })
      })
  )

  test(
    "is nothing else",
    () => answering(written("error", '{"code":-32000,"message":"nonce too low"}')),
    () =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver(dialect)
        assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call("send")))).member, "error")
      })
  )
})

describe("what a node has begun for a client", () => {
  test(
    "is gone on with at that node",
    () => {
      const opening = node(({ method }) => (method === "open" ? "0x1" : method))
      let open = 0
      return answering(
        byHost({
          "one.example": (request) => (open++ === 0 ? refused : opening(request)),
          "two.example": opening
        })
      )
    },
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* told(rpc, "open"), '"0x1"')
        yield* TestClock.adjust("1 minute")
        yield* told(rpc, "read")
        yield* told(rpc, "session")
        yield* told(rpc, "session")
        assert.deepStrictEqual(hosts(requests), ["one", "two", "one", "two", "two"])
      })
  )

  test(
    "fails where that node is down, as no other knows it",
    () => {
      let calls = 0
      return answering(
        byHost({
          "one.example": (request) => (calls++ === 0 ? node(() => "0x1")(request) : refused),
          "two.example": fine
        })
      )
    },
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        yield* told(rpc, "open")
        assert.isTrue(Either.isLeft(yield* run(rpc.call(call("session")))))
        assert.deepStrictEqual(hosts(requests), ["one", "one"])
      })
  )

  test(
    "has a name that no other has, though two nodes count from one",
    () => {
      let first = 0
      return answering(
        byHost({
          "one.example": (request) => (++first === 2 ? refused : node(() => (first === 1 ? "0x1" : "0x2"))(request)),
          "two.example": node(() => "0x1")
        })
      )
    },
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* told(rpc, "open"), '"0x1"')
        assert.strictEqual(yield* told(rpc, "open"), '"0x2"')
        assert.deepStrictEqual(hosts(requests), ["one", "one", "two", "one"])
      })
  )

  test(
    "is asked of any node where nobody here began it",
    () => answering(fine),
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        assert.strictEqual(yield* told(rpc, "session"), '"session"')
        assert.deepStrictEqual(hosts(requests), ["one"])
      })
  )
})

describe("a batch", () => {
  test(
    "keeps the order around what may do something",
    () => {
      let sends = 0
      return answering(node(({ method }) => (method === "send" ? ++sends : sends)))
    },
    ({ requests }) =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        const all = [call("moment"), call("send"), call("moment"), call("send"), call("moment")]
        const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
        assert.deepStrictEqual(
          replies.map((reply) => Either.getOrThrow(reply).text),
          ["0", "1", "1", "2", "2"]
        )
        assert.deepStrictEqual(methods(requests), ["moment", "send", "moment", "send", "moment"])
      })
  )

  test(
    "does not fail as a whole where one of its calls does",
    () => answering((request) => (sent(request)[0]?.method === "send" ? text("down", { status: 500 }) : fine(request))),
    () =>
      Effect.gen(function* () {
        const rpc = yield* rpcOver()
        const replies = Either.getOrThrow(yield* run(rpc.batch([call("read"), call("send"), call("slow")])))
        assert.deepStrictEqual(replies.map(Either.isRight), [true, false, true])
      })
  )
})
