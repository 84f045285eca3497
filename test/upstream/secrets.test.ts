import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as HttpClientResponse from "@effect/platform/HttpClientResponse"
import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as Client from "../../src/jsonrpc/Client.ts"
import { CurrentUpstream } from "../../src/upstream/CurrentUpstream.ts"
import * as ResponseDecoder from "../../src/upstream/response/ResponseDecoder.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { brokenBody, json, neverResponds, type Reply, refused, simulatedClient, text } from "../support/http.ts"
import { firstUrl, make, run, test, upstreamDependencies } from "../support/upstream.ts"
import { telemetryRecorder } from "../support/witness.ts"

const Found = Schema.Struct({ value: Schema.Number })
const ok = json({ value: 1 })
const lookup = HttpClientRequest.get("/question")

describe("credentials in an address", () => {
  const authorization = Effect.fnUntraced(function* (url: string) {
    const { requests, layer } = simulatedClient(() => ok)
    yield* Effect.provide(
      Effect.flatMap(make([url]), (upstream) => upstream.read(lookup, Found)),
      layer
    )
    assert.strictEqual(requests[0]?.url.href, "https://one.example/question")
    return requests[0]?.headers.authorization
  })

  for (const [name, written, meant] of [
    ["user and password", "alice:pa55", "alice:pa55"],
    ["escaped characters", "al%40ice:p%3Aa%2Fs%20s", "al@ice:p:a/s s"],
    ["a user only", "token", "token:"],
    ["a password only", ":pa55", ":pa55"],
    ["a percent sign that escapes nothing", "alice:100%", "alice:100%"],
    ["letters beyond ASCII", "alice:pässwörd", "alice:pässwörd"]
  ] as const)
    test(
      `become an Authorization header: ${name}`,
      () => simulatedClient(() => ok),
      function* () {
        const header = yield* authorization(`https://${written}@one.example`)
        assert.strictEqual(header, `Basic ${Buffer.from(meant).toString("base64")}`)
      }
    )

  test(
    "send no Authorization header if they are absent",
    () => simulatedClient(() => ok),
    function* () {
      assert.isUndefined(yield* authorization(firstUrl))
    }
  )
})

const keys = {
  "x-api-key": Redacted.make("key-in-header-0123456789")
}
const secretUrl =
  "https://secretuser:secretpass@secrethost.example/secret-path-segment-0123456789/rpc?apikey=secretquery0123456789"
const hidden = [
  "key-in-header",
  "secretuser",
  "secretpass",
  "secrethost",
  "secret-path",
  "secretquery",
  "secretbody",
  Buffer.from("secretuser:secretpass").toString("base64")
]

/** All kinds of responses and failures of an upstream, with the secrets in them. */
const replies: Readonly<Record<string, Reply>> = {
  "a good response": ok,
  "a response in an unexpected format": json({ value: "secretbody" }),
  "a response that is not JSON": text("secretbody"),
  "HTTP 400": json({ error: `secretbody of ${secretUrl}` }, { status: 400 }),
  "HTTP 401": text(`secretbody ${Redacted.value(keys["x-api-key"])}`, { status: 401 }),
  "HTTP 429": json({ error: "secretbody" }, { status: 429, headers: { "retry-after": "30" } }),
  "HTTP 500": text(`secretbody ${secretUrl}`, { status: 500 }),
  "a redirect": text(null, { status: 302, headers: { location: secretUrl } }),
  "no connection": Effect.fail(`connection refused: ${secretUrl}`),
  "a lost connection": brokenBody("secretbody"),
  "a connection lost before the end of Content-Length": brokenBody("secretbody", { "content-length": "100" }),
  "a JSON-RPC error": json({ jsonrpc: "2.0", id: 1, error: { code: -32000, message: `secretbody ${secretUrl}` } }),
  "an internal error of a node": json({
    jsonrpc: "2.0",
    id: 1,
    error: { code: -32603, message: `secretbody ${secretUrl}` }
  }),
  silence: neverResponds
}

