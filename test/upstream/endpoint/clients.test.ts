import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import type * as Layer from "effect/Layer"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import * as Client from "../../../src/jsonrpc/Client.ts"
import { callAll } from "../../../src/jsonrpc/callAll.ts"
import { type MethodPolicy, once } from "../../../src/jsonrpc/proxy/MethodPolicy.ts"
import * as ProxyNodes from "../../../src/jsonrpc/proxy/ProxyNodes.ts"
import { type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { asEffects, call, methods, node, sent, testPolicy } from "../../support/rpc.ts"
import { finish, make, upstreamDependencies } from "../../support/upstream.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"

const hosts = ["one.example", "two.example", "three.example"]
const urls = hosts.map((host) => `https://${host}`)

/** Nodes that respond after 50 ms, and demand a pause of ten minutes if they get more calls at once than that, also in a batch. */
const publicNodes = (most: number) => {
  const inFlight = new Map<string, number>()
  const pauses: Array<string> = []
  const add = (host: string, change: number) => inFlight.set(host, (inFlight.get(host) ?? 0) + change)
  const reply = (request: SentRequest) => {
    const { host } = request.url
    const calls = sent(request).length
    if ((inFlight.get(host) ?? 0) + calls > most) {
      pauses.push(host)
      return text("Too Many Requests", { status: 429, headers: { "retry-after": "600" } })
    }
    return Effect.acquireUseRelease(
      Effect.sync(() => add(host, calls)),
      () => Effect.delay(node(() => "0x1")(request), methods([request])[0] === "long" ? 900 : 50),
      () => Effect.sync(() => add(host, -calls))
    )
  }
  return { ...simulatedClient(reply), pauses }
}

type Nodes = ReturnType<typeof publicNodes>

const testOf = (
  name: string,
  body: (nodes: Nodes) => Body<Layer.Layer.Success<ReturnType<typeof upstreamDependencies>> | Scope.Scope>,
  environment?: Readonly<Record<string, string>>,
  most = 30
) =>
  it.scoped(name, () => {
    const nodes = publicNodes(most)
    return Effect.provide(effectOf(body(nodes)), upstreamDependencies(nodes, environment))
  })

/** The methods of these requests, in the order of the alphabet. */
const names = (requests: ReadonlyArray<SentRequest>) => methods(requests).toSorted()

/** Different calls of a client. */
const callsOf = (client: string, calls: number) =>
  Array.from({ length: calls }, (_, index) => ({ ...call("read", `["${client}", ${index}]`), client: () => client }))

/** Sends this number of different calls of a client at once. */
const burst = (rpc: ReturnType<typeof asEffects>, calls: number, client = "a client") =>
  Effect.forEach(callsOf(client, calls), (one) => Effect.either(rpc.call(one)), { concurrency: "unbounded" })

/** The method `long` may take the time of a client's request. */
const policy: MethodPolicy = {
  ...testPolicy,
  rule: (rpcCall) => (rpcCall.method === "long" ? { ...once, isLong: true } : testPolicy.rule(rpcCall))
}

/** Clients of these nodes, and a balance that the service reads there. */
const serving = (addresses: ReadonlyArray<string>, more?: Parameters<typeof make>[1]) =>
  Effect.gen(function* () {
    const upstream = yield* make(addresses, more)
    const rpc = asEffects(yield* ProxyNodes.make(upstream, policy))
    const balance = upstream.over((address) =>
      Client.call(address, { method: "eth_getBalance", params: ["0x0", "latest"] })
    )
    /** Reads of the service, in as few requests as the node accepts. */
    const batch = (size: number) =>
      upstream.over((address) => callAll(address, Array(size).fill({ method: "eth_getBalance", params: [] })))
    return { rpc, balance, batch }
  })

/** The number of calls in each of these requests. */
const sizes = (requests: ReadonlyArray<SentRequest>) => requests.map((request) => sent(request).length)

const found = Either.right(Either.right("0x1"))

describe("clients' calls", () => {
  for (const addresses of [1, 3])
    testOf(`leave balances to others in a burst, and draw no pause: ${addresses} nodes`, function* ({ pauses }) {
      const { balance, rpc } = yield* serving(urls.slice(0, addresses))
      for (const calls of [150, 60]) {
        const clients = yield* Effect.fork(burst(rpc, calls))
        yield* TestClock.adjust(60)
        const { outcome, took } = yield* finish(yield* Effect.fork(balance), 10)
        assert.deepStrictEqual(outcome, found)
        assert.isAtMost(took, 150)
        assert.isTrue(Either.getOrThrow((yield* finish(clients)).outcome).every(Either.isRight))
      }
      assert.deepStrictEqual(pauses, [])
    })

  testOf(
    "without an end draw a pause from one node at a time",
    function* ({ pauses }) {
      const { balance, rpc } = yield* serving(urls)
      const clients = yield* Effect.fork(Effect.forever(burst(rpc, 40)))
      while (pauses.length === 0) yield* TestClock.adjust(50)
      yield* TestClock.adjust("1500 millis")
      assert.strictEqual(new Set(pauses).size, 1)
      assert.deepStrictEqual((yield* finish(yield* Effect.fork(balance), 10)).outcome, found)
      yield* Fiber.interrupt(clients)
    },
    { UPSTREAM_CONCURRENCY: "12" },
    10
  )

  testOf(
    "draw a pause from one node only with a batch, whose calls then go alone to the others",
    function* ({ pauses }) {
      const { balance, rpc } = yield* serving(urls)
      const { outcome } = yield* finish(yield* Effect.fork(rpc.batch(callsOf("a client", 60))), 10)
      assert.deepStrictEqual(
        Either.getOrThrow(outcome),
        Array(60).fill(Either.right({ member: "result", text: '"0x1"' }))
      )
      assert.deepStrictEqual(pauses, ["one.example"])
      assert.deepStrictEqual((yield* finish(yield* Effect.fork(balance), 10)).outcome, found)
    }
  )

  testOf(
    "draw no second pause with another batch while the first lasts, and neither do those of the service",
    function* ({ pauses, requests }) {
      const { batch, rpc } = yield* serving(urls)
      for (const calls of [60, 40]) {
        const { outcome } = yield* finish(yield* Effect.fork(rpc.batch(callsOf("a client", calls))), 10)
        assert.isTrue(Either.getOrThrow(outcome).every(Either.isRight))
        yield* TestClock.adjust("61 seconds")
      }
      requests.splice(0)
      const { outcome } = yield* finish(yield* Effect.fork(batch(60)), 10)
      assert.deepStrictEqual(outcome, Either.right(Array(60).fill(Either.right("0x1"))))
      assert.deepStrictEqual(sizes(requests), Array(60).fill(1))
      assert.deepStrictEqual(pauses, ["one.example"])
    }
  )

  testOf(
    "that were sent keep their permits without their clients until the node has responded",
    function* ({ requests }) {
      const { rpc } = yield* serving(urls.slice(0, 1))
      for (let round = 0; round < 4; round++) {
        const clients = yield* Effect.fork(burst(rpc, 20))
        yield* TestClock.adjust(10)
        yield* Fiber.interrupt(clients)
      }
      assert.lengthOf(requests, 5)
      assert.isFalse(requests.some(({ signal }) => signal.aborted))
      const { outcome, took } = yield* finish(yield* Effect.fork(burst(rpc, 3)), 10)
      assert.isTrue(Either.getOrThrow(outcome).every(Either.isRight))
      assert.strictEqual(took, 60)
    }
  )

  testOf(
    "that joined the call of a client with too many others are sent in their own turn",
    function* ({ requests }) {
      const { rpc } = yield* serving(urls.slice(0, 1))
      const large = yield* Effect.fork(burst(rpc, 20, "large"))
      yield* TestClock.adjust(10)
      const shared = (client: string) => rpc.call({ ...call("read", '["shared"]'), client: () => client })
      const first = yield* Effect.fork(shared("large"))
      yield* TestClock.adjust(10)
      const others = yield* Effect.fork(Effect.all([shared("one"), shared("other")], { concurrency: "unbounded" }))
      const { outcome, took } = yield* finish(others, 10)
      assert.deepStrictEqual(
        Either.map(outcome, (replies) => replies.map(({ text }) => text)),
        Either.right(['"0x1"', '"0x1"'])
      )
      // Of the call in flight, of one more of the first client, and of this read.
      assert.isAtMost(took, 150)
      assert.deepStrictEqual(
        Either.map((yield* finish(first, 10)).outcome, ({ text }) => text),
        Either.right('"0x1"')
      )
      yield* finish(large)
      assert.lengthOf(
        requests.filter(({ body }) => body.includes("shared")),
        1
      )
    },
    { UPSTREAM_CONCURRENCY: "1", UPSTREAM_CONCURRENCY_MAX: "1" }
  )

  testOf(
    "that take long leave the limit once they are sent, and are counted apart",
    function* ({ requests }) {
      const { balance, rpc } = yield* serving(urls.slice(0, 1))
      const long = (client: string) => Effect.fork(rpc.call({ ...call("long", `["${client}"]`), client: () => client }))
      const all = [yield* long("one"), yield* long("other")]
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(methods(requests), ["long"])
      for (const effect of [Effect.asVoid(balance), burst(rpc, 1)])
        assert.isAtMost((yield* finish(yield* Effect.fork(effect), 10)).took, 50)
      yield* TestClock.adjust(850)
      assert.deepStrictEqual(methods(requests), ["long", "eth_getBalance", "read", "long"])
      for (const fiber of all) assert.isTrue(Either.isRight((yield* finish(fiber)).outcome))
    },
    { UPSTREAM_CONCURRENCY: "1", UPSTREAM_CONCURRENCY_MAX: "1" }
  )

  testOf("with a budget wait for its permits in turns", function* () {
    const rate = { source: "TESTER", keyless: { perSecond: 1, burst: 1 } }
    const { rpc } = yield* serving(urls.slice(0, 1), { rate })
    const large = yield* Effect.fork(burst(rpc, 12, "large"))
    yield* TestClock.adjust(10)
    const small = yield* finish(yield* Effect.fork(burst(rpc, 1, "small")))
    assert.isTrue(Either.getOrThrow(small.outcome).every(Either.isRight))
    assert.isAtMost(small.took, 3_100)
    const { outcome } = yield* finish(large)
    assert.lengthOf(Either.getOrThrow(outcome).filter(Either.isRight), 7)
  })

  testOf(
    "in a batch count as many calls, at most what a client may have in progress",
    function* ({ requests }) {
      const { rpc } = yield* serving(urls.slice(0, 1))
      const batch = (client: string, calls: number) => Effect.fork(rpc.batch(callsOf(client, calls)))
      const all = [yield* batch("one", 2), yield* batch("other", 20), yield* batch("third", 3)]
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(sizes(requests), [2, 20])
      for (const fiber of all) assert.isTrue(Either.getOrThrow((yield* finish(fiber)).outcome).every(Either.isRight))
    },
    { UPSTREAM_CONCURRENCY: "4", UPSTREAM_CONCURRENCY_MAX: "4" }
  )

  testOf(
    "take turns, and leave a quarter of the permits to calls of the service, or half if they wait",
    function* ({ requests }) {
      const { balance, rpc } = yield* serving(urls.slice(0, 1))
      const started = () => names(requests.splice(0))
      const large = yield* Effect.fork(burst(rpc, 6, "large"))
      yield* TestClock.adjust(10)
      const small = yield* Effect.fork(burst(rpc, 1, "small"))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(started(), ["read", "read", "read"])
      const own = yield* Effect.fork(Effect.replicateEffect(balance, 4, { concurrency: "unbounded" }))
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(started(), ["eth_getBalance"])
      yield* TestClock.adjust(40)
      assert.deepStrictEqual(started(), ["eth_getBalance", "read", "read"])
      yield* TestClock.adjust(50)
      // The other client waited for one call of the first.
      assert.isTrue((yield* Fiber.join(small)).every(Either.isRight))
      yield* finish(large)
      yield* finish(own)
    },
    { UPSTREAM_CONCURRENCY: "4", UPSTREAM_CONCURRENCY_MAX: "4" }
  )
})

describe("the service's own batches", () => {
  testOf(
    "draw a pause from one node only, and while it lasts their calls go one by one",
    function* ({ pauses, requests }) {
      const { balance, batch } = yield* serving(urls)
      const { outcome } = yield* finish(yield* Effect.fork(batch(60)), 10)
      assert.deepStrictEqual(outcome, Either.right(Array(60).fill(Either.right("0x1"))))
      assert.deepStrictEqual(pauses, ["one.example"])
      assert.deepStrictEqual(sizes(requests), [60, ...Array(60).fill(1)])
      assert.deepStrictEqual((yield* finish(yield* Effect.fork(balance), 10)).outcome, found)
      yield* TestClock.adjust("10 minutes")
      requests.splice(0)
      yield* finish(yield* Effect.fork(batch(25)), 10)
      assert.deepStrictEqual([...new Set(sizes(requests))], [25])
    }
  )

  testOf(
    "count as their calls, at most half of those that may start",
    function* ({ requests }) {
      const { batch } = yield* serving(urls.slice(0, 1))
      const all = yield* Effect.forEach([4, 20, 2, 1], (size) => Effect.fork(batch(size)))
      yield* TestClock.adjust(10)
      assert.deepStrictEqual(sizes(requests), [4, 20, 2])
      yield* TestClock.adjust(50)
      assert.deepStrictEqual(sizes(requests), [4, 20, 2, 1])
      for (const fiber of all) assert.isTrue(Either.isRight((yield* finish(fiber)).outcome))
    },
    { UPSTREAM_CONCURRENCY: "4", UPSTREAM_CONCURRENCY_MAX: "4" }
  )
})
