import { mkdirSync, readdirSync, readFileSync, rmSync, writeFileSync } from "node:fs"
import { join } from "node:path"
import * as FileSystem from "@effect/platform/FileSystem"
import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Logger from "effect/Logger"
import * as LogLevel from "effect/LogLevel"
import * as Redacted from "effect/Redacted"
import * as App from "../../../src/App.ts"
import { Chains } from "../../../src/chains/Chains.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { Portfolio } from "../../../src/features/balances/Portfolio.ts"
import { PriceSource } from "../../../src/features/prices/PriceSource.ts"
import * as DefiLlamaPrices from "../../../src/features/prices/sources/DefiLlamaPrices.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import { DefiLlama as DefiLlamaApi } from "../../../src/providers/DefiLlama.ts"
import { SettingError, Settings } from "../../../src/settings/Settings.ts"
import * as Recorder from "../../../src/upstream/record/Recorder.ts"
import * as Replay from "../../../src/upstream/record/Replay.ts"
import type { UpstreamResponse } from "../../../src/upstream/response/ResponseDecoder.ts"
import * as Transport from "../../../src/upstream/Transport.ts"
import * as Upstream from "../../../src/upstream/Upstream.ts"
import { Upstreams } from "../../../src/upstream/Upstreams.ts"
import { type Exchange, exchangesIn, fixture, recorded, sample, samplesOf } from "../../support/fixtures.ts"
import { json, type Reply, type SentRequest, simulatedClient, text } from "../../support/http.ts"
import { recordingFolders } from "../../support/recordingFolders.ts"
import { holders, sandboxEnvironment } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { telemetryRecorder } from "../../support/witness.ts"

const temporary = FileSystem.FileSystem.pipe(
  Effect.flatMap((files) => files.makeTempDirectoryScoped()),
  Effect.provide(BunFileSystem.layer)
)

const filesIn = (directory: string) =>
  readdirSync(directory, { recursive: true, encoding: "utf8" })
    .filter((name) => name.endsWith(".json"))
    .map((name) => readFileSync(join(directory, name), "utf8"))

const replaying = (directory: string) => Layer.provide(Replay.layer(directory), BunFileSystem.layer)

const recording = <E, R>(directory: string, live: Layer.Layer<HttpClient.HttpClient, E, R>) =>
  Recorder.layer(directory).pipe(Layer.provide(live), Layer.provide(BunFileSystem.layer))

/** The dependencies of a client, except its transport. */
const around = Layer.merge(Layer.fresh(Upstreams.layer), Settings.layer({}))

const whole = (answer: UpstreamResponse) => Either.right(answer)

/** Sends a request through a client, and returns all parts of the response. */
const lookUp = (request: HttpClientRequest.HttpClientRequest, options: Partial<Upstream.UpstreamOptions> = {}) =>
  Effect.gen(function* () {
    const upstream = yield* Upstream.make({
      name: "tester",
      urls: ["https://tester.example"],
      canary: () => Effect.void,
      ...options
    })
    return yield* upstream.over((address) => address.read(request, whole))
  }).pipe(Effect.provide(around))

const silent = Logger.minimumLogLevel(LogLevel.None)

