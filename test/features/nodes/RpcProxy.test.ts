import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { RpcProxy } from "../../../src/features/nodes/RpcProxy.ts"
import * as JsonRpc from "../../../src/jsonrpc/Request.ts"
import * as Task from "../../../src/kernel/Task.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import { body, Service, textOf } from "../../support/app.ts"
import { sandboxExcept } from "../../support/beside.ts"
import { cases, type Exchange, fixture, recorded, replay, sample } from "../../support/fixtures.ts"
import { byHost, neverResponds, type Reply, refused, simulatedClient, text } from "../../support/http.ts"
import { methods, node, sent, tasksOver } from "../../support/rpc.ts"
import { firstUrl, secondUrl, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

type Handler = Parameters<typeof simulatedClient>[0]

/** The proxy over these nodes, by default two. */
const over = (handler: Handler, { deadline = 3_000, urls = [firstUrl, secondUrl] as ReadonlyArray<string> } = {}) => {
  const outside = simulatedClient(handler)
  const settings = { REQUEST_DEADLINE_MS: String(deadline) }
  const post = (written: string) =>
    Effect.gen(function* () {
      const rpc = yield* tasksOver(undefined, urls)
      const { respond: answer } = yield* RpcProxy
      const read = JsonRpc.parse(written)
      if (read.kind === "malformed") return yield* Effect.dieMessage(read.problem)
      const fiber = yield* Effect.fork(Task.toEffect(answer(rpc, read, () => "client")))
      yield* TestClock.adjust(0)
      while (fiber.unsafePoll() === null) yield* TestClock.adjust(50)
      return yield* Fiber.join(fiber)
    }).pipe(
      Effect.provide(
        RpcProxy.layerOver({
          find: () => Effect.succeed(undefined),
          built: () => undefined,
          networks: () => Effect.succeed([])
        }).pipe(Layer.provide(Settings.layer(settings)))
      ),
      Effect.scoped,
      Effect.provide(upstreamDependencies(outside, settings))
    )
  return { requests: outside.requests, post }
}

const echo = over(node(({ params }) => params ?? null))

const single = (id: string) => `{"jsonrpc":"2.0",${id}"method":"read","params":[1]}`

describe("a single call", () => {
  for (const id of [
    "1",
    "0",
    "-1",
    "1.0",
    "1e400",
    "12345678901234567890",
    '"a"',
    '""',
    '"\\u00e9\\"😀"',
    '"12345678901234567890"',
    "null"
  ])
    it(`has a response with its id as written: ${id}`, function* () {
      assert.deepStrictEqual(yield* echo.post(single(`"id" : ${id} ,`)), {
        status: 200,
        body: `{"jsonrpc":"2.0","id":${id},"result":[1]}`
      })
    })

  it("is a notification if it has no id: it is sent, and has no response", function* () {
    const { requests, post } = over(node(() => 1))
    assert.deepStrictEqual(yield* post(single("")), { status: 204, body: undefined })
    assert.lengthOf(requests, 1)
  })

  it("has no response if it is a notification, even if its method is rejected", function* () {
    const { requests, post } = over(node(() => 1))
    assert.deepStrictEqual(yield* post('{"jsonrpc":"2.0","method":"admin_peers"}'), { status: 204, body: undefined })
    assert.lengthOf(requests, 0)
  })

  it("is parsed as JSON, with escapes in names and with duplicate names", function* () {
    const { requests, post } = over(node(({ params }) => params))
    const written = '{"id":1,"\\u0069d":2,"method":"x","m\\u0065thod":"read","params":[1],"p\\u0061rams":[2.0]}'
    assert.deepStrictEqual(yield* post(written), { status: 200, body: '{"jsonrpc":"2.0","id":2,"result":[2]}' })
    assert.include(requests[0]?.body, '"params":[2.0]')
  })

  it("is sent without parameters if `params` is null, as Solana clients write it", function* () {
    const { requests, post } = over(node(() => 1))
    const { status } = yield* post('{"jsonrpc":"2.0","id":1,"method":"read","params":null}')
    assert.strictEqual(status, 200)
    assert.notInclude(requests[0]?.body, "params")
  })

  for (const [what, written, id] of [
    ["is not an object", "1", "null"],
    ["is null", "null", "null"],
    ["has no method", '{"jsonrpc":"2.0","id":7}', "7"],
    ["has a method that is not a string", '{"jsonrpc":"2.0","id":7,"method":1}', "7"],
    ["has an empty method", '{"id":7,"method":""}', "7"],
    ["has another version", '{"jsonrpc":"1.0","id":"a","method":"read"}', '"a"'],
    ["has parameters that are not a list", '{"id":7,"method":"read","params":"x"}', "7"],
    ["has an id that is an object", '{"id":{},"method":"read"}', "null"],
    ["has an id that is true", '{"id":true,"method":"read"}', "null"]
  ] as const)
    it(`is rejected with its id, and not sent to a node, if it ${what}`, function* () {
      const { requests, post } = over(() => refused)
      const response = yield* post(written)
      assert.strictEqual(response.status, 400)
      assert.match(response.body ?? "", new RegExp(`^\\{"jsonrpc":"2.0","id":${id},"error":\\{"code":-32600,`))
      assert.lengthOf(requests, 0)
    })

  for (const method of [
    "admin_addPeer",
    "personal_unlockAccount",
    "miner_start",
    "debug_traceTransaction",
    "engine_newPayloadV3",
    "txpool_content",
    "ADMIN_nodeInfo",
    "Personal_sign",
    " debug_setHead",
    "\\tTxPool_inspect",
    "\\u0061dmin_peers",
    "account_sign",
    "Dev_x",
    "signer_x",
    "PRIV_call",
    "eea_sendRawTransaction",
    "tenderly_setBalance",
    "_admin",
    "admin/peers",
    "rpc.discover",
    "eth_call ",
    "eth\\u0000_call",
    "1eth"
  ])
    it(`is rejected if its method is not public: ${method}`, function* () {
      const { requests, post } = over(() => refused)
      const response = yield* post(`{"jsonrpc":"2.0","id":"x","method":"${method}","params":[]}`)
      assert.strictEqual(response.status, 403)
      assert.deepInclude(JSON.parse(response.body ?? ""), { id: "x" })
      assert.strictEqual(JSON.parse(response.body ?? "").error.code, -32601)
      assert.lengthOf(requests, 0)
    })

  it("returns 502 with its id, without the addresses of the nodes, if no node responds", function* () {
    const response = yield* over(() => refused).post(single('"id":12345678901234567890,'))
    assert.strictEqual(response.status, 502)
    assert.match(response.body ?? "", /^\{"jsonrpc":"2\.0","id":12345678901234567890,"error":\{"code":-32000,/)
    assert.notInclude(response.body ?? "", "example")
  })

  it("returns 504 with its id if no node responds in time", function* () {
    for (const method of ["read", "send"])
      assert.deepStrictEqual(
        yield* over(() => neverResponds, { deadline: 500 }).post(`{"id":"a","method":"${method}"}`),
        {
          status: 504,
          body: '{"jsonrpc":"2.0","id":"a","error":{"code":-32000,"message":"no node answered within 500 ms"}}'
        }
      )
  })

  it("returns 501 with its id if the network has no nodes", function* () {
    const response = yield* over(() => refused, { urls: [] }).post('{"id":"a","method":"read"}')
    assert.strictEqual(response.status, 501)
    assert.match(response.body ?? "", /^\{"jsonrpc":"2\.0","id":"a","error":\{"code":-32000,/)
  })
})

describe("a batch of calls", () => {
  it("has its responses in order, each with its id", function* () {
    const { body: response, status } = yield* echo.post(
      '[{"id":3,"method":"read","params":[3]}, {"id":"a","method":"send","params":[1]},{"id":1.0,"method":"read","params":[2]}]'
    )
    assert.strictEqual(status, 200)
    assert.strictEqual(
      response,
      '[{"jsonrpc":"2.0","id":3,"result":[3]},{"jsonrpc":"2.0","id":"a","result":[1]},{"jsonrpc":"2.0","id":1.0,"result":[2]}]'
    )
  })

  const many = (count: number) =>
    `[${Array.from({ length: count }, (_, index) => `{"id":${index},"method":"read","params":[${index}]}`).join(",")}]`

  for (const [count, expected] of [
    [100, 1],
    [101, 2],
    [1_000, 10]
  ] as const)
    it(`with ${count} calls is sent to a node in ${expected} requests, and has its responses in order`, function* () {
      const { requests, post } = over(node(({ params }) => params))
      const { body: response, status } = yield* post(many(count))
      assert.strictEqual(status, 200)
      assert.deepStrictEqual(
        JSON.parse(response ?? ""),
        Array.from({ length: count }, (_, index) => ({ jsonrpc: "2.0", id: index, result: [index] }))
      )
      assert.lengthOf(requests, expected)
      assert.isTrue(requests.every((request) => sent(request).length <= 100))
    })

  it("has errors for the calls of a request that every node fails, and results for the others", function* () {
    const fine = node(({ params }) => params)
    const { post } = over((request) =>
      sent(request).some(({ params }) => String(params) === "150") ? refused : fine(request)
    )
    const { body: response, status } = yield* post(many(250))
    assert.strictEqual(status, 200)
    const all = JSON.parse(response ?? "") as ReadonlyArray<{
      id: number
      result?: unknown
      error?: { code: number }
    }>
    assert.deepStrictEqual(
      all.map(({ id, result }) => (result === undefined ? undefined : id)).filter((id) => id !== undefined),
      Array.from({ length: 250 }, (_, index) => index).filter((index) => index < 100 || index >= 200)
    )
    assert.deepStrictEqual([...new Set(all.map(({ error }) => error?.code))], [undefined, -32000])
  })

  it("is rejected unless it has 1 to 1,000 calls", function* () {
    const { requests, post } = over(node(({ params }) => params))
    for (const written of [many(1_001), "[]"]) {
      const { body: response, status } = yield* post(written)
      assert.strictEqual(status, 400)
      assert.match(response ?? "", /^\{"jsonrpc":"2\.0","id":null,"error":\{"code":-32600,.* 1 to 1000 calls/)
    }
    assert.deepStrictEqual(requests, [])
  })

  it("has an error for each invalid call, and executes the others", function* () {
    const { body: response, status } = yield* echo.post(
      '[1,{"id":2,"method":"read","params":[2]},null,[],{"id":3},{"id":4,"method":"Admin_x"},{"method":"read"}]'
    )
    assert.strictEqual(status, 200)
    const all = JSON.parse(response ?? "") as ReadonlyArray<{ id: unknown; error?: { code: number } }>
    assert.deepStrictEqual(
      all.map(({ error, id }) => [id, error?.code]),
      [
        [null, -32600],
        [2, undefined],
        [null, -32600],
        [null, -32600],
        [3, -32600],
        [4, -32601]
      ]
    )
  })

  it("has two responses for a repeated id, and sends equal reads once", function* () {
    const { requests, post } = over(node(({ params }) => params))
    const read = '{"id":1,"method":"read","params":[1]}'
    const send = '{"id":1,"method":"send","params":[2]}'
    const { body: response } = yield* post(`[${read},${send},${send},${read.replace("1", "null")}]`)
    const reply = (id: string, result: string) => `{"jsonrpc":"2.0","id":${id},"result":${result}}`
    assert.strictEqual(
      response,
      `[${reply("1", "[1]")},${reply("1", "[2]")},${reply("1", "[2]")},${reply("null", "[1]")}]`
    )
    assert.deepStrictEqual(methods(requests), ["read", "send", "send", "read"])
    const both = over(node(({ params }) => params))
    yield* both.post(`[${read},${read},${read}]`)
    assert.deepStrictEqual(methods(both.requests), ["read"])
  })

  it("has the responses that arrived in time, and errors for the other calls", function* () {
    const found = node(({ method }) => (method === "read" ? 1 : 2))
    const { post } = over(
      (requests) => (sent(requests).some(({ method }) => method === "slow") ? neverResponds : found(requests)),
      {
        deadline: 1_500
      }
    )
    const { body: response, status } = yield* post(
      '[{"id":1,"method":"read"},{"id":2,"method":"send"},{"id":3,"method":"slow"}]'
    )
    assert.strictEqual(status, 200)
    assert.match(
      response ?? "",
      /^\[\{"jsonrpc":"2\.0","id":1,"result":1\},\{"jsonrpc":"2\.0","id":2,"result":2\},\{"jsonrpc":"2\.0","id":3,"error":\{"code":-32000,/
    )
  })

  it("is sent and has no response if it contains only notifications", function* () {
    const { requests, post } = over(node(() => 1))
    assert.deepStrictEqual(yield* post('[{"method":"read"},{"method":"send"}]'), { status: 204, body: undefined })
    assert.deepStrictEqual(methods(requests), ["read", "send"])
  })

  it("has the status of its best response", function* () {
    assert.strictEqual((yield* echo.post('[{"id":1,"method":"admin_x"}]')).status, 403)
    assert.strictEqual((yield* echo.post('[{"id":1,"method":"admin_x"},2]')).status, 400)
    const failing = over(() => refused)
    assert.strictEqual((yield* failing.post('[{"id":1,"method":"read"},{"id":2,"method":"slow"}]')).status, 502)
  })
})

const proxied = (handler: Handler, environment: Readonly<Record<string, string>> = {}) => {
  const outside = simulatedClient(handler)
  return {
    requests: outside.requests,
    service: Service.layer(
      {
        BASE_RPC_URLS: "https://one.example,https://two.example",
        SOLANA_RPC_URLS: "https://one.example",
        ...environment
      },
      sandboxExcept(/^(base|solana)-rpc$/, outside.layer)
    )
  }
}

const post = (path: string, written: string) =>
  Effect.flatMap(Service, ({ handler }) =>
    Effect.promise(() =>
      handler(
        new Request(`http://wallet.test${path}`, {
          method: "POST",
          body: written,
          headers: { "content-type": "application/json" }
        })
      )
    )
  )

interface Problem {
  readonly status: number
  readonly detail: string
  readonly jsonrpc?: string
  readonly id?: unknown
  readonly error?: { readonly code: number }
}

describe("POST /utils/rpc/{network}", () => {
  it.live("rejects a body that is not JSON with a problem that is also a JSON-RPC error", () =>
    Effect.gen(function* () {
      for (const written of ["", "{", '{"id":1,}', '{"id":1}x', "<a>"]) {
        const response = yield* post("/utils/rpc/base", written)
        assert.strictEqual(response.status, 400)
        assert.match(response.headers.get("content-type") ?? "", /^application\/problem\+json/)
        const problem = yield* body<Problem>(response)
        assert.deepInclude(problem, { status: 400, jsonrpc: "2.0", id: null })
        assert.strictEqual(problem.error?.code, -32700)
      }
    }).pipe(Effect.provide(proxied(() => refused).service))
  )

  it.live("lists the available networks if the network is unknown", () =>
    Effect.gen(function* () {
      for (const [path, known] of [
        ["/utils/rpc/unheard", /ethereum.*base.*ton/],
        ["/utils/rpc/bitcoin", /ethereum/],
        ["/utils/rpc/ethereum/testnet", /base.*ton/]
      ] as const) {
        const response = yield* post(path, "{}")
        assert.strictEqual(response.status, 404)
        const { detail } = yield* body<Problem>(response)
        assert.match(detail, known)
        assert.notMatch(detail.split("there are for")[1] ?? "", /bitcoin|unheard/)
      }
    }).pipe(Effect.provide(proxied(() => refused).service))
  )

  const nasty = '{ "a":1.0,"b" : 12345678901234567890,"c":1e400, "d":"\\u00e9\\/" ,"e":[ ] }'

  it.live("returns a result or an error of the node character by character", function* () {
    for (const member of ["result", "error"] as const) {
      const { service } = proxied((requests) =>
        text(`{"id":${sent(requests)[0]?.id}, "${member}" : ${nasty},"jsonrpc":"2.0"}`)
      )
      const response = yield* Effect.provide(
        post("/utils/rpc/BASE", '{"id":9,"method":"eth_call","params":[{}]}'),
        service
      )
      assert.strictEqual(response.status, 200)
      assert.strictEqual(yield* textOf(response), `{"jsonrpc":"2.0","id":9,"${member}":${nasty}}`)
    }
  })

  it.live("reports in /networks and /metrics which nodes fail", () => {
    const { service } = proxied(
      byHost({ "one.example": () => text("down", { status: 500 }), "two.example": node(() => "0x2105") })
    )
    return Effect.gen(function* () {
      const { get } = yield* Service
      assert.strictEqual((yield* post("/utils/rpc/base", '{"id":9,"method":"eth_chainId"}')).status, 200)
      const networks = yield* textOf(yield* get("/networks"))
      // The circuit is open for a second after the failure.
      assert.match(networks, /"circuits":\["(half-)?open","closed"\]/)
      const lines = (yield* textOf(yield* get("/metrics"))).split("\n")
      const of = (outcome: string) =>
        lines.some(
          (line) => line.startsWith("upstream_calls_total") && line.includes("base-rpc") && line.includes(outcome)
        )
      assert.isTrue(of("upstream_error"))
      assert.isTrue(of("ok"))
      assert.isTrue(lines.some((line) => /circuit/.test(line) && line.includes("base-rpc")))
    }).pipe(Effect.provide(service))
  })
})

/** Asserts that the proxy returns the text of a Solana node with the client's id, or 502 for a 429. */
const assertForwarded = ({ request, response }: Exchange, reply: Reply, written: string) => {
  const { service } = proxied(() => reply)
  const call = { ...(request.body as object), id: "mine" }
  return Effect.gen(function* () {
    const passed = yield* post("/utils/rpc/solana", JSON.stringify(call))
    if (response.status === 429) {
      assert.strictEqual(passed.status, 502)
      assert.deepInclude(yield* body<Problem>(passed), { id: "mine" })
      return
    }
    assert.strictEqual(passed.status, 200)
    assert.strictEqual(yield* textOf(passed), written)
  }).pipe(Effect.provide(service))
}

describe("responses of Solana nodes through the proxy", () => {
  for (const name of ["proxied-account", "proxied-refusal", "proxied-limit-429"])
    it.live(`have the id of the client: ${name}`, function* () {
      const exchange = sample("solana", name)
      const sent = yield* Effect.flatMap(replay(exchange), textOf)
      yield* assertForwarded(exchange, replay(exchange), sent.replace('"id":1,', '"id":"mine",'))
    })
})

recorded("recorded responses of Solana nodes through the proxy", () => {
  for (const name of cases("solana"))
    it.live(`have the id of the client: ${name}`, () => {
      const exchange = fixture("solana", name)
      const { response } = exchange
      const content = response.body as { readonly error?: unknown; readonly result?: unknown }
      const [member, value] = content.error === undefined ? ["result", content.result] : ["error", content.error]
      return assertForwarded(
        exchange,
        replay({ ...exchange, response: { ...response, body: { ...content, id: 1 } } }),
        `{"jsonrpc":"2.0","id":"mine","${member}":${JSON.stringify(value)}}`
      )
    })
})
