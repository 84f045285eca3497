import { assert, describe, it } from "@effect/vitest"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { Family, NetworkFacts } from "../../../src/catalogue/NetworkFacts.ts"
import { ledger, type Move } from "../../../src/sandbox/world/ledger.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { samples } from "../../chains/families/samples.ts"
import { isAll, networks } from "../../support/tier.ts"

/** Asserts that the moves of a holder are different transactions, which add up to the balances. */
const addsUp = (info: NetworkFacts, holder: string, moves: ReadonlyArray<Move>) => {
  const sums = new Map<string | undefined, bigint>()
  const add = (asset: string | undefined, amount: bigint) => sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  for (const { amount, contract, direction, failed, fee, kind, received = 0n } of moves) {
    assert.strictEqual(amount === 0n, kind === "approval" || kind === "empty")
    assert.isTrue(fee > 0n)
    if (!failed) add(contract?.address, direction === "in" ? amount : -amount)
    if (direction === "out") add(undefined, received - fee)
  }
  assert.strictEqual(sums.get(undefined) ?? 0n, World.native(info, holder))
  for (const contract of World.contractsOn(info.platform))
    assert.strictEqual(sums.get(contract.address) ?? 0n, World.tokenBalance(info, contract, holder))
  assert.strictEqual(new Set(moves.map(({ id }) => id)).size, moves.length)
}

describe("the ledger of the simulated world", () => {
  for (const info of Catalogue.all)
    it(`adds up to the balances of the holders of ${info.id}`, () => {
      for (const holder of samples(info, isAll ? 60 : 20)) {
        const moves = ledger(info, holder)
        addsUp(info, holder, moves)
        assert.deepStrictEqual(
          moves.map(({ at }) => at),
          [...new Set(moves.map(({ at }) => at))].sort((a, b) => a - b)
        )
      }
    })

  for (const info of networks)
    it(`has a long history of the busy address of ${info.id}, with three transactions in each block`, () => {
      const holder = World.busy(info.id) ?? ""
      const moves = ledger(info, holder)
      addsUp(info, holder, moves)
      const payments = { evm: 12_000, polkadot: 700 }[info.family as string] ?? 1_000
      assert.isAtLeast(moves.length, payments)
      const blocks = [...Map.groupBy(moves, ({ at }) => at)]
      assert.deepStrictEqual(
        blocks.map(([at]) => at),
        blocks.map(([at]) => at).sort((a, b) => a - b)
      )
      const sizes = new Set(blocks.slice(0, -1).map(([, together]) => together.length))
      assert.deepStrictEqual([...sizes], info.family === "evm" ? [3, 360] : [3])
    })

  it("never pays more than a holder has, however small the balance", () => {
    for (const info of Catalogue.all)
      for (let index = 0; index < 300; index++) {
        let balance = 0n
        for (const { amount, contract, direction, failed, fee, received = 0n } of ledger(info, `holder ${index}`)) {
          if (contract === undefined && !failed) balance += direction === "in" ? amount : -amount
          if (direction === "out") balance += received - fee
          assert.isTrue(balance >= 0n, `${info.id}, holder ${index}: ${balance}`)
        }
      }
  })

  /** Kinds of moves besides successful transfers, by family. */
  const kinds: Readonly<Record<Family, ReadonlyArray<string>>> = {
    cardano: ["failed", "mint", "poisoning"],
    evm: ["approval", "failed", "mint", "poisoning", "swap"],
    polkadot: ["failed", "poisoning", "swap"],
    ripple: ["failed", "mint", "poisoning", "swap"],
    solana: ["failed", "mint", "poisoning", "swap"],
    sui: ["failed", "mint", "poisoning", "swap"],
    ton: ["failed", "poisoning", "swap"],
    tron: ["approval", "failed", "mint", "poisoning", "swap"],
    utxo: ["failed", "poisoning"]
  }

  it("has swaps, approvals, mints, failures and address poisoning where the family has them", () => {
    const ends = ({ seed }: Move) => [seed.slice(0, 6), seed.slice(34, 40), seed.slice(58)].join()
    for (const [family, networks] of Map.groupBy(Catalogue.all, (info) => info.family)) {
      const found = new Set<string>()
      for (const { holder, info } of networks.flatMap((info) =>
        samples(info, 60).map((holder) => ({ holder, info }))
      )) {
        const moves = ledger(info, holder)
        for (const [index, move] of moves.entries()) {
          if (move.failed) found.add("failed")
          if (move.kind !== undefined) found.add(move.kind)
          if (move.received !== undefined) found.add("swap")
          const before = moves.slice(0, index).find((other) => ends(other) === ends(move))
          if (before === undefined) continue
          found.add("poisoning")
          assert.deepStrictEqual([before.direction, move.direction], ["out", "in"])
          assert.notStrictEqual(before.seed, move.seed)
        }
      }
      assert.deepStrictEqual([...found].sort(), kinds[family], family)
    }
  })
})
