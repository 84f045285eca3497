import * as Effect from "effect/Effect"
import * as FastCheck from "effect/FastCheck"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { ethereum } from "../../../../src/catalogue/evm/ethereum.ts"
import { byBlock } from "../../../../src/chains/kit/history/heights.ts"
import { textsOf } from "../../../../src/domain/history/Gap.ts"
import type { HistoryQuery, Transaction } from "../../../../src/domain/Transaction.ts"
import { height, numberOf, position, shift } from "../../../../src/domain/units.ts"
import { History } from "../../../../src/features/history/History.ts"
import * as Memory from "../../../../src/storage/Memory.ts"
import { gapsOf } from "../../../support/gaps.ts"
import { settled } from "../../../support/settled.ts"
import { assert, describe, it } from "../../../support/vitest.ts"
import { chain, clock, friend, holder, network, over, part, second, transaction } from "../histories.ts"

const perBlock = 1_000

/** A chain of blocks with transactions, and a pool of pending transactions. */
const chainOf = () => {
  const mined: Array<Transaction> = []
  const waiting: Array<Transaction> = []
  let count = 0
  const next = (more: Partial<Transaction>) => transaction(0, { hash: `0x${++count}`, ...more })
  return {
    mined,
    waiting,
    mine: (height: number) => {
      const order = height * perBlock + mined.filter((row) => Math.floor(row.order / perBlock) === height).length
      mined.unshift(next({ timestamp: shift(second, height - 1_000_000), order }))
    },
    wait: () => waiting.push(next({ status: "Pending", timestamp: second, order: Number.MAX_SAFE_INTEGER })),
    confirm: (height: number) => {
      for (const resume of waiting.splice(0))
        mined.unshift({
          ...resume,
          status: "Success",
          timestamp: shift(second, height - 1_000_000),
          order: height * perBlock
        })
    },
    answer: ({ before, limit }: HistoryQuery) => {
      const all = [...(before === undefined ? waiting : []), ...mined].sort((a, b) => b.order - a.order)
      const found = all.filter(
        ({ order }) =>
          Math.floor(order / perBlock) <= (before === undefined ? Number.MAX_VALUE : numberOf(before.height))
      )
      return Effect.succeed(part(found.slice(0, limit), { more: found.length > limit }))
    }
  }
}

/** A fake network over the chain, and the use case over the network. */
const made = (chain: ReturnType<typeof chainOf>) => {
  const fake = network("ethereum", chain.answer)
  const heightOf = ({ order, status }: Transaction) =>
    status === "Pending" ? Number.POSITIVE_INFINITY : Math.floor(order / perBlock)
  Object.assign(fake.service, { heights: byBlock(ethereum, (transaction) => height(heightOf(transaction))) })
  return { fake, layer: Layer.provide(over(fake), Layer.fresh(Memory.layer())) }
}

/** Reads one page; `cursor` is null for the first. */
const pageOf = Effect.fnUntraced(function* (id: string, cursor: string | null, limit: number) {
  const history = yield* History
  const wanted = { [id]: [holder] }
  const texts = cursor === null ? {} : { [id]: { [holder]: cursor } }
  const cursors = yield* Effect.orDie(history.cursors(wanted, texts))
  const [first] = yield* settled(history.transactions(wanted, limit, cursors))
  const found = first?.histories[0]
  if (found === undefined) return yield* Effect.dieMessage("no history")
  return { ...found, hashes: found.transactions.map(([{ hash }]) => hash) }
})

const page = (cursor: string | null, limit: number) => pageOf("ethereum", cursor, limit)

const sent = { from: [{ address: holder, amount: 1n }], to: [{ address: friend, amount: 1n }] }