describe("a recording", () => {
  it.scopedLive("gives the use cases the same responses when it is replayed", function* () {
    const directory = yield* temporary
    const balances = Effect.gen(function* () {
      const { facts } = yield* Chains
      const portfolio = yield* Portfolio
      return yield* portfolio.balances(Object.fromEntries(facts.map(({ id }) => [id, holders(5)])))
    })
    const over = (outside: Layer.Layer<HttpClient.HttpClient, SettingError>) =>
      balances.pipe(
        Effect.provide(
          App.useCases.pipe(
            Layer.fresh,
            Layer.provide(outside),
            Layer.provide(Layer.fresh(sandboxEnvironment())),
            Layer.provide(silent)
          )
        )
      )
    const first = yield* over(recording(directory, sandboxEnvironment()))
    assert.isTrue(first.rows.some(({ balanceUsd, tokenType }) => tokenType === "TOKEN" && balanceUsd !== null))
    const second = yield* over(replaying(directory))
    assert.deepStrictEqual(second, first)
    const names = readdirSync(directory)
    assert.includeMembers(names, ["coingecko", "coingecko-tokens", "ethereum-rpc", "avalanche-rpc"])
  })

  it.scopedLive("is complete if several hosts get the same request at the same time", function* () {
    const directory = yield* temporary
    const urls = Array.from({ length: 30 }, (_, index) => `https://tester${"-long".repeat(index % 9)}.example`)
    yield* Effect.forEach(urls, (url) => lookUp(HttpClientRequest.get("/same"), { urls: [url] }), {
      concurrency: "unbounded"
    }).pipe(Effect.provide(recording(directory, simulatedClient(() => json({ value: 1 })).layer)))
    const files = filesIn(directory)
    assert.lengthOf(files, 1)
    assert.strictEqual(JSON.parse(files[0] ?? "").request.path, "/same")
  })

  it.scopedLive("gives every adapter the same responses, also at another address and with another key", function* () {
    const directory = yield* temporary
    const responses = Effect.gen(function* () {
      const { coins, markets, platforms, tokens } = yield* CoinGecko
      const ids = ["bitcoin", "ethereum", "dai"].map((id) => CoinId.make(id))
      const prices = Effect.flatMap(PriceSource, (source) => source.prices(ids))
      return yield* Effect.all({
        coins,
        markets: markets(ids),
        platforms,
        tokens: tokens("ethereum"),
        prices: Effect.provide(prices, DefiLlamaPrices.layer)
      })
    })
    const over = (
      outside: Layer.Layer<HttpClient.HttpClient, SettingError>,
      environment: Readonly<Record<string, string>>
    ) =>
      responses.pipe(
        Effect.provide(
          Layer.provideMerge(
            Layer.merge(CoinGecko.layer, DefiLlamaApi.layer),
            Layer.mergeAll(outside, Layer.fresh(Upstreams.layer), Settings.layer(environment))
          )
        )
      )
    const first = yield* over(recording(directory, sandboxEnvironment()), { COINGECKO_API_KEY: "one-key" })
    const second = yield* over(replaying(directory), {
      COINGECKO_URL: "http://127.0.0.1:1/api/v3",
      COINGECKO_API_KEY: "another-key"
    })
    assert.deepStrictEqual(second, first)
  })

  it.scopedLive("contains the status, the body and the headers about the response, in any format", function* () {
    const directory = yield* temporary
    const answers: Readonly<Record<string, Reply>> = {
      "/json": json({ a: [1, "2", null, true], b: {} }),
      "/page": text("<html>502 Bad Gateway</html>", { status: 502, headers: { "content-type": "text/html" } }),
      "/text": text("8789bef1d40d119d843dbfa5286aae96"),
      "/quoted": text('"8789bef1d40d119d843dbfa5286aae96"', { headers: { "content-type": "application/json" } }),
      "/number": text("12345678901234567890"),
      "/nothing": text(""),
      "/null": text("null"),
      "/invalid-%ff": text("null"),
      "/no-content": text(null, { status: 204 }),
      "/not-found": json({ error: "not found" }, { status: 404 }),
      "/slower": text("{}", { status: 429, headers: { "retry-after": "7", "x-ratelimit-limit": "30" } })
    }
    const live = simulatedClient(({ url }) => answers[url.pathname] ?? text("", { status: 500 }))
    for (const path of Object.keys(answers)) {
      const request = HttpClientRequest.get(path)
      const before = yield* Effect.provide(lookUp(request), live.layer)
      const response = yield* Effect.provide(lookUp(request), recording(directory, live.layer))
      assert.deepStrictEqual(response, before, path)
      assert.deepStrictEqual(yield* Effect.provide(lookUp(request), replaying(directory)), before, path)
    }
    assert.include(filesIn(directory).join(), '"x-ratelimit-limit": "30"')
  })

  it.scopedLive("contains every digit of every number", function* () {
    const directory = yield* temporary
    const digits = ["9007199254740993", "123456789012345678901234567890", "0.10", "1.0", "1e400", "-0", "1E-18", "0"]
    const live = simulatedClient(() => text(`{"all":[${digits}],"one":${digits[0]}}`))
    const request = HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/"), { id: 1 })
    const response = yield* Effect.provide(lookUp(request), recording(directory, live.layer))
    const [file = ""] = filesIn(directory)
    for (const number of digits) assert.include(file, ` ${number}`)
    const again = yield* Effect.provide(lookUp(request), replaying(directory))
    assert.strictEqual(again.text, response.text)
    assert.strictEqual(again.text, `{"all":[${digits}],"one":${digits[0]}}`)
  })

  it.scopedLive("is found by method, path, query and body, with their members in any order", function* () {
    const directory = yield* temporary
    const live = simulatedClient(({ body, method, url }) => json({ answer: `${method} ${url.search} ${body}` }))
    const post = (body: unknown) => HttpClientRequest.bodyUnsafeJson(HttpClientRequest.post("/"), body)
    const get = (query: Readonly<Record<string, string>>) =>
      HttpClientRequest.setUrlParams(HttpClientRequest.get("/"), query)
    const requests = [get({ a: "1", b: "2" }), get({ a: "2" }), post({ x: 1, y: { p: 1, q: [2, 1] } }), post([1])]
    const before = yield* Effect.forEach(requests, (request) =>
      Effect.provide(lookUp(request), recording(directory, live.layer))
    )
    const swapped = [get({ b: "2", a: "1" }), get({ a: "2" }), post({ y: { q: [2, 1], p: 1 }, x: 1 }), post([1])]
    const after = yield* Effect.forEach(swapped, (httpClientRequest) =>
      Effect.provide(lookUp(httpClientRequest), replaying(directory))
    )
    assert.deepStrictEqual(after, before)
    for (const other of [get({ a: "3" }), post({ x: 1, y: { p: 1, q: [1, 2] } }), HttpClientRequest.get("/other")]) {
      const error = yield* Effect.flip(Effect.provide(lookUp(other), replaying(directory)))
      assert.deepInclude(error, { reason: "upstream_error", detail: "could not be reached" })
    }
  })
})

