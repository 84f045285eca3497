import * as Context from "effect/Context"
import * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Fiber from "effect/Fiber"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { MarketCharts } from "../../../src/features/prices/MarketCharts.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { priorities } from "../../../src/upstream/Priority.ts"
import { settled } from "../../support/settled.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import { charting, down, pricesOnly, sources } from "./charting.ts"

const bitcoin = CoinId.make("bitcoin")
const ether = CoinId.make("ethereum")

type Ask = typeof MarketCharts.Service.charts

/** Runs a test with the service over its own sources, in autumn 2026. */
const test = (name: string, body: (charts: Ask, outside: ReturnType<typeof sources>) => Body) =>
  it.effect(name, () => {
    const outside = sources()
    return Effect.gen(function* () {
      yield* TestClock.setTime(Date.UTC(2026, 10, 1))
      const { charts } = yield* MarketCharts
      yield* effectOf(body(charts, outside))
    }).pipe(Effect.provide(charting(outside)))
  })

const prices = (charts: Effect.Effect.Success<ReturnType<Ask>>, id = bitcoin) =>
  charts.found.get(id)?.prices.map(([, price]) => price)

describe("charts", () => {
  test("are returned for all requested coins, each once, with the priority of charts", function* (charts, {
    requested,
    purposes: paid
  }) {
    const { failed, found, pricesOnly } = yield* charts([ether, bitcoin, ether], 7)
    assert.deepStrictEqual([...found.keys()], [ether, bitcoin])
    assert.deepStrictEqual([failed.size, pricesOnly.size], [0, 0])
    assert.deepStrictEqual(requested, ["coingecko ethereum 7", "coingecko bitcoin 7"])
    assert.deepStrictEqual(paid, [priorities.chart, priorities.chart])
  })

  for (const [days, fresh, until] of [
    [1, "5 minutes", "6 hours"],
    [7, "30 minutes", "1 day"],
    [30, "1 hour", "2 days"],
    [365, "12 hours", "7 days"]
  ] as const)
    test(`of ${days} days are fresh for ${fresh}, then refreshed in the background for ${until}, and then fetched again`, function* (charts, {
      requested
    }) {
      assert.deepStrictEqual(prices(yield* charts([bitcoin], days)), [1.39852e-10, 20, 1])
      yield* TestClock.adjust(Duration.toMillis(fresh) - 1)
      assert.deepStrictEqual(prices(yield* charts([bitcoin], days)), [1.39852e-10, 20, 1])
      assert.strictEqual(requested.length, 1)
      yield* TestClock.adjust("1 millis")
      assert.deepStrictEqual(prices(yield* charts([bitcoin], days)), [1.39852e-10, 20, 1])
      yield* TestClock.adjust(0)
      assert.strictEqual(requested.length, 2)
      assert.deepStrictEqual(prices(yield* charts([bitcoin], days)), [1.39852e-10, 20, 2])
      yield* TestClock.adjust(fresh)
      yield* TestClock.adjust(until)
      assert.deepStrictEqual(prices(yield* charts([bitcoin], days)), [1.39852e-10, 20, 3])
      assert.strictEqual(requested.length, 3)
    })

  test("of different periods are independent", function* (charts, { requested }) {
    yield* charts([bitcoin], 1)
    yield* charts([bitcoin], 30)
    assert.deepStrictEqual(requested, ["coingecko bitcoin 1", "coingecko bitcoin 30"])
  })

  test("are fetched once for concurrent requests", function* (charts, { requested, behaviour }) {
    const { series } = behaviour
    behaviour.series = (id, days) => Effect.delay(series(id, days), "1 second")
    const all = yield* settled(Effect.replicateEffect(charts([bitcoin, ether], 1), 20, { concurrency: "unbounded" }))
    assert.strictEqual(all.length, 20)
    for (const read of all) assert.strictEqual(read.found.size, 2)
    assert.strictEqual(requested.length, 2)
  })

  test("omit an unknown coin, and remember that for ten minutes", function* (charts, { requested, behaviour }) {
    behaviour.series = () => Effect.succeedNone
    for (const wait of [0, "9 minutes"] as const) {
      yield* TestClock.adjust(wait)
      const { failed, found } = yield* charts([bitcoin], 1)
      assert.deepStrictEqual([found.size, failed.size], [0, 0])
    }
    assert.deepStrictEqual(requested, ["coingecko bitcoin 1"])
    yield* TestClock.adjust("1 minute")
    yield* charts([bitcoin], 1)
    assert.strictEqual(requested.length, 2)
  })

  test("fail with the reason of the first source if no source returns them, and are not requested again at once", function* (charts, {
    requested,
    behaviour
  }) {
    const { series } = behaviour
    behaviour.series = (id, days) => (id === bitcoin ? down("coingecko") : series(id, days))
    for (const _ of [1, 2]) {
      const { failed, found } = yield* charts([bitcoin, ether], 1)
      assert.deepStrictEqual([...found.keys()], [ether])
      assert.strictEqual(failed.get(bitcoin)?.message, "coingecko: could not be reached")
    }
    assert.deepStrictEqual(requested, ["coingecko bitcoin 1", "coingecko ethereum 1", "defillama bitcoin 1"])
    yield* TestClock.adjust("30 seconds")
    yield* charts([bitcoin], 1)
    assert.strictEqual(requested.length, 5)
  })

  test("without points are a bad response, not empty charts", function* (charts, { behaviour }) {
    behaviour.series = () => Effect.succeedSome({ prices: [], market_caps: [], total_volumes: [] })
    behaviour.chart = () => Effect.succeedSome([])
    const { failed, found } = yield* charts([bitcoin], 1)
    assert.strictEqual(found.size, 0)
    assert.deepInclude(failed.get(bitcoin) ?? {}, { reason: "bad_answer", upstream: "coingecko" })
  })
})

