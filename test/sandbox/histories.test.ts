import * as Schema from "effect/Schema"
import type { NetworkFacts } from "../../src/catalogue/NetworkFacts.ts"
import { HistoryWithMeta } from "../../src/contract/HistoryApi.ts"
import type { Balance } from "../../src/domain/Balance.ts"
import * as World from "../../src/sandbox/world/World.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { liveNetworks } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"

/** Enough addresses to include one that initially holds more than at the end: about 1 in 14. */
const count = 16

const decode = Schema.decodeUnknown(HistoryWithMeta, { onExcessProperty: "error" })

type Entries = HistoryWithMeta["data"][string][string]

/** Received minus sent amounts and the holder's fees, native coin, base units. */
const nativeSum = (holder: string, entries: Entries): bigint =>
  entries.reduce((sum, { fee, from, to }) => {
    const mine = (parties: typeof from) =>
      parties.reduce(
        (all, { address, amount, currency }) =>
          address === holder && currency === undefined ? all + BigInt(amount) : all,
        0n
      )
    const paid = from.some(({ address }) => address === holder) ? BigInt(fee ?? 0) : 0n
    return sum + mine(to) - mine(from) - paid
  }, 0n)

/** Base units of a decimal. */
const units = (text: string, { native }: NetworkFacts): bigint => {
  const [whole = "", rest = ""] = text.split(".")
  return BigInt(whole + rest.padEnd(native.decimals, "0"))
}

describe("the histories of the simulated world", () => {
  layer(Service.layer(), { excludeTestServices: true })((it) => {
    for (const info of liveNetworks)
      it(`of ${info.id} add up to the balance of every address, fees included`, function* () {
        const { post } = yield* Service
        const networks = { [info.id]: samples(info, count) }
        const response = yield* post("/history", { networks, limit: 500, meta: true })
        assert.strictEqual(response.status, 200)
        assert.isNull(response.headers.get("x-partial-failures"))
        const { data, meta } = yield* decode(yield* body(response))
        const balances = yield* body<ReadonlyArray<Balance>>(yield* post("/balance", { networks }))
        let [empty, pending, swaps] = [0, 0, 0]
        for (const address of samples(info, count)) {
          const entries = data[info.id]?.[address] ?? []
          const row = balances.find((item) => item.holderAddress === address && item.tokenType === "NATIVE")
          const balance = units(row?.balance ?? "", info)
          if (entries.length === 0) empty++
          assert.strictEqual(balance === 0n, entries.length === 0, address)
          const waiting = entries.filter(({ status }) => status === "Pending")
          pending += waiting.length
          // The indexers of the Bitcoin family include unconfirmed amounts in the balance.
          const counted = info.family === "utxo" ? entries : entries.filter((entry) => !waiting.includes(entry))
          assert.strictEqual(nativeSum(address, counted), balance, address)
          const { complete = false, missing = [] } = meta[info.id]?.[address] ?? {}
          // No list of transactions contains validator withdrawals or minted jettons.
          const unlisted = (what: string) => /withdraw|minted jettons/.test(what)
          assert.isTrue(complete || missing.every(unlisted), `${address} ${missing}`)
          assert.strictEqual(new Set(entries.map(({ hash }) => hash)).size, entries.length)
          for (const { fee, from, hash, status, to } of entries) {
            assert.include(["Success", "Failed", "Pending"], status, hash)
            const pays = from.some((element) => element.address === address)
            assert.isTrue(pays || to.some((current) => current.address === address), `${hash} lacks ${address}`)
            const has = (parties: typeof from, isToken: boolean) =>
              parties.some((side) => side.address === address && (side.currency !== undefined) === isToken)
            if (has(from, true) && has(to, false)) swaps++
            assert.isTrue(fee === null ? !pays : BigInt(fee) > (pays ? 0n : -1n), `${hash} ${fee}`)
          }
        }
        assert.isBelow(empty, count / 3)
        // The sources of the other families list transactions in blocks only.
        assert.strictEqual(pending > 0, ["tron", "utxo"].includes(info.family))
        // On cardano, a swap is two transactions.
        assert.strictEqual(swaps > 0, World.contractsOn(info.platform).length > 0 && info.family !== "cardano")
      })
  })
})