/** A chain of this number of transactions, one of which pays the friend; `poison` has others imitate the friend. */
const poisoned = (
  count: number,
  payment: number,
  { at = 900_000, gaps = [] }: { readonly at?: number; readonly gaps?: ReturnType<typeof gapsOf> } = {}
) => {
  const all = chainOf()
  for (let index = 0; index < count; index++) all.mine(at + index)
  Object.assign(all.mined[payment] ?? {}, sent)
  const twin = { from: [{ address: friend.replace("000", "999"), amount: 1n }], to: [{ address: holder, amount: 1n }] }
  const answer = (query: HistoryQuery) => Effect.map(all.answer(query), (found) => ({ ...found, gaps }))
  return {
    chain: { ...all, answer },
    poison: (index: number) => void Object.assign(all.mined[index] ?? {}, twin)
  }
}

/** The labels of all transactions, read in pages of this size. */
const flagsBy = Effect.fnUntraced(function* (size: number) {
  let found = yield* page(null, size)
  const flags = found.transactions.flatMap(([, labels]) => labels)
  while (found.next !== null) {
    found = yield* page(found.next, size)
    flags.push(...found.transactions.flatMap(([, labels]) => labels))
  }
  return flags
})

const event = FastCheck.oneof(
  FastCheck.record({ kind: FastCheck.constant("page" as const), size: FastCheck.integer({ min: 1, max: 6 }) }),
  FastCheck.record({ kind: FastCheck.constant("mine" as const), size: FastCheck.integer({ min: 0, max: 2 }) }),
  FastCheck.record({ kind: FastCheck.constantFrom("wait" as const, "confirm" as const), size: FastCheck.constant(1) })
)