describe("charts while the first source is down", () => {
  test("contain only prices, until that source responds again", function* (charts, { requested, behaviour }) {
    const { series } = behaviour
    behaviour.series = () => down("coingecko")
    behaviour.chart = () => pricesOnly
    const lesser = yield* charts([bitcoin], 30)
    assert.deepStrictEqual(prices(lesser), [7, 8])
    assert.deepInclude(lesser.found.get(bitcoin) ?? {}, { marketCaps: [], volumes: [] })
    assert.deepStrictEqual([...lesser.pricesOnly], [bitcoin])
    behaviour.series = series
    assert.deepStrictEqual(prices(yield* charts([bitcoin], 30)), [7, 8])
    yield* TestClock.adjust("30 seconds")
    const whole = yield* charts([bitcoin], 30)
    assert.deepStrictEqual(prices(whole), [1.39852e-10, 20, 2])
    assert.deepStrictEqual([...whole.pricesOnly], [])
    assert.deepStrictEqual(requested, ["coingecko bitcoin 30", "defillama bitcoin 30", "coingecko bitcoin 30"])
  })

  test("are the last complete charts while those are valid", function* (charts, { requested, behaviour }) {
    yield* charts([bitcoin], 1)
    behaviour.series = () => down("coingecko")
    behaviour.chart = () => pricesOnly
    for (const wait of ["5 minutes", "1 minute", "5 hours"] as const) {
      yield* TestClock.adjust(wait)
      const { found, pricesOnly } = yield* charts([bitcoin], 1)
      assert.deepStrictEqual(found.get(bitcoin)?.volumes.length, 1)
      assert.strictEqual(pricesOnly.size, 0)
    }
    assert.notInclude(requested.join(), "defillama")
    yield* TestClock.adjust("1 hour")
    assert.deepStrictEqual(prices(yield* charts([bitcoin], 1)), [7, 8])
  })

  test("are not requested from that source while it accepts no calls, unless no other source has them", function* (charts, {
    requested,
    behaviour
  }) {
    const solana = CoinId.make("solana")
    behaviour.chart = (id) => (id === bitcoin ? pricesOnly : Effect.succeedNone)
    behaviour.ready.coingecko = false
    assert.deepStrictEqual(prices(yield* charts([bitcoin], 1)), [7, 8])
    assert.deepStrictEqual(requested, ["defillama bitcoin 1"])
    assert.strictEqual((yield* charts([ether], 1)).found.get(ether)?.volumes.length, 1)
    assert.deepStrictEqual(requested.slice(1), ["defillama ethereum 1", "coingecko ethereum 1"])
    behaviour.ready.defillama = false
    yield* charts([solana], 1)
    assert.deepStrictEqual(requested.slice(3), ["coingecko solana 1"])
  })

  test("are not refreshed from that source while it accepts no calls", function* (charts, { requested, behaviour }) {
    yield* charts([bitcoin], 1)
    behaviour.ready.coingecko = false
    yield* TestClock.adjust("1 hour")
    for (const _ of [1, 2]) {
      assert.deepStrictEqual(prices(yield* charts([bitcoin], 1)), [1.39852e-10, 20, 1])
      yield* TestClock.adjust(0)
    }
    assert.strictEqual(requested.length, 1)
    behaviour.ready.coingecko = true
    yield* TestClock.adjust("30 seconds")
    yield* charts([bitcoin], 1)
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(prices(yield* charts([bitcoin], 1)), [1.39852e-10, 20, 2])
  })

  test("fail if the other source does not know the coin, because the coin may exist", function* (charts, {
    behaviour
  }) {
    behaviour.series = () => down("coingecko")
    behaviour.chart = () => Effect.succeedNone
    const { failed, found } = yield* charts([bitcoin], 1)
    assert.deepStrictEqual([found.size, failed.get(bitcoin)?.reason], [0, "upstream_error"])
  })
})

