import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import type { FundingError } from "../../../src/features/faucet/Funding.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { brokenBody, json, neverResponds, type Reply, refused, stalled, text } from "../../support/http.ts"
import { finish, run } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { telemetryRecorder } from "../../support/witness.ts"
import { address, faucet, key, node } from "./testnet.ts"

const [alice, bob] = [address(1), address(2)]

/** Replies of the node instead of a valid response; the HTML page is from a proxy in front of the node. */
const faults: Readonly<Record<string, Reply>> = {
  "does not respond": neverResponds,
  "resets the connection": Effect.fail({ code: "ECONNRESET" }),
  "returns half of a response": text('{"jsonrpc":"2.0","id":1,"resu'),
  "cuts its response off": brokenBody('{"jsonrpc"'),
  "stalls in its response": stalled('{"jsonrpc"'),
  "returns HTML": text("<html>moved</html>", { headers: { "content-type": "text/html" } }),
  "returns an empty body": text(""),
  "returns another id": json({ jsonrpc: "2.0", id: 77, result: `0x${"11".repeat(32)}` }),
  "returns another hash": json({ jsonrpc: "2.0", id: 1, result: `0x${"11".repeat(32)}` }),
  "returns HTTP 500": text("oops", { status: 500 }),
  "returns HTTP 502 with an error in JSON": json(
    { jsonrpc: "2.0", id: 1, error: { code: -32000, message: "no" } },
    { status: 502 }
  ),
  "returns HTTP 504": text("gateway timeout", { status: 504 }),
  "returns an internal error": json({ jsonrpc: "2.0", id: 1, error: { code: -32603, message: "Internal error" } }),
  "returns a timeout error": json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: "request timed out" } })
}

/** After these replies, the node certainly has no transaction. */
const rejected: Readonly<Record<string, Reply>> = {
  "refuses the connection": refused,
  "returns HTTP 429": text("slow down", { status: 429, headers: { "retry-after": "7" } }),
  "returns HTTP 403": text("no", { status: 403 }),
  "returns a rate limit error": json({ jsonrpc: "2.0", id: 1, error: { code: -32005, message: "limit exceeded" } })
}

const isSend = (methods: ReadonlyArray<string>) => methods.includes("eth_sendRawTransaction")

const reason = Either.match({ onLeft: ({ reason }: FundingError) => reason, onRight: () => "funded" })

describe("when a transaction is sent, a node that", () => {
  for (const [words, fault] of Object.entries(faults)) {
    it(`${words}, but has the transaction, has accepted it and receives it once`, function* () {
      const testnet = node({
        over: (methods, answer) => (isSend(methods) ? Effect.zipRight(Effect.sync(answer), fault) : undefined)
      })
      const service = yield* faucet(testnet)
      const funded = yield* Effect.flatten(run(service.fund(alice)))
      assert.strictEqual(funded.hash, testnet.hashes()[0] ?? "")
      assert.strictEqual(testnet.sends(), 1)
      assert.strictEqual(reason(yield* run(service.fund(alice))), "too_soon")
    })

    it(`${words} and does not show the transaction leaves the result uncertain and does not receive it again`, function* () {
      let sends = 0
      let down = true
      const testnet = node({
        over: (methods) => {
          if (!isSend(methods)) return undefined
          sends++
          return down ? fault : undefined
        }
      })
      const service = yield* faucet(testnet)
      const { detail, reason: why } = yield* Effect.flatMap(run(service.fund(alice)), Either.flip)
      assert.strictEqual(why, "uncertain")
      assert.match(detail, /transaction 0x[0-9a-f]{64} may have arrived/)
      assert.strictEqual(reason(yield* run(service.fund(alice))), "too_soon")
      assert.strictEqual(sends, 1)
      down = false
      assert.strictEqual(reason(yield* run(service.fund(bob))), "funded")
      assert.strictEqual(testnet.transactions()[0]?.nonce ?? 0, 0)
    })
  }

  for (const [words, fault] of Object.entries(rejected))
    it(`${words} has no transaction, and the address may be funded later`, function* () {
      let down = true
      const testnet = node({ over: (methods) => (down && isSend(methods) ? fault : undefined) })
      const service = yield* faucet(testnet)
      const error = yield* Effect.flatMap(run(service.fund(alice)), Either.flip)
      assert.strictEqual(error.reason, "not_sent")
      assert.match(error.detail, /Nothing was sent/)
      down = false
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(reason(yield* run(service.fund(alice))), "funded")
      assert.strictEqual(testnet.pool.length, 1)
    })
})

describe("when its state is read, a node that", () => {
  for (const [words, fault] of Object.entries({ ...faults, ...rejected }))
    it(`${words} receives no transaction, and the address may be funded later`, function* () {
      let down = true
      const testnet = node({ over: () => (down ? fault : undefined) })
      const service = yield* faucet(testnet)
      const error = yield* Effect.flatMap(run(service.fund(alice)), Either.flip)
      assert.include(["not_sent", "timed_out"], error.reason)
      assert.match(error.detail, /Nothing was sent/)
      assert.notMatch(error.detail, /testnet\.example/)
      down = false
      yield* TestClock.adjust("1 minute")
      assert.strictEqual(reason(yield* run(service.fund(alice))), "funded")
      assert.strictEqual(testnet.pool.length, 1)
    })
})