describe("a secret of an upstream", () => {
  for (const [name, reply] of Object.entries(replies))
    it.scoped(`is not in an error, a log line or a span after ${name}`, () => {
      const { layer, seen } = telemetryRecorder()
      const outside = simulatedClient(() => reply)
      return Effect.gen(function* () {
        const upstream = yield* make([secretUrl], { keys })
        const calls: ReadonlyArray<Effect.Effect<unknown, unknown>> = [
          upstream.read(lookup, Found),
          upstream.once((address) => address.send(lookup, ResponseDecoder.fitting(Found))),
          upstream.over((address) => Client.call(address, { method: "eth_chainId", params: [] })),
          upstream.over((address) => Client.batch(address, [{ method: "eth_chainId", params: [] }]))
        ]
        for (const call of calls) {
          // A rejection by a node is a value for the caller, with the text of the node.
          const outcome = yield* run(call.pipe(Effect.tapErrorCause((cause) => Effect.logError("failed", cause))))
          if (Either.isLeft(outcome))
            yield* Effect.logError(outcome.left, String(outcome.left), JSON.stringify(outcome.left))
        }
        const { states } = yield* Upstreams
        yield* Effect.logInfo("states", yield* states)
        assert.isAbove(outside.requests.length, 0)
        assert.isAbove(seen.length, 4)
        const words = seen.join("\n")
        for (const secret of hidden) assert.notInclude(words, secret)
      }).pipe(Effect.withSpan("a request"), Effect.provide(Layer.merge(upstreamDependencies(outside), layer)))
    })

  test(
    "is sent without a trace id",
    () => simulatedClient(() => ok),
    function* ({ requests }) {
      const upstream = yield* make([secretUrl], { keys })
      yield* upstream.read(lookup, Found).pipe(Effect.withSpan("a request"), Effect.provide(telemetryRecorder().layer))
      assert.deepStrictEqual(Object.keys(requests[0]?.headers ?? {}).sort(), [
        "authorization",
        "user-agent",
        "x-api-key"
      ])
      assert.strictEqual(requests[0]?.headers["x-api-key"], "key-in-header-0123456789")
    }
  )

  it.scoped("disables redirects; without a secret, redirects to the hosts of the upstream are followed", () =>
    Effect.gen(function* () {
      const followed: Array<ReadonlyArray<string>> = []
      const client = HttpClient.make((request) =>
        Effect.gen(function* () {
          const { redirects = [] } = yield* CurrentUpstream
          followed.push(redirects)
          return HttpClientResponse.fromWeb(request, Response.json({ value: 1 }))
        })
      )
      const redirectsOf = (urls: ReadonlyArray<string>, more?: Parameters<typeof make>[1]) =>
        Effect.flatMap(Effect.provideService(make(urls, more), HttpClient.HttpClient, client), (upstream) =>
          upstream.read(lookup, Found)
        )
      yield* redirectsOf(["https://one.example/path", "https://two.example:444"])
      yield* redirectsOf(["https://one.example"], { keys })
      yield* redirectsOf(["https://one.example"], { keyParameters: { key: Redacted.make("key") } })
      yield* redirectsOf(["https://user:password@one.example"])
      yield* redirectsOf(["https://one.example?apikey=0123456789"])
      yield* redirectsOf(["https://one.example/secret-path-segment-0123456789"])
      assert.deepStrictEqual(followed, [["one.example", "two.example:444"], [], [], [], [], []])
    }).pipe(Effect.provide(upstreamDependencies(simulatedClient(() => refused))))
  )

  it.scoped("is passed to the recorder, which must leave it out", () =>
    Effect.gen(function* () {
      const known: Array<string> = []
      const client = HttpClient.make((request) =>
        Effect.gen(function* () {
          const { name, secrets } = yield* CurrentUpstream
          known.push(name, ...secrets.map(Redacted.value))
          return HttpClientResponse.fromWeb(request, Response.json({ value: 1 }))
        })
      )
      const upstream = yield* Effect.provideService(make([secretUrl], { keys }), HttpClient.HttpClient, client)
      yield* upstream.read(lookup, Found)
      assert.deepStrictEqual(known, [
        "tester",
        "secretuser:secretpass",
        "secretpass",
        "secret-path-segment-0123456789",
        "secretquery0123456789",
        "key-in-header-0123456789"
      ])
      const { name, secrets } = yield* CurrentUpstream
      assert.deepStrictEqual([name, secrets.length], ["unknown", 0])
    }).pipe(Effect.provide(upstreamDependencies(simulatedClient(() => refused))))
  )

  it.scoped("is not in an error that the HTTP client itself raises", () =>
    Effect.gen(function* () {
      const client = HttpClient.make((request) =>
        Effect.fail(new HttpClientError.RequestError({ request, reason: "InvalidUrl", description: secretUrl }))
      )
      const upstream = yield* Effect.provideService(make([secretUrl], { keys }), HttpClient.HttpClient, client)
      const outcome = yield* run(upstream.read(lookup, Found))
      assert.isTrue(Either.isLeft(outcome))
      for (const secret of hidden) assert.notInclude(JSON.stringify(outcome), secret)
    }).pipe(Effect.provide(upstreamDependencies(simulatedClient(() => refused))))
  )
})
