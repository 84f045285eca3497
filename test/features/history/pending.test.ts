import { assert, describe, it } from "@effect/vitest"
import * as Clock from "effect/Clock"
import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import { newestFirst } from "../../../src/domain/Transaction.ts"
import { distance } from "../../../src/domain/units.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { chain, clock, holder, network, over, second, transaction } from "./histories.ts"

const finality = Catalogue.all.find(({ id }) => id === "ethereum")?.finality ?? 0

/** The times at which a source lists a transaction, all in seconds since the start. */
interface Timeline {
  /** When its block was mined. */
  readonly mined: number
  /** When the source first lists it, as pending, and when it lists it as confirmed. */
  readonly seen: number
  readonly done: number
  /** True if it has the time of its block while it is pending, false if it has the time when it was first seen. */
  readonly keepsTime: boolean
}

const within = FastCheck.integer({ min: 0, max: finality - 1 })
const moment = FastCheck.integer({ min: 5, max: 100 }).map((count) => count * 200)

/** Some indexers list a mined transaction soon, but confirm it after any delay. */
const indexed = FastCheck.tuple(moment, within, FastCheck.integer({ min: 0, max: 8_000 })).map(
  ([mined, lag, wait]): Timeline => ({ mined, seen: mined + lag, done: mined + lag + wait, keepsTime: true })
)

/** Others list it from the mempool: long before its block, or up to 600 s after the timestamp of the block. */
const pooled = FastCheck.tuple(moment, within, FastCheck.integer({ min: -600, max: 8_000 })).map(
  ([mined, lag, wait]): Timeline => {
    const done = mined + lag
    return { mined, seen: Math.min(mined - wait, done), done, keepsTime: false }
  }
)

const courses = FastCheck.array(FastCheck.oneof(indexed, pooled), { minLength: 1, maxLength: 12 })

/** The delay before the next request, and its limit. */
const requests = FastCheck.array(
  FastCheck.tuple(FastCheck.integer({ min: 10, max: 2_500 }), FastCheck.integer({ min: 1, max: 14 })),
  { minLength: 1, maxLength: 14 }
)

/** All transactions that the source lists at a time, newest first. */
const listed = (all: ReadonlyArray<Timeline>, now: number): ReadonlyArray<Transaction> =>
  all
    .flatMap(({ done, keepsTime, mined, seen }, order) => {
      if (now < seen) return []
      const isPending = now < done
      const at = isPending && !keepsTime ? seen : mined
      const hash = `0x${order}`
      return [transaction(-at, { hash, order, ...(isPending ? { status: "Pending", fee: null } : {}) })]
    })
    .sort(newestFirst)

/** A clock that shows this time and on which no timeout fires. Much faster than a clock that waits for all fibers. */
const clockAt = (millis: () => number): Clock.Clock => {
  const nanos = () => BigInt(millis()) * 1_000_000n
  return {
    [Clock.ClockTypeId]: Clock.ClockTypeId,
    currentTimeMillis: Effect.sync(millis),
    currentTimeNanos: Effect.sync(nanos),
    unsafeCurrentTimeMillis: millis,
    unsafeCurrentTimeNanos: nanos,
    sleep: () => Effect.never
  }
}

const shown = ({ hash, status, timestamp }: Transaction) => `${hash} ${status} ${distance(second, timestamp)}`

describe("a history that is read while its transactions are confirmed", () => {
  it.scoped.prop(
    "equals the list of the source at each moment, with each hash once, in any order of arrival and confirmation",
    [courses, requests],
    ([all, requested]) =>
      Effect.gen(function* () {
        let now = 0
        const source = network(
          "ethereum",
          chain(() => listed(all, now))
        )
        yield* Effect.gen(function* () {
          const history = yield* History
          for (const [wait, limit] of requested) {
            now += wait
            const [read] = yield* history.transactions({ ethereum: [holder] }, limit)
            const returned = read?.histories[0]
            const hashes = returned?.transactions.map(([first]) => first.hash) ?? []
            assert.strictEqual(new Set(hashes).size, hashes.length)
            assert.deepStrictEqual(
              returned?.transactions.map(([first]) => shown(first)),
              listed(all, now).slice(0, limit).map(shown)
            )
          }
        }).pipe(
          Effect.provide(Layer.provide(over(source), Layer.fresh(Memory.layer()))),
          Effect.withClock(clockAt(() => clock + now * 1000))
        )
      }),
    { fastCheck: { numRuns: 100 } }
  )
})
