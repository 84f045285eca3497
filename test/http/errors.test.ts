import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as TestClock from "effect/TestClock"
import { Edge, HandlerControl, json, problem, token } from "../support/edge.ts"
import { assert, built, describe, it, layer } from "../support/vitest.ts"

const as = (contentType: string, body: string) => ({ method: "POST", body, headers: { "content-type": contentType } })

const paths = (body: { readonly issues?: ReadonlyArray<{ readonly path: string }> }) =>
  body.issues?.map((issue) => issue.path)

const chunks = (count: number, size: number) => {
  let left = count
  return new ReadableStream<Uint8Array>({
    pull: (controller) => {
      if (left === 0) return controller.close()
      left -= 1
      controller.enqueue(new Uint8Array(size).fill(32))
    }
  })
}

layer(Edge.layer())("an invalid request", (it) => {
  it("gets 400 with a detail if its body is not JSON", function* () {
    const { call } = yield* Edge
    const response = yield* call("/balance", as("application/json", '{"networks":'))
    assert.strictEqual(response.status, 400)
    const body = yield* problem(response)
    assert.strictEqual(body.contentType, "application/problem+json")
    assert.isTrue(body.echoed)
    assert.strictEqual(body.type, "urn:problem-type:invalid-request")
    assert.match(body.detail ?? "", /not valid JSON/)
  })

  it("gets 400 with a detail if its body is missing", function* () {
    const { call } = yield* Edge
    const body = yield* problem(yield* call("/balance", { method: "POST" }))
    assert.strictEqual(body.status, 400)
    assert.match(body.detail ?? "", /body is empty/)
  })

  it("gets the path and the reason of every wrong value", function* () {
    const { post } = yield* Edge
    const body = yield* problem(yield* post("/balance", { networks: { bitcoin: ["a", 5], tron: "T" } }))
    assert.strictEqual(body.status, 400)
    assert.deepStrictEqual(paths(body), ["networks.bitcoin.1", "networks.tron"])
    assert.match(body.issues?.[0]?.message ?? "", /^must be a string; it is 5$/)
  })

  it("does not get a long wrong value back in full", function* () {
    const { call } = yield* Edge
    const body = yield* problem(yield* call(`/price/market_chart?coin_ids=bitcoin&days=${"9".repeat(10_000)}`))
    assert.strictEqual(body.status, 400)
    assert.isBelow(JSON.stringify(body).length, 1500)
  })

  it("gets 400 for lists, days, coins and periods outside of the contract", function* () {
    const { call } = yield* Edge
    const refused = [
      ["/price", "network_ids"],
      ["/price?network_ids=", "network_ids"],
      ["/price?network_ids=ethereum", "network_ids.0"],
      ["/price/coin?coin_ids=,", "coin_ids"],
      ["/price/market_chart?coin_ids=bitcoin&days=2", "days"],
      ["/app/mdata/item/solana/30", "coin"],
      ["/app/mdata/item/bitcoin/7", "period"],
      ["/app/mdata/list/bitcoin,solana/30", "coins.1"],
      ["/app/mdata/list/bitcoin%2Csolana/30", "coins.1"]
    ] as const
    for (const [path, at] of refused) {
      const body = yield* problem(yield* call(path))
      assert.strictEqual(body.status, 400, path)
      assert.deepStrictEqual(paths(body), [at], path)
    }
  })

  it("gets 400 for a history limit outside of 1 to 500", function* () {
    const { post } = yield* Edge
    for (const limit of [0, 501, 1.5, "50"]) {
      const body = yield* problem(yield* post("/history", { networks: {}, limit }))
      assert.strictEqual(body.status, 400)
      assert.strictEqual(body.issues?.[0]?.path, "limit")
    }
  })

  it("gets 404 for an unknown route, and for a path with a broken escape", function* () {
    const { call } = yield* Edge
    for (const path of ["/nowhere", "/Balance", "/price/coin/details/%E0%A4%A"]) {
      const body = yield* problem(yield* call(path))
      assert.strictEqual(body.status, 404, path)
    }
  })

  it("gets 405 with the allowed methods for a wrong method", function* () {
    const { call } = yield* Edge
    const read = yield* call("/balance")
    assert.strictEqual(read.status, 405)
    assert.strictEqual(read.headers.get("allow"), "POST, OPTIONS")
    const written = yield* call("/app/mdata/item/bitcoin/30", { method: "DELETE" })
    assert.strictEqual((yield* problem(written)).status, 405)
    assert.strictEqual(written.headers.get("allow"), "GET, HEAD, OPTIONS")
  })

  it("gets 415 for a content type other than JSON; a missing type, curl's default and +json count as JSON", function* () {
    const { call } = yield* Edge
    const body = '{"networks":{}}'
    for (const [contentType, status] of [
      ["text/xml", 415],
      ["multipart/form-data; boundary=x", 415],
      ["application/json; charset=utf-8", 200],
      ["application/vnd.wallet+json", 200],
      ["application/x-www-form-urlencoded", 200]
    ] as const) {
      const response = yield* call("/balance", as(contentType, body))
      assert.strictEqual(response.status, status, contentType)
    }
    const unnamed = yield* call("/balance", { method: "POST", body: new TextEncoder().encode(body) })
    assert.strictEqual(unnamed.status, 200)
    const packed = yield* call("/balance", { method: "POST", body, headers: { "content-encoding": "gzip" } })
    assert.strictEqual(packed.status, 415)
  })

  it("gets 413 for a body over MAX_BODY_BYTES, by its header or by its bytes", function* () {
    const { call } = yield* built(Edge, Edge.layer({ MAX_BODY_BYTES: "2000" }))
    const named = yield* call("/balance", {
      method: "POST",
      body: "{}",
      headers: { "content-type": "application/json", "content-length": "2001" }
    })
    assert.strictEqual((yield* problem(named)).status, 413)
    const counted = yield* call("/balance", { method: "POST", body: chunks(3, 1000) })
    assert.strictEqual((yield* problem(counted)).status, 413)
    const within = yield* call("/balance", { method: "POST", body: `{"networks":{}}${" ".repeat(1900)}` })
    assert.strictEqual(within.status, 200)
    // Six blobs with their proofs, in hexadecimal digits, are larger than any other body.
    const padded = (bytes: number) => `{"network":"none","transaction":"00"}${" ".repeat(bytes)}`
    for (const path of ["/transactions/send", "/transactions/decode"]) {
      const transaction = yield* call(path, { method: "POST", body: padded(3900) })
      assert.strictEqual((yield* problem(transaction)).status, 400)
      const larger = yield* call(path, { method: "POST", body: padded(4000) })
      assert.strictEqual((yield* problem(larger)).status, 413)
    }
  })

  it("gets the status and the text of a problem that a handler raises", function* () {
    const { post } = yield* Edge
    const body = yield* problem(yield* post("/balance/token", token("too-many")))
    assert.strictEqual(body.status, 413)
    assert.strictEqual(body.detail, "More than 500 addresses.")
    assert.isTrue(body.echoed)
  })
})

