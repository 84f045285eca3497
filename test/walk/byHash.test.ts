import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../src/catalogue/utxo/UtxoFacts.ts"
import * as PolkadotAddress from "../../src/chains/polkadot/PolkadotAddress.ts"
import * as TonAddress from "../../src/chains/ton/TonAddress.ts"
import * as UtxoAddress from "../../src/chains/utxo/UtxoAddress.ts"
import type { HistoryEntry } from "../../src/contract/HistoryApi.ts"
import type { TransactionByHash } from "../../src/contract/transactions/ByHashApi.ts"
import { samples } from "../chains/families/samples.ts"
import { body, Service } from "../support/app.ts"
import { isAll, liveNetworks } from "../support/tier.ts"
import { assert, describe, layer } from "../support/vitest.ts"
import { histories, lasting, makeWalk, type Network } from "./walk.ts"

const { layer: walk } = makeWalk({ SUBSCAN_API_KEY: "key" })

/** Addresses per network, and entries of each. */
const [count, perAddress] = [isAll ? 8 : 2, isAll ? 100 : 6]

type Side = HistoryEntry["from"]

/** The parties of a side that move something. */
const moves = (side: Side) => side.filter(({ amount }) => amount !== "0")

/** An address as the network writes it. */
const written = (info: Network, address: string): string => {
  const { family } = info
  return family === "ton"
    ? Either.getOrElse(TonAddress.parse(address), () => address)
    : family === "polkadot"
      ? Either.match(PolkadotAddress.parse(address), { onLeft: () => address, onRight: PolkadotAddress.format })
      : family === "utxo"
        ? Either.getOrElse(UtxoAddress.parse(info as UtxoFacts)(address), () => address)
        : address
}

/** The simulated sender of a jetton has no history, in which the indexer would list the trace. */
const hasNoSender = ({ family }: Network, { from, type }: HistoryEntry) =>
  family === "ton" && type === "Receive" && from.some(({ currency }) => currency !== undefined)

/** On ton, an account pays only its own fees. */
const hasOwnFee = ({ family }: Network) => family === "ton"

const contains = (info: Network, address: string, entry: HistoryEntry, found: TransactionByHash) => {
  const { block, fee, hash, status, timestamp, type } = entry
  assert.deepInclude(found, { network: info.id, hash, status }, `${address} ${hash}`)
  if (status !== "Pending") assert.deepInclude(found, { timestamp }, hash)
  if (block !== null) assert.strictEqual(found.block, block, hash)
  if (fee !== null && found.fee !== null && !hasOwnFee(info)) assert.strictEqual(found.fee, fee, hash)
  if (type === "Send" && entry.from.some((party) => party.address === address))
    assert.strictEqual(found.type, type, hash)
  if (hasNoSender(info, entry)) return assert.strictEqual(found.errorCode, "bad_answer", hash)
  const all = lasting(found as unknown as HistoryEntry)
  for (const side of ["from", "to"] as const)
    for (const party of moves(lasting(entry)[side] as Side)) {
      const own = all[side].map(({ address, amount, currency }) => ({ address, amount, currency }))
      assert.deepInclude(
        own,
        { currency: undefined, ...party, address: written(info, party.address) },
        `${hash} ${side}`
      )
    }
}

describe("a transaction by its hash", () => {
  layer(walk, { excludeTestServices: true })((it) => {
    for (const info of liveNetworks)
      it(`of ${info.id} has the status, block, fee and movements of its entry in a history`, function* () {
        const { get } = yield* Service
        const wrong: Array<string> = []
        let right = 0
        for (const { address, entries } of yield* histories(info, samples(info, count), { limit: perAddress }))
          for (const entry of entries) {
            const response = yield* get(`/transactions/${info.id}/${encodeURIComponent(entry.hash)}`)
            const found = yield* body<TransactionByHash>(response)
            const result = yield* Effect.either(
              Effect.try({
                try: () => {
                  assert.strictEqual(response.status, 200, JSON.stringify(found).slice(0, 300))
                  contains(info, address, entry, found)
                },
                catch: (error) =>
                  `${String(error).slice(0, 600)}\n${JSON.stringify(entry).slice(0, 900)}\n${JSON.stringify(found).slice(0, 900)}`
              })
            )
            if (result._tag === "Left") wrong.push(result.left)
            else right++
          }
        assert.strictEqual(
          wrong.length,
          0,
          `${wrong.length} of ${right + wrong.length}: ${wrong.slice(0, 3).join("\n\n")}`
        )
        assert.isAbove(right, 0)
      })
  })
})
