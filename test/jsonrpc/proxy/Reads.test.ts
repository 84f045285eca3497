import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as SharedRuns from "../../../src/jsonrpc/proxy/SharedRuns.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { timeLimit } from "../../../src/kernel/timeout.ts"
import { byHost, json, neverResponds, refused, simulatedClient, text } from "../../support/http.ts"
import {
  brokenNodes,
  call,
  exactReply,
  hosts,
  methods,
  node,
  replyText,
  rpcOver,
  sent,
  testPolicy
} from "../../support/rpc.ts"
import { finish, firstUrl, run, test } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const fine = node(({ method }) => method)

/** Two nodes: the first with this handler, the second returns the name of the method. */
const withFirst = (first: Parameters<typeof simulatedClient>[0]) => () =>
  simulatedClient(byHost({ "one.example": first, "two.example": fine }))

const afterwards =
  (time: number, handler: Parameters<typeof simulatedClient>[0]): Parameters<typeof simulatedClient>[0] =>
  (request) =>
    Effect.delay(handler(request), time)

const failures: Readonly<Record<string, Parameters<typeof simulatedClient>[0]>> = {
  ...brokenNodes,
  "returns the response of another call": () => json({ jsonrpc: "2.0", id: 77, result: "of another" }),
  "returns HTTP 429": () => text("slow down", { status: 429 }),
  "returns HTTP 500": () => text("down", { status: 500 }),
  "returns HTTP 503": () => text("down", { status: 503 }),
  "returns HTTP 401": () => text("no", { status: 401 }),
  "returns an error that is not JSON-RPC": () => json({ error: "boom" }, { status: 500 }),
  "has no old state": exactReply("error", '{"code":-32602,"message":"no historical RPC is available"}'),
  "requires a token for old state": exactReply(
    "error",
    '{"code":-32602,"message":"Archive requests require a personal token"}',
    403
  ),
  "has no state": exactReply("error", '{"code":-32000,"message":"missing trie node 00 (path )"}'),
  "returns a rate limit": exactReply("error", '{"code":-32005,"message":"too many requests"}', 200)
}

