import * as Effect from "effect/Effect"
import { type ClientOptions, make, type WalletData } from "../../src/client/Client.ts"
import { Service } from "../support/app.ts"
import { operations } from "../support/document.ts"
import { blockNumber } from "../support/requests.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { calls, networks } from "./calls.ts"
import { failure as failureOf } from "./failure.ts"

/** Operations for which the client only returns a URL. */
const addresses: Readonly<Record<string, (client: WalletData) => string>> = {
  "balances.stream": ({ balances }) => balances.eventsUrl({ networks }),
  "history.stream": ({ history }) => history.eventsUrl({ networks, limit: 2, meta: true }),
  "history.export": ({ history }) => history.exportUrl({ networks }),
  "icons.icon": ({ iconUrl }) => iconUrl("bitcoin")
}

/** A client of the service, and its exchanges. */
const connected = (options: Partial<ClientOptions> = {}) =>
  Effect.map(Service, ({ handler }) => {
    const exchanges: Array<{ readonly request: Request; readonly response: Response }> = []
    const client = make({
      baseUrl: "http://wallet.test/",
      fetch: async (url, init) => {
        const request = new Request(url, init)
        const response = await handler(request)
        exchanges.push({ request, response: response.clone() as Response })
        return response
      },
      ...options
    })
    return { client, exchanges }
  })

const failure = (promise: PromiseLike<unknown>) => Effect.promise(() => failureOf(promise))

/** True if a request path matches an operation's path template. */
const isAt = (template: string, path: string) =>
  new RegExp(`^${template.replace(/#.*$/, "").replace(/\{\w+\}/g, "[^/]+")}$`).test(path)