describe("the recorder", () => {
  const echo = ({ body, headers, url }: SentRequest): Reply =>
    json(
      {
        user: atob(headers.authorization?.slice(6) ?? "").split(":")[0],
        url: url.href,
        path: url.pathname,
        query: Object.fromEntries(url.searchParams),
        headers,
        body
      },
      { headers: { location: url.href, "x-echo": url.href, date: "Sun, 01 Nov 2026 00:00:00 GMT" } }
    )

  const record = Effect.fnUntraced(function* (
    urls: ReadonlyArray<string>,
    keys: Upstream.UpstreamOptions["keys"] = {},
    keyParameters: Upstream.UpstreamOptions["keyParameters"] = {}
  ) {
    const directory = yield* temporary
    const live = simulatedClient(echo)
    yield* lookUp(HttpClientRequest.get("/status"), { urls, keys, keyParameters }).pipe(
      Effect.provide(recording(directory, live.layer))
    )
    return { files: filesIn(directory).join("\n"), sent: live.requests.map(({ headers, url }) => ({ headers, url })) }
  })

  it.scopedLive("writes no key to its files, even if the upstream returns the key", function* () {
    const { files, sent } = yield* record(
      ["https://operator:pa55word-of-the-node@node.example/v2/0123456789abcdef0123/?apikey=key+in/the=query"],
      { "x-api-key": Redacted.make("key-in-a-header") }
    )
    assert.include(JSON.stringify(sent), "key-in-a-header")
    assert.include(files, "{apiKey}")
    for (const secret of [
      "pa55word-of-the-node",
      "operator:",
      btoa("operator:pa55word-of-the-node"),
      "0123456789abcdef0123",
      "key in/the=query",
      "key+in",
      "key%20in",
      "key-in-a-header",
      "x-echo"
    ])
      assert.notInclude(files, secret)
  })

  it.scopedLive("writes no key of the query to its files", function* () {
    const key = Redacted.make("key of/the+explorer")
    const { files, sent } = yield* record(["https://explorer.example/api"], {}, { apikey: key })
    assert.strictEqual(sent[0]?.url.searchParams.get("apikey"), "key of/the+explorer")
    assert.include(files, '"apikey": "{apiKey}"')
    for (const secret of ["key of", "key+of", "key%20of"]) assert.notInclude(files, secret)
  })

  it.scopedLive("treats a user name without a password as a key", function* () {
    const { files } = yield* record(["https://project-id-0123@node.example"])
    assert.notInclude(files, "project-id-0123")
    assert.notInclude(files, btoa("project-id-0123:"))
  })

  it.scopedLive("responds and logs a line if no file can be written", function* () {
    const file = join(yield* temporary, "a-file")
    writeFileSync(file, "")
    const seen = telemetryRecorder()
    const answer = yield* lookUp(HttpClientRequest.get("/")).pipe(
      Effect.provide(Layer.merge(recording(file, simulatedClient(() => json({ ok: true })).layer), seen.layer))
    )
    assert.strictEqual(answer.text, '{"ok":true}')
    assert.include(seen.seen.join("\n"), "an exchange could not be recorded")
  })

  it.scopedLive("leaves no part of a file that could not be written", function* () {
    const directory = yield* temporary
    const live = simulatedClient(() => json({ ok: true })).layer
    const call = (layer: Layer.Layer<HttpClient.HttpClient>) =>
      Effect.provide(lookUp(HttpClientRequest.get("/")), layer)
    yield* call(recording(directory, live))
    const [name = ""] = readdirSync(join(directory, "tester"))
    rmSync(join(directory, "tester", name))
    mkdirSync(join(directory, "tester", name))
    const lost: Array<string> = []
    yield* call(
      Recorder.layer(directory, { lost: (reason) => lost.push(reason), written: () => {} }).pipe(
        Layer.provide([live, BunFileSystem.layer]),
        Layer.provide(silent)
      )
    )
    assert.strictEqual(lost.length, 1)
    assert.deepStrictEqual(readdirSync(join(directory, "tester")), [name])
  })

  it.scopedLive("is selected by UPSTREAMS=record:DIR and replay:DIR, also with colons in DIR", function* () {
    const directory = join(yield* temporary, "a:b")
    const settings = (value: string) => Effect.provide(Transport.settings, Settings.layer({ UPSTREAMS: value }))
    assert.deepStrictEqual(yield* settings(`record:${directory}`), { kind: "record", directory })
    assert.deepStrictEqual(yield* settings("live"), { kind: "live", directory: "" })
    for (const wrong of ["record:", "replay", "tape:x", "sandbox:x"])
      assert.match((yield* Effect.flip(settings(wrong))).message, /^UPSTREAMS: .*allowed: live, sandbox, record:DIR/)

    yield* lookUp(HttpClientRequest.get("/")).pipe(
      Effect.provide(recording(directory, simulatedClient(() => json({ ok: true })).layer))
    )
    const outside = Transport.layer(Layer.die("not the sandbox")).pipe(
      Layer.provide(BunFileSystem.layer),
      Layer.provide(Settings.layer({ UPSTREAMS: `replay:${directory}` }))
    )
    assert.strictEqual((yield* Effect.provide(lookUp(HttpClientRequest.get("/")), outside)).text, '{"ok":true}')
  })
})

