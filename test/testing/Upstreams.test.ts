import * as Effect from "effect/Effect"
import { Networks, Prices, Service, type UpstreamRequest, Upstreams } from "../../src/testing/index.ts"
import { holder } from "../support/sandbox.ts"
import { assert, describe, it } from "../support/vitest.ts"

const address = holder(1)
const bitcoinAddress = "1A1zP1eP5QGefi2DMPTfTL5SLmv7DivfNa"

const over = (upstreams: Upstreams.Upstreams, ...networks: ReadonlyArray<string>) =>
  Service.layer({
    networks: Networks.only(...(networks.length === 0 ? ["ethereum"] : networks)),
    prices: [Prices.fixed({ ethereum: 3_000, bitcoin: 60_000 })],
    upstreams
  })

/** The native row of an address. */
const native = (network: string, of: string) =>
  Effect.flatMap(Service, ({ api }) =>
    Effect.map(api.balances.balances({ payload: { networks: { [network]: [of] } } }), ([row]) => row)
  )

/** Calls a node through the service. */
const rpc = (body: unknown) =>
  Effect.flatMap(Service, ({ fetch }) =>
    Effect.flatMap(
      fetch("/utils/rpc/ethereum", {
        method: "POST",
        headers: { "content-type": "application/json" },
        body: JSON.stringify(body)
      }),
      (response) => Effect.promise(() => response.json() as Promise<unknown>)
    )
  )

const call = (id: number, method: string, ...params: ReadonlyArray<unknown>) => ({ jsonrpc: "2.0", id, method, params })

const json = (response: Response) => Effect.promise(() => response.json() as Promise<Record<string, unknown>>)

describe("an edit", () => {
  it.live("changes the sandbox's response", () =>
    Effect.gen(function* () {
      const row = yield* native("bitcoin", bitcoinAddress)
      assert.strictEqual(row?.balance, "1.5")
    }).pipe(
      Effect.provide(
        over(
          Upstreams.sandbox.pipe(
            Upstreams.edit("bitcoin-esplora", ({ request, response }) =>
              request.url.includes(bitcoinAddress)
                ? Effect.map(json(response), (body) =>
                    Response.json({
                      ...body,
                      chain_stats: { funded_txo_sum: 150_000_000, spent_txo_sum: 0, tx_count: 1 }
                    })
                  )
                : response
            )
          ),
          "bitcoin"
        )
      )
    )
  )

  it.live("records every exchange and changes a single exchange, also after reading the others", function* () {
    const exchanges: Array<UpstreamRequest & { readonly status: number; readonly text: string }> = []
    const recorded = (changed?: string) =>
      Effect.gen(function* () {
        exchanges.length = 0
        const row = yield* native("bitcoin", bitcoinAddress)
        const { requests } = yield* Service
        return { row, changed: requests.filter(({ response }) => response?.body === '{"error":"changed"}') }
      }).pipe(
        Effect.provide(
          over(
            Upstreams.sandbox.pipe(
              Upstreams.edit(
                () => true,
                ({ request, response }) =>
                  response.text().then((text) => {
                    const isFirst = exchanges.every(({ url }) => url !== request.url)
                    exchanges.push({ ...request, status: response.status, text })
                    return isFirst && request.url === changed
                      ? Response.json({ error: "changed" }, { status: 500 })
                      : response
                  })
              )
            ),
            "bitcoin"
          )
        )
      )
    const before = yield* recorded()
    assert.isString(before.row?.balance)
    assert.isEmpty(before.changed)
    const [exchange] = exchanges.filter(({ url }) => url.includes(bitcoinAddress))
    assert.deepInclude(exchange, { upstream: "bitcoin-esplora", method: "GET", status: 200 })
    assert.include(exchange?.text, '"chain_stats"')
    const after = yield* recorded(exchange?.url)
    assert.strictEqual(after.row?.balance, before.row?.balance)
    assert.lengthOf(after.changed, 1)
  })

  it.live("gets the responses of earlier steps, and is not called without a response", () =>
    Effect.gen(function* () {
      const row = yield* native("bitcoin", bitcoinAddress)
      assert.isString(row?.balance)
      const { requests, unused } = yield* Service
      assert.isTrue(requests.some(({ upstream }) => upstream === "bitcoin-esplora"))
      assert.deepStrictEqual(yield* unused, [])
    }).pipe(
      Effect.provide(
        over(
          Upstreams.sandbox.pipe(
            Upstreams.fault("bitcoin-esplora", "reset"),
            Upstreams.edit("bitcoin-esplora", () => Effect.dieMessage("there is no response"))
          ),
          "bitcoin"
        )
      )
    )
  )
})

