import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import type { Holding, ReadFailure } from "../../../src/chains/Chain.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { settled } from "../../support/settled.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { holds, network, outage, portfolio, reading, summaryOf, token } from "./portfolio.ts"

const [cheap, dear] = [token("cheap"), token("dear")]
const usd: Readonly<Record<string, number>> = { "a-coin": 2, cheap: 1, dear: 1_000 }

type Read = ReturnType<typeof holds>

/** A portfolio over network "a", whose holdings and prices a test can change between requests. */
const changeablePortfolio = Effect.fnUntraced(function* (first: Read) {
  const now: {
    read: Read
    single: Effect.Effect<Holding, ReadFailure>
    missing: ReadFailure | undefined
    usd: typeof usd
  } = {
    read: first,
    single: Effect.fail(outage),
    missing: undefined,
    usd
  }
  const fake = {
    id: "a",
    holdings: (addresses: ReadonlyArray<string>) => Effect.sync(() => reading(addresses, () => now.read, now.missing)),
    holding: () => now.single,
    canonicalToken: (text: string) => Option.some(text.toLowerCase().replace("dear-", "0x"))
  }
  const test = Layer.mock(Pricing, {
    prices: (ids) =>
      Effect.flatMap(Pricing, ({ prices }) => prices(ids)).pipe(
        Effect.provide(Layer.suspend(() => Pricing.layerTest(now.usd)))
      )
  })
  const service = yield* portfolio([network(fake)], test)
  const readRows = Effect.gen(function* () {
    const { rows } = yield* service.balances({ a: ["X"] })
    // The last balances are stored after the response is returned.
    yield* TestClock.adjust("1 second")
    return rows
  })
  return { ...service, readRows, now, waitAnHour: TestClock.adjust("1 hours") }
})

