import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { CoinDetails } from "../../../src/features/prices/CoinDetails.ts"
import { CoinGecko } from "../../../src/providers/CoinGecko.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { CurrentPriority, type Priority, priorities } from "../../../src/upstream/Priority.ts"
import type { UpstreamError } from "../../../src/upstream/UpstreamError.ts"
import { assert, type Body, describe, effectOf, it } from "../../support/vitest.ts"
import { down } from "./charting.ts"

const usdt = "0xdAC17F958D2ee523a2206206994597C13D831ec7"

type Platforms = Effect.Effect.Success<typeof CoinGecko.Service.platforms>

const outside = () => {
  const requested: Array<string> = []
  const paid: Array<Priority> = []
  const behaviour = {
    page: (): Effect.Effect<Option.Option<string>, UpstreamError> =>
      Effect.succeedSome(`{"calls": ${requested.length}.0}`),
    platforms: Effect.succeed<Platforms>([
      { id: "xdai", chain_identifier: 100, native_coin_id: "xdai" },
      { id: "aptos", chain_identifier: null, native_coin_id: "aptos" },
      { id: "factom", chain_identifier: null, native_coin_id: null },
      { id: "openledger", chain_identifier: null, native_coin_id: undefined },
      { id: "liar", chain_identifier: null, native_coin_id: ".." },
      { id: "cheat", chain_identifier: null, native_coin_id: "bitcoin/market_chart" }
    ]) as Effect.Effect<Platforms, UpstreamError>
  }
  const noted = (what: string) =>
    Effect.map(CurrentPriority, (purpose) => {
      requested.push(what)
      paid.push(purpose)
    })
  const page = Effect.suspend(() => behaviour.page())
  const layer = CoinDetails.layer.pipe(
    Layer.provide(
      Layer.mock(CoinGecko, {
        plan: "keyless",
        coin: (id) => Effect.zipRight(noted(id), page),
        contract: (platform, address) => Effect.zipRight(noted(`${platform} ${address}`), page),
        platforms: Effect.zipRight(
          noted("platforms"),
          Effect.suspend(() => behaviour.platforms)
        )
      })
    ),
    Layer.provide(Layer.fresh(Memory.layer())),
    Layer.fresh
  )
  return { requested, paid, behaviour, layer }
}

const test = (name: string, body: (details: typeof CoinDetails.Service, more: ReturnType<typeof outside>) => Body) =>
  it.effect(name, () => {
    const own = outside()
    return Effect.flatMap(CoinDetails, (details) => effectOf(body(details, own))).pipe(Effect.provide(own.layer))
  })

const text = Option.map(({ text }: { readonly text: string }) => text)

