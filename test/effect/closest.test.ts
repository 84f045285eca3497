import { assert, it } from "@effect/vitest"
import { closest } from "../../src/effect/closest.ts"

const known = ["networkId", "address", "tokenAddress", "days", "gas", "gas_price", "tx"]

it("finds the name that was meant, whatever its case and punctuation", () => {
  for (const [given, meant] of [
    ["tokenAdress", "tokenAddress"],
    ["TOKEN-ADDRESS", "tokenAddress"],
    ["network_id", "networkId"],
    ["adress", "address"],
    ["dyas", "days"],
    ["gasPrice", "gas_price"],
    ["gass", "gas"]
  ] as const)
    assert.strictEqual(closest(given, known), meant, given)
})

it("finds none where none is near, and does not try with what is no name", () => {
  for (const given of ["", "holder", "q", "token", "tokenAddress".repeat(100)])
    assert.isUndefined(closest(given, known), given)
  assert.isUndefined(closest("days", []))
})
