import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricState from "effect/MetricState"
import * as Option from "effect/Option"
import type * as Scope from "effect/Scope"
import * as TestClock from "effect/TestClock"
import { parse } from "../../src/chains/evm/EvmAddress.ts"
import { CoinId } from "../../src/domain/CoinId.ts"
import { Background } from "../../src/kernel/Background.ts"
import { measureAll } from "../../src/kernel/counters.ts"
import { type AssetPlatform, CoinGecko, type ListedCoin, type ListedToken } from "../../src/providers/CoinGecko.ts"
import { type RegisteredToken, type TokenList, TokenRegistry } from "../../src/providers/TokenRegistry.ts"
import { Settings } from "../../src/settings/Settings.ts"
import * as Memory from "../../src/storage/Memory.ts"
import type { Store } from "../../src/storage/Store.ts"
import { UpstreamError } from "../../src/upstream/UpstreamError.ts"
import { type Exchange, fixture, recorded, replay, sample } from "../support/fixtures.ts"
import { byHost, simulatedClient } from "../support/http.ts"
import { finish, upstreamDependencies } from "../support/upstream.ts"
import { assert, type Body, describe, effectOf, it } from "../support/vitest.ts"

const hour = 60 * 60_000
const day = 24 * hour

const address = (number: number) => `0x${number.toString(16).padStart(40, "0")}`

const token = (number: number, more: Partial<ListedToken> = {}): ListedToken => ({
  address: address(number),
  name: `Token ${number}`,
  symbol: `T${number}`,
  decimals: 18,
  logoURI: undefined,
  ...more
})

/** A row of the list of coins. */
const named = (id: string, platforms: ListedCoin["platforms"]): ListedCoin => ({
  id,
  symbol: `s-${id}`,
  name: `Coin ${id}`,
  platforms
})

const coin = (number: number, platform = "ethereum") => named(`coin-${number}`, { [platform]: address(number) })

const upTo = <A>(count: number, make: (number: number) => A) =>
  Array.from({ length: count }, (_, index) => make(index + 1))

const down = new UpstreamError({ upstream: "coingecko", reason: "upstream_error", detail: "returned HTTP 500" })

/** An in-memory CoinGecko. `state` contains its responses, `calls` the received calls. */
const coingecko = () => {
  const state = {
    tokens: {} as Record<string, Effect.Effect<ReadonlyArray<ListedToken>, UpstreamError>>,
    coins: Effect.succeed([]) as Effect.Effect<ReadonlyArray<ListedCoin>, UpstreamError>,
    platforms: Effect.succeed([]) as Effect.Effect<ReadonlyArray<AssetPlatform>, UpstreamError>
  }
  const calls: Array<string> = []
  const called = <A>(name: string, answer: () => Effect.Effect<A, UpstreamError>) =>
    Effect.suspend(() => {
      calls.push(name)
      return answer()
    })
  const layer = Layer.mock(CoinGecko, {
    plan: "keyless",
    markets: () => Effect.succeed([]),
    coins: called("coins", () => state.coins),
    tokens: (platform) => called(platform, () => state.tokens[platform] ?? Effect.fail(down)),
    platforms: called("platforms", () => state.platforms)
  })
  return { calls, layer, state }
}

type Source = ReturnType<typeof coingecko>

const registry = ({ layer }: Pick<Source, "layer">) =>
  Layer.fresh(TokenRegistry.layer).pipe(
    Layer.provide(layer),
    Layer.provide(Settings.layer({ UPSTREAM_TIMEOUT_MS: "1000" }))
  )

/** A test with its own registry, store and source, a year after the epoch. */
const test = (name: string, body: (source: Source) => Body<TokenRegistry | Store | Scope.Scope>) =>
  it.scoped(name, () => {
    const source = coingecko()
    return Effect.zipRight(TestClock.setTime(365 * day), effectOf(body(source))).pipe(
      Effect.provide(Layer.provideMerge(registry(source), Layer.fresh(Memory.layer())))
    )
  })

const canonical = (text: string) => Either.getRight(parse(text))

const follow = (platform: string) => Effect.flatMap(TokenRegistry, (tokens) => tokens.follow({ platform, canonical }))

/** The newest list; waits as long as the registry does. */
const newest = Effect.fnUntraced(function* (list: Effect.Effect<Option.Option<TokenList>>) {
  const { outcome } = yield* finish(yield* Effect.fork(list))
  return Option.getOrUndefined(Either.getOrThrow(outcome))
})

