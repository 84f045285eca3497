import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import * as EvmChain from "../../../src/sandbox/evm/EvmChain.ts"
import * as EvmLedger from "../../../src/sandbox/evm/EvmLedger.ts"
import { intrinsic } from "../../../src/sandbox/evm/EvmTransaction.ts"
import { withDataGas } from "../../../src/sandbox/evm/rollupFees.ts"
import { holders } from "../../support/sandbox.ts"
import { assert, describe, it } from "../../support/vitest.ts"

describe("the generated transactions of an EVM network", () => {
  it("pay at least the base fee of their block, for at least their intrinsic gas", () => {
    for (const facts of Catalogue.all.filter(({ family }) => family === "evm")) {
      const chain = EvmLedger.make(facts)
      const all = holders(4).flatMap(chain.of)
      assert.isAbove(all.length, 10)
      for (const { block, gas, hash, input, price, to } of all) {
        const label = `${facts.id} ${hash}`
        assert.isTrue(price >= EvmChain.baseFee(facts, block), label)
        const least = withDataGas(facts, intrinsic({ data: input, to }))
        assert.isTrue(input === "0x" ? gas === least : gas > least, label)
      }
    }
  })
})
