import * as Effect from "effect/Effect"
import { ethereum } from "../../../src/catalogue/evm/ethereum.ts"
import { blockscout, etherscan, routescan } from "../../../src/sandbox/evm/EvmExplorers.ts"
import * as EvmLedger from "../../../src/sandbox/evm/EvmLedger.ts"
import type { Simulated } from "../../../src/sandbox/world/wire.ts"
import { holders } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

const now = Date.UTC(2026, 10, 20)

const ledgers = EvmLedger.several()

const explorers: ReadonlyArray<readonly [string, Simulated, boolean]> = [
  ["etherscan", etherscan([ethereum], ledgers), false],
  ["routescan", routescan([ethereum], ledgers), false],
  ["blockscout", blockscout(ethereum, ledgers(ethereum)), true]
]

interface Answer {
  readonly status: string
  readonly message: string
  readonly result: ReadonlyArray<{ readonly blockNumber: string }> | string | null
}

const holder = holders(12).find((address) => ledgers(ethereum).of(address).length > 6) ?? ""

const ask = (explorer: Simulated, query: Readonly<Record<string, string>>) => {
  const all = { chainid: "1", apikey: "key", module: "account", action: "txlist", address: holder, ...query }
  const path = "/1/etherscan/api"
  const response = explorer({ method: "GET", path, query: new URLSearchParams(all), body: "", now })
  return Effect.promise(() => response.json() as Promise<Answer>)
}

const blocks = ({ result }: Answer) => {
  if (!Array.isArray(result)) return assert.fail(JSON.stringify(result))
  return result.map(({ blockNumber }) => Number(blockNumber))
}

describe("the simulated explorers", () => {
  for (const [name, explorer, newestFirst] of explorers) {
    it(`answer in their own order without an order, and with one row without a size: ${name}`, function* () {
      const up = blocks(yield* ask(explorer, { sort: "asc", offset: "100" }))
      assert.isAbove(up.length, 3)
      assert.deepStrictEqual(
        up,
        up.toSorted((a, b) => a - b)
      )
      assert.deepStrictEqual(blocks(yield* ask(explorer, { sort: "desc", offset: "100" })), up.toReversed())
      const own = newestFirst ? up.toReversed() : up
      assert.deepStrictEqual(blocks(yield* ask(explorer, { offset: "100" })), own)
      assert.deepStrictEqual(blocks(yield* ask(explorer, {})), own.slice(0, 1))
    })

    it(`refuse rows beyond their window, and what is no address: ${name}`, function* () {
      assert.deepStrictEqual(yield* ask(explorer, { page: "11", offset: "1000" }), {
        status: "0",
        message: "Result window is too large, PageNo x Offset size must be less than or equal to 10000",
        result: null
      })
      assert.deepStrictEqual((yield* ask(explorer, { page: "10", offset: "1000" })).result, [])
      assert.deepStrictEqual(yield* ask(explorer, { address: "0x12" }), {
        status: "0",
        message: "NOTOK",
        result: "Error! Invalid address format"
      })
    })
  }
})
