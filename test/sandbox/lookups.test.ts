import { assert, describe, layer } from "@effect/vitest"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { HistoryEntry } from "../../src/api/HistoryApi.ts"
import { lookUpChains } from "../../src/api/RelayApi.ts"
import * as Cardano from "../../src/networks/cardano/transaction.ts"
import type { NetworkInfo } from "../../src/networks/Network.ts"
import { infos } from "../../src/networks/Networks.ts"
import { parseHash } from "../../src/networks/ton/transactions.ts"
import * as Utxo from "../../src/networks/utxo/rawTransactions/transaction.ts"
import type { UtxoInfo } from "../../src/networks/utxo/Utxo.ts"
import { samples } from "../networks/families/samples.ts"
import { body, Service } from "../support/app.ts"

type Entries = ReadonlyArray<HistoryEntry>

const infoOf = (id: string) => {
  const info = infos.find((one) => one.id === id)
  assert(info !== undefined, id)
  return info
}

/** All transactions of some addresses of a network. */
const histories = (info: NetworkInfo, addresses: ReadonlyArray<string>) =>
  Effect.gen(function* () {
    const { post } = yield* Service
    const response = yield* post("/history", { networks: { [info.id]: addresses }, limit: 500 })
    assert.isNull(response.headers.get("x-partial-failures"))
    const told = yield* body<Readonly<Record<string, Readonly<Record<string, Entries>>>>>(response)
    return addresses.map((address) => [address, told[info.id]?.[address] ?? []] as const)
  })

/** Whether an answer names the transaction that was asked for, by its own contents. */
const fits: Readonly<Record<string, (info: NetworkInfo, answer: never, entry: HistoryEntry) => unknown>> = {
  utxo: (info, { result }: { readonly result: string }, { hash, to }) => {
    const { transactions } = info as UtxoInfo
    const raw = Either.getOrThrow(Utxo.check(transactions, info.name)(result))
    assert.strictEqual(raw.hash, hash)
    for (const { amount } of to) assert.isTrue(amount === "0" || raw.amounts.some((one) => one >= BigInt(amount)))
  },
  cardano: (_, [row]: ReadonlyArray<{ readonly tx_hash: string; readonly cbor: string }>, { hash }) => {
    assert.strictEqual(row?.tx_hash, hash)
    assert.strictEqual(Either.getOrThrow(Cardano.parse(row?.cbor ?? "")).id, hash)
  },
  ton: (_, { transactions }: { readonly transactions: ReadonlyArray<{ hash: string; now: number }> }, entry) => {
    assert.deepStrictEqual(
      transactions.map(({ hash, now }) => [Either.getOrThrow(parseHash(hash)), now]),
      [[Either.getOrThrow(parseHash(entry.hash)), entry.timestamp]]
    )
  }
}

const count = 12

describe("what the histories of the sandbox name", () => {
  layer(Service.layer(), { excludeTestServices: true })((it) => {
    for (const id of lookUpChains)
      it.effect(`is found as a raw transaction of ${id}`, () =>
        Effect.gen(function* () {
          const { post } = yield* Service
          const info = infoOf(id)
          const all = (yield* histories(info, samples(info, count))).flatMap(([, entries]) => entries)
          assert.isAbove(all.length, count)
          for (const entry of all) {
            const response = yield* post("/utils/getrawtransaction", { chain: id, tx: entry.hash })
            assert.strictEqual(response.status, 200, entry.hash)
            fits[info.family]?.(info, yield* body<never>(response), entry)
          }
          const unknown = yield* post("/utils/getrawtransaction", { chain: id, tx: "12".repeat(32) })
          assert.strictEqual(unknown.status, 404)
        })
      )
  })
})