const symbols = (list: TokenList | undefined) => list?.tokens.map(({ symbol }) => symbol)

describe("a token list", () => {
  it.scoped("is not requested before background work may start", () => {
    const source = coingecko()
    source.state.tokens.ethereum = Effect.succeed([token(1)])
    source.state.coins = Effect.succeed([coin(1)])
    return Effect.gen(function* () {
      const list = yield* follow("ethereum")
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(source.calls, [])
      yield* (yield* Background).begin
      yield* TestClock.adjust(0)
      assert.deepStrictEqual(symbols(yield* newest(list)), ["T1"])
    }).pipe(
      Effect.provide(
        registry(source).pipe(
          Layer.provideMerge(Layer.fresh(Memory.layer())),
          Layer.provideMerge(Background.layerDelayed)
        )
      )
    )
  })

  test("checks only the ids of coins on its platform, each once", function* ({ state }) {
    const checked: Array<string> = []
    const watched = ({ id, ...rest }: ListedCoin): ListedCoin => ({
      ...rest,
      get id() {
        checked.push(id)
        return id
      }
    })
    state.tokens.ethereum = Effect.succeed(upTo(2, token))
    state.coins = Effect.succeed([coin(1), coin(2), coin(3, "tron"), named("native", {})].map(watched))
    assert.deepStrictEqual(symbols(yield* newest(yield* follow("ethereum"))), ["T1", "T2"])
    // The set of all ids reads each of them first.
    assert.deepStrictEqual(checked.slice(4), ["coin-1", "coin-2"])
  })

  test("joins tokens and coin ids by address, case-insensitively", function* ({ state }) {
    const checksummed = "0x6B175474E89094C44Da98b954EedeAC495271d0F"
    state.tokens.ethereum = Effect.succeed([
      token(0, { address: checksummed, name: "Dai", symbol: "DAI", logoURI: "https://icons.example/dai.png" }),
      token(0, { address: `0x${"AB".repeat(20)}`, symbol: "UP", decimals: 6 })
    ])
    state.coins = Effect.succeed([
      named("up", { ethereum: `0x${"ab".repeat(20)}` }),
      named("dai", { ethereum: checksummed.toLowerCase(), base: address(1) })
    ])
    const list = yield* newest(yield* follow("ethereum"))
    const dai: RegisteredToken = {
      address: checksummed.toLowerCase(),
      coinId: CoinId.make("dai"),
      name: "Dai",
      symbol: "DAI",
      decimals: 18,
      thumbnail: "https://icons.example/dai.png"
    }
    assert.deepStrictEqual(list?.byAddress.get(checksummed.toLowerCase()), dai)
    assert.deepStrictEqual(
      list?.tokens.map(({ coinId, decimals, thumbnail }) => [coinId, decimals, thumbnail]),
      [
        ["dai", 18, dai.thumbnail],
        ["up", 6, ""]
      ]
    )
    assert.strictEqual(list?.at, 365 * day)
  })

  test("has the decimals that contracts declare, also after a refresh", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(1), token(2, { decimals: 0 })])
    state.coins = Effect.succeed([coin(1), coin(2), coin(3)])
    const list = yield* follow("ethereum")
    const decimals = Effect.map(newest(list), (found) => found?.tokens.map((token) => token.decimals))
    const before = yield* newest(list)
    const { setDecimals: correct } = yield* TokenRegistry
    yield* correct("ethereum", new Map([[address(1), 18]]))
    assert.strictEqual(yield* newest(list), before)
    yield* correct("ethereum", new Map([[address(2), 6]]))
    assert.deepStrictEqual(yield* decimals, [18, 6])
    state.tokens.ethereum = Effect.succeed([token(1), token(2, { decimals: 0 }), token(3, { decimals: 8 })])
    yield* TestClock.adjust(day)
    assert.deepStrictEqual(yield* decimals, [18, 6, 8])
  })

  test("formats amounts only with confirmed decimals if its network confirms them", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(1, { decimals: 6 }), token(2, { decimals: 6 }), token(3)])
    state.coins = Effect.succeed([coin(1), coin(2), coin(3)])
    const { follow: start, setDecimals } = yield* TokenRegistry
    const list = yield* start({ platform: "ethereum", canonical, confirms: true })
    const before = yield* newest(list)
    const decimals = (of: TokenList | undefined) => [1, 2, 3].map((index) => of?.decimalsOf(address(index)))
    assert.deepStrictEqual(decimals(before), [undefined, undefined, undefined])
    yield* setDecimals(
      "ethereum",
      new Map([
        [address(1), 18],
        [address(2), undefined]
      ])
    )
    for (const of of [before, yield* newest(list)]) assert.deepStrictEqual(decimals(of), [18, 6, undefined])
  })

  test("leaves out tokens without a coin id, and coins without a token", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(1), token(2)])
    state.coins = Effect.succeed([coin(2), coin(3), coin(1, "base")])
    assert.deepStrictEqual(symbols(yield* newest(yield* follow("ethereum"))), ["T2"])
  })

  test("skips empty, missing and malformed addresses", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(1), token(2, { address: "0x" }), token(3, { address: "T1x" })])
    state.coins = Effect.succeed([
      named("native", {}),
      named("empty", { ethereum: "" }),
      named("null", { ethereum: null }),
      named("odd", { ethereum: "0x" }),
      named("", { ethereum: address(2) }),
      coin(1)
    ])
    assert.deepStrictEqual(symbols(yield* newest(yield* follow("ethereum"))), ["T1"])
  })

  test("leaves out a token that several coins claim, except for the coin with its symbol", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(1, { symbol: "one" }), token(2), token(3)])
    const claiming = (id: string, symbol: string, index: number) => ({
      ...named(id, { ethereum: address(index) }),
      symbol
    })
    state.coins = Effect.succeed([
      claiming("first", "ONE", 1),
      claiming("second", "other", 1),
      claiming("third", "x", 2),
      claiming("fourth", "y", 2),
      coin(3)
    ])
    const list = yield* newest(yield* follow("ethereum"))
    assert.deepStrictEqual(
      list?.tokens.map(({ address, coinId }) => [address, coinId as string]),
      [
        [address(1), "first"],
        [address(3), "coin-3"]
      ]
    )
  })

  test("contains a repeated token only once", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([
      token(10),
      token(11),
      token(10, { address: address(10).toUpperCase().replace("X", "x") })
    ])
    state.coins = Effect.succeed([coin(10), coin(11), coin(10)])
    const list = yield* newest(yield* follow("ethereum"))
    assert.deepStrictEqual(symbols(list), ["T10", "T11"])
    assert.strictEqual(list?.byAddress.size, 2)
  })
})

