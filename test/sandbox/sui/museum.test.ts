import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Service } from "../../../src/testing/Service.ts"
import { assert, layer } from "../../support/vitest.ts"
import { answered, areWhole, haveForms, haveStatuses, jsonOf, nativeSum, pageOf, shownOf } from "../landmark.ts"
import { cases } from "./museum.ts"

const holder = World.museum("sui") ?? ""
const usdc = "0xdba34672e30cb065b1f93e3ab55318768fd6fef66c15942c9f7cb846e2f900e7::usdc::USDC"
const facts = Catalogue.all.find(({ id }) => id === "sui") ?? assert.fail()

layer(Service.layer(), { excludeTestServices: true })("the museum of sui", (it) => {
  it("has each rare form in the answers of its hosts", function* () {
    const { entries } = yield* pageOf("sui", holder, 500)
    const rpc = (method: string, ...params: ReadonlyArray<unknown>) =>
      jsonOf("/utils/rpc/sui", { jsonrpc: "2.0", id: 1, method, params })
    for (const { hash } of entries ?? []) yield* rpc("sui_getTransactionBlock", hash, { showEffects: true })
    yield* rpc("suix_getAllBalances", holder)
    const { requests } = yield* Service
    // Recipients beyond the first page of a transaction.
    assert.isTrue(requests.some(({ body }) => body.includes("transactionEffects(digest")))
    haveForms(yield* answered, cases)
  })

  it("adds up, in pages of any size, and its statuses are those of its history", function* () {
    const { complete, entries, missing } = yield* pageOf("sui", holder, 500)
    assert(entries !== null)
    assert.deepStrictEqual([complete, missing], [true, []])
    // The surplus of a storage rebate is no payment. Another address pays the gas of one transaction, and the museum
    // pays more for one of another address.
    assert.strictEqual(nativeSum(holder, entries) + 201_792n + 1_997_880n - 2_997_880n, World.native(facts, holder))
    yield* areWhole("sui", holder, entries)
    yield* haveStatuses("sui", entries)
  })

  it("is described by type, amount and status", function* () {
    const { entries } = yield* pageOf("sui", holder, 500)
    const shown = (entries ?? []).slice(0, 8)
    assert.deepStrictEqual(shown.map(shownOf(holder)), [
      ["Send", "Success", [`holder 10231646 ${usdc}`], [`other 10231646 ${usdc}`]],
      ["Receive", "Success", [`other 10231646 ${usdc}`], [`holder 10231646 ${usdc}`]],
      ["ProgrammableTransaction", "Success", ["other 70"], ["other 70"]],
      ["Send", "Success", ["holder 900"], ["other 900"]],
      ["Send", "Failed", ["holder 0"], []],
      ["Send", "Success", ["holder 119"], Array.from({ length: 119 }, () => "other 1")],
      ["Send", "Success", ["holder 800"], ["other 500", "other 300"]],
      ["ConsensusCommitPrologueTransaction", "Success", [], []]
    ])
    const fees = shown.map(({ fee }) => fee)
    assert.deepStrictEqual([fees[0], fees[4], fees[6], fees[7]], ["0", "1079040", "2985880", "0"])
    assert.deepStrictEqual(fees.slice(2, 4), ["2997880", "1997880"])
  })
})
