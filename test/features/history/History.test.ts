import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import { textsOf } from "../../../src/domain/history/Gap.ts"
import { type HistoryPart, isRequested, type Transaction } from "../../../src/domain/Transaction.ts"
import { seconds, shift } from "../../../src/domain/units.ts"
import { History } from "../../../src/features/history/History.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import {
  chain,
  clock,
  dai,
  type FakeNetwork,
  friend,
  holder,
  network,
  over,
  part,
  second,
  transaction
} from "./histories.ts"

const down: ReadFailure = { reason: "upstream_error", message: "explorer: could not be reached" }

/** Runs a test at the time of the chain, with its own store. */
const test = (
  name: string,
  networks: () => readonly [FakeNetwork, ...ReadonlyArray<FakeNetwork>],
  body: (...networks: ReadonlyArray<FakeNetwork>) => Body<History>
) =>
  it.scoped(name, () => {
    const own = networks()
    return Effect.zipRight(TestClock.setTime(clock), effectOf(body(...own))).pipe(
      Effect.provide(Layer.provide(over(...own), Layer.fresh(Memory.layer())))
    )
  })

const lookUp = (limit = 50, address = holder, name = "ethereum") =>
  Effect.flatMap(History, (history) =>
    Effect.map(history.transactions({ [name]: [address] }, limit), ([network]) => {
      const returned = network?.histories[0]
      if (returned === undefined) throw new Error("the network is not known")
      return returned
    })
  )

const hashes = ({ transactions }: { readonly transactions: ReadonlyArray<readonly [Transaction, unknown]> }) =>
  transactions.map(([{ hash }]) => hash)

const none = network(
  "ethereum",
  chain(() => [])
)

/** Waits longer than a response is reused. */
const later = TestClock.adjust("10 seconds")

const day = 86_400

/** The number of transactions that the source of a test counts. */
let stated: number | undefined
let isPartial = false

/** Rows of this many seconds before the newest final transaction are read again. */
const again = 7_200

