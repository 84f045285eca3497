import * as Effect from "effect/Effect"
import { type Fees, levelNames } from "../../../src/domain/fees/Fees.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { body, Service } from "../../support/app.ts"
import { as } from "../../support/fees.ts"
import { Ripple } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { listening, nativeSum, shown, visit } from "../museumAnswers.ts"
import { cases } from "./museum.ts"

const { info } = Ripple

const gaps = ["the delivered amounts of 2 partial payments: ripple-rpc does not return them"]

describe("the museum of ripple", () => {
  it.live("has each rare form in the answers of its nodes, and the service reads it", function* () {
    const { layer, texts } = listening()
    const { balances, entries, holder } = yield* Effect.provide(visit(info, gaps), layer)
    for (const { case: form, shows } of cases)
      assert.isTrue(
        texts.some((text) => shows.test(text)),
        form
      )
    // Unknown amounts of 7 drops; a fee of 12 that another account pays, and one of 15 that the museum pays for it.
    assert.strictEqual(nativeSum(holder, entries) + 7n + 12n - 15n, World.native(info, holder))
    // A debt is no balance.
    assert.deepStrictEqual(
      balances.map(({ tokenSymbol }) => tokenSymbol),
      ["XRP"]
    )
    const exhibits = entries.slice(1, 17).map((entry) => {
      const { amounts, status, type } = shown(holder, entry)
      return [type, status, ...amounts.map((text) => text.replace(/[0-9A-F]{48}/, "MPT"))].join(" ")
    })
    assert.deepStrictEqual(exhibits, [
      "Payment Success",
      "Send Success -6",
      "Receive Success +9",
      "Receive Success 0",
      "Receive Success +5",
      "Receive Success 0",
      "Receive Success +25718124",
      "OfferCreate Failed 0",
      "Send Success -6000000",
      "EscrowCreate Success -2",
      "Receive Success +1000 MPT",
      "Receive Success +1000000",
      "AccountDelete Success +9995000000",
      "Send Success -5000000000 solo",
      "Receive Success +5000000000 solo",
      "TrustSet Success 0"
    ])
    assert.strictEqual(entries.find(({ type }) => type === "AccountDelete")?.fee, "5000000")
    const [between, delegated] = entries.slice(1, 3)
    assert.deepStrictEqual([between?.fee, delegated?.fee], ["15", "12"])
    assert.deepStrictEqual(
      [...(between?.from ?? []), ...(between?.to ?? [])].map(({ amount }) => amount),
      ["7", "7"]
    )
  })
})

describe("the fees of the simulated ripple", () => {
  it.live("are higher for fast transactions, because others wait", function* () {
    const fees = yield* Effect.gen(function* () {
      const { get } = yield* Service
      return yield* body<Fees>(yield* get("/utils/fees/ripple"))
    }).pipe(Effect.provide(Service.layer()))
    const { basis, levels } = as("ripple", fees)
    assert.deepStrictEqual(basis, { baseFeeDrops: "10", queuedTransactions: "12" })
    assert.deepStrictEqual(
      levelNames.map((name) => levels[name].feeDrops),
      ["10", "10", "5000"]
    )
  })
})