describe("a list with several followers", () => {
  test("is loaded and refreshed once", function* ({ calls, state }) {
    state.tokens.ethereum = Effect.succeed([token(1)])
    state.coins = Effect.succeed([coin(1)])
    const lists = yield* Effect.all([follow("ethereum"), follow("ethereum")])
    for (const list of lists) assert.deepStrictEqual(symbols(yield* newest(list)), ["T1"])
    assert.deepStrictEqual(calls, ["ethereum", "coins"])
    yield* TestClock.adjust(day)
    assert.strictEqual(calls.filter((name) => name === "ethereum").length, 2)
  })
})

describe("a platform without a token list", () => {
  const followed = Effect.flatMap(TokenRegistry, (tokens) =>
    tokens.follow({ platform: "ethereum", canonical, unlisted: { decimals: 9 } })
  )

  test("has the tokens of the list of coins, with default decimals until the actual ones are known", function* ({
    state
  }) {
    state.tokens.ethereum = Effect.fail(
      new UpstreamError({
        upstream: "coingecko-tokens",
        reason: "upstream_error",
        detail: "returned HTTP 404",
        status: 404
      })
    )
    state.coins = Effect.succeed([coin(1), coin(2, "base"), named("empty", { ethereum: "" })])
    const list = yield* newest(yield* followed)
    assert.deepStrictEqual(list?.tokens, [
      {
        address: address(1),
        coinId: CoinId.make("coin-1"),
        name: "Coin coin-1",
        symbol: "S-COIN-1",
        decimals: 9,
        thumbnail: ""
      }
    ])
  })

  test("has no tokens while it is unknown whether a list exists", function* ({ state }) {
    state.tokens.ethereum = Effect.fail(down)
    state.coins = Effect.succeed([coin(1)])
    assert.strictEqual(yield* newest(yield* followed), undefined)
  })

  test("also has the tokens of a token list if there is one after all", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed([token(2, { decimals: 6 })])
    state.coins = Effect.succeed([coin(1), coin(2)])
    const list = yield* newest(yield* followed)
    assert.deepStrictEqual(
      list?.tokens.map(({ decimals, symbol }) => [symbol, decimals]),
      [
        ["T2", 6],
        ["S-COIN-1", 9]
      ]
    )
  })
})