describe("the history of an address", () => {
  test(
    "is requested in full the first time, and later only since two hours before the newest final transaction",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* (ethereum = none) {
      const moved = [{ address: holder, amount: 5n, token: dai.address }]
      all = [transaction(60), transaction(2 * day), transaction(3 * day, { from: moved, to: moved })]
      assert.deepStrictEqual(hashes(yield* lookUp()), ["0x60", `0x${2 * day}`, `0x${3 * day}`])
      all = [transaction(1), ...all]
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp()), ["0x1", "0x60", `0x${2 * day}`, `0x${3 * day}`])
      assert.deepStrictEqual(ethereum.queries, [
        { address: holder, limit: 50 },
        {
          address: holder,
          limit: 50,
          since: shift(second, -2 * day - again),
          late: { after: seconds(0), known: new Set([`0x${2 * day}`, `0x${3 * day}`]) },
          after: `0x${3 * day}`,
          tokens: [dai.address]
        }
      ])
    }
  )

  test(
    "contains a transaction that its source lists after a later one was final",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      all = [transaction(2 * day), transaction(3 * day)]
      yield* lookUp()
      all = [transaction(2 * day), transaction(2 * day + 7_000), transaction(3 * day)]
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp()), [`0x${2 * day}`, `0x${2 * day + 7_000}`, `0x${3 * day}`])
    }
  )

  test(
    "contains at once a transaction that its source lists days late, from a page that is read anyway",
    () => [
      network("ethereum", (query) => {
        const isWanted = isRequested(query)
        const wanted = all.filter(({ hash, timestamp }) => isWanted(hash, timestamp))
        return Effect.succeed(part(wanted.slice(0, query.limit), { more: query.since === undefined }))
      })
    ],
    function* (ethereum = none) {
      all = [transaction(2 * day), transaction(9 * day)]
      yield* lookUp(2)
      yield* later
      // The last one is older than those that are stored.
      all = [transaction(2 * day), transaction(6 * day), transaction(9 * day), transaction(10 * day)]
      const found = [2, 6, 9].map((days) => `0x${days * day}`)
      assert.deepStrictEqual(hashes(yield* lookUp(3)), found)
      yield* later
      all = [transaction(2 * day), transaction(5 * day), ...all.slice(1)]
      // Another source may list more than the one whose transactions are stored.
      const answer = ethereum.state.answer
      ethereum.state.answer = (query) => Effect.map(answer(query), (read) => ({ ...read, sources: ["another"] }))
      assert.deepStrictEqual(hashes(yield* lookUp(2)), found.slice(0, 2))
      ethereum.state.answer = answer
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp(2)), [`0x${2 * day}`, `0x${5 * day}`])
      ethereum.state.answer = () => Effect.fail(down)
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp(9)), [found[0], `0x${5 * day}`, ...found.slice(1)])
      assert.deepStrictEqual(
        ethereum.queries.map(({ since }) => since === undefined),
        [true, true, false, false, true]
      )
    }
  )

  test(
    "drops a transaction that a reorganisation removed before it was final",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      all = [transaction(60), transaction(2 * day)]
      yield* lookUp()
      all = [transaction(50), transaction(2 * day)]
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp()), ["0x50", `0x${2 * day}`])
    }
  )

  test(
    "replaces a pending transaction with its later state",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      all = [transaction(3000, { status: "Pending", fee: null }), transaction(2 * day)]
      yield* lookUp()
      all = [transaction(3000), transaction(2 * day)]
      yield* later
      const { transactions } = yield* lookUp()
      assert.deepInclude(transactions[0]?.[0] ?? {}, { status: "Success", fee: 21n })
    }
  )

  test(
    "is requested in full if the limit exceeds the archived transactions and older ones exist",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* (ethereum = none) {
      all = Array.from({ length: 20 }, (_, index) => transaction((index + 1) * day))
      assert.strictEqual((yield* lookUp(5)).transactions.length, 5)
      yield* later
      assert.strictEqual((yield* lookUp(10)).transactions.length, 10)
      yield* later
      assert.strictEqual((yield* lookUp(3)).transactions.length, 3)
      assert.deepStrictEqual(
        ethereum.queries.map(({ since }) => since),
        [undefined, undefined, shift(second, -day - again)]
      )
    }
  )

  test(
    "has no gap if there are more new transactions than requested",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      all = [transaction(5 * day), transaction(6 * day)]
      yield* lookUp(2)
      all = [...Array.from({ length: 4 }, (_, index) => transaction((index + 1) * day)), ...all]
      yield* later
      assert.deepStrictEqual(hashes(yield* lookUp(2)), [`0x${day}`, `0x${2 * day}`])
      yield* later
      assert.deepStrictEqual(
        hashes(yield* lookUp(6)),
        [1, 2, 3, 4, 5, 6].map((days) => `0x${days * day}`)
      )
    }
  )

  test(
    "is not archived if it is incomplete",
    () => [
      network("ethereum", () => Effect.succeed(part([transaction(2 * day)], { missing: ["internal transfers"] })))
    ],
    function* (ethereum = none) {
      assert.deepStrictEqual(textsOf((yield* lookUp()).gaps), ["internal transfers"])
      ethereum.state.answer = () => Effect.succeed(part([transaction(2 * day), transaction(3 * day)]))
      yield* later
      assert.strictEqual((yield* lookUp()).transactions.length, 2)
      assert.isUndefined(ethereum.queries[1]?.since)
    }
  )

  test(
    "keeps a transaction of unknown outcome at any position",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* (ethereum = none) {
      const unknown = transaction(3 * day, { status: "Unknown", fee: null })
      all = [transaction(2 * day), unknown, transaction(4 * day)]
      for (const _ of [1, 2]) {
        assert.deepStrictEqual(
          hashes(yield* lookUp()),
          all.map(({ hash }) => hash)
        )
        yield* later
      }
      all = [transaction(2 * day), transaction(3 * day), transaction(4 * day)]
      const { transactions } = yield* lookUp()
      assert.strictEqual(transactions[1]?.[0].status, "Success", "the status is updated when it is known")
      yield* later
      assert.strictEqual((yield* lookUp(1)).transactions.length, 1)
      assert.deepStrictEqual(
        ethereum.queries.map(({ since }) => since),
        [undefined, undefined, undefined, shift(second, -2 * day - again)],
        "the history is requested in full until the outcome is known"
      )
    }
  )

  test(
    "is not truncated by a request with a lower limit",
    () => [network("ethereum", ({ limit }) => Effect.succeed(part(all.slice(0, limit), { more: limit < 3 })))],
    function* (ethereum = none) {
      all = [transaction(2 * day), transaction(3 * day), transaction(4 * day)]
      for (const limit of [3, 1, 3]) {
        assert.strictEqual((yield* lookUp(limit)).transactions.length, limit)
        yield* later
      }
      assert.deepStrictEqual(
        ethereum.queries.map(({ since }) => since),
        [undefined, shift(second, -2 * day - again), shift(second, -2 * day - again)]
      )
    }
  )

  test(
    "keeps the archived part if the new one is incomplete, and reports what is missing",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* (ethereum = none) {
      all = [transaction(2 * day), transaction(3 * day)]
      yield* lookUp()
      const poor = transaction(2 * day, { type: "Contract Call", fee: null })
      for (const more of [true, false]) {
        yield* later
        const missing = ["older token transfers: late"]
        ethereum.state.answer = () => Effect.succeed(part([transaction(1), poor], { more, missing }))
        const returned = yield* lookUp()
        assert.deepStrictEqual(hashes(returned), ["0x1", `0x${2 * day}`, `0x${3 * day}`])
        assert.deepStrictEqual(returned.transactions[1]?.[0], transaction(2 * day))
        assert.deepStrictEqual(textsOf(returned.gaps), missing)
      }
    }
  )

  test(
    "has a transaction that its source lists days later, within a day",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* (ethereum = none) {
      all = [transaction(2 * day), transaction(4 * day)]
      yield* lookUp()
      all = [transaction(2 * day), transaction(3 * day, { paid: -5n }), transaction(4 * day)]
      yield* TestClock.adjust("23 hours")
      assert.deepStrictEqual(hashes(yield* lookUp()), [`0x${2 * day}`, `0x${4 * day}`])
      yield* TestClock.adjust("1 hour")
      // A small page also reads all stored transactions again.
      yield* lookUp(1)
      const found = [2, 3, 4].map((days) => `0x${days * day}`)
      assert.deepStrictEqual(hashes(yield* lookUp()), found)
      yield* later
      ethereum.state.answer = () => Effect.fail(down)
      // A row that returned more than it cost is archived like the others.
      const { transactions } = yield* lookUp()
      assert.deepStrictEqual(
        transactions.map(([{ hash, paid }]) => [hash, paid] as const),
        found.map((hash, index) => [hash, index === 1 ? -5n : undefined] as const)
      )
    }
  )

  test(
    "does not vanish when it is read again from a source that lists less of it, once",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      const whole = [2, 3, 4].map((days) => transaction(days * day))
      const found = hashes({ transactions: whole.map((row) => [row, []] as const) } as never)
      all = whole
      yield* lookUp()
      for (const short of [[], whole.slice(0, 1)]) {
        all = short
        yield* TestClock.adjust("1 day")
        const returned = yield* lookUp()
        assert.deepStrictEqual(hashes(returned), found)
        assert.deepStrictEqual(textsOf(returned.gaps), [
          `explorer does not list ${3 - short.length} transactions that were listed before`
        ])
        yield* later
        all = whole
        assert.deepStrictEqual(hashes(yield* lookUp()), found)
      }
      // Two readings that agree are believed.
      all = whole.slice(0, 2)
      yield* TestClock.adjust("1 day")
      assert.deepStrictEqual(hashes(yield* lookUp()), found)
      yield* TestClock.adjust("1 hours")
      assert.deepStrictEqual(hashes(yield* lookUp()), found.slice(0, 2))
    }
  )

  test(
    "is requested as a whole once an hour if a part of it stays missing, and again for a small page",
    () => [
      network("ethereum", (query) =>
        Effect.map(
          chain(() => all)(query),
          (read): HistoryPart => ({ ...read, gaps: isPartial ? part([], { missing: ["late"] }).gaps : read.gaps })
        )
      )
    ],
    function* (ethereum = none) {
      all = Array.from({ length: 40 }, (_, index) => transaction((index + 2) * day))
      isPartial = false
      yield* lookUp(40)
      isPartial = true
      yield* TestClock.adjust("1 day")
      for (let read = 0; read < 3; read++) {
        yield* lookUp(1)
        yield* later
      }
      isPartial = false
      // A small page that succeeds is no whole read either.
      yield* lookUp(1)
      yield* TestClock.adjust("1 hour")
      yield* lookUp(1)
      assert.deepStrictEqual(
        ethereum.queries.map(({ limit, since }) => [limit, since === undefined]),
        [40, 90, 1, 1, 1, 90].map((limit) => [limit, true])
      )
      yield* later
      yield* lookUp(1)
      assert.isDefined(ethereum.queries.at(-1)?.since)
    }
  )

  test(
    "is read as a whole again if its source counts more transactions, or if they do not add up, once an hour",
    () => [
      network("ethereum", (query) =>
        Effect.map(chain(() => all)(query), (read): HistoryPart => (stated === undefined ? read : { ...read, stated }))
      )
    ],
    function* (ethereum = none) {
      const history = yield* History
      const wholeReads = () => ethereum.queries.filter(({ since }) => since === undefined).length
      const [newest, late, oldest] = [transaction(2 * day), transaction(3 * day), transaction(4 * day)]
      all = [newest, oldest]
      stated = 2
      yield* lookUp()
      yield* later
      yield* lookUp()
      assert.deepStrictEqual([wholeReads(), ethereum.queries.length], [1, 2])
      all = [newest, late, oldest]
      stated = 3
      yield* later
      assert.strictEqual((yield* lookUp()).transactions.length, 3)
      assert.deepStrictEqual([wholeReads(), ethereum.queries.length], [2, 4])
      // The source does not have what it counts.
      stated = 4
      yield* later
      assert.strictEqual((yield* lookUp()).transactions.length, 3)
      assert.deepStrictEqual([wholeReads(), ethereum.queries.length], [2, 5])
      stated = undefined
      const doubt = history.doubt(ethereum.service as never, holder)
      for (const [time, expected] of [
        ["10 seconds", 2],
        ["1 hour", 3],
        ["10 seconds", 3]
      ] as const) {
        yield* TestClock.adjust(time)
        yield* doubt
        yield* lookUp()
        assert.strictEqual(wholeReads(), expected)
      }
      // A read that fails settles nothing.
      yield* TestClock.adjust("1 hour")
      yield* doubt
      const answer = ethereum.state.answer
      for (const current of [() => Effect.fail(down), answer, answer]) {
        ethereum.state.answer = current
        yield* later
        yield* lookUp()
      }
      assert.strictEqual(wholeReads(), 5)
    }
  )

  test(
    "is returned from the archive, with the failure, if no source responds",
    () => [
      network(
        "ethereum",
        chain(() => [transaction(2 * day)])
      )
    ],
    function* (ethereum = none) {
      yield* lookUp()
      ethereum.state.answer = () => Effect.fail(down)
      yield* later
      const returned = yield* lookUp()
      assert.deepStrictEqual(hashes(returned), [`0x${2 * day}`])
      assert.deepStrictEqual(returned.failure, down)
      assert.match(textsOf(returned.gaps)[0] ?? "", /newer .*: explorer: could not be reached/)
      ethereum.state.answer = chain(() => [transaction(1), transaction(2 * day)])
      assert.deepStrictEqual(hashes(yield* lookUp()), ["0x1", `0x${2 * day}`], "a failure is not cached")
    }
  )

  test(
    "is empty if the archive is empty and the source is down, times out or throws",
    () => [network("ethereum", () => Effect.fail(down))],
    function* (ethereum = none) {
      const failed = yield* lookUp()
      assert.deepStrictEqual([failed.transactions, failed.failure], [[], down])
      ethereum.state.answer = () => Effect.never
      const fiber = yield* Effect.fork(lookUp())
      yield* TestClock.adjust("12 seconds")
      assert.strictEqual((yield* fiber).failure?.reason, "timeout")
      ethereum.state.answer = () => Effect.die(new Error("https://user:secret@node.example"))
      assert.deepStrictEqual((yield* lookUp()).failure, { reason: "upstream_error", message: "internal error" })
    }
  )

  test(
    "is read once for concurrent requests, even if the first request is cancelled",
    () => [
      network(
        "ethereum",
        chain(() => [transaction(1)])
      )
    ],
    function* (ethereum = none) {
      const gate = yield* Deferred.make<void>()
      const answer = ethereum.state.answer
      ethereum.state.answer = (query) => Effect.zipRight(Deferred.await(gate), answer(query))
      const first = yield* Effect.fork(lookUp())
      yield* TestClock.adjust(1)
      const others = yield* Effect.forEach([1, 2, 3], () => Effect.fork(lookUp()))
      yield* TestClock.adjust(1)
      yield* Fiber.interrupt(first)
      yield* Deferred.succeed(gate, undefined)
      for (const fiber of others) assert.deepStrictEqual(hashes(yield* Fiber.join(fiber)), ["0x1"])
      assert.deepStrictEqual(hashes(yield* lookUp()), ["0x1"], "the result is reused within the next seconds")
      assert.strictEqual(ethereum.queries.length, 1)
    }
  )

  test(
    "recognises the holder among the parties in any spelling of the address",
    () => [
      network(
        "ethereum",
        chain(() => all)
      )
    ],
    function* () {
      const own = holder.replaceAll("a", "A")
      const twin = friend.replace("000", "999")
      all = [
        transaction(1, { from: [{ address: twin, amount: 1n }], to: [{ address: own, amount: 1n }] }),
        transaction(2, { from: [{ address: own, amount: 1n }], to: [{ address: friend, amount: 1n }] })
      ]
      const { transactions } = yield* lookUp()
      assert.deepStrictEqual(
        transactions.map(([, labels]) => labels),
        [["lookalike"], []]
      )
    }
  )

  test(
    "has a reason, and makes no call, if the address is malformed",
    () => [
      network(
        "ethereum",
        chain(() => [])
      )
    ],
    function* (ethereum = none) {
      const { failure, transactions } = yield* lookUp(50, "nonsense")
      assert.deepStrictEqual(transactions, [])
      assert.deepStrictEqual(failure, { reason: "invalid_address", message: "an address starts with 0x" })
      assert.deepStrictEqual(ethereum.queries, [])
    }
  )

  it("is available after a restart", function* () {
    yield* TestClock.setTime(clock)
    const store = yield* Layer.build(Memory.layer())
    const first = network(
      "ethereum",
      chain(() => [transaction(2 * day)])
    )
    const second_ = network("ethereum", () => Effect.fail(down))
    yield* Effect.provide(lookUp(), over(first)).pipe(Effect.provide(store))
    const returned = yield* Effect.provide(lookUp(), over(second_)).pipe(Effect.provide(store))
    assert.deepStrictEqual(hashes(returned), [`0x${2 * day}`])
    assert.strictEqual(returned.transactions[0]?.[0].fee, 21n)
  })
})