describe("a read", () => {
  for (const [what, first] of Object.entries(failures)) {
    test(`gets its reply from the second node if the first ${what}`, withFirst(first), function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "read"), '"read"')
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
    })

    test(`of a batch gets its reply from the second node if the first ${what}`, withFirst(first), function* () {
      const rpc = yield* rpcOver()
      const replies = yield* run(rpc.batch([call("read", "[1]"), call("slow", "[2]")]))
      assert.deepStrictEqual(
        Either.getOrThrow(replies).map((reply) => Either.getOrThrow(reply).text),
        ['"read"', '"slow"']
      )
    })

    test(
      `fails, or gets the error of the node, if each node ${what}`,
      () => simulatedClient(first),
      function* () {
        const rpc = yield* rpcOver()
        const outcome = yield* run(rpc.call(call("read")))
        if (["has no state", "has no old state", "returns a rate limit"].includes(what))
          assert.strictEqual(Either.getOrThrow(outcome).member, "error")
        else assert.strictEqual(Either.isLeft(outcome) && outcome.left._tag, "UpstreamError")
      }
    )
  }

  test(
    "gets the node's error character by character, and is not sent to another node",
    withFirst(exactReply("error", '{"code":3, "message":"execution reverted","data":"0x08c379a0"}')),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(
        yield* replyText(rpc, "read"),
        '{"code":3, "message":"execution reverted","data":"0x08c379a0"}'
      )
      assert.deepStrictEqual(hosts(requests), ["one"])
    }
  )

  test(
    "is hedged to the second node once the first is slower than usual, and the first reply counts",
    withFirst(() => neverResponds),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const fiber = yield* Effect.fork(rpc.call(call("read")))
      yield* TestClock.adjust(900)
      assert.deepStrictEqual(hosts(requests), ["one"])
      yield* TestClock.adjust(100)
      assert.strictEqual((yield* Fiber.join(fiber)).text, '"read"')
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
      assert.isTrue(requests[0]?.signal.aborted)
    }
  )

  test(
    "is hedged after the 90th percentile of its method, not before 100 ms",
    () => {
      let calls = 0
      return simulatedClient(
        byHost({
          "one.example": (request) => (++calls <= 8 ? afterwards(10, fine)(request) : neverResponds),
          "two.example": fine
        })
      )
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      for (let index = 0; index < 8; index++) yield* replyText(rpc, "read", `[${index}]`)
      assert.deepStrictEqual(new Set(hosts(requests)), new Set(["one"]))
      const fiber = yield* Effect.fork(rpc.call(call("read")))
      yield* TestClock.adjust(99)
      assert.lengthOf(requests, 9)
      yield* TestClock.adjust(1)
      assert.strictEqual((yield* Fiber.join(fiber)).text, '"read"')
    }
  )

  test(
    "goes first to the second node once the first was too slow",
    withFirst(afterwards(5_000, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "read", "[1]")
      assert.deepStrictEqual(hosts(requests), ["one", "two"])
      yield* replyText(rpc, "read", "[2]")
      assert.deepStrictEqual(hosts(requests), ["one", "two", "two"])
    }
  )

  test(
    "that a thousand clients request at once is sent once",
    () => simulatedClient(afterwards(50, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const all = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 1_000 }, () => rpc.call(call("read", "[1]"))),
          { concurrency: "unbounded" }
        )
      )
      const { outcome } = yield* finish(all)
      assert.lengthOf(Either.getOrThrow(outcome), 1_000)
      assert.lengthOf(requests, 1)
      // A read that is not cached is sent again later, and a different read is sent separately.
      yield* replyText(rpc, "read", "[1]")
      yield* replyText(rpc, "read", "[2]")
      assert.lengthOf(requests, 3)
    }
  )

  test(
    "continues for the other clients when the first client disconnects",
    () => simulatedClient(afterwards(50, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const first = yield* Effect.fork(rpc.call(call("read")))
      yield* TestClock.adjust(10)
      const second = yield* Effect.fork(rpc.call(call("read")))
      yield* TestClock.adjust(10)
      yield* Fiber.interrupt(first)
      yield* TestClock.adjust(30)
      assert.strictEqual((yield* Fiber.join(second)).text, '"read"')
      assert.lengthOf(requests, 1)
    }
  )

  test(
    "is cancelled at the node when its last client disconnects, and sent again for the next client",
    () => simulatedClient(afterwards(50, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const clients = [yield* Effect.fork(rpc.call(call("read"))), yield* Effect.fork(rpc.call(call("read")))]
      yield* TestClock.adjust(10)
      for (const [index, client] of clients.entries()) {
        yield* Fiber.interrupt(client)
        yield* TestClock.adjust(0)
        assert.strictEqual(requests[0]?.signal.aborted, index === 1)
      }
      assert.strictEqual(yield* replyText(rpc, "read"), '"read"')
      assert.lengthOf(requests, 2)
    }
  )

  test(
    "of a batch is cancelled with the batch, unless another client waits for it",
    () => simulatedClient(afterwards(50, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const reads = [call("read", "[1]"), call("read", "[2]")]
      for (const isShared of [false, true]) {
        const batch = yield* Effect.fork(rpc.batch(reads))
        yield* TestClock.adjust(10)
        const other = yield* Effect.fork(isShared ? rpc.call(call("read", "[2]")) : Effect.void)
        yield* TestClock.adjust(10)
        yield* Fiber.interrupt(batch)
        yield* TestClock.adjust(0)
        assert.strictEqual(requests.at(-1)?.signal.aborted, !isShared)
        yield* finish(other)
      }
      assert.lengthOf(requests, 2)
    }
  )

  for (const method of ["send", "open"])
    test(
      `continues if it may change something, also in a batch: ${method}`,
      () => simulatedClient(afterwards(50, fine)),
      function* ({ requests }) {
        const rpc = yield* rpcOver()
        const batch = rpc.batch([call("read"), call(method, "[2]")])
        for (const work of [Effect.asVoid(rpc.call(call(method))), Effect.asVoid(batch)]) {
          const client = yield* Effect.fork(work)
          yield* TestClock.adjust(10)
          yield* Fiber.interrupt(client)
          yield* TestClock.adjust(200)
        }
        assert.deepStrictEqual(methods(requests), [method, "read", method])
        assert.isFalse(requests.some(({ signal }) => signal.aborted))
      }
    )

  test(
    "whose result never changes is sent once; an error is read again",
    () => {
      let calls = 0
      return simulatedClient((request) => {
        calls++
        return calls === 1
          ? exactReply("error", '{"code":-32602,"message":"no"}')(request)
          : exactReply("result", "1.0")(request)
      })
    },
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      assert.strictEqual(yield* replyText(rpc, "kept"), '{"code":-32602,"message":"no"}')
      assert.strictEqual(yield* replyText(rpc, "kept"), "1.0")
      yield* TestClock.adjust("7 days")
      assert.strictEqual(yield* replyText(rpc, "kept"), "1.0")
      assert.lengthOf(requests, 2)
    }
  )

  test(
    "of the newest block is cached for at most one block time, and not after a send",
    () => simulatedClient(fine),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "moment")
      yield* TestClock.adjust(2_000)
      yield* replyText(rpc, "moment")
      assert.lengthOf(requests, 1)
      yield* TestClock.adjust(1)
      yield* replyText(rpc, "moment")
      assert.lengthOf(requests, 2)
      yield* replyText(rpc, "send")
      yield* replyText(rpc, "moment")
      assert.deepStrictEqual(methods(requests), ["moment", "moment", "send", "moment"])
    }
  )

  test(
    "that started before a send is not returned to requests after the send",
    () => {
      let calls = 0
      return simulatedClient((request) =>
        sent(request)[0]?.method === "moment"
          ? afterwards(
              ++calls === 1 ? 500 : 0,
              node(() => calls)
            )(request)
          : fine(request)
      )
    },
    function* () {
      const rpc = yield* rpcOver()
      const early = yield* Effect.fork(rpc.call(call("moment")))
      yield* TestClock.adjust(1)
      yield* replyText(rpc, "send")
      assert.strictEqual(yield* replyText(rpc, "moment"), "2")
      yield* TestClock.adjust(500)
      yield* Fiber.join(early)
      assert.strictEqual(yield* replyText(rpc, "moment"), "2")
    }
  )

  test(
    "fails after its attempts at the only node, without the node's address in the error",
    () => simulatedClient(() => refused),
    function* () {
      const rpc = yield* rpcOver(testPolicy, [firstUrl])
      const outcome = yield* run(rpc.call(call("read")))
      assert.isTrue(Either.isLeft(outcome))
      assert.notInclude(JSON.stringify(outcome), "example")
    }
  )

  test(
    "fails if no node is configured",
    () => simulatedClient(fine),
    function* () {
      const rpc = yield* rpcOver(testPolicy, [])
      const outcome = yield* run(rpc.call(call("read")))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "not_configured")
    }
  )
})

