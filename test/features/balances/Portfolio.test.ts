import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Exit from "effect/Exit"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Stream from "effect/Stream"
import * as TestClock from "effect/TestClock"
import type { ReadFailure } from "../../../src/chains/Chain.ts"
import type { Balance } from "../../../src/domain/Balance.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { eventCame } from "../../support/assertions.ts"
import { increases } from "../../support/samples.ts"
import { settled } from "../../support/settled.ts"
import { run } from "../../support/upstream.ts"
import { assert, describe, it } from "../../support/vitest.ts"
import { over, source } from "../prices/pricing.ts"
import { type Fake, holding, holds, network, outage, portfolio, reading, summaryOf, token } from "./portfolio.ts"

const [cheap, dear, free, odd] = [token("cheap"), token("dear"), token("free"), token("odd")]
const { coinId: _, ...nameless } = odd
const prices = { "a-coin": 2, "b-coin": 4, cheap: 1, dear: 1_000 }

const hanging = { holdings: () => Effect.never }

const noList: ReadFailure = { reason: "upstream_error", message: "native coins only" }
const noTokens = { network: "a", message: "native coins only", errorCode: "upstream_error" } as const

describe("the rows of a portfolio", () => {
  it("follow the order of the request, with the native coin first, then tokens by value, then unpriced tokens", function* () {
    const rich = [
      [free, 9n],
      [cheap, 5n],
      [odd, 1n],
      [dear, 3n]
    ] as const
    const { balances } = yield* portfolio([network(holding("a", 150n, ...rich)), network(holding("b", 100n))], prices)
    const { omissions, rows } = yield* balances({ b: ["y", "x"], a: ["x"] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      "b y B 1 4",
      "b x B 1 4",
      "a x A 1.5 3",
      "a x DEAR 3 3000",
      "a x CHEAP 5 5",
      "a x FREE 9  no_price",
      "a x ODD 1  no_price"
    ])
    assert.deepStrictEqual(omissions, [])
  })

  it("include at most 20 unreadable tokens and count the others in the native row, but always include tokens the address owned", function* () {
    const all = Array.from({ length: 200 }, (_, index) => token(`t${index}`))
    let broken = false
    const amount = (index: number) => (broken ? undefined : index >= 150 ? 1n : undefined)
    const { balances } = yield* portfolio(
      [
        network({
          id: "a",
          holdings: (addresses) =>
            Effect.sync(() =>
              reading(addresses, () => holds(100n, ...all.map((coin, index) => [coin, amount(index)] as const)))
            )
        })
      ],
      { "a-coin": 2 }
    )
    const counted = Effect.map(balances({ a: ["x"] }), ({ rows: [native, ...tokens] }) => ({
      native,
      unread: tokens.filter(({ balance }) => balance === null).length,
      read: tokens.filter(({ balance }) => balance !== null).length
    }))
    const first = yield* counted
    assert.deepInclude(first.native, {
      balance: "1",
      balanceUsd: "2",
      error: "130 more tokens could not be read: the token does not answer"
    })
    assert.notProperty(first.native, "errorCode")
    const [native] = (yield* balances({ a: ["x"] }, { currency: "chf" })).rows
    assert.deepInclude(native, {
      error: "the exchange rate of chf is not available; 130 more tokens could not be read: the token does not answer",
      errorCode: "bad_answer"
    })
    assert.deepInclude(first, { unread: 20, read: 50 })
    yield* Effect.yieldNow()
    broken = true
    const second = yield* counted
    assert.strictEqual(second.native?.error, "130 more tokens could not be read: the token does not answer")
    assert.deepInclude(second, { unread: 70, read: 0 })
  })

  it("have the reason why the tokens of an address could not be read in its native row", function* () {
    const { balances } = yield* portfolio(
      [
        network({
          id: "a",
          holdings: (addresses) =>
            Effect.succeed({
              ...reading(addresses, () => holds(100n)),
              unreadTokens: addresses.map((address) => (address === "x" ? outage : undefined))
            })
        })
      ],
      { "a-coin": 2 }
    )
    const { omissions, rows } = yield* balances({ a: ["x", "y"] })
    const [first, second] = rows
    assert.deepInclude(first, {
      balance: "1",
      balanceUsd: "2",
      error: "the tokens of the address could not be read: nodes: could not be reached",
      errorCode: "upstream_error"
    })
    assert.notProperty(second, "error")
    assert.strictEqual(omissions.length, 1)
  })

  it("contain all fields of their asset and its price", function* () {
    const coin = token("gold", 6)
    const price = { coinId: CoinId.make("gold"), usd: 0.1, updatedAt: 1_763_000_000_000, source: "test" }
    const pricing = Layer.mock(Pricing, {
      prices: (ids) =>
        Effect.succeed({
          found: new Map([[price.coinId, { ...price, change24h: -1, changePercent24h: 0 }]]),
          missing: new Map(ids.flatMap((id) => (id === price.coinId ? [] : [[id, "rate_limited" as const]])))
        })
    })
    const { balances } = yield* portfolio([network(holding("a", 0n, [coin, 1n]))], pricing)
    assert.deepStrictEqual((yield* balances({ a: ["X"] })).rows, [
      {
        coinId: "a-coin",
        blockchain: "a",
        tokenName: "a coin",
        tokenSymbol: "A",
        tokenDecimals: 2,
        contractAddress: null,
        assetId: null,
        holderAddress: "X",
        tokenType: "NATIVE",
        thumbnail: "",
        balance: "0",
        rawBalance: "0",
        balanceUsd: null,
        tokenPrice: null,
        error: "the rate limit of the price sources is reached",
        errorCode: "rate_limited"
      },
      {
        coinId: "gold",
        blockchain: "a",
        tokenName: "The gold",
        tokenSymbol: "GOLD",
        tokenDecimals: 6,
        contractAddress: "0xgold",
        assetId: null,
        holderAddress: "X",
        tokenType: "TOKEN",
        thumbnail: "https://icons.test/gold",
        balance: "0.000001",
        rawBalance: "1",
        balanceUsd: "0.0000001",
        tokenPrice: "0.1",
        updatedAt: price.updatedAt,
        priceChange24h: -1,
        priceChangePercent24h: 0
      }
    ])
  })

  it("contain a repeated address each time, but read it once", function* () {
    const requested: Array<string> = []
    const { balances } = yield* portfolio([network({ id: "a", aliases: ["alpha"] }, requested)], prices)
    const { rows } = yield* balances({ a: ["x", "y", "x"], ALPHA: ["x", "X"] })
    assert.deepStrictEqual(rows.map(summaryOf), ["a x A 1 2", "a y A 1 2", "a x A 1 2", "a x A 1 2", "a X A 1 2"])
    assert.deepStrictEqual(requested, ["x", "y"])
  })

  it("name the row that already counts a balance, with and without details", function* () {
    const holdings = (addresses: ReadonlyArray<string>) =>
      Effect.succeed(
        reading(addresses, (address): ReturnType<typeof holds> => {
          if (address !== "key") return holds(address === "x" ? 30n : 1n)
          return Either.right([{ asset: "native", amount: Either.right(70n), derived: new Set(["x"]) }])
        })
      )
    const addressForm = (text: string) => ({ kind: text === "key" ? ("xpub" as const) : ("address" as const) })
    const read = (addresses: ReadonlyArray<string>) =>
      Effect.succeed(addresses.map(() => Either.right({ amount: 70n, parts: { spendable: 70n } })))
    const breakdown = { parts: ["spendable" as const], read }
    const { balances, stream } = yield* portfolio([network({ id: "a", holdings, addressForm, breakdown })], prices)
    const expected = [
      ["X", "key"],
      ["key", undefined],
      ["y", undefined]
    ]
    const counted = (rows: ReadonlyArray<Balance>) =>
      rows.map(({ countedIn, holderAddress }) => [holderAddress, countedIn])
    const wanted = { a: ["X", "key", "y"] }
    assert.deepStrictEqual(counted((yield* balances(wanted)).rows), expected)
    assert.deepStrictEqual(counted((yield* balances(wanted, { detail: true })).rows), expected)
    const parts = yield* Stream.runCollect(stream(wanted))
    assert.deepStrictEqual(counted([...parts].flatMap(({ rows }) => rows)), expected)
    assert.deepStrictEqual(counted((yield* balances({ a: ["X", "y"] })).rows), [
      ["X", undefined],
      ["y", undefined]
    ])
  })

  it("contain the error for a malformed address, which is not requested from the network", function* () {
    const requested: Array<string> = []
    const { balances } = yield* portfolio([network({ id: "a" }, requested)], prices)
    const { rows } = yield* balances({ a: ["bad", "x", "BAD?", "badly"] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      "a bad A   invalid_address",
      "a x A 1 2",
      "a BAD? A 1 2",
      "a badly A   invalid_address"
    ])
    assert.strictEqual(rows[0]?.error, "an address does not begin with bad")
    assert.strictEqual(rows[0]?.tokenPrice, "2")
    assert.deepStrictEqual(requested, ["x", "bad?"])
    const only = yield* balances({ a: ["bad"] })
    assert.strictEqual(only.rows.length, 1)
    assert.strictEqual(requested.length, 2)
  })

  it("skip unsupported networks, and name each once", function* () {
    const { balances } = yield* portfolio([network({ id: "a" })], prices)
    const { omissions, rows } = yield* balances({ nowhere: ["x"], a: ["x"], constructor: ["x"] })
    assert.deepStrictEqual(rows.map(summaryOf), ["a x A 1 2"])
    assert.deepStrictEqual(
      omissions,
      ["nowhere", "constructor"].map((name) => ({
        network: name,
        message: `"${name}" is not a network of this service`,
        errorCode: "unknown_network" as const
      }))
    )
    for (const wanted of [{}, { a: [] }]) assert.deepStrictEqual(yield* balances(wanted), { rows: [], omissions: [] })
  })

  it("come with an omission for each network that returned incomplete holdings", function* () {
    const withoutTokenList: Fake = {
      id: "a",
      holdings: (addresses) => Effect.succeed(reading(addresses, () => holds(100n), noList))
    }
    const { balances } = yield* portfolio([network(withoutTokenList), network({ id: "b" })], prices)
    assert.deepStrictEqual((yield* balances({ b: ["x"] })).omissions, [])
    assert.deepStrictEqual((yield* balances({ a: ["x", "y"], b: ["x"] })).omissions, [noTokens])
    // A malformed address is reported only in its row.
    assert.deepStrictEqual((yield* balances({ a: ["bad"] })).omissions, [])
  })

  it("come with the omission of the read that returned them, even if a concurrent read is complete", function* () {
    const release = yield* Deferred.make<void>()
    let requested = 0
    const listing: Fake = {
      id: "a",
      holdings: (addresses) =>
        Effect.suspend(() =>
          requested++ === 0
            ? Effect.as(
                Deferred.await(release),
                reading(addresses, () => holds(100n), noList)
              )
            : Effect.succeed(reading(addresses, () => holds(100n, [cheap, 1n])))
        )
    }
    const { balances } = yield* portfolio([network(listing)], prices)
    const first = yield* Effect.fork(balances({ a: ["x"] }))
    yield* TestClock.adjust("10 millis")
    const second = yield* balances({ a: ["x"] })
    yield* Deferred.succeed(release, undefined)
    assert.deepStrictEqual((yield* Fiber.join(first)).omissions, [noTokens])
    assert.deepStrictEqual([second.rows.length, second.omissions], [2, []])
  })

  it("come with an omission if one of several batches was read without the token list", function* () {
    const listing: Fake = {
      id: "a",
      batchSize: 1,
      holdings: (addresses) =>
        Effect.succeed(reading(addresses, () => holds(100n), addresses[0] === "y" ? noList : undefined))
    }
    const { balances } = yield* portfolio([network(listing)], prices)
    assert.deepStrictEqual((yield* balances({ a: ["x"] })).omissions, [])
    assert.deepStrictEqual((yield* balances({ a: ["x", "y"] })).omissions, [noTokens])
  })

  it("are priced in one request that contains each coin once", function* () {
    const requested: Array<ReadonlyArray<string>> = []
    const pricing = Layer.mock(Pricing, {
      prices: (ids) =>
        Effect.sync(() => {
          requested.push(ids)
          return { found: new Map(), missing: new Map() }
        })
    })
    const { balances } = yield* portfolio([network(holding("a", 1n, [cheap, 1n], [nameless, 1n]))], pricing)
    const { rows } = yield* balances({ a: ["x", "y"] })
    assert.deepStrictEqual(requested, [["a-coin", "cheap"]])
    assert.deepStrictEqual(
      rows.map(({ coinId, errorCode }) => [coinId, errorCode]),
      [
        ["a-coin", "no_price"],
        ["cheap", "no_price"],
        ["", "no_price"],
        ["a-coin", "no_price"],
        ["cheap", "no_price"],
        ["", "no_price"]
      ]
    )
  })
})