describe("the first load", () => {
  test("is awaited by requests for the list", function* ({ state }) {
    const gate = yield* Deferred.make<void>()
    state.tokens.ethereum = Effect.as(Deferred.await(gate), [token(1)])
    state.coins = Effect.succeed([coin(1)])
    const fiber = yield* Effect.fork(yield* follow("ethereum"))
    yield* TestClock.adjust(500)
    assert.isNull(fiber.unsafePoll())
    yield* Deferred.succeed(gate, undefined)
    const { outcome, took } = yield* finish(fiber)
    assert.deepStrictEqual(Either.map(outcome, Option.map(symbols)), Either.right(Option.some(["T1"])))
    assert.strictEqual(took, 0)
  })

  test("is waited for up to the timeout of one upstream attempt, and is available later", function* ({ state }) {
    const gate = yield* Deferred.make<void>()
    state.tokens.ethereum = Effect.as(Deferred.await(gate), [token(1)])
    state.coins = Effect.succeed([coin(1)])
    const list = yield* follow("ethereum")
    const { outcome, took } = yield* finish(yield* Effect.fork(list))
    assert.deepStrictEqual(outcome, Either.right(Option.none()))
    assert.strictEqual(took, 1_000)
    yield* Deferred.succeed(gate, undefined)
    assert.deepStrictEqual(symbols(yield* newest(list)), ["T1"])
  })

  test("is not waited for again after a failure", function* () {
    const list = yield* follow("ethereum")
    yield* newest(list)
    const { outcome, took } = yield* finish(yield* Effect.fork(list))
    assert.deepStrictEqual([outcome, took], [Either.right(Option.none()), 0])
  })

  test("is rejected if it has no tokens", function* ({ state }) {
    state.tokens.ethereum = Effect.succeed(upTo(3, token))
    const list = yield* follow("ethereum")
    assert.isUndefined(yield* newest(list))
    state.coins = Effect.succeed(upTo(3, (number) => coin(number)))
    yield* TestClock.adjust(hour + 10 * 60_000)
    assert.strictEqual((yield* newest(list))?.tokens.length, 3)
  })
})

describe("a stored list", () => {
  const stored =
    (body: (source: Source, store: Layer.Layer<Store>) => Effect.Effect<void, unknown, Scope.Scope>) => () =>
      Effect.gen(function* () {
        yield* TestClock.setTime(365 * day)
        const store = Layer.succeedContext(yield* Layer.build(Memory.layer()))
        const before = coingecko()
        before.state.tokens.ethereum = Effect.succeed([token(1), token(2)])
        before.state.coins = Effect.succeed([coin(1), coin(2)])
        yield* Effect.flatMap(follow("ethereum"), newest).pipe(Effect.provide(Layer.provide(registry(before), store)))
        yield* body(coingecko(), store)
      })

  it.scoped(
    "has the decimals that contracts declared before the start",
    stored((source, store) =>
      Effect.gen(function* () {
        const started = Effect.provide(Layer.provide(registry(source), store))
        yield* Effect.flatMap(TokenRegistry, ({ setDecimals: correct }) =>
          Effect.zipRight(Effect.flatMap(follow("ethereum"), newest), correct("ethereum", new Map([[address(1), 3]])))
        ).pipe(started)
        const list = yield* Effect.flatMap(follow("ethereum"), newest).pipe(started)
        assert.strictEqual(list?.byAddress.get(address(1))?.decimals, 3)
      })
    )
  )

  it.scoped(
    "is served after a restart without calls",
    stored((source, store) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(23 * hour)
        const { outcome, took } = yield* finish(yield* Effect.fork(yield* follow("ethereum")))
        assert.deepStrictEqual(Either.map(outcome, Option.map(symbols)), Either.right(Option.some(["T1", "T2"])))
        assert.deepStrictEqual([took, source.calls], [0, []])
        yield* TestClock.adjust(hour)
        assert.include(source.calls, "ethereum")
      }).pipe(Effect.provide(Layer.provide(registry(source), store)))
    )
  )

  it.scoped(
    "is served at once even if it is old, while a newer list is loaded",
    stored((source, store) =>
      Effect.gen(function* () {
        yield* TestClock.adjust(3 * day)
        const gate = yield* Deferred.make<void>()
        source.state.tokens.ethereum = Effect.as(Deferred.await(gate), [token(1), token(3)])
        source.state.coins = Effect.succeed([coin(1), coin(3)])
        const list = yield* follow("ethereum")
        const { outcome, took } = yield* finish(yield* Effect.fork(list))
        assert.deepStrictEqual(Either.map(outcome, Option.map(symbols)), Either.right(Option.some(["T1", "T2"])))
        assert.strictEqual(took, 0)
        yield* Deferred.succeed(gate, undefined)
        yield* TestClock.adjust(0)
        assert.deepStrictEqual(symbols(yield* newest(list)), ["T1", "T3", "T2"])
      }).pipe(Effect.provide(Layer.provide(registry(source), store)))
    )
  )

  it.scoped(
    "is refreshed within a day even if the clock was set back",
    stored((source, store) =>
      Effect.gen(function* () {
        yield* TestClock.setTime(0)
        source.state.tokens.ethereum = Effect.succeed([token(1), token(3)])
        source.state.coins = Effect.succeed([coin(1), coin(3)])
        const list = yield* follow("ethereum")
        assert.deepStrictEqual(symbols(yield* newest(list)), ["T1", "T2"])
        yield* TestClock.adjust(day)
        assert.deepStrictEqual(symbols(yield* newest(list)), ["T1", "T3", "T2"])
      }).pipe(Effect.provide(Layer.provide(registry(source), store)))
    )
  )
})

