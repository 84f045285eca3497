import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../src/domain/CoinId.ts"
import { Binance } from "../../src/providers/Binance.ts"
import { isAvailable } from "../../src/upstream/Sources.ts"
import { Upstreams } from "../../src/upstream/Upstreams.ts"
import { json, type Reply, type SentRequest, simulatedClient, text } from "../support/http.ts"
import { run, upstreamDependencies } from "../support/upstream.ts"
import { assert, describe, it } from "../support/vitest.ts"

const ids = (...all: ReadonlyArray<string>) => all.map((id) => CoinId.make(id))
const [bitcoin = CoinId.make("bitcoin")] = ids("bitcoin")
const now = 1_800_000_000_000

const over = (answer: (request: SentRequest) => Reply, start = now) => {
  const outside = simulatedClient(answer)
  type Use<A, E> = (binance: typeof Binance.Service) => Effect.Effect<A, E, Upstreams>
  const within = <A, E>(use: Use<A, E>) =>
    Effect.zipRight(TestClock.setTime(start), Effect.flatMap(Binance, use)).pipe(
      Effect.provide(Layer.provideMerge(Binance.layer, upstreamDependencies(outside)))
    )
  return {
    requests: outside.requests,
    /** The test advances the clock. */
    timed: <A, E>(use: Use<A, E>) => Effect.either(within(use)),
    /** The clock advances until the effect ends. */
    upstream: <A, E>(use: Use<A, E>) => within((binance) => run(use(binance)))
  }
}

const symbolsOf = ({ url }: SentRequest): ReadonlyArray<string> => JSON.parse(url.searchParams.get("symbols") ?? "[]")

const row = (symbol: string, more: Readonly<Record<string, unknown>> = {}) => ({
  symbol,
  priceChange: "-12.50000000",
  priceChangePercent: "-0.125",
  lastPrice: symbol === "USDCUSDT" ? "0.99980000" : "10000.00000000",
  openTime: now - 86_400_000,
  closeTime: now - 100,
  count: 18_090,
  ...more
})

const invalid = json({ code: -1121, msg: "Invalid symbol." }, { status: 400 })

const kline = (at: number, more: ReadonlyArray<unknown> = ["1.5", "2", "1", "1.75"]) => [
  at,
  ...more,
  "0.23592000",
  at + 59_999,
  "17296.89307540",
  55,
  "0.22048000",
  "16164.89454310",
  "0"
]

/** Responds with candles, and with tickers by symbol; other symbols are unknown. */
const exchange =
  (rows: Readonly<Record<string, unknown>>, klines: Reply = json([kline(60_000), kline(120_000)])) =>
  (request: SentRequest): Reply => {
    if (request.url.pathname.endsWith("/klines")) return klines
    const symbols = symbolsOf(request)
    return symbols.every((symbol) => symbol in rows) ? json(symbols.map((symbol) => rows[symbol])) : invalid
  }

const pegged = { USDCUSDT: row("USDCUSDT") }
const usual = { ...pegged, BTCUSDT: row("BTCUSDT"), ETHUSDT: row("ETHUSDT") }
const ticker = { price: 10_000, change: -12.5, changePercent: -0.125, at: now - 100 }

