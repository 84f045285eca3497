import * as Option from "effect/Option"
import { assetsIn } from "../../../src/chains/polkadot/tokens/fungibles.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const local = (id: string) => `0002043205${id}`
const amount = "0004"

/** USDT: the compact integer of 1984. */
const usdt = "011f"

const dot = `0100${amount}`

const listOf = (version: string, ...assets: ReadonlyArray<string>) =>
  `0x00${version}${(4 * assets.length).toString(16).padStart(2, "0")}${assets.join("")}`

const found = (result: unknown) => Option.getOrUndefined(assetsIn(result))

describe("the assets of an account in the runtime's result", () => {
  it("are the ids of the pallet Assets, in any version; DOT is not one of them", () => {
    for (const version of ["03", "04", "05"])
      assert.deepStrictEqual(found(listOf(version, dot, `${local(usdt)}${amount}`, `${local("20")}${amount}`)), {
        ids: [1984n, 8n],
        others: 0
      })
    assert.deepStrictEqual(found(listOf("05")), { ids: [], others: 0 })
  })

  it("are counted if they are of another pallet or of another chain", () => {
    const others = {
      "pool asset": `0002043705${usdt}`,
      parachain: "010100a10f",
      "account of Ethereum": `02020907040300${"00".repeat(20)}`,
      "network by its first block": `02010900${"ab".repeat(32)}`,
      fork: `02010901${"00".repeat(40)}`,
      key: `010200200604${"11".repeat(32)}`,
      "account with a network": `0001010102${"22".repeat(32)}`,
      "account without a network": `00010100${"22".repeat(32)}`,
      "numbered account": "0001020004",
      "only child": "000107",
      "index without a pallet": `000105${usdt}`
    }
    for (const [name, location] of Object.entries(others))
      assert.deepStrictEqual(
        found(listOf("05", `${location}${amount}`, `${local(usdt)}${amount}`)),
        { ids: [1984n], others: 1 },
        name
      )
  })

  it("are not known from an error, a cut or a longer result, and unknown forms", () => {
    const whole = listOf("05", dot, `${local(usdt)}${amount}`)
    for (let length = 0; length < whole.length; length++) assert.isUndefined(found(whole.slice(0, length)))
    const unknown = {
      longer: `${whole}00`,
      error: "0x0100",
      "older version": whole.replace("0x0005", "0x0002"),
      "later version": whole.replace("0x0005", "0x0006"),
      "an item that is not fungible": listOf("05", `${local(usdt)}0100`),
      body: listOf("05", `000108${amount}`),
      "unknown junction": listOf("05", `00010a${amount}`),
      "unknown network": listOf("05", `0201090b${amount}`),
      many: "0x0005feffffff",
      "no text": null
    }
    for (const [name, result] of Object.entries(unknown)) assert.isUndefined(found(result), name)
  })
})
