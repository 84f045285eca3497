import { assert, describe } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../src/jsonrpc/Client.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { answeringDirectly, json, type Reply, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { asEffects, call, hosts, node, sent, testPolicy } from "../../support/rpc.ts"
import { firstUrl, make, run, secondUrl, test } from "../../support/upstream.ts"

// Clients control what their calls return, so a bad response caused by its call is not a fault of the node.

const proxied = Effect.gen(function* () {
  const upstream = yield* make([firstUrl, secondUrl])
  const circuits = Effect.map(Clock.currentTimeMillis, (now) =>
    upstream.addresses.map(({ circuit }) => circuit.state(now))
  )
  return { circuits, rpc: asEffects(yield* ProxyNodes.make(upstream, testPolicy)) }
})

const isBatch = ({ body }: SentRequest) => body.startsWith("[")

const echo = node(({ params }) => params)

/** A JSON-RPC response of this length to the only call in the request. */
const long = (member: "result" | "error", length: number) => (): Reply => {
  const data = "0".repeat(length)
  const value = member === "result" ? data : { code: 3, message: "execution reverted", data }
  return json({ jsonrpc: "2.0", id: 1, [member]: value })
}

const oversized = {
  "reverts with more than 1 MB": long("error", 1_200_000),
  "returns more than 16 MiB": long("result", 17 * 1024 * 1024)
}

for (const [what, reply] of Object.entries(oversized))
  for (const [client, outside] of Object.entries({ fiber: simulatedClient, "direct path": answeringDirectly }))
    describe(`a call that ${what} (${client})`, () => {
      for (const method of ["read", "send", "open"])
        test(
          `fails without a fallback, and opens no circuit: ${method}`,
          () => outside(reply),
          function* ({ requests }) {
            const { circuits, rpc } = yield* proxied
            const outcome = yield* run(rpc.call(call(method)))
            assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
            assert.match(Either.isLeft(outcome) ? outcome.left.detail : "", /too large/)
            assert.deepStrictEqual(hosts(requests), ["one"])
            assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
          }
        )
    })

describe("a call that is too large for a gateway before the node", () => {
  const large = `["${"0".repeat(300_000)}"]`
  /** Small calls fail while `isDown` is true. */
  const gateway = (status: number, gateways: ReadonlyArray<string>, isDown = () => false) =>
    simulatedClient((request) => {
      if (gateways.includes(request.url.origin) && request.body.length > 200_000) return text("too large", { status })
      return isDown() ? text("down", { status: 502 }) : node(({ method }) => method)(request)
    })

  for (const status of [413, 414]) {
    test(
      `is sent to the next node, and opens no circuit: HTTP ${status}`,
      () => gateway(status, [firstUrl]),
      function* ({ requests }) {
        const { circuits, rpc } = yield* proxied
        for (const _ of [1, 2])
          assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call("read", large)))).text, '"read"')
        assert.deepStrictEqual(hosts(requests), ["one", "two", "one", "two"])
        assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
      }
    )

    for (const method of ["read", "send"])
      test(
        `opens no circuit if no node accepts it: ${method}, HTTP ${status}`,
        () => gateway(status, [firstUrl, secondUrl]),
        function* () {
          const { circuits, rpc } = yield* proxied
          const outcome = yield* run(rpc.call(call(method, large)))
          assert.strictEqual(Either.isLeft(outcome) && outcome.left.status, status)
          assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
        }
      )
  }

  let isDown = true
  test(
    "does not show that the node works again, also in a batch",
    () => gateway(413, [firstUrl, secondUrl], () => isDown),
    function* () {
      const { circuits, rpc } = yield* proxied
      yield* run(rpc.call(call("read", "[1]")))
      yield* TestClock.adjust("1 second")
      yield* run(rpc.call(call("read", large)))
      assert.notInclude(yield* circuits, "closed")
      yield* run(rpc.batch([call("read", large), call("kept", large)]))
      assert.notInclude(yield* circuits, "closed")
      isDown = false
      yield* run(rpc.call(call("read", "[1]")))
      assert.include(yield* circuits, "closed")
    }
  )
})

