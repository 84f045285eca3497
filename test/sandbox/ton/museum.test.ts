import * as Effect from "effect/Effect"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Service } from "../../../src/testing/Service.ts"
import * as Upstreams from "../../../src/testing/Upstreams.ts"
import { exactText, fixtureAt, recorded } from "../../support/fixtures.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { answered, areWhole, haveForms, jsonOf, nativeSum, pageOf, shownOf, statusesOf } from "../landmark.ts"
import { cases, faults } from "./museum.ts"

const holder = World.museum("ton") ?? ""
const facts = Catalogue.all.find(({ id }) => id === "ton") ?? assert.fail()

const indexers = {
  toncenter: Upstreams.sandbox,
  tonapi: Upstreams.sandbox.pipe(
    Upstreams.edit("toncenter", () => Response.json({ error: "not found" }, { status: 404 }))
  )
}

const texts: Array<string> = []

for (const [name, upstreams] of Object.entries(indexers))
  layer(Service.layer({ upstreams }), { excludeTestServices: true })(`the museum of ton at ${name}`, (it) => {
    it("adds up, in pages of any size, and its statuses are those of its history", function* () {
      const { entries } = yield* pageOf("ton", holder, 500)
      assert(entries !== null)
      assert.strictEqual(nativeSum(holder, entries), World.native(facts, holder))
      yield* areWhole("ton", holder, entries)
      const found = yield* statusesOf("ton", entries)
      // The first transaction of a trace does not say whether its message bounced.
      for (const { hash, status } of entries)
        assert.isTrue(found[hash]?.status === "confirmed" || (found[hash]?.status === "failed" && status === "Failed"))
      yield* jsonOf("/balance", { networks: { ton: [holder] } })
      for (const { hash } of entries) yield* jsonOf("/utils/getrawtransaction", { chain: "ton", tx: hash })
      texts.push(...(yield* answered))
    })

    it("is described by type, amount and status", function* () {
      const { entries } = yield* pageOf("ton", holder, 500)
      assert.deepStrictEqual((entries ?? []).slice(0, 6).map(shownOf(holder)), [
        ["Send", "Failed", ["holder 0"], ["other 0"]],
        ["Send", "Failed", ["holder 0"], name === "toncenter" ? [] : ["other 0"]],
        [name === "toncenter" ? "tick_tock" : "Receive", "Success", ["holder 0"], []],
        ["Send", "Success", ["holder 22000000"], ["other 22000000"]],
        ["Receive", "Success", ["other 100000000"], ["holder 100000000"]],
        ["Receive", "Success", ["other 3000000000"], ["holder 3000000000"]]
      ])
    })
  })

describe("the museum of ton", () => {
  it("has each rare form in the answers of its indexers", () => {
    haveForms(texts, cases)
  })

  const service = (fault: (typeof faults)[number] | undefined) =>
    Service.layer({
      upstreams: indexers[fault?.upstream === "tonapi" ? "tonapi" : "toncenter"].pipe(
        Upstreams.edit(fault?.upstream ?? "toncenter", async ({ response }) => {
          const text = await response.text()
          return new Response(text.replace(fault?.member ?? "{", fault?.by ?? "{"), response)
        })
      )
    })

  it("names a row without a trace as missing", function* () {
    const { complete, entries, missing } = yield* Effect.provide(pageOf("ton", holder, 500), service(faults[0]))
    assert.isNotEmpty(entries)
    assert.deepStrictEqual([complete, missing.includes("transactions: 1 could not be read")], [false, true])
  })

  it("has no balance if an indexer returns more coins than there are", function* () {
    const answer = yield* Effect.provide(jsonOf("/balance", { networks: { ton: [holder] } }), service(faults[1]))
    const [native] = answer as ReadonlyArray<{ readonly balance: string | null; readonly errorCode?: string }>
    assert.deepStrictEqual([native?.balance, native?.errorCode], [null, "upstream_error"])
  })
})

recorded("the recordings of faults of ton", () => {
  for (const { case: form, fixture: path, shows } of faults)
    it(`have ${form}`, () => {
      assert.match(exactText(fixtureAt(path)), shows)
    })
})
