import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../src/jsonrpc/Client.ts"
import type { MethodPolicy, Rule } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { byHost, neverResponds, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { asEffects, call, hosts, node, replyText, sent, testPolicy } from "../../support/rpc.ts"
import { firstUrl, make, run, secondUrl, test } from "../../support/upstream.ts"
import { assert, describe } from "../../support/vitest.ts"

// A client determines how long its calls take, so their time shows nothing about the node. Tests have a timeout of 1 s.

const others: Readonly<Record<string, Rule>> = {
  wait: { kind: "once", isLong: true },
  heavy: { kind: "read", cacheFor: () => "never" }
}

const policy: MethodPolicy = {
  ...testPolicy,
  rule: (rpcCall) => others[rpcCall.method] ?? testPolicy.rule(rpcCall),
  isHeavy: (method) => method === "heavy"
}

const proxied = (urls: ReadonlyArray<string> = [firstUrl]) =>
  Effect.gen(function* () {
    const own = (method: string) => (address: Parameters<typeof Client.call>[0]) =>
      Client.call(address, { method, params: [] })
    const upstream = yield* make(urls, { canary: own("canary") })
    return {
      upstream,
      circuits: Effect.map(Clock.currentTimeMillis, (now) =>
        upstream.addresses.map(({ circuit }) => circuit.state(now))
      ),
      standing: Effect.map(upstream.standing, ({ state }) => state),
      ownRead: upstream.over(own("own")),
      rpc: asEffects(yield* ProxyNodes.make(upstream, policy))
    }
  })

const clientCalls = ["read", "slow", "heavy", "send", "wait", "open", "session"]

const methodOf = (request: SentRequest) => sent(request)[0]?.method ?? ""

const working = node(({ method }) => method)

/** A node that responds to everything at once, but not to clients' calls. */
const busy = (request: SentRequest) => (clientCalls.includes(methodOf(request)) ? neverResponds : working(request))

describe("a slow call of a client", () => {
  for (const method of clientCalls)
    test(
      `opens no circuit if the node responds to other calls: ${method}`,
      () => simulatedClient(busy),
      function* () {
        const { circuits, ownRead, rpc, standing } = yield* proxied()
        assert.isTrue(Either.isLeft(yield* run(rpc.call(call(method)))))
        assert.deepStrictEqual(yield* circuits, ["closed"])
        assert.strictEqual(yield* standing, "works")
        assert.deepStrictEqual(yield* ownRead, Either.right("own"))
      }
    )

  for (const [what, status] of Object.entries({ "request timeout": 408, "gateway timeout": 504 }))
    test(
      `opens no circuit if it ends with HTTP ${status}, ${what}`,
      () => simulatedClient((request) => (methodOf(request) === "send" ? text("late", { status }) : working(request))),
      function* () {
        const { circuits, rpc } = yield* proxied()
        assert.isTrue(Either.isLeft(yield* run(rpc.call(call("send")))))
        assert.deepStrictEqual(yield* circuits, ["closed"])
      }
    )

  test(
    "opens the circuit of a node that does not respond to the call that tests it either",
    () => simulatedClient(() => neverResponds),
    function* ({ requests }) {
      const { circuits, rpc } = yield* proxied()
      const both = Effect.all([rpc.call(call("read", "[1]")), rpc.call(call("read", "[2]"))].map(Effect.either), {
        concurrency: "unbounded"
      })
      yield* run(both)
      assert.deepStrictEqual(requests.map(methodOf), ["read", "read", "canary"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* circuits, ["open"])
    }
  )

  test(
    "changes neither the standing of the node nor its usual time while it runs and afterwards",
    () =>
      simulatedClient((request) =>
        methodOf(request) === "wait" ? Effect.delay(working(request), 5_000) : working(request)
      ),
    function* () {
      const { rpc, standing, upstream } = yield* proxied()
      const usual = upstream.addresses[0]?.circuit.usual()
      const waiting = yield* Effect.fork(
        Effect.all(
          Array.from({ length: 2 }, () => rpc.call(call("wait"))),
          { concurrency: "unbounded" }
        )
      )
      yield* TestClock.adjust(4_000)
      assert.strictEqual(yield* standing, "works")
      yield* TestClock.adjust(1_000)
      assert.strictEqual((yield* Fiber.join(waiting))[0]?.text, '"wait"')
      assert.strictEqual(upstream.addresses[0]?.circuit.usual(), usual)
    }
  )

  test(
    "does not lower the node in the order of other reads if its time depends on what the client requests",
    () =>
      simulatedClient(
        byHost({
          "one.example": (request) =>
            methodOf(request) === "heavy" ? Effect.delay(working(request), 800) : working(request),
          "two.example": working
        })
      ),
    function* ({ requests }) {
      const { rpc } = yield* proxied([firstUrl, secondUrl])
      for (const params of ["[1]", "[2]"]) assert.strictEqual(yield* replyText(rpc, "heavy", params), '"heavy"')
      yield* replyText(rpc, "read")
      assert.strictEqual(hosts(requests).at(-1), "one")
    }
  )

  test(
    "is not the call that tests a node after a failure: others do not wait for it",
    () => {
      let calls = 0
      return simulatedClient((request) => (calls++ === 0 ? neverResponds : busy(request)))
    },
    function* () {
      const { circuits, ownRead, rpc } = yield* proxied()
      yield* run(Effect.either(ownRead))
      assert.deepStrictEqual(yield* circuits, ["open"])
      yield* TestClock.adjust(1_000)
      assert.deepStrictEqual(yield* circuits, ["half-open"])
      yield* Effect.fork(rpc.call(call("wait")))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(yield* run(ownRead), Either.right(Either.right("own")))
    }
  )
})

describe("a call that the node answers when something has happened", () => {
  const delayedBy = (time: number) => () =>
    simulatedClient((request) =>
      methodOf(request) === "wait" ? Effect.delay(working(request), time) : working(request)
    )

  test("has the time of a whole request", delayedBy(14_000), function* ({ requests }) {
    const { rpc } = yield* proxied()
    assert.strictEqual(yield* replyText(rpc, "wait"), '"wait"')
    assert.strictEqual(yield* replyText(rpc, "read"), '"read"')
    assert.deepStrictEqual(requests.map(methodOf), ["wait", "read"])
  })

  test("fails at the deadline of the request", delayedBy(16_000), function* () {
    const { rpc } = yield* proxied()
    const outcome = yield* run(rpc.call(call("wait")), 500)
    assert.isTrue(Either.isLeft(outcome) && outcome.left.final)
    assert.strictEqual(yield* TestClock.currentTimeMillis, 15_000)
  })
})
