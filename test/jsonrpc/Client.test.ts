import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as FastCheck from "effect/FastCheck"
import * as Client from "../../src/jsonrpc/Client.ts"
import type { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { byHost, json, type Reply, type SentRequest, simulatedClient, text } from "../support/http.ts"
import { firstUrl, make, run, secondUrl, test } from "../support/upstream.ts"

const call: Client.ClientCall = { method: "eth_chainId", params: [] }
const calls = (size: number): ReadonlyArray<Client.ClientCall> =>
  Array.from({ length: size }, (_, index) => ({ method: "eth_getBalance", params: [index, "latest"] }))

const result = (id: unknown, value: unknown) => ({ jsonrpc: "2.0", id, result: value })
const error = (code: number, message: string, id: unknown = 1) => ({ jsonrpc: "2.0", id, error: { code, message } })

const nodesOf = Effect.map(make([firstUrl]), (upstream) => ({
  call: upstream.over((address) => Client.call(address, call)),
  batch: (size: number) => upstream.over((address) => Client.batch(address, calls(size)))
}))

/** A single call to a node with this response. */
const answered = (reply: Reply) =>
  Effect.provide(
    Effect.flatMap(nodesOf, (nodes) => run(nodes.call)),
    simulatedClient(() => reply).layer
  )

/** A batch of this size to a node with this response. */
const batched = (size: number, reply: Reply) =>
  Effect.provide(
    Effect.flatMap(nodesOf, (nodes) => run(nodes.batch(size))),
    simulatedClient(() => reply).layer
  )

const fault = (outcome: Either.Either<unknown, UpstreamError>) =>
  Either.isLeft(outcome) ? outcome.left.reason : "no failure"

/** Code and message of the node's rejection. */
const refusal = (outcome: Client.Outcome | undefined) =>
  outcome !== undefined && Either.isLeft(outcome) ? [outcome.left.code, outcome.left.detail] : "no rejection"

const refusedWith = (outcome: Either.Either<Client.Outcome, UpstreamError>) =>
  Either.isRight(outcome) ? refusal(outcome.right) : fault(outcome)

const none = () => simulatedClient(() => json(result(1, "0x1")))

describe("a single call", () => {
  test("is sent as a POST request to the base URL", none, function* ({ requests }) {
    assert.deepStrictEqual(yield* run((yield* nodesOf).call), Either.right(Either.right("0x1")))
    const [sent] = requests
    assert.deepStrictEqual(
      [sent?.method, sent?.url.href, sent?.headers["content-type"], JSON.parse(sent?.body ?? "")],
      ["POST", "https://one.example/", "application/json", { jsonrpc: "2.0", id: 1, ...call }]
    )
  })

  for (const value of ["0x0", null, false, 0, "", [], {}])
    test(`returns the result ${JSON.stringify(value)} unchanged`, none, function* () {
      assert.deepStrictEqual(yield* answered(json(result(1, value))), Either.right(Either.right(value)))
    })

  test("ignores a null error next to a result, as bitcoind sends it", none, function* () {
    const body = { result: "00ff", error: null, id: 1 }
    assert.deepStrictEqual(yield* answered(json(body)), Either.right(Either.right("00ff")))
  })

  test("accepts an id that is returned as a string", none, function* () {
    assert.deepStrictEqual(yield* answered(json(result("1", "0x1"))), Either.right(Either.right("0x1")))
  })

  const refusals: Readonly<Record<string, readonly [body: unknown, code: number, detail: string, status?: number]>> = {
    "a revert": [error(3, "execution reverted: paused"), 3, "execution reverted: paused"],
    "a revert of an old node": [error(-32000, "execution reverted"), -32000, "execution reverted"],
    "a revert with the code of an internal error": [
      error(-32603, "VM Exception: revert"),
      -32603,
      "VM Exception: revert"
    ],
    "a revert that mentions a limit": [
      error(3, "execution reverted: cap exceeded"),
      3,
      "execution reverted: cap exceeded"
    ],
    "an unknown method": [error(-32601, "the method does not exist"), -32601, "the method does not exist"],
    "invalid parameters": [error(-32602, "invalid argument 0"), -32602, "invalid argument 0"],
    "too little gas": [error(-32000, "out of gas"), -32000, "out of gas"],
    "a gas limit": [error(-32000, "block gas limit exceeded"), -32000, "block gas limit exceeded"],
    "a size limit": [error(-32000, "max initcode size exceeded"), -32000, "max initcode size exceeded"],
    "a stack limit": [error(-32000, "stack limit reached 1024 (1023)"), -32000, "stack limit reached 1024 (1023)"],
    "HTTP 400": [error(-32602, "bad block"), -32602, "bad block", 400],
    "HTTP 500, as bitcoind sends it": [
      { result: null, error: { code: -22, message: "TX decode failed" }, id: 1 },
      -22,
      "TX decode failed",
      500
    ],
    "HTTP 404, as bitcoind sends it": [
      { result: null, error: { code: -32601, message: "Method not found" }, id: 1 },
      -32601,
      "Method not found",
      404
    ],
    "an error that is a string": [{ jsonrpc: "2.0", id: 1, error: "Missed `to` address" }, 0, "Missed `to` address"],
    "an error without a message": [{ jsonrpc: "2.0", id: 1, error: { code: -32000 } }, -32000, ""],
    "a code that is a string": [{ jsonrpc: "2.0", id: 1, error: { code: "-32000", message: "no" } }, -32000, "no"],
    "a code that is not a number": [{ jsonrpc: "2.0", id: 1, error: { code: "EVM", message: "no" } }, 0, "no"],
    "a null id": [{ jsonrpc: "2.0", id: null, error: { code: -32700, message: "parse error" } }, -32700, "parse error"]
  }

  for (const [name, [body, code, detail, status = 200]] of Object.entries(refusals))
    test(`returns the rejection by the node as a value: ${name}`, none, function* () {
      assert.deepStrictEqual(refusedWith(yield* answered(json(body, { status }))), [code, detail])
    })

  test("keeps every digit of an integer if `exact` is set", none, function* () {
    const digits = "19921027478002237"
    const outside = simulatedClient(({ body }) =>
      text(body.startsWith("[") ? `[{"id":1,"result":${digits}}]` : `{"id":1,"result":${digits}}`)
    )
    const read = (reading: Client.CallFormat) =>
      Effect.gen(function* () {
        const nodes = yield* make([firstUrl])
        const single = yield* run(nodes.over((node) => Client.call(node, call, reading)))
        const all = yield* run(nodes.over((node) => Client.batch(node, calls(1), reading)))
        return [Either.getOrThrow(single), ...Either.getOrThrow(all)].map(Either.getOrThrow)
      }).pipe(Effect.provide(outside.layer))
    assert.deepStrictEqual(yield* read({ exact: true }), [BigInt(digits), BigInt(digits)])
    assert.deepStrictEqual(yield* read({}), [Number(digits), Number(digits)])
  })

  test("keeps the data of a revert", none, function* () {
    const body = { jsonrpc: "2.0", id: 1, error: { code: 3, message: "execution reverted", data: "0x77209fe8" } }
    const outcome = Either.getOrThrow(yield* answered(json(body)))
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.data, "0x77209fe8")
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.message, "the node rejected the call (3)")
  })

  const faults: Readonly<Record<string, readonly [Reply, UpstreamError["reason"]]>> = {
    "a missing trie node": [json(error(-32000, "missing trie node 00ff (path ) <nil>")), "upstream_error"],
    "missing state": [json(error(-32002, "No state available for block 1")), "upstream_error"],
    "a missing header": [json(error(-32000, "header not found")), "upstream_error"],
    "unfinalized data": [json(error(-32000, "cannot query unfinalized data")), "upstream_error"],
    "an internal error": [json(error(-32603, "oops")), "upstream_error"],
    "an internal error under HTTP 500": [json(error(-32603, "oops"), { status: 500 }), "upstream_error"],
    "an unavailable resource": [json(error(-32002, "x")), "upstream_error"],
    "an execution timeout": [json(error(-32000, "execution timeout")), "upstream_error"],
    "a node that is starting": [
      json({ result: null, error: { code: -28, message: "Loading block index…" }, id: 1 }, { status: 500 }),
      "upstream_error"
    ],
    "a disabled tenant": [json({ error: "message: API key disabled, reason: tenant disabled" }), "upstream_error"],
    "an error that is not JSON-RPC": [json({ error: "no such route" }), "upstream_error"],
    "a gateway error around a rejection": [json(error(-32000, "bad luck"), { status: 502 }), "upstream_error"],
    "a lagging node with the code of a rate limit": [
      json(error(-32005, "Node is behind by 3104 slots")),
      "upstream_error"
    ],
    "a rate limit by code": [json(error(-32005, "x")), "rate_limited"],
    "a rate limit by HTTP status in the error": [json(error(429, "x")), "rate_limited"],
    "a rate limit by message": [json(error(-32000, "Too Many Requests")), "rate_limited"],
    "a rate limit of compute units": [
      json(error(-32000, "Your app has exceeded its compute units per second capacity")),
      "rate_limited"
    ],
    "a rate limit by status": [text("slow down", { status: 429 }), "rate_limited"],
    "a rate limit by status around a rejection": [json(error(-32000, "no"), { status: 429 }), "rate_limited"],
    "HTTP 401 around a rejection": [json(error(-32000, "no"), { status: 401 }), "upstream_error"],
    "HTTP 403": [text("Forbidden", { status: 403 }), "upstream_error"],
    "HTTP 404 without JSON-RPC": [json({ message: "no Route matched" }, { status: 404 }), "upstream_error"],
    "HTTP 413": [text("too large", { status: 413 }), "upstream_error"],
    "HTTP 500 with a result": [json(result(1, "0x1"), { status: 500 }), "upstream_error"],
    "HTTP 200 with text": [text("internal error"), "bad_answer"],
    "an HTML page": [text("<html></html>"), "bad_answer"],
    "an empty body": [text(""), "bad_answer"],
    "a cut-off body": [text('{"jsonrpc":"2.0","id":1,"result":"0x'), "bad_answer"],
    "neither result nor error": [json({ jsonrpc: "2.0", id: 1 }), "bad_answer"],
    "an empty object": [json({}), "bad_answer"],
    "a batch": [json([result(1, "0x1")]), "bad_answer"],
    "the result of another call": [json(result(424242, "0x1")), "bad_answer"],
    "a result whose id is null": [json(result(null, "0x1")), "bad_answer"],
    "a result without an id": [json({ jsonrpc: "2.0", result: "0x1" }), "bad_answer"],
    "a result with a null error and without an id": [json({ result: "0x1", error: null }), "bad_answer"],
    "an id in an array": [json(result([1], "0x1")), "bad_answer"],
    "an id that is true": [json(result(true, "0x1")), "bad_answer"],
    "the rejection of another call": [json(error(3, "execution reverted", 2)), "bad_answer"],
    null: [json(null), "bad_answer"],
    "a string instead of an object": [json("0x1"), "bad_answer"]
  }

  for (const [name, [reply, reason]] of Object.entries(faults)) {
    test(`fails as ${reason} after ${name}`, none, function* () {
      const outcome = yield* answered(reply)
      assert.strictEqual(fault(outcome), reason)
      assert.isTrue(Either.isLeft(outcome) && outcome.left.final !== true)
    })

    test(
      `falls back to the next node after ${name}`,
      () => simulatedClient(byHost({ "one.example": () => reply, "two.example": () => json(result(1, "0x2")) })),
      function* () {
        const nodes = yield* make([firstUrl, secondUrl])
        const outcome = yield* run(nodes.over((address) => Client.call(address, call)))
        assert.deepStrictEqual(outcome, Either.right(Either.right("0x2")))
      }
    )
  }

  test(
    "does not fall back after a rejection",
    () =>
      simulatedClient(
        byHost({ "one.example": () => json(error(3, "execution reverted")), "two.example": () => json({}) })
      ),
    function* ({ requests }) {
      const nodes = yield* make([firstUrl, secondUrl])
      yield* run(nodes.over((address) => Client.call(address, call)))
      yield* run(nodes.over((address) => Client.call(address, call)))
      assert.deepStrictEqual(
        requests.map(({ url }) => url.host),
        ["one.example", "one.example"]
      )
    }
  )

  test("returns the Retry-After of a rate-limited node in ms", none, function* () {
    const reply = json(error(-32005, "limit"), { headers: { "retry-after": "20" } })
    const outcome = yield* answered(reply)
    assert.strictEqual(Either.isLeft(outcome) && outcome.left.retryAfter, 20_000)
  })
})

