import * as FetchHttpClient from "@effect/platform/FetchHttpClient"
import * as HttpApiClient from "@effect/platform/HttpApiClient"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { Api } from "../src/contract/Api.ts"
import type { Balance as Row } from "../src/domain/Balance.ts"
import * as Balance from "../src/features/balances/handlers.ts"
import { Portfolio } from "../src/features/balances/Portfolio.ts"
import * as Sandbox from "../src/sandbox/Sandbox.ts"
import { CurrentUpstream } from "../src/upstream/CurrentUpstream.ts"
import { samples } from "./chains/families/samples.ts"
import { body, Service, textOf } from "./support/app.ts"
import { alerts, exported, namesIn, panelExpressions } from "./support/monitoring.ts"
import { requested, usdt } from "./support/requests.ts"
import { holder, holders } from "./support/sandbox.ts"
import { assert, describe, layer } from "./support/vitest.ts"

const networks = { ethereum: [holder(1)] }

const nowhere = {
  network: "nowhere",
  message: '"nowhere" is not a network of this service',
  errorCode: "unknown_network"
}

const natives = (rows: ReadonlyArray<Row>) => rows.filter(({ tokenType }) => tokenType === "NATIVE")
const places = (rows: ReadonlyArray<Row>) => natives(rows).map((row) => [row.blockchain, row.holderAddress])

/** The sandbox with some unreachable upstreams. */
const without = (isDown: (upstream: string) => boolean) =>
  Layer.map(Sandbox.layer(Catalogue.all), (context) => {
    const http = context.unsafeMap.get(HttpClient.HttpClient.key) as HttpClient.HttpClient
    const failing = HttpClient.transform(http, (answer, request) =>
      Effect.flatMap(CurrentUpstream, ({ name }) =>
        isDown(name) ? new HttpClientError.RequestError({ request, reason: "Transport" }) : answer
      )
    )
    return { ...context, unsafeMap: new Map([[HttpClient.HttpClient.key, failing]]) } as typeof context
  })

