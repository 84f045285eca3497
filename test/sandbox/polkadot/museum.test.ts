import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Service } from "../../../src/testing/Service.ts"
import * as Upstreams from "../../../src/testing/Upstreams.ts"
import { fixtureAt, recorded } from "../../support/fixtures.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { answered, areWhole, haveForms, jsonOf, nativeSum, pageOf, shownOf, statusesOf } from "../landmark.ts"
import { cases, faults } from "./museum.ts"

const holder = World.museum("polkadot") ?? ""
const usdt = "1984"
const facts = Catalogue.all.find(({ id }) => id === "polkadot") ?? assert.fail()

layer(Service.layer(), { excludeTestServices: true })("the museum of polkadot", (it) => {
  it("has each rare form in the answers of its indexers", function* () {
    const { entries } = yield* pageOf("polkadot", holder, 500)
    for (const { hash } of entries ?? []) yield* jsonOf("/utils/getrawtransaction", { chain: "polkadot", tx: hash })
    haveForms(yield* answered, cases)
  })

  it("adds up, in pages of any size, and its statuses are those of its history", function* () {
    const { complete, entries, missing } = yield* pageOf("polkadot", holder, 500)
    assert(entries !== null)
    assert.deepStrictEqual([complete, missing], [true, []])
    const [{ address } = assert.fail()] = entries.find(({ type }) => type === "Send")?.from ?? []
    assert.strictEqual(nativeSum(address, entries), World.native(facts, holder))
    yield* areWhole("polkadot", holder, entries)
    const found = yield* statusesOf("polkadot", entries)
    for (const { hash, status } of entries)
      assert.deepStrictEqual(
        [hash, found[hash]?.status],
        [hash, !hash.startsWith("0x") ? null : status === "Success" ? "confirmed" : "failed"]
      )
  })

  it("is described by type, amount and status", function* () {
    const { entries } = yield* pageOf("polkadot", holder, 500)
    const address = entries?.find(({ type }) => type === "Send")?.from[0]?.address ?? ""
    assert.deepStrictEqual((entries ?? []).slice(0, 5).map(shownOf(address)), [
      ["Send", "Success", [`holder 11000000 ${usdt}`], [`other 11000000 ${usdt}`]],
      ["Receive", "Success", [`other 11000000 ${usdt}`], [`holder 11000000 ${usdt}`]],
      ["Send", "Failed", ["holder 0"], ["other 0"]],
      ["Send", "Success", ["holder 140000000000"], ["holder 140000000000"]],
      ["Receive", "Success", ["other 106530901255"], ["holder 106530901255"]]
    ])
  })
})

describe("the museum of polkadot", () => {
  for (const { answer, case: form, says, status } of faults)
    it.live(`is no empty list after ${form}`, function* () {
      const refusing = Upstreams.edit(
        ({ upstream }) => upstream.startsWith("subscan"),
        () => Response.json(answer, { status })
      )
      const { outcome } = yield* simulated(Date.now()).finish(
        jsonOf("/history", { networks: { polkadot: [holder] } }).pipe(
          Effect.provide(Service.layer({ upstreams: Upstreams.sandbox.pipe(refusing) }))
        )
      )
      const problem = Either.getOrThrow(outcome) as { readonly status: number; readonly detail: string }
      assert.strictEqual(problem.status, 502)
      assert.include(problem.detail, says)
    })
})

recorded("the recordings of faults of polkadot", () => {
  for (const { answer, case: form, fixture: path, status } of faults)
    it(`have ${form}`, () => {
      const { response } = fixtureAt(path)
      assert.deepStrictEqual([response.status, response.body], [status, answer])
    })
})