/** A node that responds to each call of a batch with `of`, in the order of `arrange`. */
const node =
  (of: (index: number, id: number) => unknown, arrange: <A>(all: ReadonlyArray<A>) => ReadonlyArray<A>) =>
  ({ body }: SentRequest): Reply =>
    json(
      arrange(
        (JSON.parse(body) as ReadonlyArray<{ readonly id: number; readonly params: readonly [number] }>).map((sent) =>
          of(sent.params[0], sent.id)
        )
      )
    )

const asIs = <A>(all: ReadonlyArray<A>) => all

describe("a batch", () => {
  test("without calls sends no request", none, function* ({ requests }) {
    assert.deepStrictEqual(yield* run((yield* nodesOf).batch(0)), Either.right([]))
    assert.strictEqual(requests.length, 0)
  })

  const sizes = FastCheck.integer({ min: 1, max: 40 })
  test("returns the outcomes in the order of its calls, for any order of the responses", none, function* () {
    for (const [size, seed] of FastCheck.sample(FastCheck.tuple(sizes, FastCheck.integer()), 30)) {
      const shuffled = <A>(all: ReadonlyArray<A>) =>
        FastCheck.sample(FastCheck.shuffledSubarray([...all], { minLength: all.length }), { numRuns: 1, seed })[0] ?? []
      const outside = simulatedClient(node((index, id) => result(id, `0x${index}`), shuffled))
      const outcome = yield* Effect.provide(
        Effect.flatMap(nodesOf, (nodes) => run(nodes.batch(size))),
        outside.layer
      )
      assert.deepStrictEqual(outcome, Either.right(calls(size).map((_, index) => Either.right(`0x${index}`))))
      assert.strictEqual(outside.requests.length, 1)
    }
  })

  test("accepts ids that are returned as strings", none, function* () {
    const outcome = yield* batched(2, json([result("2", "b"), result("1", "a")]))
    assert.deepStrictEqual(outcome, Either.right([Either.right("a"), Either.right("b")]))
  })

  test(
    "returns a rejection for a rejected call only",
    () =>
      simulatedClient(
        node(
          (index, id) => (index === 1 ? error(3, "execution reverted", id) : result(id, index === 2 ? null : "0x1")),
          asIs
        )
      ),
    function* () {
      const outcomes = Either.getOrThrow(yield* run((yield* nodesOf).batch(4)))
      assert.deepStrictEqual(
        outcomes.map((each) => Either.isRight(each)),
        [true, false, true, true]
      )
      assert.deepStrictEqual(refusal(outcomes[1]), [3, "execution reverted"])
      assert.deepStrictEqual(outcomes[2], Either.right(null))
    }
  )

  test("returns `missing` for calls without a response", none, function* () {
    const outcomes = Either.getOrThrow(yield* batched(3, json([result(3, "c"), result(1, "a")])))
    assert.deepStrictEqual([outcomes[0], outcomes[2]], [Either.right("a"), Either.right("c")])
    assert.strictEqual(outcomes[1], Client.missing)
    assert.deepStrictEqual(Either.getOrThrow(yield* batched(2, json([]))), [Client.missing, Client.missing])
  })

  test("returns `missing` for a call whose response has neither result nor error", none, function* () {
    const outcomes = Either.getOrThrow(yield* batched(2, json([result(1, "a"), { jsonrpc: "2.0", id: 2 }])))
    assert.deepStrictEqual(outcomes, [Either.right("a"), Client.missing])
  })

  test("returns a rejection per call if a single error object rejects it", none, function* () {
    const outcomes = Either.getOrThrow(yield* batched(3, json(error(-32600, "batch too large", null))))
    assert.deepStrictEqual(outcomes.map(refusal), Array(3).fill([-32600, "batch too large"]))
  })

  test("returns a rejection per call if a string rejects it", none, function* () {
    const reply = json({ jsonrpc: "2.0", id: null, error: "batches are off" }, { status: 400 })
    const outcomes = Either.getOrThrow(yield* batched(2, reply))
    assert.deepStrictEqual(outcomes.map(refusal), Array(2).fill([0, "batches are off"]))
  })

  const wrong: Readonly<Record<string, readonly [Reply, UpstreamError["reason"]]>> = {
    "a duplicate id": [json([result(1, "a"), result(1, "b")]), "bad_answer"],
    "an id that was not requested": [json([result(1, "a"), result(3, "b")]), "bad_answer"],
    "ids in arrays": [json([result([1], "a"), result([2], "b")]), "bad_answer"],
    "ids that are true": [json([result(true, "a"), result(2, "b")]), "bad_answer"],
    "ids from zero": [json([result(0, "a"), result(1, "b")]), "bad_answer"],
    "an element without an id": [json([result(1, "a"), { jsonrpc: "2.0", result: "b" }]), "bad_answer"],
    "a null id": [json([result(1, "a"), error(-32000, "no", null)]), "bad_answer"],
    "a fractional id": [json([result(1, "a"), result(1.5, "b")]), "bad_answer"],
    "an element that is not an object": [json([result(1, "a"), null]), "bad_answer"],
    "a single result": [json(result(1, "a")), "bad_answer"],
    "an element with a rate limit": [json([result(1, "a"), error(-32005, "limit", 2)]), "rate_limited"],
    "an element that the node cannot process": [
      json([result(1, "a"), error(-32000, "missing trie node", 2)]),
      "upstream_error"
    ],
    "HTTP 429": [json([result(1, "a"), result(2, "b")], { status: 429 }), "rate_limited"],
    "HTTP 500 around results": [json([result(1, "a"), result(2, "b")], { status: 500 }), "upstream_error"],
    "an HTML page": [text("<html></html>"), "bad_answer"],
    "a single error about the node itself": [json(error(-32603, "internal error", null)), "upstream_error"],
    "a cut-off body": [text('[{"jsonrpc":"2.0","id":1,"result":"a"}'), "bad_answer"]
  }

  for (const [name, [reply, reason]] of Object.entries(wrong)) {
    test(`fails as a whole after ${name}`, none, function* () {
      assert.strictEqual(fault(yield* batched(2, reply)), reason)
    })

    test(
      `falls back to the next node as a whole after ${name}`,
      () =>
        simulatedClient(
          byHost({ "one.example": () => reply, "two.example": node((index, id) => result(id, `0x${index}`), asIs) })
        ),
      function* () {
        const nodes = yield* make([firstUrl, secondUrl])
        const outcome = yield* run(nodes.over((address) => Client.batch(address, calls(2))))
        assert.deepStrictEqual(outcome, Either.right([Either.right("0x0"), Either.right("0x1")]))
      }
    )
  }
})