describe("the pages of a history", () => {
  it.effect.prop(
    "contain each transaction that existed at the first page once, while others are mined or pending",
    [
      FastCheck.array(FastCheck.integer({ min: 0, max: 2 }), { maxLength: 25 }),
      FastCheck.nat(3),
      FastCheck.array(event)
    ],
    ([steps, pool, events]) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(clock)
        const chain = chainOf()
        let height = 100
        for (const step of steps) {
          height += step
          chain.mine(height)
        }
        for (let count = 0; count < pool; count++) chain.wait()
        const atFirst = [...chain.mined, ...chain.waiting].map(({ hash }) => hash)
        yield* Effect.gen(function* () {
          let next: string | null = null
          const hashes: Array<string> = []
          const read = Effect.fnUntraced(function* (size: number) {
            const found = yield* page(next, size)
            assert.isAtMost(found.hashes.length, size)
            assert.deepStrictEqual(found.gaps, [])
            hashes.push(...found.hashes)
            next = found.next
          })
          yield* read(2)
          for (const { kind, size } of events) {
            if (next === null) break
            // New transactions are in a new block.
            if (kind !== "page") height += 1 + size
            if (kind === "mine") chain.mine(height)
            else if (kind === "wait") chain.wait()
            else if (kind === "confirm") chain.confirm(height)
            else yield* read(size)
          }
          for (let left = 0; next !== null && left < 200; left++) yield* read(3)
          assert.isNull(next)
          assert.strictEqual(new Set(hashes).size, hashes.length)
          assert.includeMembers(hashes, atFirst)
        }).pipe(Effect.provide(made(chain).layer))
      }),
    { fastCheck: { numRuns: 15 } }
  )

  it("omit a transaction at a height that the network cannot have, and continue below the others", function* () {
    const chain = chainOf()
    for (const height of [1, 5, 9]) chain.mine(height)
    chain.mined.unshift(transaction(0, { hash: "0xf", order: 2 ** 40 * perBlock }))
    // Pages of other families are separated by times.
    chain.mined.unshift(transaction(0, { hash: "0xe", order: 9 * perBlock + 1, block: height(2 ** 40) }))
    const { layer } = made(chain)
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(clock)
      const first = yield* page(null, 1)
      assert.deepStrictEqual(first.hashes, ["0x3"])
      assert.deepStrictEqual(textsOf(first.gaps), [
        "2 transactions: returned with a time or height that is impossible for the network"
      ])
      const rest = yield* page(first.next, 2)
      assert.deepStrictEqual(rest.hashes, ["0x2", "0x1"])
    }).pipe(Effect.provide(layer))
  })

  it("are requested from the height of the last transaction downwards", function* () {
    const chain = chainOf()
    for (const height of [1, 5, 5, 5, 9]) chain.mine(height)
    const { fake, layer } = made(chain)
    yield* Effect.gen(function* () {
      const first = yield* page(null, 3)
      assert.deepStrictEqual(first.hashes, ["0x5", "0x4", "0x3"])
      const rest = yield* page(first.next, 3)
      assert.deepStrictEqual(rest.hashes, ["0x2", "0x1"])
      assert.isNull(rest.next)
      assert.deepInclude(fake.queries.at(-1), {
        limit: 5,
        before: { height: position(5), last: "0x3", above: "0x5", returned: 3, accounts: [] }
      })
    }).pipe(Effect.provide(layer))
  })

  it("have the same labels by 1, 3, 7 and 500 once all were read, also if the payment is far below", function* () {
    const { chain, poison } = poisoned(60, 55)
    for (const index of [1, 30, 58]) poison(index)
    const { layer } = made(chain)
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(clock)
      yield* flagsBy(20)
      const flags = ["lookalike", "lookalike", "lookalike"]
      for (const size of [1, 3, 7, 500]) assert.deepStrictEqual(yield* flagsBy(size), flags, `by ${size}`)
    }).pipe(Effect.provide(layer))
  })

  for (const [what, state] of [
    ["is not final", { at: 999_000 }],
    ["is of a history that is not stored", { gaps: gapsOf(["internal transfers"]) }]
  ] as const)
    it(`have the labels of a payment on another page that ${what}`, function* () {
      const { chain, poison } = poisoned(4, 3, state)
      poison(0)
      const { layer } = made(chain)
      yield* Effect.gen(function* () {
        yield* TestClock.setTime(clock)
        assert.deepStrictEqual(yield* flagsBy(50), ["lookalike"])
        for (const size of [1, 3]) assert.deepStrictEqual(yield* flagsBy(size), ["lookalike"], `by ${size}`)
      }).pipe(Effect.provide(layer))
    })

  it("do not keep recipients of unknown tokens, whose contracts name any sender", function* () {
    const { chain, poison } = poisoned(1_200, 1_199)
    const spam = `0x${"5".repeat(40)}`
    for (const [index, row] of chain.mined.entries())
      if (index < 1_199) {
        const movement = (address: string) => ({ address, amount: 1n, token: spam })
        const address = `0x${index.toString(16).padStart(40, "0")}`
        Object.assign(row, { from: [movement(holder)], to: [movement(address)] })
      }
    poison(0)
    const { layer } = made(chain)
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(clock)
      yield* flagsBy(400)
      const { transactions } = yield* page(null, 1)
      assert.deepStrictEqual(transactions[0]?.[1], ["lookalike"])
    }).pipe(Effect.provide(layer))
  })

  it("begin like the whole list, in which a pending transaction comes before a block that is newer", function* () {
    const chain = chainOf()
    for (const height of [1, 2]) chain.mine(height)
    const pending = { hash: "0x3", status: "Pending", order: Number.MAX_SAFE_INTEGER } as const
    chain.waiting.push(transaction(2_000_000, pending))
    yield* Effect.gen(function* () {
      const first = yield* page(null, 1)
      const rest = yield* page(first.next, 9)
      assert.deepStrictEqual([...first.hashes, ...rest.hashes], ["0x3", "0x2", "0x1"])
      assert.deepStrictEqual((yield* page(null, 9)).hashes, ["0x3", "0x2", "0x1"])
    }).pipe(Effect.provide(made(chain).layer))
  })

  it("return the same cursor if they could not be read or have no transaction at the height of the cursor", function* () {
    const chain = chainOf()
    for (const height of [1, 2, 3]) chain.mine(height)
    const { fake, layer } = made(chain)
    yield* Effect.gen(function* () {
      const { next } = yield* page(null, 1)
      fake.state.answer = () => Effect.fail({ reason: "timeout", message: "timed out" } as const)
      const failed = yield* page(next, 1)
      assert.deepStrictEqual([failed.hashes, failed.next, textsOf(failed.gaps)], [[], next, ["timed out"]])
      fake.state.answer = () => Effect.succeed(part([], { more: false }))
      const none = yield* page(next, 2)
      assert.strictEqual(none.failure?.reason, "bad_answer")
      assert.strictEqual(none.next, next)
      fake.state.answer = chain.answer
      assert.deepStrictEqual((yield* page(next, 3)).hashes, ["0x2", "0x1"])
    }).pipe(Effect.provide(layer))
  })

  it("keep their cursor if the rest could not be read", function* () {
    const chain = chainOf()
    for (const height of [1, 2, 3]) chain.mine(height)
    const { fake, layer } = made(chain)
    yield* Effect.gen(function* () {
      const { next } = yield* page(null, 2)
      fake.state.answer = (query) =>
        Effect.map(chain.answer({ ...query, limit: 1 }), (found) => ({ ...found, gaps: gapsOf(["older: timed out"]) }))
      const last = yield* page(next, 2)
      assert.deepStrictEqual([last.hashes, last.next, textsOf(last.gaps)], [[], next, ["older: timed out"]])
    }).pipe(Effect.provide(layer))
  })

  it("are refused from a source without the last transaction of the page before", function* () {
    const chain = chainOf()
    for (const height of [1, 2, 3, 4, 5]) chain.mine(height)
    const { fake, layer } = made(chain)
    const lacking = (height: number) => (query: HistoryQuery) =>
      Effect.map(chain.answer(query), (found) => ({
        ...found,
        transactions: found.transactions.filter(({ order }) => order < height * perBlock)
      }))
    yield* Effect.gen(function* () {
      const { next } = yield* page(null, 2)
      for (const height of [4, 3]) {
        fake.state.answer = lacking(height)
        const refused = yield* page(next, 3)
        assert.deepStrictEqual([refused.hashes, refused.failure?.reason, refused.next], [[], "bad_answer", next])
      }
    }).pipe(Effect.provide(layer))
  })

  it("end if the last one was pending, is in a later block by now, and has none below it", function* () {
    // A network that names no heights separates pages by times.
    const pending = transaction(60, { hash: "0x2", status: "Pending" })
    const fake = network("tron", () =>
      Effect.succeed(part([transaction(10, { hash: "0x1" }), pending], { more: true }))
    )
    yield* Effect.gen(function* () {
      yield* TestClock.setTime(clock)
      const first = yield* pageOf("tron", null, 2)
      assert.deepStrictEqual(first.hashes, ["0x1", "0x2"])
      const mined = [transaction(5, { hash: "0x2" }), transaction(10, { hash: "0x1" })]
      fake.state.answer = chain(() => mined)
      const last = yield* pageOf("tron", first.next, 2)
      assert.deepStrictEqual([last.hashes, last.failure, last.gaps, last.next], [[], undefined, [], null])
    }).pipe(Effect.provide(Layer.provide(over(fake), Layer.fresh(Memory.layer()))))
  })

  it("end with the reason if no source returns older transactions", function* () {
    const chain = chainOf()
    for (const height of [1, 2, 3]) chain.mine(height)
    const { fake, layer } = made(chain)
    yield* Effect.gen(function* () {
      const { next } = yield* page(null, 2)
      fake.state.answer = (query) =>
        Effect.map(chain.answer({ ...query, limit: 1 }), (found) => ({ ...found, gaps: gapsOf([], ["older: pruned"]) }))
      const last = yield* page(next, 2)
      assert.deepStrictEqual([last.hashes, last.next], [[], null])
      assert.deepStrictEqual(textsOf(last.gaps), ["older: pruned", "older transactions: no source returns them"])
    }).pipe(Effect.provide(layer))
  })
})
