import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { holders } from "../../support/sandbox.ts"

const many = holders(200)

const portfolio = (address: string) => [
  World.native(ethereum, address),
  ...World.contractsOn(ethereum.platform).map((contract) => World.tokenBalance(ethereum, contract, address))
]

describe("the simulated world", () => {
  it("has a maximum of 2000 pending transfers, and confirms the oldest beyond it", () => {
    const { state } = World.make()
    const [to = ""] = many
    for (let index = 0; index < 2_005; index++)
      state.wait("ethereum", { id: `${index}`, to, amount: 1n, seen: 1_790_000_000 })
    assert.strictEqual(state.pending("ethereum", to).length, 2_000)
    assert.deepStrictEqual(
      state.final("ethereum", to).map(({ id }) => id),
      ["0", "1", "2", "3", "4"]
    )
    assert.strictEqual(state.change("ethereum", to), 5n)
  })

  it("returns the same balances of an address every time", () => {
    for (const address of many.slice(0, 20)) assert.deepStrictEqual(portfolio(address), portfolio(address))
    assert.strictEqual(World.native(ethereum, "0xd8da6bf26964af9d7eed9e03e53415d37aa96045"), 1385803299608082347n)
  })

  it("has different balances for each address, and for an address on each network", () => {
    const funded = many.filter((address) => World.native(ethereum, address) > 0n)
    assert.strictEqual(new Set(funded.map((address) => portfolio(address).join())).size, funded.length)
    for (const address of funded.slice(0, 10)) {
      const amounts = Catalogue.all.map((info) => World.native(info, address)).filter((amount) => amount > 0n)
      assert.strictEqual(new Set(amounts).size, amounts.length)
    }
  })

  it("has about one unused address in ten, without any tokens", () => {
    const unused = many.filter((address) => World.native(ethereum, address) === 0n)
    assert.isAtLeast(unused.length, 8)
    assert.isAtMost(unused.length, 40)
    for (const address of unused) assert.isTrue(portfolio(address).every((amount) => amount === 0n))
  })

  it("has funded addresses on every network, and holders of every token", () => {
    for (const info of Catalogue.all) {
      assert.isTrue(many.some((address) => World.native(info, address) > 0n))
      for (const contract of World.contractsOn(info.platform))
        assert.isTrue(many.some((address) => World.tokenBalance(info, contract, address) > 0n))
    }
  })

  it("keeps a coin's price for an hour, and within one percent of its base price", () => {
    for (const { coin } of World.contractsOn("ethereum")) {
      const noon = Date.UTC(2026, 8, 1, 12)
      assert.strictEqual(World.priceOf(coin, noon), World.priceOf(coin, noon + 59 * 60_000))
      for (let hour = 0; hour < 48; hour++)
        assert.approximately(World.priceOf(coin, noon + hour * 3_600_000) / coin.usd, 1, 0.0101)
    }
  })
})