describe("charts within the deadline of a request", () => {
  /** Runs a request, and measures its time in ms. */
  const timed = Effect.fnUntraced(function* (request: ReturnType<Ask>) {
    const start = yield* TestClock.currentTimeMillis
    const fiber = yield* Effect.fork(request)
    yield* TestClock.adjust(0)
    while (fiber.unsafePoll() === null) yield* TestClock.adjust(50)
    return [yield* Fiber.join(fiber), (yield* TestClock.currentTimeMillis) - start] as const
  })

  test("time out for a coin whose sources hang, and are returned for other coins", function* (charts, { behaviour }) {
    const { series } = behaviour
    behaviour.series = (id, days) => (id === bitcoin ? Effect.never : series(id, days))
    behaviour.chart = () => Effect.never
    const [{ failed, found }, took] = yield* timed(charts([bitcoin, ether], 1))
    assert.deepStrictEqual([...found.keys()], [ether])
    assert.deepInclude(failed.get(bitcoin) ?? {}, { reason: "timeout", message: "coingecko: timed out" })
    assert.isBelow(took, 15_000)
  })

  test("that hang are omitted at the caller's limit, and cached ones are returned", function* (charts, { behaviour }) {
    yield* charts([ether], 1)
    behaviour.series = () => Effect.never
    behaviour.chart = () => Effect.never
    const [{ failed, found }, took] = yield* timed(charts([bitcoin, ether], 1, "usd", 4_000))
    assert.deepStrictEqual([...found.keys()], [ether])
    assert.deepInclude(failed.get(bitcoin) ?? {}, { reason: "timeout", message: "coingecko: timed out" })
    assert.isAtMost(took, 4_050)
    const [none] = yield* timed(charts([bitcoin, ether], 1, "usd", 0))
    assert.deepStrictEqual([...none.found.keys()], [ether])
  })

  test("leave the other source half of the time", function* (charts, { behaviour }) {
    behaviour.series = () => Effect.never
    behaviour.chart = () => Effect.delay(pricesOnly, "3 seconds")
    const [first] = yield* timed(charts([bitcoin], 1))
    assert.deepStrictEqual(prices(first), [7, 8])
    // If a chart is cached, no request waits that long again.
    const [second, took] = yield* timed(charts([bitcoin], 1))
    assert.deepStrictEqual(prices(second), [7, 8])
    assert.isAtMost(took, 1_000)
  })

  test("leave the first source all of the time if the other has no chart", function* (charts, { behaviour }) {
    const { series } = behaviour
    behaviour.series = (id, days) => Effect.delay(series(id, days), "10 seconds")
    const [{ found }] = yield* timed(charts([bitcoin], 1))
    assert.strictEqual(found.size, 1)
  })
})

describe("returned charts", () => {
  test("are current for five seconds, then the cache is read again", function* (charts, { requested }) {
    const first = yield* charts([bitcoin], 1)
    const now = yield* TestClock.currentTimeMillis
    assert.deepStrictEqual([now, now + 4_999, now + 5_000].map(first.isCurrent), [true, true, false])
    yield* TestClock.adjust("5 seconds")
    const second = yield* charts([bitcoin], 1)
    assert.isTrue(second.isCurrent(now + 5_000))
    assert.strictEqual(second.found.get(bitcoin), first.found.get(bitcoin))
    assert.strictEqual(requested.length, 1)
  })

  test("are no longer current once a newer series is cached", function* (charts) {
    yield* charts([bitcoin], 1)
    yield* TestClock.adjust("5 minutes")
    const now = yield* TestClock.currentTimeMillis
    const stale = yield* charts([bitcoin], 1)
    yield* TestClock.adjust(0)
    assert.isFalse(stale.isCurrent(now))
    const renewed = yield* charts([bitcoin], 1)
    assert.isTrue(renewed.isCurrent(now))
    yield* charts([ether], 1)
    assert.isTrue(renewed.isCurrent(now))
  })

  it("are available after a restart, without a call", function* () {
    const store = Layer.succeedContext(yield* Layer.build(Memory.layer()))
    const outside = sources()
    const started = Effect.map(Layer.build(charting(outside, store)), (context) => Context.get(context, MarketCharts))
    yield* TestClock.setTime(Date.UTC(2026, 10, 1))
    const before = yield* Effect.scoped(Effect.flatMap(started, ({ charts }) => charts([bitcoin], 365)))
    yield* TestClock.adjust("1 hour")
    const after = yield* Effect.scoped(Effect.flatMap(started, ({ charts }) => charts([bitcoin], 365)))
    assert.deepStrictEqual(after.found, before.found)
    assert.isTrue(Option.isSome(Option.fromNullable(after.found.get(bitcoin))))
    assert.strictEqual(outside.requested.length, 1)
  })
})