layer(Service.layer(), { excludeTestServices: true })("the client, over the service", (it) => {
  it.effect("has a method for every operation", () =>
    Effect.sync(() =>
      assert.sameMembers(
        [...Object.keys(calls), ...Object.keys(addresses)],
        operations.map(({ operation }) => operation.operationId)
      )
    )
  )

  it("has the names of the document: the group is the tag, and a method named as its group is the group", function* () {
    const { client } = yield* connected()
    for (const { operation } of operations) {
      const [group = "", name = ""] = operation.operationId.split(".")
      assert.deepStrictEqual(
        operation.tags?.map((tag) => tag.toLowerCase()),
        [group]
      )
      const own = (client as unknown as Record<string, Record<string, unknown>>)[group]
      const isGroup = name === group || name === `${group}WithMeta`
      if (operation.operationId !== "icons.icon") assert.isFunction(isGroup ? own : own?.[name], operation.operationId)
    }
  })

  for (const { method, operation, path } of operations) {
    const { operationId } = operation
    const call = calls[operationId]
    if (call === undefined) continue
    it(`returns the response of ${operationId} as data, with its request id and partial failures`, function* () {
      const { client, exchanges } = yield* connected()
      if (operationId === "transactions.byHash") {
        const { post } = yield* Service
        yield* post("/history", { networks: { ethereum: [holder(1)] } })
      }
      const promise = call(client)
      const data = yield* Effect.promise(() => promise)
      assert.strictEqual(exchanges.length, 1)
      const [exchange] = exchanges
      const url = new URL(exchange?.request.url ?? "")
      assert.strictEqual(exchange?.request.method.toLowerCase(), method)
      assert.isTrue(isAt(path, url.pathname), url.pathname)
      const text = yield* Effect.promise(() => exchange?.response.text() ?? Promise.resolve(""))
      assert.deepStrictEqual(data, operationId === "status.metrics" ? text : JSON.parse(text))
      const answer = yield* Effect.promise(() => promise.withResponse())
      assert.strictEqual(answer.data, data)
      assert.strictEqual(answer.status, 200)
      assert.match(answer.requestId ?? "", /^[0-9a-f-]{36}$/)
      assert.strictEqual(exchanges.length, 1)
      const missing = exchange?.response.headers.get("x-partial-failures")
      assert.deepStrictEqual(answer.partialFailures, JSON.parse(missing ?? "[]"))
    })
  }

  it("returns the partial failures of a response", function* () {
    const { client } = yield* connected()
    const { partialFailures } = yield* Effect.promise(() => client.history({ networks }).withResponse())
    assert.deepStrictEqual(partialFailures, [
      {
        network: "zkevm",
        address: holder(1),
        message: "Polygon zkEVM was shut down on 2026-07-01",
        errorCode: "sunset"
      }
    ])
  })

  it("streams the same balances and histories as plain requests, with partial failures", function* () {
    const { client } = yield* connected()
    const sorted = (items: ReadonlyArray<unknown>) => items.map((row) => JSON.stringify(row)).sort()
    const rows = yield* Effect.promise(() => Array.fromAsync(client.balances.stream({ networks })))
    assert.deepStrictEqual(sorted(rows), sorted(yield* Effect.promise(() => client.balances({ networks }))))
    const stream = client.history.stream({ networks, limit: 2, meta: true })
    const parts = yield* Effect.promise(() => Array.fromAsync(stream))
    const whole = yield* Effect.promise(() => client.history({ networks, limit: 2, meta: true }))
    assert.deepStrictEqual(Object.assign({}, ...parts.map(({ data }) => data)), whole.data)
    assert.deepStrictEqual(stream.failures, [
      {
        network: "zkevm",
        address: holder(1),
        message: "Polygon zkEVM was shut down on 2026-07-01",
        errorCode: "sunset"
      }
    ])
    for (const part of parts) assert.notProperty(part, "failures")
  })

  it("reads histories page by page and as an export", function* () {
    const { client, exchanges } = yield* connected()
    const wanted = { networks: { ethereum: [holder(1)], zkevm: [holder(1)] } }
    const pages = yield* Effect.promise(() => Array.fromAsync(client.history.pages({ ...wanted, limit: 5 })))
    assert.strictEqual(exchanges.length, pages.length)
    const paged = pages.flatMap(({ data }) => data.ethereum?.[holder(1)] ?? []).map(({ hash }) => hash)
    const whole = client.history.export(wanted)
    const exported = yield* Effect.promise(() => Array.fromAsync(whole))
    assert.isAbove(pages.length, 1)
    assert.strictEqual(new Set(paged).size, paged.length)
    assert.sameMembers(
      paged,
      exported.map(({ hash }) => hash)
    )
    assert.isTrue(whole.failures.some(({ network }) => network === "zkevm"))
    const file = yield* Effect.promise(() => client.history.exportFile(wanted))
    assert.match(file.type, /^text\/csv/)
    const text = yield* Effect.promise(() => file.text())
    for (const { hash } of exported) assert.include(text, hash)
    // zkevm was shut down.
    assert.match(text, /\r\n,,,,INCOMPLETE,{12}\d+\r\n$/)
    const complete = yield* Effect.promise(() => client.history.exportFile({ networks: { ethereum: [holder(1)] } }))
    assert.match(yield* Effect.promise(() => complete.text()), /\r\n,,,,COMPLETE,{12}\d+\r\n$/)
    const lines = yield* Effect.promise(() => client.history.exportFile(wanted, "ndjson"))
    assert.match(yield* Effect.promise(() => lines.text()), /\n\{"done":true,"failures":1\}\n$/)
  })

  it("returns the URL of a stream that continues after a page", function* () {
    const { client } = yield* connected()
    const { get } = yield* Service
    const request = { networks: { ethereum: [holder(1)] }, limit: 2, meta: true as const }
    const page = yield* Effect.promise(() => client.history(request))
    const cursors = { ethereum: { [holder(1)]: page.meta.ethereum?.[holder(1)]?.next ?? "" } }
    const next = yield* Effect.promise(() => client.history({ ...request, cursors }))
    const url = new URL(client.history.eventsUrl({ ...request, cursors }))
    const events = yield* get(`${url.pathname}${url.search}`)
    const text = yield* Effect.promise(() => events.text())
    for (const { hash } of next.data.ethereum?.[holder(1)] ?? []) assert.include(text, hash)
    for (const { hash } of page.data.ethereum?.[holder(1)] ?? []) assert.notInclude(text, `"hash":"${hash}"`)
  })

  it("returns the URLs of the event streams, of the export file and of icons", function* () {
    const { client } = yield* connected()
    const { get } = yield* Service
    for (const [operationId, address] of Object.entries(addresses)) {
      const url = new URL(address(client))
      const { path } = operations.find(({ operation }) => operation.operationId === operationId) ?? { path: "" }
      assert.isTrue(isAt(path, url.pathname), url.pathname)
      const response = yield* get(url.pathname + url.search)
      assert.match(response.headers.get("content-type") ?? "", /^(text\/(event-stream$|csv;)|image\/)/, url.href)
    }
  })

  it("revalidates a response with an ETag, and returns a separate value to every caller", function* () {
    const { client, exchanges } = yield* connected()
    const first = yield* Effect.promise(() => client.charts.item("bitcoin", 1).withResponse())
    const second = yield* Effect.promise(() => client.charts.item("bitcoin", 1).withResponse())
    assert.deepStrictEqual(
      exchanges.map(({ response }) => response.status),
      [200, 304]
    )
    assert.deepStrictEqual([first.cached, second.cached], [false, true])
    assert.deepStrictEqual(second.data, first.data)
    assert.notStrictEqual(second.data, first.data)
    const { client: other, exchanges: others } = yield* connected({ cache: false })
    for (let times = 0; times < 2; times++) yield* Effect.promise(() => other.charts.item("bitcoin", 1))
    assert.deepStrictEqual(
      others.map(({ response }) => response.status),
      [200, 200]
    )
  })

  it("fails with the service's problem", function* () {
    const { client } = yield* connected()
    const refused = yield* failure(client.prices.chain(["x"]))
    assert.deepInclude(refused, {
      kind: "problem",
      status: 400,
      type: "urn:problem-type:invalid-request",
      title: "Invalid request",
      name: "WalletDataError"
    })
    assert.strictEqual(refused.message, refused.detail)
    assert.strictEqual(refused.issues[0]?.path, "network_ids.0")
    assert.match(refused.requestId ?? "", /^[0-9a-f-]{36}$/)
    const streamed = client.balances.stream({ networks: { ethereum: Array(501).fill("x") } })
    assert.strictEqual((yield* failure(streamed.next())).type, "urn:problem-type:too-large")
    const missing = yield* failure(client.transactions.getRaw({ chain: "litecoin", tx: "0".repeat(64) }))
    assert.deepInclude(missing, { kind: "status", status: 404 })
    assert.isObject(missing.body)
  })

  it("returns JSON-RPC errors as data", function* () {
    const { client } = yield* connected()
    const { data, status } = yield* Effect.promise(() =>
      client.nodes.rpc<{ error: { code: number } }>("base", { ...blockNumber, method: "admin_peers" }).withResponse()
    )
    assert.deepStrictEqual([data.error.code, status], [-32601, 403])
    const silent = yield* Effect.promise(() => client.nodes.rpc("base", { jsonrpc: "2.0", method: "eth_chainId" }))
    assert.isUndefined(silent)
    const nowhere = yield* failure(client.nodes.rpc("nowhere", blockNumber))
    assert.strictEqual(nowhere.status, 404)
  })

  it("escapes special characters in parameters", function* () {
    const { client, exchanges } = yield* connected({ retries: 0 })
    yield* failure(client.prices.nativeDetails("a/../b?c#d"))
    assert.strictEqual(new URL(exchanges[0]?.request.url ?? "").pathname, "/price/coin/details/a%2F..%2Fb%3Fc%23d")
    yield* failure(client.faucet.fund("&x=1"))
    assert.strictEqual(new URL(exchanges[1]?.request.url ?? "").search, "")
  })
})

layer(Service.layer({ API_KEYS: "secret-of-a-test" }), { excludeTestServices: true })(
  "the client with an API key",
  (it) => {
    it("sends it with every request and stream", function* () {
      const { client } = yield* connected()
      assert.strictEqual((yield* failure(client.networks())).type, "urn:problem-type:unauthorized")
      const { client: known } = yield* connected({ apiKey: "secret-of-a-test" })
      assert.isNotEmpty(yield* Effect.promise(() => known.networks()))
      assert.isNotEmpty(yield* Effect.promise(() => Array.fromAsync(known.balances.stream({ networks }))))
    })
  }
)

layer(Service.layer({ APP_NAME: "lantern" }), { excludeTestServices: true })(
  "the client with another app name",
  (it) => {
    it("finds the charts", function* () {
      const { client } = yield* connected({ appName: "lantern" })
      assert.deepStrictEqual(yield* Effect.promise(() => client.charts.errors()), [])
    })
  }
)

describe("the client's options", (it) => {
  it("are validated by `make`", () => {
    for (const options of [
      { baseUrl: "http://a?b" },
      { baseUrl: "", timeout: -1 },
      { baseUrl: "", retries: Number.NaN }
    ])
      assert.throws(() => make(options), TypeError)
  })
})
