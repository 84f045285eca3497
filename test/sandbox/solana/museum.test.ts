import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { wrappedSol } from "../../../src/chains/solana/programs.ts"
import { deposit } from "../../../src/sandbox/world/exhibits/solana.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Service } from "../../../src/testing/Service.ts"
import * as Upstreams from "../../../src/testing/Upstreams.ts"
import { fixtureAt, recorded } from "../../support/fixtures.ts"
import { simulated } from "../../support/simulated.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { answered, areWhole, haveForms, haveStatuses, jsonOf, nativeSum, pageOf, shownOf } from "../landmark.ts"
import { cases, faults } from "./museum.ts"

const holder = World.museum("solana") ?? ""
const usdc = "EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v"
const facts = Catalogue.all.find(({ id }) => id === "solana") ?? assert.fail()
const paypal = "2b1kV6DkPAnxd5ixfnxCpjxmKwqjjaYmCZfHsFu24GXo"

layer(Service.layer(), { excludeTestServices: true })("the museum of solana", (it) => {
  it("has each rare form in the answers of its nodes", function* () {
    const { entries } = yield* pageOf("solana", holder, 500)
    for (const { hash } of entries ?? []) yield* jsonOf("/utils/getrawtransaction", { chain: "solana", tx: hash })
    const params = [paypal, { encoding: "jsonParsed" }]
    yield* jsonOf("/utils/rpc/solana", { jsonrpc: "2.0", id: 1, method: "getAccountInfo", params })
    haveForms(yield* answered, cases)
  })

  it("adds up, in pages of any size, and its statuses are those of its history", function* () {
    const { complete, entries, missing } = yield* pageOf("solana", holder, 500)
    assert(entries !== null)
    assert.deepStrictEqual([complete, missing], [true, []])
    // The deposit of the recipient's account is no amount; the holder's own was returned. Another account pays one fee.
    assert.strictEqual(nativeSum(holder, entries) - deposit + 5_000n, World.native(facts, holder))
    yield* areWhole("solana", holder, entries)
    yield* haveStatuses("solana", entries)
  })

  it("is described by type, amount and status", function* () {
    const { entries } = yield* pageOf("solana", holder, 500)
    const shown = (entries ?? []).map(shownOf(holder))
    assert.deepStrictEqual(shown.slice(0, 19), [
      ["closeAccount", "Success", [], []],
      ["Send", "Success", [`holder 70000 ${usdc}`], [`other 70000 ${usdc}`]],
      ["Receive", "Success", [`other 70000 ${usdc}`], [`holder 70000 ${usdc}`]],
      ["create", "Success", [], []],
      ["Send", "Success", [`holder 90000 ${usdc}`], [`other 90000 ${usdc}`]],
      ["Receive", "Success", [`other 90000 ${usdc}`], [`holder 90000 ${usdc}`]],
      ["Send", "Failed", ["holder 0"], []],
      ["Send", "Success", [`holder 1500000 ${wrappedSol}`], ["holder 1500000"]],
      ["Send", "Success", ["holder 1500000"], [`holder 1500000 ${wrappedSol}`]],
      ["Send", "Success", ["holder 5000000"], ["other 5000000"]],
      ["Receive", "Success", ["other 37"], ["holder 37"]],
      ["Receive", "Success", ["other 31"], ["holder 31"]],
      ["Receive", "Success", ["other 41"], ["holder 41"]],
      ["Send", "Failed", ["holder 0"], ["other 0"]],
      ["Send", "Success", ["holder 12345"], ["holder 12345"]],
      ["Receive", "Success", ["other 1000000000"], ["holder 1000000000"]],
      ["Receive", "Success", ["other 718759267"], ["holder 718759267"]],
      ["Receive", "Success", ["other 1000000"], ["holder 1000000"]],
      ["Receive", "Success", ["other 1230000"], ["holder 1230000"]]
    ])
    const fees = (entries ?? []).map(({ fee }) => fee)
    // Neither deposits nor coins that are wrapped are part of a fee.
    assert.deepStrictEqual([fees[3], fees[4], fees[8], fees[9]], ["5000", "5000", "5000", "5000"])
  })
})

const withFault = ({ error, method }: (typeof faults)[number]) =>
  Service.layer({
    upstreams: Upstreams.sandbox.pipe(Upstreams.editCall("solana-rpc", method, () => ({ error })))
  })

describe("the museum of solana", () => {
  for (const fault of faults)
    it.live(`is not described falsely after ${fault.case}`, function* () {
      const whole = yield* pageOf("solana", holder, 500).pipe(Effect.provide(Service.layer()))
      const { outcome } = yield* simulated(Date.now()).finish(
        jsonOf("/history", { networks: { solana: [holder] }, meta: true }).pipe(Effect.provide(withFault(fault)))
      )
      const text = JSON.stringify(Either.getOrThrow(outcome))
      assert.include(text, fault.says)
      const found = new Set([...text.matchAll(/"hash":"(\w+)"/g)].map(([, hash]) => hash))
      // Only transfers of tokens to the holder are missing without the token accounts.
      const missing = (whole.entries ?? []).filter(({ hash }) => !found.has(hash))
      assert.isTrue(found.size === 0 || missing.every(({ type }) => type === "Receive"))
    })
})

recorded("the recordings of faults of solana", () => {
  for (const { case: form, error, fixture: path } of faults)
    it(`have ${form}`, () => {
      const { body } = fixtureAt(path).response
      assert.deepStrictEqual((body as { readonly error: unknown }).error, error)
    })
})
