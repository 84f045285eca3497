import { assert, describe, it } from "@effect/vitest"
import { foundCoins, listedIn } from "../../src/page/coin/search.ts"

const address = (digit: string) => `0x${digit.repeat(40)}`

const price = (id: string, name: string, symbol: string, fdv: number | null, at: string) => ({
  [at]: { id, name, symbol, fdv, address: at }
})

const prices = {
  "1": {
    ...price("pepe", "Pepe", "pepe", 9, address("a")),
    ...price("pepe-fake", "Pepe", "pepe", null, address("b")),
    ...price("usd-coin", "USDC", "usdc", 70, address("C"))
  },
  "10": { ...price("usd-coin", "USDC", "usdc", 70, address("d")), ...price("arb", "Arbitrum", "arb", 3, address("e")) }
} as unknown as Parameters<typeof listedIn>[0]

const known = [
  { id: "bitcoin", name: "Bitcoin", symbol: "BTC" },
  { id: "bitcoin-cash", name: "BCH", symbol: "BCH" }
]

describe("the search for coins", () => {
  const listed = listedIn(prices)
  const found = (text: string, ...own: ReadonlyArray<string>) =>
    foundCoins(text, { known, listed, own: new Set(own) }).map(({ id }) => id)

  it("finds coins by name, symbol, id and address, the best and the largest first", () => {
    assert.deepStrictEqual(listed.find(({ id }) => id === "usd-coin")?.addresses, [address("c"), address("d")])
    assert.strictEqual(found("BTC")[0], "bitcoin")
    assert.deepStrictEqual(found("bitcoin").slice(0, 2), ["bitcoin", "bitcoin-cash"])
    assert.strictEqual(found(" usdc ")[0], "usd-coin")
    assert.deepStrictEqual(found("pepe"), ["pepe", "pepe-fake"])
    assert.deepStrictEqual(found(address("B")), ["pepe-fake"])
    assert.deepStrictEqual(found("arbi"), ["arb"])
    assert.deepStrictEqual(found("no such coin"), [])
  })

  it("has own holdings first, and only these without a text", () => {
    assert.deepStrictEqual(found(""), [])
    assert.deepStrictEqual(found("pepe", "pepe-fake", "arb"), ["pepe-fake", "pepe"])
    assert.deepStrictEqual(found("", "pepe-fake", "arb").sort(), ["arb", "pepe-fake"])
  })

  it("is limited, whatever the service returns", () => {
    const many = Object.fromEntries(
      Array.from(
        { length: 30_000 },
        (_, index) => Object.entries(price(`x${index}`, "X".repeat(1000), "x", 1, `${index}`))[0]
      ).filter((entry) => entry !== undefined)
    )
    const coins = listedIn({ "1": many } as never)
    assert.lengthOf(coins, 20_000)
    assert.lengthOf(coins[0]?.name ?? "", 100)
    assert.lengthOf(foundCoins("x", { known, listed: coins, own: new Set() }), 8)
  })
})
