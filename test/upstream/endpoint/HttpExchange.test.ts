import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import { assert, describe } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Schema from "effect/Schema"
import { answering, json } from "../../support/http.ts"
import { make, test } from "../../support/upstream.ts"

const Found = Schema.Struct({ value: Schema.Number })
const always = () => answering(() => json({ value: 1 }))

describe("a value in the path of a request", () => {
  test("is sent only where it remains a part of that path", always, ({ requests }) =>
    Effect.gen(function* () {
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
  )
})