describe("a current list", () => {
  const known = (source: Source) => {
    source.state.tokens.ethereum = Effect.succeed(upTo(10, token))
    source.state.coins = Effect.succeed(upTo(20, (number) => coin(number)))
    const forget = Effect.sync(() => source.calls.splice(0))
    return Effect.tap(follow("ethereum"), (list) => Effect.zipRight(newest(list), forget))
  }

  test("is refreshed once per day", function* (source) {
    const list = yield* known(source)
    const before = yield* newest(list)
    source.state.tokens.ethereum = Effect.succeed(upTo(12, token))
    yield* TestClock.adjust(day - 1)
    assert.deepStrictEqual(source.calls, [])
    yield* TestClock.adjust(1)
    const after = yield* newest(list)
    assert.deepStrictEqual([before?.tokens.length, after?.tokens.length, after?.at], [10, 12, 366 * day])
    assert.deepStrictEqual([...source.calls].sort(), ["coins", "ethereum"])
    yield* TestClock.adjust(day)
    assert.strictEqual(source.calls.length, 4)
  })

  test("remains if the refresh fails, which is retried at growing intervals", function* (source) {
    const list = yield* known(source)
    source.state.tokens.ethereum = Effect.fail(down)
    yield* TestClock.adjust(day)
    const tries = () => source.calls.filter((call) => call === "ethereum").length
    assert.strictEqual(tries(), 1)
    for (const [wait, count] of [
      [14_999, 1],
      [1, 2],
      [29_999, 2],
      [1, 3],
      [60_000, 4],
      [120_000, 5],
      [240_000, 6],
      [480_000, 7],
      [600_000, 8],
      [600_000, 9]
    ] as const) {
      yield* TestClock.adjust(wait)
      assert.strictEqual(tries(), count)
    }
    assert.strictEqual((yield* newest(list))?.tokens.length, 10)
    source.state.tokens.ethereum = Effect.succeed(upTo(11, token))
    yield* TestClock.adjust(600_000)
    assert.strictEqual((yield* newest(list))?.tokens.length, 11)
    source.calls.length = 0
    yield* TestClock.adjust(day - 1)
    assert.strictEqual(tries(), 0)
  })

  test("is not replaced by a list that has lost most of its tokens", function* (source) {
    const list = yield* known(source)
    source.state.tokens.ethereum = Effect.succeed(upTo(4, token))
    yield* TestClock.adjust(day)
    assert.strictEqual((yield* newest(list))?.tokens.length, 10)
  })

  test("keeps tokens that a list has lost until a later list lacks them too", function* (source) {
    const list = yield* known(source)
    const numbers = Effect.map(newest(list), (found) => symbols(found)?.length)
    source.state.tokens.ethereum = Effect.succeed(upTo(7, token))
    yield* TestClock.adjust(day)
    assert.strictEqual(yield* numbers, 10)
    assert.include(symbols(yield* newest(list)) ?? [], "T10")
    source.state.tokens.ethereum = Effect.succeed([...upTo(6, token), token(10)])
    yield* TestClock.adjust(day)
    assert.deepStrictEqual([...(symbols(yield* newest(list)) ?? [])].sort(), [
      "T1",
      "T10",
      "T2",
      "T3",
      "T4",
      "T5",
      "T6",
      "T7"
    ])
    yield* TestClock.adjust(day)
    assert.strictEqual(yield* numbers, 7)
  })

  test("is replaced by a list that has lost most of its tokens if a list an hour later has the same", function* (source) {
    const list = yield* known(source)
    const count = Effect.map(newest(list), (found) => found?.tokens.length)
    source.state.tokens.ethereum = Effect.succeed(upTo(4, token))
    yield* TestClock.adjust(day)
    yield* TestClock.adjust(hour - 60_000)
    assert.strictEqual(yield* count, 10)
    // Another part of the list starts the hour again.
    source.state.tokens.ethereum = Effect.succeed(upTo(8, token).slice(4))
    yield* TestClock.adjust(hour)
    assert.strictEqual(yield* count, 10)
    yield* TestClock.adjust(20 * 60_000)
    assert.deepStrictEqual(symbols(yield* newest(list)), ["T5", "T6", "T7", "T8"])
    // A list without tokens is never accepted.
    source.state.tokens.ethereum = Effect.succeed([])
    yield* TestClock.adjust(3 * day)
    assert.strictEqual(yield* count, 4)
  })

  test("is not replaced if the list of coins is empty", function* (source) {
    const list = yield* known(source)
    source.state.coins = Effect.succeed([])
    yield* TestClock.adjust(day)
    assert.strictEqual((yield* newest(list))?.tokens.length, 10)
  })

  test("remains if the source throws", function* (source) {
    const list = yield* known(source)
    source.state.tokens.ethereum = Effect.die("a defect")
    yield* TestClock.adjust(day)
    assert.strictEqual((yield* newest(list))?.tokens.length, 10)
    source.state.tokens.ethereum = Effect.succeed(upTo(11, token))
    yield* TestClock.adjust(15_000)
    assert.strictEqual((yield* newest(list))?.tokens.length, 11)
  })
})