describe("a replay", () => {
  it.scopedLive("of a missing folder prevents the start, with an error that names the variable", function* () {
    const directory = join(yield* temporary, "not-there")
    const error = yield* Effect.flip(Layer.build(replaying(directory)))
    assert.instanceOf(error, SettingError)
    assert.match(error.message, /^UPSTREAMS: the recorded exchanges cannot be read: .*allowed: replay:DIR/s)
  })

  it.scopedLive("of a folder without an exchange prevents the start", function* () {
    const directory = yield* temporary
    writeFileSync(join(directory, "broken.json"), "{")
    const error = yield* Effect.flip(Layer.build(Layer.provide(replaying(directory), silent)))
    assert.match(
      error.message,
      /^UPSTREAMS: the recorded exchanges cannot be read: ".*" contains none; allowed: replay:DIR/
    )
  })

  it.scopedLive("skips a file that is not an exchange, and logs its name", function* () {
    const directory = yield* temporary
    yield* lookUp(HttpClientRequest.get("/")).pipe(
      Effect.provide(recording(directory, simulatedClient(() => json({ ok: true })).layer))
    )
    writeFileSync(join(directory, "broken.json"), "{")
    writeFileSync(join(directory, "other.json"), '{"name":"no exchange"}')
    writeFileSync(join(directory, "notes.txt"), "")
    const seen = telemetryRecorder()
    const answer = yield* lookUp(HttpClientRequest.get("/")).pipe(
      Effect.provide(Layer.provideMerge(replaying(directory), seen.layer))
    )
    assert.strictEqual(answer.text, '{"ok":true}')
    const lines = seen.seen.filter((line) => line.includes(", ignored"))
    assert.deepStrictEqual(
      ["broken.json", "other.json", "notes.txt"].map((name) => lines.some((line) => line.includes(name))),
      [true, true, false]
    )
  })
})