describe("an element of a batch", () => {
  const odd: Readonly<Record<string, ReadonlyArray<unknown>>> = {
    "without a result": [{ jsonrpc: "2.0", id: 2 }],
    "with an error whose id is null": [{ jsonrpc: "2.0", id: null, error: { code: -32600, message: "invalid" } }],
    "with an error above 1 MB": [{ jsonrpc: "2.0", id: 2, error: { code: 3, data: "0".repeat(1_200_000) } }],
    "with an id that was not requested": [{ jsonrpc: "2.0", id: 77, result: "of another" }],
    "that is duplicated": [
      { jsonrpc: "2.0", id: 2, result: "of another" },
      { jsonrpc: "2.0", id: 2, result: "of another" }
    ],
    "that is not an object": [2]
  }
  for (const [what, elements] of Object.entries(odd))
    test(
      `${what} is requested again on its own; the others keep their results`,
      () =>
        simulatedClient((request) => {
          if (!isBatch(request)) return echo(request)
          const results = sent(request).map(({ id, params }) => ({ jsonrpc: "2.0", id, result: params }))
          return json([...results.filter(({ id }) => id !== 2).slice(0, 4 - elements.length), ...elements])
        }),
      function* ({ requests }) {
        const { circuits, rpc } = yield* proxied
        const all = ["[1]", "[2]", "[3]", "[4]"].map((params) => call("read", params))
        const replies = Either.getOrThrow(yield* run(rpc.batch(all)))
        assert.deepStrictEqual(
          replies.map((reply) => Either.getOrThrow(reply).text),
          ["[1]", "[2]", "[3]", "[4]"]
        )
        assert.isTrue(requests.slice(1).every((request) => sent(request).length === 1))
        assert.deepStrictEqual(new Set(hosts(requests)), new Set(["one"]))
        assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
      }
    )

  test(
    "fails alone if it is too large on its own as well",
    () =>
      simulatedClient((request) => {
        const [first] = sent(request)
        if (isBatch(request)) return text(`[${" ".repeat(17 * 1024 * 1024)}]`)
        return JSON.stringify(first?.params) === "[2]" ? oversized["reverts with more than 1 MB"]() : echo(request)
      }),
    function* ({ requests }) {
      const { circuits, rpc } = yield* proxied
      const replies = Either.getOrThrow(yield* run(rpc.batch(["[1]", "[2]", "[3]"].map((it) => call("read", it)))))
      assert.deepStrictEqual(replies.map(Either.isRight), [true, false, true])
      assert.deepStrictEqual(hosts(requests), ["one", "one", "one", "one"])
      assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
    }
  )
})

describe("a method that a node refuses with a limit", () => {
  const limit = { code: -32005, message: "limit exceeded" }
  const limiting =
    (...limited: ReadonlyArray<string>) =>
    () =>
      simulatedClient((request) => {
        const [{ id = 0, method = "" } = {}] = sent(request)
        const isLimited = request.url.href.startsWith(firstUrl) && limited.includes(method)
        return json({ jsonrpc: "2.0", id, ...(isLimited ? { error: limit } : { result: method }) })
      })

  const both = Effect.gen(function* () {
    const upstream = yield* make([firstUrl, secondUrl])
    const circuits = Effect.map(Clock.currentTimeMillis, (now) =>
      upstream.addresses.map(({ circuit }) => circuit.state(now))
    )
    const rpc = asEffects(yield* ProxyNodes.make(upstream, testPolicy))
    const own = (method: string) => upstream.over((node) => Client.call(node, { method, params: [] }))
    return { circuits, own, rpc }
  })

  test("is requested from the next node for a while; the other methods are not", limiting("read"), function* (outside) {
    const { circuits, own, rpc } = yield* both
    for (const method of ["read", "read", "slow", "read"]) {
      assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call(method)))).text, `"${method}"`)
      assert.deepStrictEqual(Either.getOrThrow(yield* run(own(method))), Either.right(method))
    }
    assert.deepStrictEqual(hosts(outside.requests), ["one", "two", "two", "two", "two", "one", "one", "two", "two"])
    assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
    yield* TestClock.adjust("1 second")
    yield* run(own("read"))
    assert.deepStrictEqual(hosts(outside.requests).slice(9), ["one", "two"])
    yield* TestClock.adjust("1900 millis")
    yield* run(rpc.call(call("read")))
    assert.deepStrictEqual(hosts(outside.requests).slice(11), ["two"])
  })

  test(
    "limits no other method of an idle node, however many are refused",
    limiting("read", "slow", "open"),
    function* ({ requests }) {
      const { circuits, own, rpc } = yield* both
      for (const method of ["read", "slow", "open", "read"]) yield* run(rpc.call(call(method)))
      yield* run(own("other"))
      assert.deepStrictEqual(hosts(requests), ["one", "two", "one", "two", "one", "two", "two", "one"])
      assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
    }
  )

  for (const method of ["send", "open", "of a client"])
    test(`is sent to the next node for a while: ${method}`, limiting(method), function* ({ requests }) {
      const { circuits, rpc } = yield* both
      for (const _ of [1, 2, 3])
        assert.strictEqual(Either.getOrThrow(yield* run(rpc.call(call(method)))).text, `"${method}"`)
      assert.deepStrictEqual(hosts(requests), ["one", "two", "two", "two"])
      assert.deepStrictEqual(yield* circuits, ["closed", "closed"])
    })

  test("is still requested from the only node", limiting("read"), function* ({ requests }) {
    const upstream = yield* make([firstUrl])
    const rpc = asEffects(yield* ProxyNodes.make(upstream, testPolicy))
    for (const _ of [1, 2])
      assert.deepInclude(JSON.parse(Either.getOrThrow(yield* run(rpc.call(call("read")))).text), limit)
    assert.lengthOf(requests, 2)
  })
})