describe("several platforms", () => {
  test("share one list of coins", function* (source) {
    const platforms = upTo(5, (number) => `platform-${number}`)
    for (const platform of platforms) source.state.tokens[platform] = Effect.succeed([token(1)])
    const everywhere = Object.fromEntries(platforms.map((platform) => [platform, address(1)]))
    source.state.coins = Effect.delay(Effect.succeed([named("coin-1", everywhere)]), 500)
    for (const list of yield* Effect.forEach(platforms, follow)) {
      assert.deepStrictEqual(symbols(yield* newest(list)), ["T1"])
    }
    assert.strictEqual(source.calls.filter((call) => call === "coins").length, 1)
    yield* TestClock.adjust(day)
    assert.strictEqual(source.calls.filter((call) => call === "coins").length, 2)
  })

  test("do not wait for each other, and the failure of one does not affect others", function* (source) {
    source.state.tokens = {
      gone: Effect.fail(down),
      silent: Effect.never,
      ethereum: Effect.succeed([token(1)])
    }
    source.state.coins = Effect.delay(Effect.succeed([coin(1)]), 500)
    const [gone = Effect.succeedNone, silent = Effect.succeedNone, ethereum = Effect.succeedNone] =
      yield* Effect.forEach(["gone", "silent", "ethereum"], follow)
    const { outcome, took } = yield* finish(yield* Effect.fork(ethereum))
    assert.deepStrictEqual(Either.map(outcome, Option.map(symbols)), Either.right(Option.some(["T1"])))
    assert.strictEqual(took, 500)
    assert.isUndefined(yield* newest(gone))
    assert.isUndefined(yield* newest(silent))
    assert.strictEqual(source.calls.filter((call) => call === "coins").length, 1)
  })

  test("retry a list of coins that could not be loaded", function* (source) {
    source.state.tokens = { ethereum: Effect.succeed([token(1)]) }
    source.state.coins = Effect.fail(down)
    const list = yield* follow("ethereum")
    assert.isUndefined(yield* newest(list))
    source.state.coins = Effect.succeed([coin(1)])
    yield* TestClock.adjust(15_000)
    assert.deepStrictEqual(symbols(yield* newest(list)), ["T1"])
  })
})