/** The file in which a call is recorded. */
const recordedFile = Effect.gen(function* () {
  const directory = yield* temporary
  yield* lookUp(HttpClientRequest.get("/")).pipe(
    Effect.provide(recording(directory, simulatedClient(() => json({ ok: true })).layer))
  )
  return filesIn(directory)[0] ?? ""
})

const textOf = (body: unknown) => (typeof body === "string" ? body : JSON.stringify(body))

/** The request of an exchange. */
const requestOf = ({ body, method, query }: Exchange["request"], url: string) =>
  HttpClientRequest.make(method as "GET")(url).pipe(
    HttpClientRequest.setUrlParams(query),
    body === null
      ? (httpClientRequest) => httpClientRequest
      : HttpClientRequest.bodyText(textOf(body), "application/json")
  )

describe("exchanges", () => {
  /** Samples without duplicate requests; each provider has its own host. */
  const made = [
    ...["binance", "coingecko", "defillama"].flatMap((provider) =>
      samplesOf(provider).map((name) => sample(provider, name))
    ),
    ...["balance", "batch-token", "error-revert"].map((name) => sample("evm-rpc", name))
  ].map((exchange) => ({ ...exchange, request: { ...exchange.request, host: `${exchange.provider}.example` } }))

  const folder = Effect.tap(temporary, (directory) =>
    Effect.sync(() => {
      for (const [index, exchange] of made.entries())
        writeFileSync(
          join(directory, `${index}.json`),
          JSON.stringify({ ...exchange, provenance: { kind: "made", note: "" } })
        )
    })
  )

  it.scopedLive("are written in a fixed format", function* () {
    const file = yield* recordedFile
    const { provenance, provider, request, response } = JSON.parse(file)
    assert.deepStrictEqual(Object.keys(JSON.parse(file)), ["provider", "request", "response", "provenance"])
    assert.deepStrictEqual([provider, provenance.kind], ["tester", "recorded"])
    assert.deepStrictEqual(request, { method: "GET", host: "tester.example", path: "/", query: {}, body: null })
    assert.deepStrictEqual(Object.keys(response), ["status", "headers", "body"])
    assert.strictEqual(file, `${JSON.stringify(JSON.parse(file), undefined, 1)}\n`)
  })

  it.scopedLive("are found by the host and the request", function* () {
    const seen = telemetryRecorder()
    const context = yield* Layer.build(Layer.provide(replaying(yield* folder), seen.layer))
    const http = yield* Effect.provide(HttpClient.HttpClient, context)
    assert.isEmpty(seen.seen.filter((line) => line.includes(", ignored")))
    for (const { request, response } of made) {
      const sent = requestOf(request, `https://${request.host}${encodeURI(request.path)}`)
      const answer = yield* http.execute(sent)
      assert.deepStrictEqual([answer.status, yield* answer.json], [response.status, response.body], request.path)
      const elsewhere = requestOf(request, `https://elsewhere.example${encodeURI(request.path)}`)
      assert.isTrue(Either.isLeft(yield* Effect.either(http.execute(elsewhere))))
    }
  })

  it.scopedLive("serve an upstream of the same name at any address", function* () {
    const { request, response } = sample("coingecko", "ping")
    const answer = yield* lookUp(HttpClientRequest.get(request.path), {
      name: "coingecko",
      urls: ["http://127.0.0.1:1"]
    }).pipe(Effect.provide(Layer.provideMerge(replaying(yield* folder), silent)))
    assert.deepStrictEqual(JSON.parse(answer.text), response.body)
  })
})