describe("the tickers of Binance", () => {
  it("are requested in one call, together with the pair that checks the peg of tether", function* () {
    const { requests, upstream } = over(exchange(usual))
    const outcome = yield* upstream(({ tickers }) => tickers(ids("ethereum", "bitcoin", "snek", "bitcoin")))
    assert.deepStrictEqual(
      requests.map(({ url }) => decodeURIComponent(url.href)),
      ['https://api.binance.com/api/v3/ticker/24hr?symbols=["ETHUSDT","BTCUSDT","USDCUSDT"]']
    )
    assert.deepStrictEqual(outcome, Either.right(ids("ethereum", "bitcoin").map((id) => ({ id, ...ticker }))))
  })

  it("are not requested for coins that it does not trade", function* () {
    const { requests, upstream } = over(exchange(usual))
    const outcome = yield* upstream(({ tickers, trades }) =>
      Effect.map(tickers(ids("tether", "usd-coin", "toString", "BTC")), (found) => [found, trades(bitcoin)])
    )
    assert.deepStrictEqual(outcome, Either.right([[], true]))
    assert.strictEqual(requests.length, 0)
  })

  for (const [name, more] of Object.entries({
    "no trade in 24 hours": { count: 0 },
    "a price of zero": { lastPrice: "0.00000000" },
    "a negative price": { lastPrice: "-1.00000000" },
    "an empty price": { lastPrice: "" },
    "a price in words": { lastPrice: "12,5" },
    "a price with an exponent": { lastPrice: "1e5" },
    "a price as a number": { lastPrice: 10_000 },
    "a price of 400 digits": { lastPrice: "9".repeat(400) },
    "no change": { priceChange: undefined },
    "a malformed time": { closeTime: "yesterday" },
    "no time": { closeTime: null }
  }))
    it(`are left out with ${name}, without affecting the others`, function* () {
      const { upstream } = over(exchange({ ...usual, BTCUSDT: row("BTCUSDT", more) }))
      const outcome = yield* upstream(({ tickers }) => tickers(ids("bitcoin", "ethereum")))
      assert.deepStrictEqual(outcome, Either.right(ids("ethereum").map((id) => ({ id, ...ticker }))))
    })

  it("may contain whole numbers as text", function* () {
    const more = { closeTime: String(now - 100), count: "18090" }
    const { upstream } = over(exchange({ ...usual, BTCUSDT: row("BTCUSDT", more) }))
    const outcome = yield* upstream(({ tickers }) => tickers(ids("bitcoin")))
    assert.deepStrictEqual(outcome, Either.right([{ id: bitcoin, ...ticker }]))
  })

  for (const [name, more, isPegged] of [
    ["0.9901", { lastPrice: "0.99010000" }, true],
    ["1.0099", { lastPrice: "1.00990000" }, true],
    ["0.98", { lastPrice: "0.98000000" }, false],
    ["1.02", { lastPrice: "1.02000000" }, false],
    ["not traded", { count: 0 }, false],
    ["old", { closeTime: now - 3_600_000 }, false],
    ["missing", { lastPrice: null }, false]
  ] as const)
    it(`are ${isPegged ? "" : "not "}used as dollar prices if the peg is ${name}`, function* () {
      const { upstream } = over(exchange({ ...usual, USDCUSDT: row("USDCUSDT", more) }))
      const outcome = yield* upstream(({ tickers }) => tickers(ids("bitcoin")))
      assert.deepStrictEqual(outcome, Either.right(isPegged ? [{ id: bitcoin, ...ticker }] : []))
    })

  for (const [name, reply] of [
    ["without the pair of the peg", json([row("BTCUSDT")])],
    ["that is empty", json([])],
    ["that is not a list", json(row("BTCUSDT"))],
    ["with an empty row", json([{}])]
  ] as const)
    it(`are rejected in a list ${name}`, function* () {
      const outcome = yield* over(() => reply).upstream(({ tickers }) => tickers(ids("bitcoin")))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    })
})

describe("a coin that Binance no longer trades", () => {
  it("fails the list, so that each coin is requested alone, and is then left out for a day", function* () {
    const { requests, upstream } = over(exchange(usual))
    yield* upstream(({ tickers }) =>
      Effect.gen(function* () {
        assert.deepStrictEqual(
          (yield* tickers(ids("bitcoin", "ripple"))).map(({ id }) => id),
          ids("bitcoin")
        )
        yield* tickers(ids("bitcoin", "ripple"))
        yield* TestClock.adjust("25 hours")
        yield* tickers(ids("ripple"))
      })
    )
    assert.deepStrictEqual(requests.map(symbolsOf), [
      ["BTCUSDT", "XRPUSDT", "USDCUSDT"],
      ["BTCUSDT"],
      ["XRPUSDT"],
      ["USDCUSDT"],
      ["BTCUSDT", "USDCUSDT"],
      ["XRPUSDT", "USDCUSDT"],
      ["XRPUSDT"],
      ["USDCUSDT"]
    ])
  })

  it("does not count as a failure of the exchange", function* () {
    const { upstream } = over(exchange(usual))
    const outcome = yield* upstream(({ klines, tickers }) =>
      Effect.gen(function* () {
        yield* tickers(ids("ripple"))
        const error = yield* Effect.flip(klines(CoinId.make("ripple"), "1d", 1))
        const [state] = yield* Effect.flatMap(Upstreams, ({ states }) => states)
        return [error.reason, error.final, error.message, state?.state]
      })
    )
    assert.deepStrictEqual(outcome, Either.right(["upstream_error", true, "binance: does not trade this coin", "up"]))
  })

  it("leaves all coins without a price if it is the pair of the peg", function* () {
    const { requests, upstream } = over(exchange({ BTCUSDT: row("BTCUSDT") }))
    const outcome = yield* upstream(({ tickers }) => Effect.zip(tickers(ids("bitcoin")), tickers(ids("bitcoin"))))
    assert.deepStrictEqual(outcome, Either.right([[], []]))
    assert.strictEqual(requests.length, 3)
  })
})