describe("a chain", () => {
  const chain = (chainId: number) => Effect.flatMap(TokenRegistry, (tokens) => tokens.chain(chainId))

  test("is found by its id, with its native coin if known", function* ({ calls, state }) {
    state.platforms = Effect.succeed([
      { id: "factom", chain_identifier: null, native_coin_id: null },
      { id: "xdai", chain_identifier: 100, native_coin_id: "xdai" },
      { id: "fantom", chain_identifier: 250, native_coin_id: "" }
    ])
    assert.deepStrictEqual(
      yield* chain(100),
      Option.some({ platform: "xdai", native: Option.some(CoinId.make("xdai")) })
    )
    assert.deepStrictEqual(yield* chain(250), Option.some({ platform: "fantom", native: Option.none() }))
    assert.deepStrictEqual(yield* chain(1), Option.none())
    assert.deepStrictEqual(calls, ["platforms"])
  })

  test("is unknown if the platforms cannot be loaded, which is retried a little later", function* ({ calls, state }) {
    state.platforms = Effect.fail(down)
    assert.deepStrictEqual(yield* chain(100), Option.none())
    assert.deepStrictEqual(yield* chain(100), Option.none())
    assert.strictEqual(calls.length, 1)
    yield* TestClock.adjust("10 seconds")
    state.platforms = Effect.succeed([{ id: "xdai", chain_identifier: 100, native_coin_id: undefined }])
    assert.deepStrictEqual(yield* chain(100), Option.some({ platform: "xdai", native: Option.none() }))
    assert.strictEqual(calls.length, 2)
  })
})

describe("the gauges of the lists", () => {
  test("show size and age when the metrics are read or exported", function* (source) {
    source.state.tokens.measured = Effect.succeed(upTo(3, token))
    source.state.coins = Effect.succeed(upTo(3, (number) => coin(number, "measured")))
    yield* newest(yield* follow("measured"))
    yield* TestClock.adjust(hour)
    yield* measureAll
    const gauges: Record<string, number> = {}
    for (const { metricKey, metricState } of yield* Metric.snapshot)
      if (MetricState.isGaugeState(metricState) && [...metricKey.tags].some(({ value }) => value === "measured"))
        gauges[metricKey.name] = Number(metricState.value)
    assert.deepStrictEqual(gauges, { token_registry_tokens: 3, token_registry_age_seconds: 3600 })
  })
})

describe("a fixed registry", () => {
  it("has the given lists", function* () {
    const dai = {
      address: address(1),
      coinId: CoinId.make("dai"),
      name: "Dai",
      symbol: "DAI",
      decimals: 18,
      thumbnail: ""
    }
    yield* Effect.gen(function* () {
      assert.deepStrictEqual(symbols(yield* newest(yield* follow("ethereum"))), ["DAI"])
      assert.isUndefined(yield* newest(yield* follow("base")))
    }).pipe(Effect.provide(TokenRegistry.layerTest({ ethereum: [dai] })))
  })
})

/** The list of a platform (by default Ethereum) from these two responses. */
const joined = (tokens: Exchange, coins: Exchange, of = follow("ethereum")) => {
  const outside = simulatedClient(
    byHost({ "tokens.coingecko.com": () => replay(tokens), "api.coingecko.com": () => replay(coins) })
  )
  return Effect.flatMap(of, newest).pipe(
    Effect.provide(
      Layer.fresh(TokenRegistry.layer).pipe(
        Layer.provide(CoinGecko.layer),
        Layer.provide(Layer.merge(upstreamDependencies(outside), Layer.fresh(Memory.layer())))
      )
    )
  )
}

const onSolana = Effect.flatMap(TokenRegistry, (all) => all.follow({ platform: "solana", canonical: Option.some }))