describe("a portfolio with failures", () => {
  it("has the reason in the failed rows, and leaves the other rows unchanged", function* () {
    const failing = {
      id: "b",
      holdings: (addresses: ReadonlyArray<string>) =>
        Effect.succeed(reading(addresses, (address) => (address === "x" ? Either.left(outage) : holds(50n))))
    }
    const { balances } = yield* portfolio(
      [network(holding("a", 100n, [cheap, undefined], [dear, 1n])), network(failing), network({ id: "c" })],
      prices
    )
    const { rows } = yield* balances({ a: ["x"], b: ["x", "y"], c: ["x"] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      "a x A 1 2",
      "a x DEAR 1 1000",
      "a x CHEAP   bad_answer",
      "b x B   upstream_error",
      "b y B 0.5 2",
      "c x C 1  no_price"
    ])
    assert.deepStrictEqual(
      rows.flatMap(({ error }) => error ?? []),
      ["the token does not answer", outage.message, "no source has a current price"]
    )
  })

  it("counts its rows and its null balances, except those of malformed addresses", function* () {
    const failing = {
      id: "count-b",
      holdings: () => Effect.succeed(reading(["x"], () => Either.left(outage))),
      holding: () => Effect.fail(outage)
    }
    const unlisted = {
      id: "count-c",
      holdings: (addresses: ReadonlyArray<string>) => Effect.succeed(reading(addresses, () => holds(1n), noList))
    }
    const { balances, token } = yield* portfolio([
      network(holding("count-a", 100n, [cheap, undefined], [dear, 1n])),
      network(failing),
      network(unlisted)
    ])
    const all = Effect.zipRight(
      balances({ "count-a": ["x", "bad"], "count-b": ["x"], "count-c": ["x"] }),
      token("count-b", "x", Option.none())
    )
    assert.deepStrictEqual(yield* increases("balance_rows_total", all), {
      'network="count-a"': 3,
      'network="count-b"': 2,
      'network="count-c"': 2
    })
    assert.deepStrictEqual(yield* increases("balance_rows_null_total", all), {
      'network="count-a",code="bad_answer"': 1,
      'network="count-b",code="upstream_error"': 2,
      'network="count-c",code="upstream_error"': 1
    })
  })

  it("reports an internal error in the rows of a network whose code throws", function* () {
    const { balances } = yield* portfolio(
      [
        network({ id: "a", holdings: () => Effect.die(new Error("ours")) }),
        network({ id: "b", holdings: () => Effect.succeed(reading([], () => holds(1n))) }),
        network({ id: "c", holdings: () => Effect.suspend(() => assert.fail("thrown")) })
      ],
      prices
    )
    const { rows } = yield* balances({ a: ["x"], b: ["x"], c: ["x"] })
    assert.deepStrictEqual(rows.map(summaryOf), [
      "a x A   upstream_error",
      "b x B   upstream_error",
      "c x C   upstream_error"
    ])
    for (const { error } of rows) assert.strictEqual(error, "internal error")
  })

  it("is returned before the deadline with the available rows when a network hangs", function* () {
    const { balances } = yield* portfolio([network({ id: "a", ...hanging }), network({ id: "b" })], prices, {
      REQUEST_DEADLINE_MS: "10000"
    })
    const fiber = yield* Effect.fork(balances({ a: ["x"], b: ["x"] }))
    yield* TestClock.adjust("9 seconds")
    const { rows } = yield* Fiber.join(fiber)
    assert.deepStrictEqual(rows.map(summaryOf), ["a x A   timeout", "b x B 1 4"])
    assert.strictEqual(rows[0]?.tokenPrice, "2")
  })

  it("is returned before the deadline with the cached prices when the price sources hang", function* () {
    const known = source("s", { "b-coin": [4] })
    const pricing = yield* Effect.provide(Pricing, yield* Layer.build(over(known)))
    yield* run(pricing.prices([CoinId.make("b-coin")]), 5)
    known.state.pause = Effect.never
    const { balances } = yield* portfolio(
      [network({ id: "a", ...hanging }), network(holding("b", 100n, [cheap, 1n]))],
      Layer.succeed(Pricing, pricing),
      { REQUEST_DEADLINE_MS: "10000" }
    )
    const wanted = { a: ["x"], b: ["x"] }
    const fibers = yield* Effect.all([
      Effect.fork(balances(wanted)),
      Effect.fork(Effect.map(balances({ b: ["x"] }), ({ rows }) => rows))
    ])
    yield* TestClock.adjust("9500 millis")
    const { rows } = yield* Fiber.join(fibers[0])
    assert.deepStrictEqual(rows.map(summaryOf), ["a x A   timeout", "b x B 1 4", "b x CHEAP 1  timeout"])
    assert.strictEqual(rows[2]?.error, "the price sources timed out")
    assert.deepStrictEqual((yield* Fiber.join(fibers[1])).map(summaryOf), ["b x B 1 4", "b x CHEAP 1  timeout"])
  })

  it("interrupts its reads when the request is interrupted", function* () {
    const [entered, ended] = [yield* Deferred.make<void>(), yield* Deferred.make<void>()]
    const holdings = () =>
      Deferred.succeed(entered, undefined).pipe(
        Effect.zipRight(Effect.never),
        Effect.onInterrupt(() => Deferred.succeed(ended, undefined))
      )
    const { balances } = yield* portfolio([network({ id: "a", holdings })])
    const fiber = yield* Effect.fork(balances({ a: ["x"] }))
    yield* Deferred.await(entered)
    assert.isTrue(Exit.isInterrupted(yield* Fiber.interrupt(fiber)))
    yield* Deferred.await(ended)
  })

  it("interrupts a network that did not respond in time", function* () {
    const ended = yield* Deferred.make<void>()
    const holdings = () => Effect.onInterrupt(Effect.never, () => Deferred.succeed(ended, undefined))
    const { balances } = yield* portfolio([network({ id: "a", holdings })])
    yield* settled(balances({ a: ["x"] }))
    yield* Deferred.await(ended)
    eventCame()
  })
})