describe("the candles of Binance", () => {
  const candle = { open: 1.5, high: 2, low: 1, close: 1.75 }

  it("have their start time, in ascending order", function* () {
    const { requests, upstream } = over(exchange(usual))
    const outcome = yield* upstream(({ klines }) => klines(bitcoin, "30m", 2))
    assert.deepStrictEqual(
      outcome,
      Either.right([
        { opensAt: 60_000, closesAt: 119_999, ...candle },
        { opensAt: 120_000, closesAt: 179_999, ...candle }
      ])
    )
    assert.strictEqual(
      requests[1]?.url.href,
      "https://api.binance.com/api/v3/klines?symbol=BTCUSDT&interval=30m&limit=2"
    )
  })

  it("need the peg, which is checked every five minutes, also by tickers", function* () {
    const { requests, timed } = over((request) =>
      exchange({ ...usual, USDCUSDT: row("USDCUSDT", { closeTime: now + 300_000 }) })(request)
    )
    const outcome = yield* timed(({ klines, tickers }) =>
      Effect.gen(function* () {
        yield* tickers(ids("bitcoin"))
        yield* klines(bitcoin, "1d", 1)
        yield* TestClock.adjust("4 minutes")
        yield* klines(bitcoin, "4h", 1)
        yield* TestClock.adjust("2 minutes")
        yield* klines(bitcoin, "4h", 1)
      })
    )
    assert.isTrue(Either.isRight(outcome), String(outcome))
    assert.deepStrictEqual(
      requests.map((sent) => (sent.url.pathname.endsWith("/klines") ? "klines" : symbolsOf(sent).join())),
      ["BTCUSDT,USDCUSDT", "klines", "klines", "USDCUSDT", "klines"]
    )
  })

  it("need a new check of the peg after the clock was set back", function* () {
    const { requests, timed } = over((request) => {
      const { pathname } = request.url
      return pathname.endsWith("/klines")
        ? json([kline(60_000)])
        : json(symbolsOf(request).map((symbol) => row(symbol)))
    })
    const outcome = yield* timed(({ klines }) =>
      Effect.gen(function* () {
        yield* klines(bitcoin, "1d", 1)
        yield* TestClock.setTime(now - 12 * 60_000)
        yield* klines(bitcoin, "1d", 1)
      })
    )
    assert.isTrue(Either.isRight(outcome), String(outcome))
    assert.deepStrictEqual(
      requests.map((sent) => (sent.url.pathname.endsWith("/klines") ? "klines" : symbolsOf(sent).join())),
      ["USDCUSDT", "klines", "USDCUSDT", "klines"]
    )
  })

  it("fail if the peg is lost", function* () {
    const { requests, upstream } = over(exchange({ ...usual, USDCUSDT: row("USDCUSDT", { lastPrice: "1.10000000" }) }))
    const outcome = yield* upstream(({ klines }) => klines(bitcoin, "1d", 1))
    assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { reason: "no_price", final: true })
    assert.strictEqual(requests.length, 1)
  })

  it("fail for a coin that is not traded, without a call if that is known", function* () {
    const { requests, upstream } = over(exchange(usual, invalid))
    for (const [id, calls] of [
      ["snek", 0],
      ["bitcoin", 2]
    ] as const) {
      const outcome = yield* upstream(({ klines }) => klines(CoinId.make(id), "1d", 1))
      assert.deepInclude(Either.getOrThrow(Either.flip(outcome)), { reason: "upstream_error", final: true })
      assert.strictEqual(requests.length, calls)
    }
  })

  for (const [name, odd] of Object.entries({
    "fewer columns": kline(120_000).slice(0, 11),
    "more columns": [...kline(120_000), 1],
    "a price as a number": kline(120_000, [1.5, "2", "1", "1.75"]),
    "a price of zero": kline(120_000, ["1.5", "2", "0.0", "1.75"]),
    "a high below its close": kline(120_000, ["1.5", "1.6", "1", "1.75"]),
    "a low above its open": kline(120_000, ["1.5", "2", "1.6", "1.75"]),
    "a repeated time": kline(60_000),
    "an earlier time": kline(0),
    "an end before its start": kline(120_000).with(6, 119_999),
    "a malformed time": kline(Number.NaN),
    "no row": null
  }))
    it(`are rejected with a row of ${name}`, function* () {
      const { upstream } = over(exchange(usual, json([kline(60_000), odd])))
      const outcome = yield* upstream(({ klines }) => klines(bitcoin, "1d", 2))
      assert.strictEqual(Either.isLeft(outcome) && outcome.left.reason, "bad_answer")
    })
})

