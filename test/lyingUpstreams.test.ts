import { assert, describe, it } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Catalogue from "../src/catalogue/Catalogue.ts"
import { samples } from "./chains/families/samples.ts"
import { body, Service, textOf } from "./support/app.ts"
import { lyingSandbox } from "./support/lies.ts"
import { timeLies } from "./support/lyingRoutes.ts"

// What the routes make of upstreams that all return the same lie.

interface Entry {
  readonly timestamp: number
  readonly status: string
}
interface Histories {
  readonly data: Readonly<Record<string, Readonly<Record<string, ReadonlyArray<Entry>>>>>
  readonly meta: Readonly<
    Record<string, Readonly<Record<string, { readonly complete: boolean; readonly missing: ReadonlyArray<string> }>>>
  >
}

/** The networks whose histories need no key, one of each family. */
const families = ["ethereum", "bitcoin", "cardano", "solana", "sui", "ton", "tron", "ripple"]
const networks = Catalogue.all.filter(({ id }) => families.includes(id))
const addresses = Object.fromEntries(networks.map((facts) => [facts.id as string, samples(facts, 1, 1)]))

describe("upstreams that return", () => {
  it.scopedLive("addresses that are no text leave their parties unknown", () =>
    Effect.gen(function* () {
      const { layer, rewriting } = lyingSandbox(networks)
      rewriting.lies = [{ at: /^account_tx.*\.tx\.Destination$/, value: "r\ufffd\u009b31m" }]
      const response = yield* Effect.flatMap(Service, ({ post }) =>
        post("/history", { networks: { ripple: addresses.ripple }, limit: 5 })
      ).pipe(Effect.provide(Service.layer({}, layer)))
      assert.isAbove(rewriting.replaced, 0)
      assert.notMatch(yield* textOf(response), /[\ufffd\x80-\x9f]|ufffd|u009b/)
    })
  )

  for (const { lies, name } of timeLies)
    it.scopedLive(`${name} cost the transactions with them, and say so`, () =>
      Effect.gen(function* () {
        const { layer, rewriting } = lyingSandbox(networks)
        rewriting.lies = lies
        const response = yield* Effect.flatMap(Service, ({ post }) =>
          post("/history", { networks: addresses, limit: 5, meta: true })
        ).pipe(Effect.provide(Service.layer({}, layer)))
        const { data, meta } = yield* body<Histories>(response)
        const now = Date.now() / 1000
        for (const { began, id } of networks)
          for (const address of addresses[id] ?? []) {
            for (const { timestamp } of data[id]?.[address] ?? [])
              assert.isTrue(timestamp >= began && timestamp <= now + 7_200, `${id}: ${timestamp}`)
            assert.isFalse(meta[id]?.[address]?.complete ?? false, `${id}: ${JSON.stringify(meta[id]?.[address])}`)
          }
      })
    )
})
