import { Address } from "@ton/core"
import * as Effect from "effect/Effect"
import { tonCenter } from "../../../src/sandbox/ton/tonCenter.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { fixture, recorded } from "../../support/fixtures.ts"
import { Ton } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const address = Address.parseRaw(`0:${"ab".repeat(32)}`)

/** Calls a method with an address as its parameter. */
const asking = (world = World.make()) => {
  const facts = { ...Ton.info, world }
  const answer = tonCenter(facts)
  return (method: string, text: string) => {
    const query = new URLSearchParams({ address: text })
    const response = answer({ method: "GET", path: `/api/v2/${method}`, query, body: "", now: 1_790_000_000_000 })
    return Effect.promise(
      () => response.json() as Promise<{ readonly result?: object; readonly code?: number; readonly ok: boolean }>
    )
  }
}

const wallet = function* () {
  const world = World.make()
  yield* world.set("ton", address.toRawString(), 5_000_000_000n)
  return (yield* asking(world)("getWalletInformation", address.toString())).result ?? {}
}

describe("the simulated TON Center, version 2", () => {
  it("describes a wallet, and an account without a contract", function* () {
    const found: Readonly<Record<string, unknown>> = { ...(yield* wallet()) }
    const expected = { wallet: true, balance: "5000000000", account_state: "active", wallet_type: "wallet v4 r2" }
    assert.deepInclude(found, expected)
    assert.isNumber(found.seqno)
    const world = World.make()
    yield* world.set("ton", address.toRawString(), 0n)
    const { result } = yield* asking(world)("getWalletInformation", address.toString())
    const none = { wallet: false, account_state: "uninitialized", wallet_type: null, seqno: null, balance: "0" }
    assert.deepInclude(result, none)
  })

  it("returns all forms of an address, and which of them was given", function* () {
    const ask = asking()
    const detected = function* (text: string) {
      return (yield* ask("detectAddress", text)).result ?? {}
    }
    const [bounceable, other] = [true, false].map((bounceable) => address.toString({ bounceable }))
    const raw = yield* detected(address.toRawString())
    assert.deepInclude(raw, { raw_form: address.toRawString(), given_type: "raw_form", test_only: false })
    const forms = (yield* ask("detectAddress", bounceable ?? "")).result
    assert.deepStrictEqual(forms, { ...raw, given_type: "friendly_bounceable" })
    const testOnly = address.toString({ bounceable: false, testOnly: true })
    assert.deepInclude(yield* detected(other ?? ""), { given_type: "friendly_non_bounceable", test_only: false })
    assert.deepInclude(yield* detected(testOnly), { given_type: "friendly_non_bounceable", test_only: true })
    assert.deepInclude(yield* ask("detectAddress", "nonsense"), { ok: false, code: 416 })
  })
})

recorded("the simulated TON Center, version 2, beside recordings", () => {
  it("describes a wallet with the same members", function* () {
    const { result } = fixture("toncenter-v2", "getwalletinformation").response.body as { readonly result: object }
    assert.sameMembers(Object.keys(yield* wallet()), Object.keys(result))
  })
})
