import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Catalogue from "../../src/catalogue/Catalogue.ts"
import type { UtxoFacts } from "../../src/catalogue/utxo/UtxoFacts.ts"
import * as UtxoTransaction from "../../src/chains/utxo/rawTransactions/UtxoTransaction.ts"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { TransactionStatus, TransactionStatuses } from "../../src/contract/TransactionStatusApi.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service, textOf } from "../support/app.ts"
import { isAll } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { firstOf, histories, live, makeWalk, type Network } from "./walk.ts"

const { layer: walk, pay } = makeWalk()

/** Addresses per network. */
const count = isAll ? 16 : 4

/** The first addresses, and on tron one with a pending transaction. */
const entriesOf = Effect.fnUntraced(function* (info: Network) {
  const addresses = info.family === "tron" ? [...samples(info, count), ...samples(info, 1, 7)] : samples(info, count)
  return (yield* histories(info, addresses)).flatMap(({ address, entries }) =>
    entries.map((entry) => ({ address, entry }))
  )
})

const states = { Success: "confirmed", Failed: "failed", Pending: "pending", Unknown: null } as const

/** The status of an entry's own transaction: a transfer that bounces on TON is failed in the history only. */
const stateOf = ({ status }: HistoryEntry, { family }: Network) =>
  family === "ton" && status === "Failed" ? "confirmed" : states[status]

/** Whether a status has no fee: on TON, other transactions pay too; on cardano, a failure takes the collateral. */
const isFree = ({ status }: HistoryEntry, { family }: Network) =>
  status === "Pending" || family === "ton" || (family === "cardano" && status === "Failed")

/** More than any network has between two requests. */
const maxNewBlocks = 1_000

const agrees = (
  info: Network,
  { address, entry }: { address: string; entry: HistoryEntry },
  found: TransactionStatus
) => {
  const { block, confirmations, fee, from, hash, status, timestamp } = entry
  assert.strictEqual(found.status, stateOf(entry, info), `${hash} ${found.error}`)
  assert.strictEqual(found.at, status === "Pending" ? null : timestamp, hash)
  assert.strictEqual(found.fee === null, isFree(entry, info), `the status of ${hash} has the fee ${found.fee}`)
  if (fee === null)
    assert.isFalse(
      from.some((party) => party.address === address),
      `${hash} has no fee`
    )
  else if (found.fee !== null) assert.strictEqual(found.fee, fee, hash)
  if (block !== null || status === "Pending") assert.strictEqual(found.block, block, hash)
  // The newest block is not read for a final transaction.
  if (confirmations === null) return assert.isTrue(found.final, hash)
  assert.isAtLeast(found.confirmations ?? -1, confirmations, hash)
  assert.isAtMost(found.confirmations ?? -1, confirmations === 0 ? 0 : confirmations + maxNewBlocks, hash)
}

/** Whether the response to a look-up has the transaction: by its hash in any form, or as its bytes. */
const has = (info: Network, text: string, { hash, to }: HistoryEntry): boolean => {
  if (info.family === "utxo") {
    const { transactions } = info as UtxoFacts
    const raw = Either.getOrThrow(UtxoTransaction.check(transactions, info.name)(JSON.parse(text).result))
    return (
      raw.hash === hash &&
      to.every(({ amount }) => amount === "0" || raw.amounts.some((each) => each >= BigInt(amount)))
    )
  }
  const digits = hash.replace(/^0x/, "").toLowerCase()
  return text.toLowerCase().includes(digits) || text.includes(Buffer.from(digits, "hex").toString("base64"))
}

describe("a transaction in a history", () => {
  layer(walk, { excludeTestServices: true })((it) => {
    for (const info of live)
      it(`of ${info.id} has the same status, block, time and fee by its hash`, function* () {
        const { post } = yield* Service
        // Confirmations are read only if a transaction may still be reverted.
        yield* pay(info, firstOf(info))
        const all = yield* entriesOf(info)
        const networks = { [info.id]: all.map(({ entry }) => entry.hash) }
        const statuses = (yield* body<TransactionStatuses>(yield* post("/transactions/status", { networks })))[info.id]
        for (const each of all) {
          const found = statuses?.[each.entry.hash]
          assert(found !== undefined, each.entry.hash)
          agrees(info, each, found)
        }
        const counted = all.filter(({ entry }) => entry.confirmations !== null && entry.confirmations > 0)
        assert.isNotEmpty(counted, "no confirmations of the payment")
      })

    for (const info of live.filter(({ id }) => Catalogue.rawLookupNetworks.includes(id)))
      it(`of ${info.id} is found as a raw transaction`, function* () {
        const { post } = yield* Service
        const lookUp = (tx: string) => post("/utils/getrawtransaction", { chain: info.id, tx })
        const missing: Array<unknown> = []
        for (const { entry } of yield* entriesOf(info)) {
          const response = yield* lookUp(entry.hash)
          const text = yield* textOf(response)
          if (!response.ok || !has(info, text, entry))
            missing.push([entry.hash, entry.status, response.status, text.slice(0, 200)])
        }
        assert.deepStrictEqual(missing, [])
        assert.strictEqual((yield* lookUp("12".repeat(32))).status, 404)
      })
  })
})
