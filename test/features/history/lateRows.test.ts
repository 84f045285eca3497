import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { textsOf } from "../../../src/domain/history/Gap.ts"
import { isRequested, newestFirst, type Transaction } from "../../../src/domain/Transaction.ts"
import { numberOf, seconds } from "../../../src/domain/units.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { network as utxoNetwork } from "../../chains/utxo/made.ts"
import { Bitcoin } from "../../support/networks.ts"
import * as PagedIndexers from "../../support/PagedIndexers.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { clock, type FakeNetwork, holder, network, over, part, transaction } from "./histories.ts"

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

/** Ethereum whose source lists these rows; the tests change them. */
const ethereum = (rows: ReadonlyArray<Transaction>, source = "explorer") => {
  const state = { rows, source, isDown: false }
  const made = network("ethereum", (query) => {
    const { before, limit, since = seconds(0) } = query
    const isWanted = isRequested(query)
    const found = state.rows.filter(
      ({ hash, timestamp }) =>
        isWanted(hash, timestamp) && (before === undefined || numberOf(timestamp) <= numberOf(before.height))
    )
    const more = found.slice(limit).some(({ timestamp }) => timestamp >= since)
    return state.isDown
      ? Effect.fail({ reason: "upstream_error", message: "down" } as const)
      : Effect.succeed(part(found.slice(0, limit), { more, sources: [state.source] }))
  })
  const read = (limit = 50) =>
    Effect.map(page("ethereum", holder, limit), ({ gaps, transactions }) => ({
      gaps: textsOf(gaps),
      hashes: transactions.map(([{ hash }]) => hash),
      isWhole: made.queries.at(-1)?.since === undefined
    }))
  return { made, read, state }
}

const daily = (count: number) => Array.from({ length: count }, (_, index) => transaction((index + 2) * day))

const hashesOf = (rows: ReadonlyArray<Transaction>) => rows.map(({ hash }) => hash)

/** Sorted as sources list them. */
const withRows = (rows: ReadonlyArray<Transaction>, ...more: ReadonlyArray<Transaction>) =>
  [...rows, ...more].sort(newestFirst)

describe("a late row of a history", () => {
  it.scoped("of a fallback is not added, also if the fallback was read before, but not as a whole", function* () {
    const { made, read, state } = ethereum(daily(3))
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read()
        state.source = "fallback"
        state.rows = [transaction(2 * day - 3_600), ...state.rows]
        const before = state.rows
        yield* read()
        state.rows = withRows(before, transaction(2.5 * day))
        assert.deepStrictEqual((yield* read()).hashes, hashesOf(before))
        yield* TestClock.adjust("1 day")
        yield* read()
        state.rows = withRows(state.rows, transaction(3.5 * day))
        const { hashes, isWhole } = yield* read()
        assert.isFalse(isWhole)
        assert.deepStrictEqual(hashes, hashesOf(state.rows), "the source of the last whole reading")
      })
    )
  })

  it.scoped("whose result is unknown leaves those below it stored", function* () {
    const rows = daily(60)
    const { made, read, state } = ethereum(rows)
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read(100)
        state.rows = withRows(rows, transaction(4.5 * day, { status: "Unknown" }))
        assert.isFalse((yield* read()).isWhole)
        assert.isFalse((yield* read()).isWhole)
        state.isDown = true
        assert.deepStrictEqual((yield* read(100)).hashes, hashesOf(rows))
      })
    )
  })

  it.scoped("that is taken back is gone after two readings, also if there are new transactions", function* () {
    const { made, read, state } = ethereum(daily(3))
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read()
        const honest = state.rows
        state.rows = withRows(honest, transaction(2.5 * day))
        assert.lengthOf((yield* read()).hashes, 4)
        state.rows = honest
        for (let hour = 2; hour <= 28; hour += 2) {
          yield* TestClock.adjust("2 hours")
          state.rows = [transaction(-hour * 3_600 - 1), ...state.rows]
          yield* read()
        }
        const { gaps, hashes } = yield* read()
        assert.deepStrictEqual(hashes, hashesOf(state.rows))
        assert.deepStrictEqual(gaps, [])
      })
    )
  })

  it.scoped("that is among the oldest stored ones is read again each day, also below new transactions", function* () {
    const { made, read, state } = ethereum(daily(60))
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read(500)
        const honest = state.rows
        state.rows = withRows(honest, transaction(60.5 * day))
        assert.lengthOf((yield* read(500)).hashes, 61)
        state.rows = honest
        for (let days = 1; days <= 2; days++) {
          yield* TestClock.adjust("1 day")
          const added = [1, 2, 3].map((minute) => transaction(60 * minute - days * day))
          state.rows = [...added, ...state.rows]
          yield* read()
        }
        assert.deepStrictEqual((yield* read(500)).hashes, hashesOf(state.rows))
      })
    )
  })

  it.scoped("is not added with many others until a second reading has them, and is incomplete meanwhile", function* () {
    const honest = daily(60)
    const { made, read, state } = ethereum(honest)
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read(100)
        const added = Array.from({ length: 21 }, (_, index) => transaction(3 * day + 60 * (index + 1)))
        state.rows = withRows(honest, ...added)
        for (const isWhole of [true, false]) {
          const told = yield* read(100)
          assert.deepStrictEqual([told.hashes, told.isWhole], [hashesOf(honest), isWhole])
          assert.deepStrictEqual(told.gaps, ["explorer lists 21 old transactions that it did not list before"])
        }
        state.rows = honest
        assert.deepStrictEqual((yield* read(100)).gaps, [])
        state.rows = withRows(honest, ...added)
        yield* TestClock.adjust("1 hour")
        const { gaps, hashes } = yield* read(100)
        assert.deepStrictEqual([hashes, gaps], [hashesOf(state.rows), []])
        state.rows = withRows(state.rows, ...added.slice(1).map((_, index) => transaction(5 * day + 60 * (index + 1))))
        assert.deepStrictEqual((yield* read(200)).hashes, hashesOf(state.rows), "as many as a source adds late")
      })
    )
  })

  it.scoped("between stored ones of its block changes their places, so that all are read again", function* () {
    const block = (hash: string, order: number) => transaction(3 * day, { hash, order })
    const { made, read, state } = ethereum([...daily(1), block("0xa", 7.75), block("0xc", 7.5)])
    yield* withHistory(
      clock / 1_000,
      made,
      Effect.gen(function* () {
        yield* read()
        state.rows = [...daily(1), block("0xa", 7.75), block("0xb", 7.5), block("0xc", 7.25), block("0xd", 7)]
        const { hashes, isWhole } = yield* read()
        assert.deepStrictEqual([hashes, isWhole], [hashesOf(state.rows), true])
        state.rows = [...state.rows, block("0xe", 6.75)]
        const next = yield* read()
        assert.deepStrictEqual([next.hashes, next.isWhole], [hashesOf(state.rows), false])
      })
    )
  })
})