describe("the service over the sandbox", () => {
  layer(Service.layer(), { excludeTestServices: true })((it) => {
    it("returns 200, a documented status, and `x-sandbox` for every route of its OpenAPI document", function* () {
      const { get, post } = yield* Service
      for (const { body, id, method, path, statuses } of requested) {
        const response = yield* method === "GET" ? get(path) : post(path, body)
        assert.include(statuses, String(response.status), id)
        assert.strictEqual(response.status, 200, id)
        assert.strictEqual(response.headers.get("x-sandbox"), "true", id)
        assert.match(response.headers.get("x-request-id") ?? "", /^[0-9a-f-]{36}$/)
        const type = response.headers.get("content-type") ?? ""
        const [, special = ""] = /\.(stream|export)$/.exec(id) ?? []
        const types = { stream: /^text\/event-stream/, export: /^text\/csv/ }[special]
        assert.match(type, types ?? /^(application\/json|text\/plain|image\/svg)/, id)
      }
      for (const path of ["/openapi.json", "/docs", "/nowhere"])
        assert.strictEqual((yield* get(path)).headers.get("x-sandbox"), "true")
    })

    it("works with the typed client of the contract", function* () {
      const { handler } = yield* Service
      const fetch = ((input: URL, init?: RequestInit) => handler(new Request(input.href, init))) as unknown
      const client = yield* HttpApiClient.make(Api, { baseUrl: "http://wallet.test" }).pipe(
        Effect.provide(FetchHttpClient.layer)
      )
      const { rows, token } = yield* Effect.all({
        rows: client.balances.balances({ payload: { networks: { ethereum: holders(6), base: [holder(1)] } } }),
        token: client.balances.token({ payload: { networkId: "eth", address: holder(1) } })
      }).pipe(Effect.provideService(FetchHttpClient.Fetch, fetch as typeof globalThis.fetch))
      assert.strictEqual(natives(rows).length, 7)
      assert.isAbove(rows.length, 7)
      const native = rows.find((row) => row.holderAddress === holder(1))
      assert.deepStrictEqual(token, {
        balance: native?.balance ?? "",
        balanceUsd: native?.balanceUsd ?? "",
        price: native?.tokenPrice ?? ""
      })
    })

    it("accepts case-insensitive aliases, skips unknown networks, and keeps the order", function* () {
      const { post } = yield* Service
      const [a, b] = holders(2)
      const response = yield* post("/balance", {
        networks: { MATIC: [b, a, b], unheard: [a], Eth: [a, "0x12"], monero: ["x"], zkevm: [a] }
      })
      const rows = yield* body<ReadonlyArray<Row>>(response)
      assert.deepStrictEqual(places(rows), [
        ["polygon", b],
        ["polygon", a],
        ["polygon", b],
        ["ethereum", a],
        ["ethereum", "0x12"],
        ["zkevm", a]
      ])
      const of = (index: number) => {
        const starts = rows.flatMap((row, at) => (row.tokenType === "NATIVE" ? [at] : []))
        return rows.slice(starts[index], starts[index + 1])
      }
      assert.deepStrictEqual(of(2), of(0))
      assert.deepInclude(of(4)[0], { balance: null, errorCode: "invalid_address" })
      assert.deepInclude(of(5)[0], { balance: null, errorCode: "sunset" })
      for (const group of [of(0), of(1), of(3)]) {
        const worth = group.slice(1).map((row) => Number(row.balanceUsd))
        assert.deepStrictEqual(
          worth,
          [...worth].sort((x, y) => y - x)
        )
      }
    })

    it("streams the same rows as lines and as events, grouped by network", function* () {
      const { post } = yield* Service
      const requestBody = { networks: { ethereum: holders(3), base: holders(2), zkevm: holders(1), nowhere: ["x"] } }
      const plain = yield* body<ReadonlyArray<Row>>(yield* post("/balance", requestBody))
      const streamed = Effect.fnUntraced(function* (accept: string, line: RegExp) {
        const response = yield* post("/balance", requestBody, { accept })
        assert.strictEqual(response.headers.get("content-type"), accept)
        assert.strictEqual(response.headers.get("x-sandbox"), "true")
        const all = [...(yield* textOf(response)).matchAll(line)].map(([, json = ""]): unknown => JSON.parse(json))
        // The failures are the row of zkevm, which was shut down, and the unknown network.
        assert.deepStrictEqual(all.pop(), { done: true, failures: 2 })
        const [skipped, ...rows] = all
        assert.deepStrictEqual(skipped, { failures: [nowhere] })
        return rows as ReadonlyArray<Row>
      })
      const lines = yield* streamed("application/x-ndjson", /^(.+)\n/gm)
      const events = yield* streamed("text/event-stream", /^(?:event: done\n)?data: (.+)\n\n/gm)
      const byNetwork = (rows: ReadonlyArray<Row>) => Object.groupBy(rows, ({ blockchain }) => blockchain)
      const changes = (rows: ReadonlyArray<Row>) =>
        rows.filter((row, index) => row.blockchain !== rows[index - 1]?.blockchain).length
      for (const rows of [lines, events]) {
        assert.deepEqual(byNetwork(rows), byNetwork(plain))
        assert.strictEqual(changes(rows), 3)
      }
    })

    it("ends every stream with a final line or event, even if there are no rows", function* () {
      const { post } = yield* Service
      for (const networks of [{}, { ethereum: [] }]) {
        const lines = yield* post("/balance", { networks }, { accept: "application/x-ndjson" })
        assert.deepStrictEqual([lines.status, yield* textOf(lines)], [200, '{"done":true,"failures":0}\n'])
        const events = yield* post("/balance", { networks }, { accept: "text/event-stream" })
        assert.strictEqual(yield* textOf(events), 'event: done\ndata: {"done":true,"failures":0}\n\n')
      }
      const events = yield* textOf(
        yield* post("/balance", { networks: { bitcoin: ["nonsense", "1"] } }, { accept: "text/event-stream" })
      )
      assert.isTrue(events.endsWith('\n\nevent: done\ndata: {"done":true,"failures":2}\n\n'), events)
    })

    it("treats a null token, and a network's own token address of its coin, as the native coin", function* () {
      const { post } = yield* Service
      const zero = "0x0000000000000000000000000000000000000000"
      const names: Readonly<Record<string, ReadonlyArray<string>>> = {
        evm: [zero, zero.replace("x", "X")],
        tron: [zero, zero.replace("x", "X"), `41${"0".repeat(40)}`, "T9yD14Nj9j7xAB4dbGeiX9h8unkKHxuWwb"],
        sui: ["0x2::sui::SUI", `0x${"2".padStart(64, "0")}::sui::SUI`]
      }
      for (const info of Catalogue.all) {
        const [address = ""] = samples(info, 1)
        const query = (tokenAddress?: string | null) =>
          Effect.flatMap(
            post("/balance/token", {
              networkId: info.id,
              address,
              ...(tokenAddress === undefined ? {} : { tokenAddress })
            }),
            body<Row>
          )
        const native = yield* query()
        if (info.sunset === undefined) assert.isString(native.balance, info.id)
        for (const name of [null, ...(names[info.family] ?? [])])
          assert.deepStrictEqual(yield* query(name), native, `${info.id} ${name}`)
        if (info.id === "ethereum") assert.notDeepEqual(yield* query(usdt), native)
      }
    })

    it("rejects an empty token address, and explains how to request the native coin", function* () {
      const { post } = yield* Service
      const response = yield* post("/balance/token", {
        networkId: "ethereum",
        address: holder(1),
        tokenAddress: ""
      })
      assert.strictEqual(response.status, 400)
      const { issues } = yield* body<{ readonly issues: ReadonlyArray<{ path: string; message: string }> }>(response)
      assert.deepStrictEqual(issues, [
        {
          path: "tokenAddress",
          message: "must not be empty: leave it out, or send null, for the native coin"
        }
      ])
    })

    it("rejects a token of an unsupported network, and lists the supported ones", function* () {
      const { post } = yield* Service
      const response = yield* post("/balance/token", { networkId: "unheard", address: holder(1) })
      assert.strictEqual(response.status, 400)
      const { issues } = yield* body<{ readonly issues: ReadonlyArray<{ path: string; message: string }> }>(response)
      assert.strictEqual(issues[0]?.path, "networkId")
      for (const { id } of Catalogue.all) assert.include(issues[0]?.message, id)
    })

    it("reports for every network which abilities work, by which upstreams, or why not", function* () {
      const { get, post } = yield* Service
      yield* post("/balance", { networks: { ethereum: [holder(1)] } })
      const all = yield* body<ReadonlyArray<Described>>(yield* get("/networks"))
      assert.deepStrictEqual(
        all.map(({ id }) => id),
        Catalogue.all.map(({ id }) => id)
      )
      const of = (id: string) => all.find((network) => network.id === id)?.abilities
      const up = {
        available: true,
        upstreams: [
          {
            name: "ethereum-rpc",
            keyed: false,
            state: "up",
            circuits: Array.from({ length: 4 }, () => "closed"),
            callsPerOpen: 1
          }
        ]
      }
      assert.deepStrictEqual(of("ethereum")?.balance, up)
      const off = of("zkevm")?.balance
      assert.deepInclude(off ?? {}, { available: false })
      assert.match(off?.reason ?? "", /shut down on 2026-07-01/)
      for (const { abilities } of all)
        for (const ability of Object.values(abilities))
          assert.strictEqual(ability.reason === undefined, ability.available)
    })

    it("measures requests, upstreams, caches and token lists", function* () {
      const { get, post } = yield* Service
      yield* post("/balance", { networks: { ethereum: [holder(1)] } })
      const text = yield* textOf(yield* get("/metrics"))
      for (const line of [
        /^http_requests_total\{.*route="\/balance".*\} [1-9]/m,
        /^http_request_duration_seconds_bucket\{.*le="\+Inf".*\} [1-9]/m,
        /^upstream_calls_total\{.*upstream="ethereum-rpc".*\} [1-9]/m,
        /^upstream_call_duration_seconds_count\{.*upstream="coingecko-tokens".*\} [1-9]/m,
        /^cache_\w+\{.*\} \d/m,
        /^token_registry_tokens\{platform="ethereum"\} [1-9]/m,
        /^token_registry_age_seconds\{platform="avalanche"\} \d/m
      ])
        assert.match(text, line)
      assert.notInclude(text, holder(1))
      // Every combination of network and code exists without an event.
      const codes = /^(?:balance_rows_null|histories_incomplete)_total\{network="([^"]+)",code="\w+"\}/gm
      const counted = [...text.matchAll(codes)].map(([, network]) => network)
      for (const { id } of Catalogue.all)
        assert.lengthOf(
          counted.filter((network) => network === id),
          6 + 7,
          id
        )
    })

    it("exports the metrics and labels that the alerts and the dashboard use", function* () {
      const { get, post } = yield* Service
      yield* post("/balance", { networks: { ethereum: [holder(1)] } })
      const metrics = exported(yield* textOf(yield* get("/metrics")))
      // Made by Prometheus, or by keys, budgets, levers, charts, stores, the log, and the parent of workers.
      const others = /^(?:up$|api_key|upstream_budget|upstream_switched_off|levers|chart|store|limits|log|workers)/
      const absent: Array<string> = []
      for (const expression of [...alerts.map(({ expr }) => expr), ...panelExpressions]) {
        const { labels, metrics: named } = namesIn(expression)
        const known = new Set(["job", "instance", "le", "__name__"])
        absent.push(...named.filter((name) => !metrics.has(name) && !others.test(name)))
        if (named.some((name) => !metrics.has(name))) continue
        for (const name of named) for (const label of metrics.get(name) ?? []) known.add(label)
        assert.deepStrictEqual(
          labels.filter((label) => !known.has(label)),
          [],
          expression
        )
      }
      assert.deepStrictEqual(absent, [])
    })
  })

  layer(Service.layer({ MAX_ADDRESSES: "3" }), { excludeTestServices: true })((it) => {
    it("accepts addresses up to the limit over all networks, and rejects more with 413", function* () {
      const { post } = yield* Service
      const [a, b] = holders(2)
      const fits = yield* post("/balance", { networks: { ethereum: [a, b], base: [a] } })
      assert.strictEqual(fits.status, 200)
      const large = yield* post("/balance", { networks: { ethereum: [a, b], base: [a], unheard: [b] } })
      assert.strictEqual(large.status, 413)
      assert.strictEqual(large.headers.get("content-type"), "application/problem+json")
      assert.match((yield* body<{ readonly detail: string }>(large)).detail, /4 addresses; at most 3/)
    })
  })
})