describe("the errors of Binance", () => {
  for (const [name, reply, reason, final, calls] of [
    ["-1003 under HTTP 429", json({ code: -1003, msg: "x" }, { status: 429 }), "rate_limited", undefined, 1],
    ["-1003 under HTTP 200", json({ code: -1003, msg: "x" }), "rate_limited", undefined, 1],
    ["HTTP 418", text("", { status: 418 }), "rate_limited", undefined, 1],
    ["HTTP 429", text("", { status: 429 }), "rate_limited", undefined, 1],
    ["HTTP 403", text("<html></html>", { status: 403 }), "upstream_error", undefined, 1],
    ["HTTP 451", json({ code: 0, msg: "restricted location" }, { status: 451 }), "upstream_error", undefined, 1],
    ["HTTP 400", json({ code: -1100, msg: "x" }, { status: 400 }), "upstream_error", true, 1],
    ["another code under HTTP 200", json({ code: -1000, msg: "x" }), "upstream_error", undefined, 3],
    ["an HTML page", text("<html></html>"), "bad_answer", undefined, 1]
  ] as const)
    it(`are mapped to a reason: ${name}`, function* () {
      const { requests, upstream } = over(() => reply)
      const outcome = yield* upstream(({ tickers }) => tickers(ids("bitcoin")))
      const error = Either.getOrThrow(Either.flip(outcome))
      assert.deepStrictEqual([error.reason, error.final, requests.length], [reason, final, calls])
      assert.notMatch(error.message, /http:|https:|restricted/)
    })

  for (const status of [418, 429])
    it(`stop calls for the time in Retry-After with HTTP ${status}`, function* () {
      const banned = json({ code: -1003, msg: "Way too many requests" }, { status, headers: { "retry-after": "120" } })
      const { requests, upstream } = over(() => banned)
      const outcome = yield* upstream((binance) =>
        Effect.gen(function* () {
          const error = yield* Effect.flip(binance.tickers(ids("bitcoin")))
          const isAvailableMeanwhile = isAvailable(yield* binance.standing)
          yield* Effect.flip(binance.tickers(ids("bitcoin")))
          yield* TestClock.adjust("121 seconds")
          return [error.retryAfter, isAvailableMeanwhile, isAvailable(yield* binance.standing)]
        })
      )
      assert.deepStrictEqual(outcome, Either.right([120_000, false, true]))
      assert.strictEqual(requests.length, 1)
    })
})

describe("the health check of Binance", () => {
  for (const [name, body] of [
    ["an empty object", {}],
    ["a response of another service", { status: "ok" }]
  ] as const)
    it(`fails with ${name}`, function* () {
      const { upstream } = over(() => json(body))
      const outcome = yield* upstream(() =>
        Effect.flatMap(Upstreams, ({ trials }) =>
          Effect.flatMap(trials, (all) => Effect.forEach(all, (trial) => trial.addresses[0]?.try ?? Effect.void))
        )
      )
      assert.isTrue(Either.isLeft(outcome))
    })
})