describe("an edit of calls", () => {
  const counted: Array<unknown> = []
  const edited = over(
    Upstreams.sandbox.pipe(
      Upstreams.editCall("ethereum-rpc", "eth_getBalance", ({ params, result }) => {
        counted.push(params)
        return {
          result: (params as ReadonlyArray<unknown>)[0] === address.toLowerCase() ? "0x4563918244f40000" : result
        }
      }),
      Upstreams.editCall("ethereum-rpc", "eth_gasPrice", () => ({ error: { code: -32000, message: "no gas price" } }))
    )
  )

  it.live("gets each call of a batch on its own", () =>
    Effect.gen(function* () {
      const other = holder(2)
      const result = yield* rpc([
        call(7, "eth_chainId"),
        call(8, "eth_getBalance", address.toLowerCase(), "latest"),
        call(9, "eth_getBalance", other.toLowerCase(), "latest"),
        call(10, "eth_gasPrice")
      ])
      assert.deepInclude((result as ReadonlyArray<unknown>)[0], { id: 7, result: "0x1" })
      assert.deepInclude((result as ReadonlyArray<unknown>)[1], { id: 8, result: "0x4563918244f40000" })
      assert.match(JSON.stringify((result as ReadonlyArray<unknown>)[2]), /"result":"0x[0-9a-f]+"/)
      assert.match(JSON.stringify((result as ReadonlyArray<unknown>)[3]), /no gas price/)
      assert.isAtLeast(counted.length, 2)
    }).pipe(Effect.provide(edited))
  )

  it.live("changes a single call", () =>
    Effect.gen(function* () {
      const result = yield* rpc(call(1, "eth_getBalance", address.toLowerCase(), "latest"))
      assert.deepInclude(result, { id: 1, result: "0x4563918244f40000" })
    }).pipe(Effect.provide(edited))
  )
})

describe("a mock", () => {
  it.live("gets the response that it replaces", () =>
    Effect.gen(function* () {
      const row = yield* native("bitcoin", bitcoinAddress)
      assert.isString(row?.balance)
      const { requests } = yield* Service
      const headers = requests.flatMap(({ response, upstream }) =>
        upstream === "bitcoin-esplora" ? [response?.headers] : []
      )
      assert.isNotEmpty(headers)
      assert.deepInclude(headers[0], { "x-mocks": "inner, outer" })
    }).pipe(
      Effect.provide(
        over(
          Upstreams.sandbox.pipe(
            Upstreams.mock("bitcoin-esplora", (_, next) =>
              next().then((response) => new Response(response.body, { headers: { "x-mocks": "inner" } }))
            ),
            Upstreams.mock("bitcoin-esplora", (_, next) =>
              next().then((response) => {
                const mocks = `${response.headers.get("x-mocks")}, outer`
                return new Response(response.body, { headers: { "x-mocks": mocks } })
              })
            )
          ),
          "bitcoin"
        )
      )
    )
  )

  it.live("breaks the connection only with BrokenConnection", () =>
    Effect.gen(function* () {
      const row = yield* native("bitcoin", bitcoinAddress)
      assert.deepInclude(row, { balance: null, errorCode: "upstream_error" })
      assert.include(row?.error, "could not be reached")
      assert.deepStrictEqual(yield* (yield* Service).unused, [])
    }).pipe(
      Effect.provide(
        over(
          Upstreams.none.pipe(
            Upstreams.mock("bitcoin-esplora", () => {
              throw new Upstreams.BrokenConnection("closed")
            }),
            // The connection that the first mock breaks is broken for the second one too.
            Upstreams.mock("bitcoin-esplora", (_, next) => next()),
            Upstreams.mock("bitcoin-blockbook", () => Promise.reject(new Upstreams.BrokenConnection("closed"))),
            Upstreams.mock("bitcoin-blockchain-info", () => Effect.fail(new Upstreams.BrokenConnection("closed")))
          ),
          "bitcoin"
        )
      )
    )
  )
})

describe("the requests to upstreams", () => {
  it.live("have their responses", () =>
    Effect.gen(function* () {
      yield* native("bitcoin", bitcoinAddress)
      const { requests } = yield* Service
      const [first] = requests.filter(({ upstream }) => upstream === "bitcoin-esplora")
      assert.deepInclude(first?.response, { status: 418, body: "short and stout" })
      assert.strictEqual(first?.response?.headers["x-pot"], "tea")
      const [second] = requests.filter(({ upstream }) => upstream === "bitcoin-blockchain-info")
      assert.isDefined(second)
      assert.isUndefined(second?.response)
      const [third] = requests.filter(({ upstream }) => upstream === "bitcoin-blockbook")
      assert.strictEqual(third?.response?.body, "x".repeat(200_000))
    }).pipe(
      Effect.provide(
        over(
          Upstreams.none.pipe(
            Upstreams.mock(
              "bitcoin-esplora",
              () => new Response("short and stout", { status: 418, headers: { "x-pot": "tea" } })
            ),
            Upstreams.mock("bitcoin-blockbook", () => new Response(new Blob(["x".repeat(200_000)]).stream()))
          ),
          "bitcoin"
        )
      )
    )
  )
})