describe("a balance that cannot be read", () => {
  it("has no last known balance if none was stored", function* () {
    const { readRows } = yield* changeablePortfolio(Either.left(outage))
    const rows = yield* readRows
    assert.deepStrictEqual(rows.map(summaryOf), ["a X A   upstream_error"])
    assert.notProperty(rows[0], "lastKnown")
  })

  it("comes with the balances of the last good response, including tokens, their facts and their order", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n, [cheap, 7n], [dear, 2n]))
    yield* waitAnHour
    const good = yield* readRows
    for (const row of good) assert.notProperty(row, "lastKnown")
    yield* waitAnHour
    now.read = Either.left(outage)
    const at = 3_600_000
    const rows = yield* readRows
    assert.deepStrictEqual(rows.map(summaryOf), [
      "a X A   upstream_error",
      "a X DEAR   upstream_error",
      "a X CHEAP   upstream_error"
    ])
    assert.deepStrictEqual(
      rows.map(({ lastKnown }) => lastKnown),
      [
        { balance: "1.5", balanceUsd: "3", at },
        { balance: "2", balanceUsd: "2000", at },
        { balance: "7", balanceUsd: "7", at }
      ]
    )
    assert.deepInclude(rows[1], {
      coinId: "dear",
      tokenName: "The dear",
      tokenDecimals: 0,
      contractAddress: "0xdear",
      tokenType: "TOKEN",
      thumbnail: "https://icons.test/dear",
      tokenPrice: "1000"
    })
  })

  it("keeps its last known balance through any number of outages", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n, [cheap, 7n]))
    yield* readRows
    now.read = Either.left(outage)
    for (let times = 0; times < 3; times++) {
      yield* waitAnHour
      assert.deepStrictEqual(
        (yield* readRows).map(({ lastKnown }) => lastKnown?.balance),
        ["1.5", "7"]
      )
    }
    now.read = holds(100n)
    assert.deepStrictEqual((yield* readRows).map(summaryOf), ["a X A 1 2"])
    now.read = Either.left(outage)
    assert.deepStrictEqual(
      (yield* readRows).map(({ lastKnown }) => lastKnown?.balance),
      ["1"]
    )
  })

  it("keeps its last known tokens when a response came without the token list", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n, [cheap, 7n]))
    yield* readRows
    yield* waitAnHour
    now.read = holds(200n)
    now.missing = { reason: "upstream_error", message: "native coins only" }
    const rows = yield* readRows
    assert.deepStrictEqual(rows.map(summaryOf), ["a X A 2 4", "a X CHEAP   upstream_error"])
    assert.strictEqual(rows[1]?.lastKnown?.balance, "7")
    yield* waitAnHour
    now.read = Either.left(outage)
    assert.deepStrictEqual(
      (yield* readRows).map(({ lastKnown }) => lastKnown?.balance),
      ["2", "7"]
    )
  })

  it("comes with the balance of a response that never had a token list", function* () {
    const { readRows, now, token, waitAnHour } = yield* changeablePortfolio(holds(150n))
    now.missing = { reason: "upstream_error", message: "native coins only" }
    yield* readRows
    yield* waitAnHour
    now.read = Either.left(outage)
    const lastKnown = { balance: "1.5", balanceUsd: "3", at: 0 }
    assert.deepStrictEqual(
      (yield* readRows).map((row) => row.lastKnown),
      [lastKnown]
    )
    assert.deepInclude(Option.getOrThrow(yield* settled(token("a", "X", Option.none()))), { balance: null, lastKnown })
  })

  it("keeps the last known balance of a single unreadable token, and updates the other balances", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(100n, [cheap, 7n], [dear, 1n]))
    yield* readRows
    yield* waitAnHour
    now.read = holds(200n, [cheap, undefined], [dear, 2n])
    const rows = yield* readRows
    assert.deepStrictEqual(rows.map(summaryOf), ["a X A 2 4", "a X DEAR 2 2000", "a X CHEAP   bad_answer"])
    assert.deepStrictEqual(rows[2]?.lastKnown, { balance: "7", balanceUsd: "7", at: 0 })
    yield* waitAnHour
    now.read = Either.left(outage)
    assert.deepStrictEqual(
      (yield* readRows).map(({ lastKnown }) => [lastKnown?.balance, lastKnown?.at]),
      [
        ["2", 3_601_000],
        ["2", 3_601_000],
        ["7", 0]
      ]
    )
  })

  it("comes with the last known balance for any spelling of the address", function* () {
    const { readRows, balances, now } = yield* changeablePortfolio(holds(100n))
    yield* readRows
    now.read = Either.left(outage)
    const { rows } = yield* balances({ a: ["x", "X", "y"] })
    assert.deepStrictEqual(
      rows.map(({ holderAddress, lastKnown }) => [holderAddress, lastKnown?.balance]),
      [
        ["x", "1"],
        ["X", "1"],
        ["y", undefined]
      ]
    )
  })

  it("has no last known balance after 30 days", function* () {
    const { readRows, now } = yield* changeablePortfolio(holds(100n))
    yield* readRows
    now.read = Either.left(outage)
    yield* TestClock.adjust("30 days")
    assert.notProperty((yield* readRows)[0], "lastKnown")
  })

  it("comes with the last known balance if the asset has no coin id", function* () {
    const { coinId: _, ...nameless } = token("odd")
    const { readRows, now } = yield* changeablePortfolio(holds(100n, [nameless, 3n]))
    yield* readRows
    now.read = Either.left(outage)
    const [, row] = yield* readRows
    assert.deepInclude(row, { coinId: "", contractAddress: "0xodd", balance: null, errorCode: "upstream_error" })
    assert.strictEqual(row?.lastKnown?.balance, "3")
  })

  it("comes with the last known balance in a request for a single token, in any spelling", function* () {
    const { readRows, token } = yield* changeablePortfolio(holds(150n, [dear, 2n]))
    yield* readRows
    const known = (contract?: string) =>
      Effect.map(settled(token("a", "X", Option.fromNullable(contract))), Option.getOrThrow)
    const failed = {
      balance: null,

      balanceUsd: null,
      error: outage.message,
      errorCode: "upstream_error" as const
    }
    assert.deepStrictEqual(yield* known(), {
      ...failed,
      price: "2",
      lastKnown: { balance: "1.5", balanceUsd: "3", at: 0 }
    })
    for (const spelling of ["0xdear", "0xDEAR", "dear-dear"])
      assert.deepStrictEqual(yield* known(spelling), {
        ...failed,
        price: null,
        lastKnown: { balance: "2", balanceUsd: "2000", at: 0 }
      })
    assert.deepStrictEqual(yield* known("0xother"), { ...failed, price: null })
  })

  it("comes with the newest balance of requests for the same asset alone", function* () {
    const { balances, readRows, token, now, waitAnHour } = yield* changeablePortfolio(holds(150n, [dear, 2n]))
    const read = (contract?: string) =>
      Effect.map(settled(token("a", "X", Option.fromNullable(contract))), Option.getOrThrow)
    yield* readRows
    yield* waitAnHour
    now.single = Effect.succeed({ asset: dear, amount: Either.right(3n) })
    yield* read("0xdear")
    now.single = Effect.succeed({ asset: "native", amount: Either.right(160n) })
    yield* read()
    yield* waitAnHour
    now.single = Effect.fail(outage)
    now.read = Either.left(outage)
    const at = 3_601_000
    assert.deepStrictEqual((yield* read()).lastKnown, { balance: "1.6", balanceUsd: "3.2", at })
    assert.deepStrictEqual((yield* read("0xDEAR")).lastKnown, { balance: "3", balanceUsd: "3000", at })
    now.read = holds(170n)
    yield* readRows
    assert.deepStrictEqual((yield* read()).lastKnown?.balance, "1.7")
    const { rows } = yield* balances({ a: ["y"] })
    assert.deepStrictEqual(rows.map(summaryOf), ["a y A 1.7 3.4"])
  })
})

describe("a value that cannot be computed", () => {
  it("comes with the last known value while the balance is unchanged", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n))
    yield* readRows
    now.usd = {}
    for (let times = 0; times < 2; times++) {
      yield* waitAnHour
      const [row] = yield* readRows
      assert.deepInclude(row, { balance: "1.5", balanceUsd: null, errorCode: "no_price" })
      assert.deepStrictEqual(row?.lastKnown, { balance: "1.5", balanceUsd: "3", at: 0 })
    }
  })

  it("is stored as null, not as the earlier value, if the balance has changed", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n))
    yield* readRows
    yield* waitAnHour
    now.usd = {}
    now.read = holds(500n)
    assert.deepStrictEqual((yield* readRows)[0]?.lastKnown, { balance: "1.5", balanceUsd: "3", at: 0 })
    yield* waitAnHour
    now.read = Either.left(outage)
    assert.deepStrictEqual((yield* readRows)[0]?.lastKnown, { balance: "5", balanceUsd: null, at: 3_601_000 })
  })

  it("has no last known value if none was stored, and stores the new balance", function* () {
    const { readRows, now, waitAnHour } = yield* changeablePortfolio(holds(150n))
    now.usd = {}
    yield* readRows
    yield* waitAnHour
    assert.notProperty((yield* readRows)[0], "lastKnown")
    now.read = Either.left(outage)
    assert.deepStrictEqual((yield* readRows)[0]?.lastKnown, { balance: "1.5", balanceUsd: null, at: 3_601_000 })
  })
})
