import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Redacted from "effect/Redacted"
import * as Schema from "effect/Schema"
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
