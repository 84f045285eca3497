import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { Frankfurter } from "../../src/providers/Frankfurter.ts"
import { Settings } from "../../src/settings/Settings.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { json, simulatedClient } from "../support/http.ts"
import { run } from "../support/upstream.ts"
import { assert, describe, it } from "../support/vitest.ts"

// Bodies in the format that frankfurter.dev/v1 documents, with invented rates.

const over = (body: unknown) => {
  const exchange = simulatedClient(() => json(body))
  const built = Layer.build(
    Frankfurter.layer.pipe(
      Layer.provide(Upstreams.layerUnlimited),
      Layer.fresh,
      Layer.provide([exchange.layer, Settings.layer({})])
    )
  )
  return Effect.map(built, (context) => ({ exchange, frankfurter: Context.get(context, Frankfurter) }))
}

describe("reference rates", () => {
  it("that are no positive numbers are omitted", function* () {
    const rates = { EUR: 0.8611, JPY: "153.92", CHF: 0, GBP: null, INR: -1 }
    const { frankfurter } = yield* over({ base: "USD", date: "2026-11-20", rates })
    assert.deepStrictEqual(Either.getOrThrow(yield* run(frankfurter.latest, 5)).perUsd, { eur: 0.8611 })
  })

  for (const [what, body] of [
    ["another base", { base: "EUR", date: "2026-11-20", rates: { USD: 1.16 } }],
    ["no date", { base: "USD", date: "yesterday", rates: { EUR: 0.86 } }],
    ["rates that are no object", { base: "USD", date: "2026-11-20", rates: "EUR" }]
  ] as const)
    it(`are rejected with ${what}`, function* () {
      const { frankfurter } = yield* over(body)
      assert.strictEqual(Either.getOrThrow(Either.flip(yield* run(frankfurter.latest, 60_000))).reason, "bad_answer")
    })
})
