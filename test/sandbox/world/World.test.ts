import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { coins } from "../../../src/sandbox/world/coins.ts"
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

  it("has funded addresses on every network, and holders of every token; only museums hold odd coins, and only one address unlisted ones", () => {
    for (const info of Catalogue.all) {
      assert.isTrue(many.some((address) => World.native(info, address) > 0n))
      const museum = World.museum(info.id)
      const airdropped = World.airdropped(info.id) ?? ""
      for (const contract of World.contractsOn(info.platform)) {
        const isOdd = contract.coin.odd !== undefined
        const isUnlisted = contract.coin.isUnlisted === true
        const isHeld = (address: string) => World.tokenBalance(info, contract, address) > 0n
        assert.strictEqual(many.some(isHeld), !isOdd && !isUnlisted, contract.coin.id)
        if (isUnlisted) assert.isTrue(isHeld(airdropped), contract.coin.id)
        if (isOdd && museum !== undefined) assert.isTrue(isHeld(museum), contract.coin.id)
      }
    }
  })

  const [now, day] = [Date.UTC(2026, 10, 25), 86_400_000]
  const coinOf = (id: string) => coins.find((coin) => coin.id === id) ?? assert.fail(id)

  /** Standard deviation per year of the price changes between `count` times with this distance. */
  const volatility = (id: string, step: number, count: number) => {
    const prices = Array.from({ length: count }, (_, index) => Math.log(World.priceOf(coinOf(id), now - index * step)))
    const squares = prices.slice(1).map((price, index) => (price - (prices[index] ?? 0)) ** 2)
    return Math.sqrt(((squares.reduce((sum, square) => sum + square) / squares.length) * 365 * day) / step)
  }

  it("has prices that walk randomly, with the same volatility over minutes, hours and days", () => {
    for (const [id, expected] of [
      ["bitcoin", 0.45],
      ["solana", 0.75],
      ["pepe", 1.3]
    ] as const)
      for (const [step, count] of [
        [300_000, 2_000],
        [3_600_000, 2_000],
        [day, 700]
      ] as const)
        assert.approximately(volatility(id, step, count), expected, expected / 4, `${id} ${step}`)
  })

  it("keeps stablecoins near a dollar, and wrapped coins near the coin that they represent", () => {
    for (let days = 0; days < 1_500; days += 7) {
      const price = (id: string) => World.priceOf(coinOf(id), now - days * day)
      for (const id of ["usd-coin", "tether", "dai"]) assert.approximately(price(id), 1, 0.01)
      assert.approximately(price("wrapped-bitcoin") / price("bitcoin"), 1, 0.002)
    }
  })

  it("has a price of the table at the start of 2026, and never a price of zero", () => {
    for (const coin of coins) {
      assert.approximately(World.priceOf(coin, Date.UTC(2026, 0, 1)) / coin.usd, 1, 1e-7)
      for (const at of [0, now]) assert.isAbove(World.priceOf(coin, at), 0)
    }
  })
})