describe("the details of a token", () => {
  test("are the unchanged text of the provider, requested with the priority of charts", function* ({ token }, {
    requested,
    paid
  }) {
    assert.deepStrictEqual(text(yield* token("solana", "EPjFWdd5")), Option.some('{"calls": 1.0}'))
    assert.deepStrictEqual(requested, ["solana EPjFWdd5"])
    assert.deepStrictEqual(paid, [priorities.chart])
  })

  test("are shared by all spellings of an EVM address, but not of other addresses", function* ({ token }, {
    requested
  }) {
    yield* token("ethereum", usdt)
    yield* token("ethereum", usdt.toLowerCase())
    yield* token("ethereum", usdt.toUpperCase())
    yield* token("solana", "AbC")
    yield* token("solana", "abc")
    assert.deepStrictEqual(requested, [`ethereum ${usdt.toLowerCase()}`, "solana AbC", "solana abc"])
  })

  test("are fresh for 5 minutes, then refreshed in the background, and requested again after 15 minutes", function* ({
    token
  }, { requested }) {
    const ask = Effect.map(token("ethereum", usdt), text)
    for (const [wait, expected, calls] of [
      [0, 1, 1],
      [299_999, 1, 1],
      [1, 1, 2],
      [0, 2, 2],
      [900_000, 3, 3]
    ] as const) {
      yield* TestClock.adjust(wait)
      assert.deepStrictEqual(yield* ask, Option.some(`{"calls": ${expected}.0}`))
      yield* TestClock.adjust(0)
      assert.strictEqual(requested.length, calls)
    }
  })

  test("are requested once for concurrent requests", function* ({ token }, { requested, behaviour }) {
    const { page } = behaviour
    behaviour.page = () => Effect.zipRight(Effect.yieldNow(), page())
    yield* Effect.replicateEffect(token("ethereum", usdt), 20, { concurrency: "unbounded" })
    assert.strictEqual(requested.length, 1)
  })

  test("are cached as unknown for ten minutes if the provider does not know the token", function* ({ token }, {
    requested,
    behaviour
  }) {
    behaviour.page = () => Effect.succeedNone
    for (const [wait, calls] of [
      [0, 1],
      [599_999, 1],
      [1, 2]
    ] as const) {
      yield* TestClock.adjust(wait)
      assert.deepStrictEqual(yield* token("ethereum", usdt), Option.none())
      assert.strictEqual(requested.length, calls)
    }
  })

  test("fail if the provider is down, and are requested again after ten seconds", function* ({ token }, {
    requested,
    behaviour
  }) {
    const { page } = behaviour
    behaviour.page = () => down("coingecko")
    for (const _ of [1, 2])
      assert.strictEqual((yield* Effect.flip(token("ethereum", usdt))).message, "coingecko: could not be reached")
    assert.strictEqual(requested.length, 1)
    behaviour.page = page
    yield* TestClock.adjust("10 seconds")
    assert.deepStrictEqual(text(yield* token("ethereum", usdt)), Option.some('{"calls": 2.0}'))
  })

  test("are current for five seconds, unless a newer text is cached", function* ({ token }) {
    const first = Option.getOrThrow(yield* token("ethereum", usdt))
    assert.deepStrictEqual([0, 4_999, 5_000].map(first.isCurrent), [true, true, false])
    yield* TestClock.adjust("5 minutes")
    const now = yield* TestClock.currentTimeMillis
    const stale = Option.getOrThrow(yield* token("ethereum", usdt))
    yield* TestClock.adjust(0)
    assert.isFalse(stale.isCurrent(now))
    assert.isTrue(Option.getOrThrow(yield* token("ethereum", usdt)).isCurrent(now))
  })
})

describe("the details of a native coin", () => {
  test("of a known network are requested without the provider's list of platforms", function* ({ native }, {
    requested
  }) {
    const coins = new Set<string>()
    for (const { id, native: coin, platform } of Catalogue.all) {
      assert.isTrue(Option.isSome(yield* native(platform ?? id)), id)
      coins.add(coin.coinId)
    }
    assert.deepStrictEqual(requested, [...coins])
  })

  test("of another platform are those of the coin in the provider's list, which is cached for a day", function* ({
    native
  }, { requested, paid }) {
    yield* native("xdai")
    yield* native("aptos")
    assert.deepStrictEqual(requested, ["platforms", "xdai", "aptos"])
    assert.deepStrictEqual(new Set(paid), new Set([priorities.chart]))
    yield* TestClock.adjust("1 day")
    yield* native("xdai")
    yield* TestClock.adjust(0)
    assert.deepStrictEqual(requested.slice(3).sort(), ["platforms", "xdai"])
  })

  test("do not exist if the platform is unknown, has no coin, or has a coin with an invalid id", function* ({
    native
  }, { requested }) {
    for (const platform of ["unheard", "factom", "openledger", "liar", "cheat", "constructor", "__proto__"])
      assert.deepStrictEqual(yield* native(platform), Option.none(), platform)
    assert.deepStrictEqual(requested, ["platforms"])
  })

  test("fail if the list cannot be fetched, and the failure is not cached", function* ({ native }, {
    requested,
    behaviour
  }) {
    const { platforms } = behaviour
    behaviour.platforms = down("coingecko")
    yield* Effect.flip(native("xdai"))
    behaviour.platforms = platforms
    assert.isTrue(Option.isSome(yield* native("xdai")))
    assert.deepStrictEqual(requested, ["platforms", "platforms", "xdai"])
  })
})
