import * as Effect from "effect/Effect"
import * as World from "../../../src/sandbox/world/World.ts"
import { Tron } from "../../support/networks.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { listening, nativeSum, shown, visit } from "../museumAnswers.ts"
import { cases } from "./museum.ts"

const { info } = Tron

describe("the museum of tron", () => {
  it.live("has each rare form in the answers of TronGrid, and the service reads it", function* () {
    const { layer, texts } = listening()
    const { entries, holder } = yield* Effect.provide(visit(info), layer)
    for (const { case: form, shows } of cases)
      assert.isTrue(
        texts.some((text) => shows.test(text)),
        form
      )
    assert.strictEqual(nativeSum(holder, entries), World.native(info, holder))
    const arriving = entries.filter(({ status, to }) => status === "Pending" && to[0]?.currency !== undefined)
    assert.deepStrictEqual(
      arriving.map(({ type }) => type),
      ["Receive"]
    )
    const exhibits = entries
      .filter(({ status }) => status !== "Pending")
      .slice(0, 13)
      .map((entry) => {
        const { amounts, status, type } = shown(holder, entry)
        return [type, status, ...amounts].join(" ")
      })
    assert.deepStrictEqual(exhibits, [
      "Send Success -50000000 usdt",
      "Receive Success +50000000 usdt",
      "WithdrawExpireUnfreeze Success +13000000",
      "WithdrawBalance Success +11000000",
      "UnfreezeBalance Success +7000000",
      "Receive Failed",
      "Contract Call Success 0",
      "Contract Call Success 0",
      "Contract Call Failed 0",
      "Receive Success +1",
      "Receive Success +7639170000000 1002000",
      "Send Success -7639170000000 1002000",
      "Send Success -13195916000"
    ])
    const fees = new Set(entries.map(({ fee }) => fee))
    for (const fee of ["54171200", "3209000", "2850", "2690"]) assert.isTrue(fees.has(fee), fee)
  })
})