describe("more addresses than available calls", () => {
  const address = (index: number) => `0x${String(index).padStart(40, "a")}`
  test(
    "take turns: recently read addresses come last",
    () => [network("ethereum", () => Effect.fail(down))],
    function* (ethereum = none) {
      const addresses = Array.from({ length: 9 }, (_, index) => address(index))
      const history = yield* History
      const served = new Set<string>()
      for (const _ of [1, 2, 3]) {
        let left = 3
        ethereum.state.answer = (query) => {
          if (left-- <= 0) return Effect.fail(down)
          served.add(query.address)
          return Effect.succeed(part([transaction(1)]))
        }
        const returned = yield* history.transactions({ ethereum: addresses }, 50)
        assert.deepStrictEqual(
          returned.flatMap(({ histories }) => histories.map(({ text }) => text)),
          addresses
        )
        yield* later
      }
      assert.strictEqual(served.size, 9)
    }
  )
})

describe("the history of several networks", () => {
  test(
    "is streamed with the fastest network first",
    () => [
      network("ethereum", () => Effect.delay(Effect.succeed(part([transaction(1)])), "3 seconds")),
      network("base", () => Effect.succeed(part([transaction(2)])))
    ],
    function* () {
      const history = yield* History
      const stream = history.stream({ ethereum: [holder], unheard: [holder], base: [holder, holder] }, 50)
      const fiber = yield* Effect.fork(Stream.runCollect(stream))
      yield* TestClock.adjust("3 seconds")
      const parts = [...(yield* fiber)]
      assert.deepStrictEqual(
        parts.map(({ histories, name }) => [name, histories.length]),
        [
          ["base", 1],
          ["ethereum", 1]
        ]
      )
    }
  )
})

let all: ReadonlyArray<Transaction> = []