describe("lists in the provider's format", () => {
  const withTokens = (exchange: Exchange, tokens: ReadonlyArray<ListedToken>): Exchange => ({
    ...exchange,
    response: { ...exchange.response, body: { tokens } }
  })

  it("are joined in mixed case, with the decimals of the list, without rows that have no address", function* () {
    const wren = {
      address: `0x${"7e".repeat(20)}`,
      coinId: CoinId.make("wren-finance"),
      name: "Wren",
      symbol: "WREN",
      decimals: 18,
      thumbnail: "https://icons.example/wren.png"
    }
    const list = yield* joined(sample("tokenlist", "platform"), sample("coingecko", "coins-list"))
    assert.deepStrictEqual(list?.tokens, [wren])
    const odd = yield* joined(sample("tokenlist", "odd-names"), sample("coingecko", "coins-list"))
    assert.deepStrictEqual(odd?.tokens, [{ ...wren, name: "A++", symbol: "A++", decimals: 2, thumbnail: "" }])
  })

  it("leave out coins with a malformed member, and keep all others", function* () {
    const exchange = sample("coingecko", "coins-list")
    const rows = exchange.response.body as ReadonlyArray<ListedCoin>
    const bad = [null, [], "x", { id: 1 }, { symbol: null }, { name: undefined }, { platforms: [] }]
    const broken = [...bad, { platforms: { ethereum: 1 } }, { platforms: null }].map((members) =>
      typeof members === "object" && members !== null && !Array.isArray(members) ? { ...rows[0], ...members } : members
    )
    const whole = yield* joined(sample("tokenlist", "platform"), exchange)
    const body = [...broken, ...rows.map((row) => ({ ...row, platforms: { none: null, ...row.platforms } }))]
    const list = yield* joined(sample("tokenlist", "platform"), {
      ...exchange,
      response: { ...exchange.response, body }
    })
    assert.deepStrictEqual(list?.tokens, whole?.tokens)
    const only = yield* joined(sample("tokenlist", "platform"), {
      ...exchange,
      response: { ...exchange.response, body: rows.map((row) => ({ ...row, platforms: { ...row.platforms, bad: 1 } })) }
    })
    assert.isUndefined(only)
  })

  it("keep the case of addresses if the network is case-sensitive", function* () {
    const mint = "6Gg4AVKo8GAft4Wb2JSfhHCW3PQhXxYxapzBYeVjGzA9"
    const tokens = withTokens(sample("tokenlist", "platform"), [
      token(0, { address: mint, symbol: "RIGHT" }),
      token(0, { address: mint.toLowerCase() })
    ])
    const list = yield* joined(tokens, sample("coingecko", "coins-list"), onSolana)
    assert.deepStrictEqual(
      list?.tokens.map(({ address, coinId, symbol }) => [address, coinId, symbol]),
      [[mint, "_", "RIGHT"]]
    )
  })
})

recorded("recorded lists", () => {
  it("are joined in mixed case, each token with the decimals of the list", function* () {
    const exchange = fixture("tokenlist", "uniswap-mainnet-slice")
    const rows = exchange.response.body as ReadonlyArray<{ readonly address: string; readonly symbol: string }>
    const tokens = { ...exchange, response: { ...exchange.response, body: { tokens: rows } } }
    const coins = {
      ...exchange,
      response: {
        ...exchange.response,
        body: rows.map(({ address, symbol }) => named(symbol, { ethereum: address.toLowerCase() }))
      }
    }
    const list = yield* joined(tokens, coins)
    assert.strictEqual(list?.tokens.length, 20)
    assert.deepStrictEqual(list?.byAddress.get("0xdac17f958d2ee523a2206206994597c13d831ec7"), {
      address: "0xdac17f958d2ee523a2206206994597c13d831ec7",
      coinId: CoinId.make("USDT"),
      name: "Tether USD",
      symbol: "USDT",
      decimals: 6,
      thumbnail:
        "https://raw.githubusercontent.com/trustwallet/assets/master/blockchains/ethereum/assets/0xdAC17F958D2ee523a2206206994597C13D831ec7/logo.png"
    })
    const uni = list?.byAddress.get("0x1f9840a85d5af5bf1d1762f925bdaddc4201f984")
    assert.match(uni?.thumbnail ?? "", /^ipfs:/, "the icon is unchanged")
  })

  it("have no token for an empty platform address", function* () {
    const tokens = fixture("tokenlist", "coingecko-token-list")
    const listed = tokens.response.body as { readonly tokens: ReadonlyArray<Readonly<Record<string, unknown>>> }
    const cash = { ...listed.tokens[0], address: "0x906710835d1ae85275eb770f06873340ca54274b", symbol: "ECASH" }
    const body = { ...listed, tokens: [...listed.tokens, cash] }
    const list = yield* joined(
      { ...tokens, response: { ...tokens.response, body } },
      fixture("coingecko", "coins-list-empty-platform-address")
    )
    assert.deepStrictEqual(
      list?.tokens.map(({ coinId, symbol }) => [symbol, coinId]),
      [["ECASH", "ethereum-cash-token"]]
    )
  })

  it("keep the case of addresses if the network is case-sensitive", function* () {
    const mint = "6p6xgHyF7AeE6TZkSmFsko444wqoP15icUSqi2jfGiPN"
    const tokens = fixture("tokenlist", "coingecko-token-list")
    const body = { tokens: [token(0, { address: mint, symbol: "TRUMP" }), token(0, { address: mint.toLowerCase() })] }
    const list = yield* joined(
      { ...tokens, response: { ...tokens.response, body } },
      fixture("coingecko", "coins-list-with-platforms"),
      onSolana
    )
    assert.deepStrictEqual(
      list?.tokens.map(({ address, symbol }) => [address, symbol]),
      [[mint, "TRUMP"]]
    )
  })
})
