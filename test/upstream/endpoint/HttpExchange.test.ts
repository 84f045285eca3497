import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import { identity } from "effect/Function"
import * as Layer from "effect/Layer"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
import * as FetchClient from "../../../src/upstream/FetchClient.ts"
import {
  answeringDirectly,
  brokenBody,
  json,
  neverResponds,
  type Reply,
  refused,
  simulatedClient,
  text
} from "../../support/http.ts"
import { freePort } from "../../support/process.ts"
import { selfSigned } from "../../support/selfSigned.ts"
import { isMissing } from "../../support/tools.ts"
import { make, run, test, upstreamDependencies } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const Found = Schema.Struct({ value: Schema.Number })
const always = () => simulatedClient(() => json({ value: 1 }))

describe("a value in the path of a request", () => {
  test("is sent only if it stays within its path segment", always, function* ({ requests }) {
    const upstream = yield* make(["https://one.example/v1"])
    const read = (value: string) => upstream.read(HttpClientRequest.get(`/tx/${value}/hex`), Found)
    for (const value of [
      "../../evil",
      "..",
      ".",
      "a?b=1",
      "a#b",
      "a%2fb",
      "a%2Fb",
      "%2e%2e",
      "a\0b",
      "a%00b",
      "a@b",
      "a\\b",
      "a b",
      "é"
    ]) {
      const error = yield* Effect.flip(read(value))
      assert.deepInclude(error, { reason: "bad_answer", unsent: true }, JSON.stringify(value))
    }
    assert.lengthOf(requests, 0)
    for (const value of ["ab12", "0:ab", "bitcoincash:qq", "a,b", "a%3Fb", "4092619-event-3", "x.y~z_=+;"])
      yield* read(value)
    assert.lengthOf(requests, 7)
  })
})

describe("a call to an upstream", () => {
  const replies: Readonly<Record<string, Reply>> = {
    "a result": json({ value: 1 }),
    "a result of unknown length": Effect.sync(() => new Response(new Blob(['{"value":1}']).stream())),
    "an unexpected format": json({ value: "1" }),
    "a body that is not JSON": text("<html>"),
    "no body": text(null, { status: 204 }),
    "a long body": json({ value: 1, more: "x".repeat(2 * 1024 * 1024) }),
    "a body that is too long": json({ value: 1, more: "x".repeat(5 * 1024 * 1024) }),
    "too many values": json({ value: 1, more: Array(200_000).fill(0) }),
    "a rate limit": text("slow down", { status: 429, headers: { "retry-after": "2" } }),
    "an error": text("down", { status: 500 }),
    "a redirect": text("", { status: 302, headers: { location: "https://elsewhere.example/" } }),
    "half a body": brokenBody('{"value":'),
    "no connection": refused,
    "no response": neverResponds
  }
  /** The outcome of a call, and how often it was sent. */
  const seen = ({ layer, requests }: ReturnType<typeof simulatedClient>) =>
    Effect.gen(function* () {
      const upstream = yield* make()
      const outcome = yield* run(upstream.read(HttpClientRequest.get("/"), Found))
      const shown = Either.mapLeft(outcome, ({ detail, reason, retryAfter, status, unsent }) => ({
        detail,
        reason,
        retryAfter,
        status,
        unsent
      }))
      return { ...(Either.isLeft(shown) ? shown.left : shown.right), requests: requests.length }
    }).pipe(Effect.provide(upstreamDependencies({ layer })))

  for (const [what, reply] of Object.entries(replies))
    it(`has the same outcome with and without a fiber: ${what}`, function* () {
      const direct = answeringDirectly(() => reply)
      assert.deepStrictEqual(yield* seen(direct), yield* seen(simulatedClient(() => reply)))
      assert.isNotEmpty(direct.direct)
    })

  test(
    "fails if its key cannot be sent",
    () => answeringDirectly(() => json({ value: 1 })),
    function* ({ requests }) {
      const upstream = yield* make(undefined, { keys: { "x-api-key": Redacted.make("a\nb") } })
      const outcome = yield* run(upstream.read(HttpClientRequest.get("/"), Found))
      assert.deepInclude(Either.isLeft(outcome) ? outcome.left : {}, {
        reason: "upstream_error",
        detail: "could not be reached"
      })
      assert.lengthOf(requests, 0)
    }
  )
})

describe.skipIf(isMissing("openssl"))("the reason why the runtime cannot reach an address", () => {
  const withFiber = Layer.effect(
    HttpClient.HttpClient,
    Effect.map(HttpClient.HttpClient, HttpClient.mapRequest(identity))
  ).pipe(Layer.provide(FetchClient.layer))

  /** The detail of a call without and with a fiber. */
  const why = (url: string) =>
    Effect.forEach([FetchClient.layer, withFiber], (layer) =>
      Effect.gen(function* () {
        const upstream = yield* make([url])
        return (yield* Effect.flip(upstream.read(HttpClientRequest.get("/key-of-mine"), Found))).detail
      }).pipe(Effect.provide(upstreamDependencies({ layer })))
    )

  it.scopedLive("is named if nothing listens, or the name does not exist", function* () {
    const refused = "could not be reached: connection refused"
    assert.deepStrictEqual(yield* why(`http://127.0.0.1:${freePort()}`), [refused, refused])
    const unknown = "could not be reached: its name was not found"
    assert.deepStrictEqual(yield* why("http://node.invalid"), [unknown, unknown])
  })

  it.scopedLive("is named if the certificate is not trusted", function* () {
    const { certificate, key } = yield* selfSigned("IP:127.0.0.1")
    const server = yield* Effect.acquireRelease(
      Effect.sync(() =>
        Bun.serve({
          port: 0,
          hostname: "127.0.0.1",
          tls: { key: Bun.file(key), cert: Bun.file(certificate) },
          fetch: () => Response.json({ value: 1 })
        })
      ),
      (running) => Effect.promise(() => running.stop(true))
    )
    const untrusted = "could not be reached: its certificate is not trusted (DEPTH_ZERO_SELF_SIGNED_CERT)"
    assert.deepStrictEqual(yield* why(`https://127.0.0.1:${server.port}`), [untrusted, untrusted])
  })
})
