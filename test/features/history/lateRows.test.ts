import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { network as utxoNetwork } from "../../chains/utxo/made.ts"
import { Bitcoin } from "../../support/networks.ts"
import * as PagedIndexers from "../../support/PagedIndexers.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { type FakeNetwork, over } from "./histories.ts"

const day = 86_400

const later = TestClock.adjust("10 seconds")

/** With its own store, at this time in seconds. */
const withHistory = <A, E>(at: number, network: FakeNetwork, body: Effect.Effect<A, E, History>) =>
  Effect.zipRight(TestClock.setTime(at * 1_000), body).pipe(
    Effect.provide(Layer.provide(over(network), Layer.fresh(Memory.layer())))
  )

/** A page of an address's history, the first or that of a cursor. */
const page = (id: string, address: string, limit: number, cursor?: string | null) =>
  Effect.gen(function* () {
    const history = yield* History
    const wanted = { [id]: [address] }
    const cursors = yield* Effect.orDie(history.cursors(wanted, cursor ? { [id]: { [address]: cursor } } : {}))
    const [first] = yield* history.transactions(wanted, limit, cursors)
    yield* later
    const found = first?.histories[0]
    if (found === undefined) throw new Error("the network is not known")
    return found
  })

const genesis = 1_700_000_000
const bitcoinHash = (index: number) => index.toString(16).padStart(64, "0")

/** Bitcoin with these payments, whose hashes are their numbers. */
const bitcoin = (payments: () => Parameters<typeof PagedIndexers.page>[2]) =>
  Effect.map(
    utxoNetwork(Bitcoin, {
      "mempool.space": ({ url }) => PagedIndexers.page("esplora", Bitcoin.info.sampleAddress, payments(), url)
    }),
    (service) => ({ service }) as never as FakeNetwork
  )

describe("a late row of Bitcoin", () => {
  it.scoped("does not take the place of one below the stored ones whose block has an earlier time", function* () {
    const address = Bitcoin.info.sampleAddress
    // The time of block 1069 is more than half an hour ahead, as the rules allow.
    const payments = Array.from({ length: 80 }, (_, index) => 80 - index).map((index) => ({
      hash: bitcoinHash(index),
      height: 1_000 + index,
      time: genesis + (index === 69 ? 71_200 : index * 1_000)
    }))
    const numbers = (limit: number, cursor?: string | null) =>
      Effect.map(page("bitcoin", address, limit, cursor), ({ next, transactions }) => ({
        next,
        rows: transactions.map(([{ hash }]) => Number.parseInt(hash, 16))
      }))
    yield* withHistory(
      genesis + 30 * day,
      yield* bitcoin(() => payments),
      Effect.gen(function* () {
        yield* numbers(10)
        yield* numbers(10)
        const first = yield* numbers(11)
        const second = yield* numbers(10, first.next)
        const expected = Array.from({ length: 21 }, (_, index) => 80 - index)
        assert.sameMembers([...first.rows, ...second.rows], expected)
      })
    )
  })
})
