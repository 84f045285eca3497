import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { ledger } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { samples } from "../../chains/families/samples.ts"

describe("the ledger of the simulated world", () => {
  for (const info of Catalogue.all)
    it(`adds up to the balances of the holders of ${info.id}`, () => {
      for (const holder of samples(info, 60)) {
        const moves = ledger(info, holder)
        const sums = new Map<string | undefined, bigint>()
        const add = (asset: string | undefined, amount: bigint) => sums.set(asset, (sums.get(asset) ?? 0n) + amount)
        for (const { amount, contract, direction, failed, fee } of moves) {
          assert.isTrue(amount > 0n)
          assert.isTrue(fee > 0n)
          if (!failed) add(contract?.address, direction === "in" ? amount : -amount)
          if (direction === "out") add(undefined, -fee)
        }
        assert.strictEqual(sums.get(undefined) ?? 0n, World.native(info, holder))
        for (const contract of World.contractsOn(info.platform))
          assert.strictEqual(sums.get(contract.address) ?? 0n, World.tokenBalance(info, contract, holder))
        assert.strictEqual(new Set(moves.map(({ id }) => id)).size, moves.length)
        assert.deepStrictEqual(
          moves.map(({ at }) => at),
          [...new Set(moves.map(({ at }) => at))].sort((a, b) => a - b)
        )
      }
    })
})
