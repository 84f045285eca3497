import { parseUnits } from "viem/utils"
import type { Balance } from "../../src/domain/Balance.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { networks } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { isUnlisted, native, sums } from "./sums.ts"
import { histories, live, makeWalk } from "./walk.ts"

/** Enough addresses to include one that initially holds more than at the end: about 1 in 14. */
const many = 16

describe("the histories of the simulated world", () => {
  layer(makeWalk().layer, { excludeTestServices: true })((it) => {
    for (const info of live)
      it(`of ${info.id} add up to the balance of every coin and token, fees included`, function* () {
        const { post } = yield* Service
        const isExemplary = networks.includes(info)
        const addresses = samples(info, isExemplary ? many : 3)
        const response = yield* post("/balance", { networks: { [info.id]: addresses } })
        const rows = yield* body<ReadonlyArray<Balance>>(response)
        let [empty, pending, swaps] = [0, 0, 0]
        for (const { address, complete, entries, missing } of yield* histories(info, addresses)) {
          const waiting = entries.filter(({ status }) => status === "Pending")
          const owned = sums(info, address, entries)
          for (const { balance, contractAddress, holderAddress, tokenDecimals } of rows) {
            if (holderAddress !== address) continue
            const asset = contractAddress ?? native
            assert.strictEqual(owned.get(asset) ?? 0n, parseUnits(balance ?? "", tokenDecimals), `${address} ${asset}`)
            if (asset === native) assert.strictEqual(balance === "0", entries.length === 0, address)
            owned.delete(asset)
          }
          for (const [asset, amount] of owned) assert.strictEqual(amount, 0n, `${address} has no row of ${asset}`)
          assert.isTrue(complete || missing.every(isUnlisted), `${address} ${missing}`)
          assert.strictEqual(new Set(entries.map(({ hash }) => hash)).size, entries.length)
          const times = entries.slice(waiting.length).map(({ timestamp }) => timestamp)
          assert.deepStrictEqual(
            times,
            times.toSorted((a, b) => b - a),
            address
          )
          for (const { fee, from, hash, status, to } of entries) {
            assert.include(["Success", "Failed", "Pending"], status, hash)
            const pays = from.some((party) => party.address === address)
            assert.isTrue(pays || to.some((party) => party.address === address), `${hash} lacks ${address}`)
            const has = (side: typeof from, isToken: boolean) =>
              side.some((party) => party.address === address && (party.currency !== undefined) === isToken)
            if (has(from, true) && has(to, false)) swaps++
            assert.isTrue(fee === null ? !pays : BigInt(fee) > (pays ? 0n : -1n), `${hash} ${fee}`)
          }
          if (entries.length === 0) empty++
          pending += waiting.length
        }
        if (!isExemplary) return
        assert.isBelow(empty, many / 3)
        // The sources of the other families list transactions in blocks only.
        assert.strictEqual(pending > 0, ["tron", "utxo"].includes(info.family))
        // On cardano, a swap is two transactions.
        assert.strictEqual(swaps > 0, World.contractsOn(info.platform).length > 0 && info.family !== "cardano")
      })
  })
})