describe("reads in a batch", () => {
  const texts = (replies: ReadonlyArray<Either.Either<{ readonly text: string }, unknown>>) =>
    replies.map((reply) => (Either.isRight(reply) ? reply.right.text : "failed"))

  test(
    "are sent in one batch, without duplicates and cached reads, and are returned in order",
    () => simulatedClient(node(({ params }) => params)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      yield* replyText(rpc, "kept", "[9]")
      const all = [
        call("read", "[2]"),
        call("kept", "[9]"),
        call("read", "[1]"),
        call("read", "[2]"),
        call("slow", "[1]")
      ]
      assert.deepStrictEqual(texts(Either.getOrThrow(yield* run(rpc.batch(all)))), ["[2]", "[9]", "[1]", "[2]", "[1]"])
      assert.lengthOf(requests, 2)
      assert.deepStrictEqual(
        sent(requests[1] ?? { body: "[]" }).map(({ id, method, params }) => [id, method, params]),
        [
          [1, "read", [2]],
          [2, "read", [1]],
          [3, "slow", [1]]
        ]
      )
    }
  )

  test(
    "are sent one by one if the node accepts no batches",
    () =>
      simulatedClient((request) =>
        request.body.startsWith("[")
          ? json({ jsonrpc: "2.0", id: null, error: { code: -32600, message: "no batches" } })
          : node(({ params }) => params)(request)
      ),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const all = Array.from({ length: 20 }, (_, index) => call("read", `[${index}]`))
      assert.deepStrictEqual(
        texts(Either.getOrThrow(yield* run(rpc.batch(all)))),
        all.map(({ params }) => params)
      )
      assert.lengthOf(requests, 21)
    }
  )

  test(
    "that a node omits are sent separately, and an error affects only its own read",
    () =>
      simulatedClient((request) =>
        request.body.startsWith("[")
          ? json([
              { jsonrpc: "2.0", id: 3, result: "third" },
              { jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted", data: "0x01" } }
            ])
          : node(({ params }) => params)(request)
      ),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const all = [call("read", "[1]"), call("read", "[2]"), call("read", "[3]")]
      assert.deepStrictEqual(texts(Either.getOrThrow(yield* run(rpc.batch(all)))), [
        '{"code":3,"message":"execution reverted","data":"0x01"}',
        "[2]",
        '"third"'
      ])
      assert.lengthOf(requests, 2)
    }
  )

  test(
    "are joined with the same single call",
    () => simulatedClient(afterwards(50, fine)),
    function* ({ requests }) {
      const rpc = yield* rpcOver()
      const alone = yield* Effect.fork(rpc.call(call("read", "[1]")))
      yield* TestClock.adjust(10)
      const batch = yield* Effect.fork(rpc.batch([call("read", "[1]"), call("read", "[2]"), call("read", "[3]")]))
      yield* finish(batch)
      yield* Fiber.join(alone)
      assert.deepStrictEqual(methods(requests), ["read", "read", "read"])
    }
  )
})

describe("in-flight lookups", () => {
  it("always complete if a client disconnects while they start", function* () {
    const limit = yield* timeLimit(15_000)
    const { ofEffect, shared } = yield* SharedRuns.make(limit, "late")
    const runs = shared<string>(() => false)
    // A fiber yields after 2048 operations, so this loop covers each point at which it may be interrupted.
    const behind = (operations: number, effect: Effect.Effect<string, string>): Effect.Effect<string, string> =>
      operations === 0 ? effect : Effect.suspend(() => behind(operations - 1, effect))
    for (let operations = 980; operations < 2_060; operations++) {
      const work = ofEffect(Effect.succeed("found"))
      const join = Task.toEffect(runs.join(`${operations}`, { name: undefined, work, progress: { onSent: () => {} } }))
      const client = yield* Effect.fork(behind(operations, join))
      yield* Effect.yieldNow()
      client.unsafeInterruptAsFork(client.id())
      for (let step = 0; step < 5; step++) yield* Effect.yieldNow()
      const next = yield* Effect.fork(join)
      for (let step = 0; step < 10; step++) yield* Effect.yieldNow()
      assert.isNotNull(next.unsafePoll(), `after ${operations} operations`)
    }
  })
})