describe("a node that is too slow", () => {
  it("leads to a response before the deadline for each client, which correctly reports that nothing was sent", function* () {
    const testnet = node({ over: () => neverResponds })
    const service = yield* faucet(testnet)
    const clients = yield* Effect.forEach(
      Array.from({ length: 40 }, (_, index) => address(index)),
      (to) => Effect.fork(service.fund(to))
    )
    for (const fiber of clients) {
      const { outcome, took } = yield* finish(fiber)
      assert.isBelow(took, 15_000)
      assert.match(Either.isLeft(outcome) ? outcome.left.detail : "", /Nothing was sent/)
    }
    yield* TestClock.adjust("2 minutes")
    assert.strictEqual(testnet.sends(), 0)
    const taken = yield* Effect.flip(service.fund(alice)).pipe(Effect.fork, Effect.flatMap(finish))
    assert.include(Either.isRight(taken.outcome) ? taken.outcome.right.reason : "", "not_sent")
  })

  it("leads to a response that names the transaction that may arrive", function* () {
    const testnet = node({
      over: (methods) =>
        methods.length === 1 && !isSend(methods) ? undefined : isSend(methods) ? neverResponds : undefined
    })
    const service = yield* faucet(testnet, { REQUEST_DEADLINE_MS: "700" })
    const { outcome, took } = yield* Effect.flatMap(Effect.fork(service.fund(alice)), finish)
    assert.isBelow(took, 701)
    assert.match(
      Either.isLeft(outcome) ? outcome.left.message : "",
      /timed out\. The transaction 0x[0-9a-f]{64} may have arrived/
    )
    yield* TestClock.adjust("1 minute")
    assert.strictEqual(reason(yield* run(service.fund(alice))), "too_soon")
  })

  it("receives the transfers in progress before the service stops", function* () {
    const testnet = node({
      over: (_, answer) =>
        Effect.delay(
          Effect.sync(() => Response.json(answer())),
          "300 millis"
        )
    })
    const store = Layer.succeedContext(yield* Layer.build(Layer.fresh(Memory.layer())))
    const stopped = yield* Effect.fork(
      Effect.scoped(
        Effect.gen(function* () {
          const service = yield* faucet(testnet, {}, store)
          yield* Fiber.interrupt(yield* Effect.fork(Effect.zipRight(Effect.yieldNow(), service.fund(alice))))
          const clients = yield* Effect.fork(service.fund(bob))
          yield* Effect.sleep("10 millis")
          yield* Fiber.interrupt(clients)
        })
      )
    )
    yield* finish(stopped)
    assert.strictEqual(testnet.transactions().at(-1)?.to, bob)
    const next = yield* faucet(testnet, {}, store)
    assert.match((yield* Effect.flip(next.fund(bob))).detail, /funded already/)
  })
})

describe("the configuration of the faucet", () => {
  it.scoped("shows the key in no log line, span or error, for any response of the node", () => {
    const { layer, seen } = telemetryRecorder()
    return Effect.gen(function* () {
      for (const fault of [undefined, ...Object.values(faults), ...Object.values(rejected)])
        for (const at of ["eth_sendRawTransaction", "eth_chainId"]) {
          const testnet = node({ over: (methods) => (methods.includes(at) ? fault : undefined) })
          const service = yield* faucet(testnet)
          const result = yield* run(service.fund(alice))
          seen.push(JSON.stringify(result), Bun.inspect(result), Bun.inspect(service, { depth: 20 }))
          seen.push(
            ...testnet.outside.requests.map(({ body, headers, url }) => `${url} ${body} ${JSON.stringify(headers)}`)
          )
        }
      assert.isAbove(seen.length, 100)
      for (const line of seen) assert.notInclude(line.toLowerCase(), key)
    }).pipe(Effect.provide(layer))
  })

  for (const [what, wrong] of [
    ["too short", key.slice(2)],
    ["not hexadecimal digits", key.replace("a", "g")],
    ["zero", "0".repeat(64)],
    ["above the order of the curve", "f".repeat(64)]
  ] as const)
    it(`stops the start without showing the key if it is invalid: ${what}`, function* () {
      for (const written of [wrong, `0x${wrong}`]) {
        const error = yield* Effect.flip(faucet(node(), { TESTNET_FUNDER_PRIVATE_KEY: written }))
        assert.match(error.message, /^TESTNET_FUNDER_PRIVATE_KEY: .*64 hexadecimal digits/)
        assert.notInclude(`${error.message} ${JSON.stringify(error)} ${Bun.inspect(error)}`, wrong)
      }
    })

  it("accepts a key with and without 0x, in upper and lower case", function* () {
    for (const written of [key, `0x${key}`, key.toUpperCase(), `0x${key.toUpperCase()}`]) {
      const service = yield* faucet(node(), { TESTNET_FUNDER_PRIVATE_KEY: written })
      // Only the address of this key has coins.
      assert.strictEqual(reason(yield* run(service.fund(alice))), "funded")
    }
  })

  for (const wrong of ["0", "-1", "1e3", "0.0000000000000000001", "much", "1,5", ".5", "0x1"])
    it(`rejects an invalid amount: ${wrong}`, function* () {
      const error = yield* Effect.flip(faucet(node(), { TESTNET_FUND_AMOUNT: wrong }))
      assert.match(error.message, /^TESTNET_FUND_AMOUNT: .*decimal number above 0/)
    })
})
