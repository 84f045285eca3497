import { inspect } from "node:util"
import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import type * as HttpClientError from "@effect/platform/HttpClientError"
import * as Cause from "effect/Cause"
import * as Effect from "effect/Effect"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as TestClock from "effect/TestClock"
import manifest from "../../package.json" with { type: "json" }
import { make } from "../../src/client/Client.ts"
import { isRepeatable, type Options, Problem, WalletData } from "../../src/effectClient/WalletData.ts"
import { calls } from "../client/calls.ts"
import { Service } from "../support/app.ts"
import { operations } from "../support/document.ts"
import { hashOf, sample, serialize } from "../support/rawTransactions.ts"
import { holder } from "../support/sandbox.ts"
import { untilIdle } from "../support/simulated.ts"
import { assert, it, layer } from "../support/vitest.ts"

const base = "http://wallet.test/below"
const networks = { ethereum: [holder(1)] }

type Answer = (url: URL, init: RequestInit) => Response | Promise<Response>

/** A client over a simulated `fetch`. */
const over = (answer: Answer, options: Partial<Options> = {}) =>
  WalletData.layer({ baseUrl: base, ...options }).pipe(
    Layer.provide(FetchHttpClient.layer),
    Layer.provideMerge(
      Layer.succeed(FetchHttpClient.Fetch, (async (url: URL, init: RequestInit) =>
        answer(url, init)) as unknown as typeof globalThis.fetch)
    )
  )

const served = (options: Partial<Options> = {}) =>
  Layer.unwrapEffect(
    Effect.map(Service, ({ handler }) =>
      over((url, init) => handler(new Request(url.href.replace("/below", ""), init)), options)
    )
  )