interface Described {
  readonly id: string
  readonly abilities: Readonly<Record<string, { readonly available: boolean; readonly reason?: string }>>
}

describe.concurrent("the service with failing upstreams", () => {
  layer(
    Service.layer(
      {},
      without((name) => name === "coingecko-tokens")
    ),
    { excludeTestServices: true }
  )((it) => {
    it("returns native coins without a token list, and reports the missing tokens in a header", function* () {
      const { post } = yield* Service
      const response = yield* post("/balance", { networks: { ethereum: [holder(1)], zkevm: [holder(1)] } })
      assert.strictEqual(response.status, 200)
      const rows = yield* body<ReadonlyArray<Row>>(response)
      assert.deepStrictEqual(places(rows), [
        ["ethereum", holder(1)],
        ["zkevm", holder(1)]
      ])
      assert.isNotNull(rows[0]?.balance)
      const missing = JSON.parse(response.headers.get("x-partial-failures") ?? "")
      assert.deepStrictEqual(missing, [
        {
          network: "ethereum",
          message: "the list of its tokens is not loaded yet: native coins only",
          errorCode: "upstream_error"
        }
      ])
    })
  })

  // A high call budget, so that the next request does not wait for permits.
  layer(
    Service.layerSimulated(
      { COINGECKO_PER_SECOND: "1000" },
      without(() => true)
    )
  )((it) => {
    it("returns null with a reason for every address, and is alive and ready", function* () {
      const { get, post } = yield* Service
      const all = Object.fromEntries(Catalogue.all.map((info) => [info.id, samples(info, 2)]))
      const response = yield* post("/balance", { networks: all })
      assert.strictEqual(response.status, 200)
      const rows = yield* body<ReadonlyArray<Row>>(response)
      assert.strictEqual(rows.length, 2 * Catalogue.all.length)
      for (const row of rows) {
        assert.deepInclude(row, { tokenType: "NATIVE", balance: null, balanceUsd: null, tokenPrice: null })
        assert.strictEqual(row.errorCode, row.blockchain === "zkevm" ? "sunset" : "upstream_error")
        assert.match(row.error ?? "", /\w+ \w+/)
        assert.notMatch(row.error ?? "", /https?:/)
      }
      const single = yield* post("/balance/token", { networkId: "ethereum", address: holder(1), tokenAddress: usdt })
      assert.strictEqual(single.status, 200)
      assert.deepInclude(yield* body<Row>(single), { balance: null, balanceUsd: null, errorCode: "upstream_error" })
      const lines = yield* textOf(yield* post("/balance", { networks: all }, { accept: "application/x-ndjson" }))
      assert.strictEqual(lines.trim().split("\n").length, rows.length + 1)
      assert.isTrue(lines.endsWith(`{"done":true,"failures":${rows.length}}\n`))
      assert.strictEqual((yield* get("/health/live")).status, 200)
      const ready = yield* body<{ readonly upstreams: ReadonlyArray<{ name: string; state: string }> }>(
        yield* get("/health/ready")
      )
      assert.strictEqual(ready.upstreams.find(({ name }) => name === "ethereum-rpc")?.state, "down")
    })
  })

  const omission = { network: "ethereum", message: "später – 代币列表 🪙", errorCode: "upstream_error" } as const
  const listless = { rows: [], omissions: [omission] }
  const odd = Balance.layer.pipe(
    Layer.provide(
      Layer.succeed(Portfolio, {
        balances: () => Effect.succeed(listless),
        stream: () => Stream.make(listless, { rows: [], omissions: [] }),
        token: () => Effect.succeed(Option.none())
      })
    )
  )
  layer(Service.layerWith("balances", odd), { excludeTestServices: true })((it) => {
    it("reports missing parts in an ASCII header, even with non-ASCII text", function* () {
      const { post } = yield* Service
      const response = yield* post("/balance", { networks })
      assert.strictEqual(response.status, 200)
      const header = response.headers.get("x-partial-failures") ?? ""
      assert.match(header, /^[\x20-\x7e]+$/)
      assert.deepStrictEqual(JSON.parse(header), [omission])
    })

    it("reports missing parts of a stream in a separate line, and counts them", function* () {
      const { post } = yield* Service
      const lines = yield* textOf(yield* post("/balance", { networks }, { accept: "application/x-ndjson" }))
      assert.deepStrictEqual(
        lines
          .trim()
          .split("\n")
          .map((line): unknown => JSON.parse(line)),
        [{ failures: [omission] }, { done: true, failures: 1 }]
      )
    })
  })
})