describe("a handler", () => {
  it("responds 500 without details after a defect, which is logged once with its cause", function* () {
    const { lines, post } = yield* built(Edge, Edge.layer())
    const response = yield* post("/balance/token", token("defect"))
    const text = JSON.stringify(yield* json(response))
    assert.strictEqual(response.status, 500)
    assert.notMatch(text, /secret|node\.example|at |Error/)
    const returned = lines.filter((line) => line.level === "ERROR")
    assert.strictEqual(returned.length, 1)
    assert.match(returned[0]?.message ?? "", /node\.example/)
    assert.strictEqual(returned[0]?.annotations.requestId, response.headers.get("x-request-id"))
  })

  it("responds 500, not 400, if its result violates its schema", function* () {
    const { lines, post } = yield* built(Edge, Edge.layer())
    const body = yield* problem(yield* post("/balance/token", token("misfit")))
    assert.strictEqual(body.status, 500)
    assert.isUndefined(body.issues)
    assert.strictEqual(lines.filter((line) => line.level === "ERROR").length, 1)
  })

  it.effect("is interrupted at the deadline, and the response is 504", () =>
    Effect.gen(function* () {
      const { post } = yield* Edge
      const { entered, interrupted } = yield* HandlerControl
      const late = yield* Effect.fork(post("/balance/token", token("waiting")))
      yield* Deferred.await(entered)
      yield* TestClock.adjust("2500 millis")
      const body = yield* problem(yield* Fiber.join(late))
      assert.strictEqual(body.status, 504)
      assert.isTrue(yield* Deferred.isDone(interrupted))
    }).pipe(Effect.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" })))
  )

  it.effect("has the whole deadline for each request, whenever the request arrives", () =>
    Effect.gen(function* () {
      const { post } = yield* Edge
      const { release: curtain, entered, interrupted } = yield* HandlerControl
      yield* TestClock.adjust("2499 millis")
      const running = yield* Effect.fork(post("/balance/token", token("waiting")))
      yield* Deferred.await(entered)
      yield* TestClock.adjust("2499 millis")
      assert.isFalse(yield* Deferred.isDone(interrupted))
      yield* Deferred.succeed(curtain, undefined)
      assert.strictEqual((yield* Fiber.join(running)).status, 200)
    }).pipe(Effect.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" })))
  )

  it.effect("is not interrupted at the deadline once its stream has started", () =>
    Effect.gen(function* () {
      const { post } = yield* Edge
      const { release: curtain, entered, interrupted } = yield* HandlerControl
      const response = yield* post("/balance/token", token("streaming"))
      const text = yield* Effect.fork(Effect.promise(() => response.text()))
      yield* Deferred.await(entered)
      yield* TestClock.adjust("1 minute")
      assert.isFalse(yield* Deferred.isDone(interrupted))
      yield* Deferred.succeed(curtain, undefined)
      assert.strictEqual(yield* Fiber.join(text), "{}\n")
    }).pipe(Effect.provide(Edge.layer({ REQUEST_DEADLINE_MS: "2000" })))
  )
})

describe("a client that disconnects", () => {
  it.effect("interrupts its handler and is logged with status 499", () =>
    Effect.gen(function* () {
      const { call, lines } = yield* Edge
      const { entered, interrupted } = yield* HandlerControl
      const client = new AbortController()
      yield* Effect.fork(
        call("/balance/token", { ...as("application/json", JSON.stringify(token("waiting"))), signal: client.signal })
      )
      yield* Deferred.await(entered)
      client.abort()
      yield* Deferred.await(interrupted)
      yield* Effect.yieldNow()
      assert.deepStrictEqual(
        lines.map((line) => [line.message, line.annotations.status]),
        [["request", 499]]
      )
    }).pipe(Effect.provide(Edge.layer()))
  )
})