layer(Service.layer(), { excludeTestServices: true })("the Effect client, over the service", (test) => {
  test.effect("returns the responses of the contract", () =>
    Effect.gen(function* () {
      const { balances, history, prices, status, transactions } = yield* WalletData
      const rows = yield* balances.balances({ payload: { networks } })
      assert.isAbove(rows.length, 1)
      assert.property(yield* history.history({ payload: { networks, limit: 2 } }), "ethereum")
      assert.property(yield* prices.coin({ urlParams: { coin_ids: ["bitcoin"] } }), "bitcoin")
      assert.deepStrictEqual(yield* status.live(), { status: "live", version: manifest.version, commit: "unknown" })
      const sent = yield* transactions.sendRaw({ urlParams: { chain: "litecoin", tx: serialize(sample()) } })
      assert.isObject(sent)
      const found = yield* transactions.getRaw({
        urlParams: { chain: "litecoin", tx: hashOf(sample()) }
      })
      assert.isObject(found)
      const [events] = yield* balances.stream({ urlParams: { addresses: networks }, withResponse: true })
      assert.match(String(events), /^event: balance\nid: 1\n/)
      const parts = yield* history.stream({ urlParams: { addresses: networks, limit: 2, meta: true } })
      assert.match(String(parts), /"meta":\{"ethereum"/)
    }).pipe(Effect.provide(served()))
  )

  test.effect("fails with problems as typed errors", () =>
    Effect.gen(function* () {
      const { balances, faucet } = yield* WalletData
      const many = { ethereum: Array<string>(501).fill("x") }
      const large = yield* Effect.flip(balances.balances({ payload: { networks: many } }))
      assert.instanceOf(large, Problem.TooLarge)
      const funding = faucet.fund({ path: { address: holder(1) } })
      yield* funding
      assert.instanceOf(yield* Effect.flip(funding), Problem.TooManyRequests)
    }).pipe(Effect.provide(served()))
  )
})

layer(Service.layer({ API_KEYS: "secret-of-a-test" }), { excludeTestServices: true })(
  "the Effect client with an API key",
  (test) => {
    test.effect("sends it", () =>
      Effect.gen(function* () {
        const read = Effect.flatMap(WalletData, ({ networks }) => networks.networks())
        assert.instanceOf(yield* Effect.flip(Effect.provide(read, served())), Problem.Unauthorized)
        assert.isNotEmpty(yield* Effect.provide(read, served({ apiKey: Redacted.make("secret-of-a-test") })))
      })
    )
  }
)

const overloaded =
  (headers: Record<string, string> = {}) =>
  () =>
    Response.json(
      { type: Problem.Overloaded.type, title: "Overloaded", status: 503, detail: "full", requestId: "r" },
      { status: 503, headers: { "content-type": "application/problem+json", ...headers } }
    )

/** Returns the answers in order, repeats the last answer, and records the requests. */
const counted = (answers: ReadonlyArray<Answer>) => {
  const seen: Array<RequestInit> = []
  const answer: Answer = (url, init) => {
    seen.push(init)
    return answers[Math.min(seen.length, answers.length) - 1]?.(url, init) ?? Response.error()
  }
  return { seen, answer }
}

const alive = { status: "live", version: "0.1.0", commit: "unknown" } as const
const live = () => Response.json(alive)
const unreachable = () => Promise.reject(new TypeError("connection refused"))

it("the Effect client retries reads after Retry-After, on the clock of the fiber", function* () {
  const { answer, seen } = counted([overloaded({ "retry-after": "7" }), unreachable, live])
  const read = Effect.flatMap(WalletData, ({ status }) => status.live()).pipe(
    Effect.provide(over(answer)),
    Effect.withRandomFixed([0])
  )
  const fiber = yield* Effect.fork(read)
  for (const [seconds, expected] of [
    [0, 1],
    [6, 1],
    [1, 2],
    [2, 3]
  ] as const) {
    yield* TestClock.adjust(seconds * 1000)
    yield* untilIdle
    assert.strictEqual(seen.length, expected)
  }
  assert.deepStrictEqual(yield* Fiber.join(fiber), alive)
})

it("a request fails with the service's problem if Retry-After is too long or retries are off", function* () {
  for (const [answer, options] of [
    [overloaded({ "retry-after": "31" }), {}],
    [overloaded(), { retries: 0 }]
  ] as const) {
    const { answer: counting, seen } = counted([answer])
    const read = Effect.flatMap(WalletData, ({ networks }) => networks.networks())
    const error = yield* Effect.flip(Effect.provide(read, over(counting, options)))
    assert.instanceOf(error, Problem.Overloaded)
    assert.strictEqual(seen.length, 1)
  }
})

it("requests that may change state are never retried", function* () {
  const call = { jsonrpc: "2.0", id: 1, method: "eth_sendRawTransaction" }
  for (const answer of [overloaded(), unreachable]) {
    const { answer: counting, seen } = counted([answer])
    yield* Effect.gen(function* () {
      const { faucet, nodes, transactions } = yield* WalletData
      const input = { from: holder(1), to: holder(2), input: "0x" }
      for (const act of [
        transactions.sendRaw({ urlParams: { chain: "bitcoin", tx: "00" } }),
        faucet.fund({ path: { address: "0x1" } }),
        nodes.rpc({ path: { network: "base" }, payload: call }),
        nodes.testnetRpc({ path: { network: "base" }, payload: call }),
        transactions.simulate({ payload: { chain: "1", input } })
      ])
        yield* Effect.flip(act as Effect.Effect<unknown, unknown>)
    }).pipe(Effect.provide(over(counting)))
    assert.strictEqual(seen.length, 5)
  }
})

const gateway = (status: number) => () =>
  new Response("<html>busy", { status, headers: { "content-type": "text/html", "x-request-id": "of-the-gateway" } })

it("reads are repeated after 408, 502 and 504 of a gateway, and sends are not", function* () {
  for (const status of [408, 502, 504]) {
    const { answer, seen } = counted([gateway(status)])
    const { networks, transactions } = yield* Effect.provide(WalletData, over(answer, { retryDelay: 0 }))
    yield* Effect.flip(networks.networks())
    assert.strictEqual(seen.length, 3)
    yield* Effect.flip(transactions.send({ payload: { network: "litecoin", transaction: "00" } }))
    assert.strictEqual(seen.length, 4)
    const problem = { type: "urn:problem-type:other", title: "x", status, detail: "y", requestId: "r" }
    const ours = counted([
      () => Response.json(problem, { status, headers: { "content-type": "application/problem+json" } })
    ])
    const { networks: of } = yield* Effect.provide(WalletData, over(ours.answer, { retryDelay: 0 }))
    yield* Effect.flip(of.networks())
    assert.strictEqual(ours.seen.length, 1)
  }
})

it("the failure of a gateway is a typed error by its status, with the request id", function* () {
  const foreign = (status: number) => () =>
    Response.json({ message: "slow down" }, { status, headers: { "x-request-id": "of-the-gateway" } })
  for (const answer of [gateway, foreign]) {
    const failed = (status: number) =>
      Effect.flatMap(WalletData, ({ balances, transactions }) =>
        Effect.all([
          Effect.flip(balances.balances({ payload: { networks } })),
          Effect.flip(transactions.send({ payload: { network: "litecoin", transaction: "00" } }))
        ])
      ).pipe(Effect.provide(over(answer(status), { retries: 0 })))
    for (const error of yield* failed(429)) {
      assert.instanceOf(error, Problem.TooManyRequests)
      assert.strictEqual((error as { requestId?: string }).requestId, "of-the-gateway")
    }
    const [read, sent] = yield* failed(503)
    assert.instanceOf(read, Problem.Overloaded)
    // Whether the service has the transaction is not known.
    assert.strictEqual(sent._tag, "ResponseError")
    for (const status of [400, 401, 404, 408, 409, 500, 502, 504])
      for (const error of yield* failed(status)) {
        assert.strictEqual(error._tag, "ResponseError")
        assert.strictEqual((error as HttpClientError.ResponseError).response.status, status)
        assert.match(
          error.message,
          /^StatusCode: The service returned status \d+: (<html>busy|\{"message").*of-the-gateway/
        )
      }
  }
})

/** A body that breaks off after its first part. */
const brokenOff = (headers: Record<string, string> = {}) => {
  const body = new ReadableStream({
    start: (controller) => controller.enqueue(new TextEncoder().encode('{"status":')),
    pull: (controller) => controller.error(new TypeError("the connection was reset"))
  })
  return new Response(body, { headers: { "content-type": "application/json", ...headers } })
}

it("reads whose body breaks off are repeated, and sends are not", function* () {
  const { answer, seen } = counted([() => brokenOff(), live])
  const { status, transactions } = yield* Effect.provide(WalletData, over(answer, { retryDelay: 0 }))
  assert.deepStrictEqual(yield* status.live(), alive)
  assert.strictEqual(seen.length, 2)
  for (const [request, attempts] of [
    [(client: WalletData["Type"]) => client.status.live(), 3],
    [
      (client: WalletData["Type"]) => client.transactions.send({ payload: { network: "litecoin", transaction: "00" } }),
      1
    ]
  ] as const) {
    const broken = counted([() => brokenOff()])
    const client = yield* Effect.provide(
      WalletData,
      over(broken.answer, { retryDelay: 0, apiKey: Redacted.make("SECRET-KEY") })
    )
    const error = yield* Effect.flip(request(client) as Effect.Effect<unknown, { readonly _tag: string }>)
    assert.strictEqual(error._tag, "ResponseError")
    assert.notInclude(JSON.stringify(error) + inspect(error, { depth: 9 }), "SECRET-KEY")
    assert.strictEqual(broken.seen.length, attempts)
  }
  assert.isFunction(transactions.send)
})

it("a response has a request without the key", function* () {
  const client = yield* Effect.provide(WalletData, over(live, { apiKey: Redacted.make("SECRET-KEY") }))
  const [data, response] = yield* client.status.live({ withResponse: true })
  assert.deepStrictEqual(data, alive)
  assert.isAbove((yield* response.arrayBuffer).byteLength, 0)
  const text = yield* Effect.promise(
    () => new Promise<string>((resolve) => setImmediate(() => resolve(JSON.stringify(response))))
  )
  assert.notInclude(text, "SECRET-KEY")
})

it("what fetch refuses before it connects is an invalid URL, and is not repeated", function* () {
  const blocked = counted([() => Promise.reject(new TypeError("fetch failed", { cause: new Error("bad port") }))])
  const read = (answer: Answer, baseUrl: string) =>
    Effect.flatMap(WalletData, ({ status }) => Effect.flip(status.live())).pipe(
      Effect.provide(over(answer, { retryDelay: 0, baseUrl }))
    )
  assert.deepInclude(yield* read(blocked.answer, base), { _tag: "RequestError", reason: "InvalidUrl" })
  assert.strictEqual(blocked.seen.length, 1)
  const page = globalThis as { location?: unknown }
  const unseen = counted([live])
  yield* Effect.acquireUseRelease(
    Effect.sync(() => {
      page.location = { protocol: "file:", origin: "file://", pathname: "/wallet.html" }
    }),
    () =>
      Effect.gen(function* () {
        assert.deepInclude(yield* read(unseen.answer, ""), { _tag: "RequestError", reason: "InvalidUrl" })
      }),
    () =>
      Effect.sync(() => {
        delete page.location
      })
  )
  assert.strictEqual(unseen.seen.length, 0)
})

it("optional members of a request may be undefined, at any depth", function* () {
  const bodies: Array<unknown> = []
  const client = yield* Effect.provide(
    WalletData,
    over((url, { body }) => {
      bodies.push(
        url.search,
        body && JSON.parse(body instanceof Uint8Array ? new TextDecoder().decode(body) : String(body))
      )
      return url.pathname.endsWith("/balance") ? Response.json([]) : Response.json({})
    })
  )
  yield* client.balances.balances({ payload: { networks, currency: undefined, detail: undefined } })
  yield* client.prices.coin({ urlParams: { coin_ids: ["bitcoin"], currency: undefined } })
  yield* Effect.either(
    client.transactions.estimate({ payload: { network: "base", transaction: { from: holder(1), to: undefined } } })
  )
  assert.deepStrictEqual(bodies, [
    "",
    { networks },
    "?coin_ids=bitcoin",
    undefined,
    "",
    { network: "base", transaction: { from: holder(1) } }
  ])
})

it("a send without a decision is one with a word of a later version too, and further members are kept", function* () {
  const body = {
    type: "urn:problem-type:send-undecided",
    title: "x",
    status: 502,
    detail: "y",
    requestId: "r",
    hash: "0xab",
    sent: "queued",
    node: { name: "n" }
  }
  const problem = (of: object, status: number) => () =>
    Response.json(of, { status, headers: { "content-type": "application/problem+json" } })
  const failed = (answer: Answer) =>
    Effect.flatMap(WalletData, ({ transactions }) =>
      Effect.flip(transactions.send({ payload: { network: "litecoin", transaction: "00" } }))
    ).pipe(Effect.provide(over(answer, { retries: 0 })))
  const undecided = yield* failed(problem(body, 502))
  assert.strictEqual(undecided._tag, "SendUndecided")
  assert.deepInclude(undecided, { hash: "0xab", sent: "queued", detail: "y", requestId: "r" })
  assert.deepStrictEqual(Object(undecided).extensions, { hash: "0xab", sent: "queued", node: { name: "n" } })
  const later = { type: Problem.Overloaded.type, title: "x", status: 503, detail: "y", requestId: "r", message: "z" }
  for (const [{ type }, status, _tag] of [
    [Problem.Overloaded, 503, "Overloaded"],
    [Problem.TooManyRequests, 429, "TooManyRequests"],
    [Problem.InvalidRequest, 400, "InvalidRequest"]
  ] as const) {
    const found = yield* failed(problem({ ...later, type, status }, status))
    assert.deepInclude(found, { _tag, message: "y", extensions: { message: "z" } })
  }
  assert.strictEqual((yield* failed(problem({ ...body, type: "urn:problem-type:other" }, 502)))._tag, "ResponseError")
})

it("errors do not have the key, also as JSON outside of a fiber", function* () {
  const options = { apiKey: Redacted.make("SECRET-KEY"), retries: 0 }
  const sent: Array<RequestInit> = []
  for (const answer of [gateway(500), gateway(404), () => Promise.reject(new TypeError("connection refused"))]) {
    const all = over((_, init) => {
      sent.push(init)
      return answer()
    }, options)
    const error = yield* Effect.provide(
      Effect.flatMap(WalletData, ({ balances }) => Effect.flip(balances.balances({ payload: { networks } }))),
      all
    )
    assert.include(["RequestError", "ResponseError"], error._tag)
    const { request } = error as HttpClientError.ResponseError
    const texts = yield* Effect.promise(
      () =>
        new Promise<string>((resolve) =>
          setImmediate(() => resolve(JSON.stringify([error, request, { ...error }]) + inspect(request, { depth: 9 })))
        )
    )
    assert.notInclude(texts, "SECRET-KEY")
  }
  assert.deepStrictEqual(
    sent.map(({ headers }) => new Headers(headers).get("x-api-key")),
    Array(3).fill("SECRET-KEY")
  )
})

it("a problem of a later version keeps its detail and request id", function* () {
  const later = { type: "urn:problem-type:paused", title: "Paused", detail: "the network is halted", requestId: "r-1" }
  for (const status of [400, 409]) {
    const answer = () =>
      Response.json({ ...later, status }, { status, headers: { "content-type": "application/problem+json" } })
    const { balances } = yield* Effect.provide(WalletData, over(answer))
    const error = yield* Effect.flip(balances.balances({ payload: { networks } }))
    assert.strictEqual(error._tag, "ResponseError")
    assert.include(error.message, "the network is halted (request id r-1)")
    const { response } = error as HttpClientError.ResponseError
    assert.deepStrictEqual<unknown>(yield* response.json, { ...later, status })
    assert.include(yield* response.text, "urn:problem-type:paused")
  }
})

it("the readiness check sends a single request, even if the service is not ready", function* () {
  const { answer, seen } = counted([() => Response.json({ status: "starting", upstreams: [] }, { status: 503 })])
  const { status } = yield* Effect.provide(WalletData, over(answer))
  assert.strictEqual((yield* status.ready()).status, "starting")
  assert.strictEqual(seen.length, 1)
})

it("a redirect is not followed because it would receive the API key", function* () {
  const { answer, seen } = counted([() => new Response(null, { status: 302, headers: { location: "http://b" } })])
  const { status } = yield* Effect.provide(WalletData, over(answer, { apiKey: Redacted.make("secret") }))
  yield* Effect.flip(status.live())
  assert.strictEqual(seen.length, 1)
  assert.strictEqual(seen[0]?.redirect, "manual")
  assert.strictEqual(new Headers(seen[0]?.headers).get("x-api-key"), "secret")
})

it("the Effect client retries the same operations as the promise client, except the readiness check", function* () {
  for (const { method, operation, path } of operations) {
    const call = calls[operation.operationId]
    if (call === undefined || path === "/health/ready") continue
    let attempts = 0
    const fetch = () => {
      attempts++
      return Promise.reject(new TypeError("connection refused"))
    }
    const client = make({ baseUrl: "", fetch, retries: 1, retryDelay: 0 })
    yield* Effect.promise(() => call(client).catch(() => undefined))
    const reached = path.replace(/#.*$/, "").replace(/\{\w+\}/g, "x")
    assert.strictEqual(attempts === 2, isRepeatable(method.toUpperCase(), reached), `${method} ${path}`)
  }
})

it("an invalid request fails with the problem of the service, and is not sent", function* () {
  const { answer, seen } = counted([live])
  const { balances, icons, prices } = yield* Effect.provide(WalletData, over(answer))
  const long = "x".repeat(201)
  const refused = yield* Effect.flip(prices.coin({ urlParams: { coin_ids: ["bitcoin", long] } }))
  assert.instanceOf(refused, Problem.InvalidRequest)
  assert.deepInclude(refused, {
    type: "urn:problem-type:invalid-request",
    status: 400,
    detail: "The request is not valid: coin_ids.1: must be at most 200 characters long",
    issues: [{ path: "coin_ids.1", message: "must be at most 200 characters long" }]
  })
  assert.instanceOf(yield* Effect.flip(icons.icon({ path: { coinId: long } })), Problem.InvalidRequest)
  const unknown = { payload: { networks, curency: "eur" } } as Parameters<typeof balances.balances>[0]
  assert.match((yield* Effect.flip(balances.balances(unknown))).message, /curency: .*did you mean "currency"/)
  assert.strictEqual(seen.length, 0)
})

it("an invalid response is not a problem of the request", function* () {
  const { status } = yield* Effect.provide(
    WalletData,
    over(() => Response.json({ status: 5 }))
  )
  assert.strictEqual((yield* Effect.flip(status.live()))._tag, "ParseError")
})

it("the Effect client refuses a bad base URL or key when it is made, without their values", function* () {
  for (const [options, name] of [
    [{ baseUrl: "http://user:SECRET@wallet.test" }, "baseUrl"],
    [{ apiKey: Redacted.make("SECRET\nx") }, "apiKey"]
  ] as const) {
    const made = yield* Effect.exit(Effect.suspend(() => Effect.provide(WalletData, over(live, options))))
    const text = Exit.match(made, { onFailure: (cause) => Cause.pretty(cause), onSuccess: () => "made" })
    assert.include(text, name)
    assert.notInclude(text, "SECRET")
  }
})

it("a file of another type, or half of it, is no file", function* () {
  const html = new Response("<html>Login", { headers: { "content-type": "text/html" } })
  const of = (type: string, text: string) => () => new Response(text, { headers: { "content-type": type } })
  const csv = "network,address\r\nethereum,0x1\r\n"
  const ended = `${csv},,,,COMPLETE,,,,,,,,,,,,1\r\n`
  const done = '{"done":true,"failures":0}\n'
  const read = (answer: Answer) =>
    Effect.flatMap(WalletData, ({ history, icons, status }) => {
      const addresses = { ethereum: ["0x1"] }
      return Effect.all(
        {
          icon: icons.icon({ path: { coinId: "bitcoin" } }),
          metrics: status.metrics(),
          ndjson: history.export({ urlParams: { addresses } }),
          csv: history.export({ urlParams: { addresses, format: "csv", end: true } }),
          endless: history.export({ urlParams: { addresses, format: "csv" } })
        },
        { mode: "either" }
      )
    }).pipe(
      Effect.provide(over(answer)),
      Effect.map((all) => Object.entries(all).flatMap(([name, result]) => (result._tag === "Right" ? [name] : [])))
    )
  assert.deepStrictEqual(yield* read(() => html.clone() as Response), [])
  assert.deepStrictEqual(yield* read(of("image/svg+xml", "<svg/>")), ["icon"])
  assert.deepStrictEqual(yield* read(of("text/plain; version=0.0.4", "up 1\n")), ["metrics"])
  assert.deepStrictEqual(yield* read(of("text/plain", "up 1\nhttp_requ")), [])
  assert.deepStrictEqual(yield* read(of("application/x-ndjson", `{"hash":"1"}\n${done}`)), ["ndjson"])
  assert.deepStrictEqual(yield* read(of("application/x-ndjson", '{"hash":"1"}\n')), [])
  assert.deepStrictEqual(yield* read(of("text/csv; charset=utf-8", ended)), ["csv", "endless"])
  for (const cut of [csv, ended.trimEnd(), ended.replace(",1\r", ",12\r"), ended.replace("ethereum,0x1\r\n", "")])
    assert.deepStrictEqual(yield* read(of("text/csv; charset=utf-8", cut)), ["endless"])
})