recorded("recorded responses", () => {
  const shape = ({ provenance, request, response }: ReturnType<typeof fixture> & { readonly provenance?: object }) => ({
    request: Object.keys(request),
    response: Object.keys(response),
    provenance: Object.keys(provenance ?? {}).filter((name) => !["repo", "path", "commit"].includes(name))
  })

  it.scopedLive("have the format of the recorder", function* () {
    const file = yield* recordedFile
    const example = fixture("coingecko", "asset-platforms-2021")
    assert.deepStrictEqual(Object.keys(JSON.parse(file)), Object.keys(example))
    assert.deepStrictEqual(shape(JSON.parse(file)), shape(example))
    assert.strictEqual(file, `${JSON.stringify(JSON.parse(file), undefined, 1)}\n`)
  })

  it.scopedLive("are found by the host and the request", function* () {
    let found = 0
    for (const folder of recordingFolders) {
      const seen = telemetryRecorder()
      const context = yield* Layer.build(Layer.provide(replaying(folder), seen.layer))
      assert.deepStrictEqual(
        seen.seen.filter((line) => line.includes(", ignored")),
        []
      )
      const all = [...exchangesIn(folder).values()]
      for (const { request, response } of all) {
        if (request.host === undefined) continue
        const url = `https://${request.host}${encodeURI(request.path)}`
        const http = yield* Effect.provide(HttpClient.HttpClient, context)
        const answer = yield* http.execute(requestOf(request, url))
        // Some requests were recorded more than once.
        const same = all.some(
          (other) =>
            other.response.status === answer.status && JSON.stringify(other.request) === JSON.stringify(request)
        )
        assert.isTrue(same, `${url}: ${answer.status} instead of ${response.status}`)
        found++
      }
    }
    assert.isAbove(found, 0)
  })

  it.scopedLive("serve an upstream of the same name at any address", function* () {
    const { request, response } = fixture("koios", "tip")
    const answer = yield* lookUp(HttpClientRequest.get(request.path), {
      name: "koios",
      urls: ["http://127.0.0.1:1"]
    }).pipe(Effect.provide(Layer.provideMerge(replaying(recordingFolders[0] ?? ""), silent)))
    assert.deepStrictEqual(JSON.parse(answer.text), response.body)
  })
})
