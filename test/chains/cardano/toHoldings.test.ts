import { assert, it } from "@effect/vitest"
import * as Either from "effect/Either"
import { toHolding } from "../../../src/chains/cardano/toHoldings.ts"
import type { RegisteredToken } from "../../../src/providers/TokenRegistry.ts"

it("returns a reason instead of an amount if the source and the token list have different decimals for the asset", () => {
  const read = (listed: number, decimals: number | null | undefined) => {
    const token = { address: "aa", decimals: listed } as RegisteredToken
    return toHolding({ unit: "aa", quantity: 348_343n, decimals }, token, new Map())
  }
  for (const decimals of [3, 0, 9]) {
    const { amount } = read(6, decimals)
    assert.deepInclude(Either.isLeft(amount) ? amount.left : {}, { reason: "bad_answer" }, String(decimals))
  }
  for (const decimals of [6, null, undefined]) assert.isTrue(Either.isRight(read(6, decimals).amount), String(decimals))
  // Zero in the list may mean that they are not known.
  assert.deepInclude(read(0, 6).asset, { decimals: 6 })
})
