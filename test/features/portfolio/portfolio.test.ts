import * as BigDecimal from "effect/BigDecimal"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import * as TestClock from "effect/TestClock"
import * as Catalogue from "../../../src/catalogue/Catalogue.ts"
import { PortfolioChart } from "../../../src/contract/PortfolioApi.ts"
import * as Amount from "../../../src/domain/Amount.ts"
import { CoinId } from "../../../src/domain/CoinId.ts"
import { collectibles, type Gap, gap, notListed, textsOf } from "../../../src/domain/history/Gap.ts"
import * as Multiplier from "../../../src/domain/Multiplier.ts"
import type { Transaction } from "../../../src/domain/Transaction.ts"
import {
  distance,
  millis,
  numberOf,
  type Seconds,
  seconds,
  shift,
  toMillis,
  toSeconds
} from "../../../src/domain/units.ts"
import { native } from "../../../src/features/balances/accounts.ts"
import { NewestBlocks } from "../../../src/features/blocks/NewestBlocks.ts"
import { History } from "../../../src/features/history/History.ts"
import { assetsIn, chartOf, pricesAt, rolledOf, valuesOf } from "../../../src/features/portfolio/chartOf.ts"
import { type AddressPast, pastOf } from "../../../src/features/portfolio/pastOf.ts"
import { changesOf, rollBack } from "../../../src/features/portfolio/rollBack.ts"
import { Pricing } from "../../../src/features/prices/Pricing.ts"
import { listOf, TokenRegistry } from "../../../src/providers/TokenRegistry.ts"
import * as Sandbox from "../../../src/sandbox/Sandbox.ts"
import * as World from "../../../src/sandbox/world/World.ts"
import { Settings } from "../../../src/settings/Settings.ts"
import * as Memory from "../../../src/storage/Memory.ts"
import { samples } from "../../chains/families/samples.ts"
import { body, Service } from "../../support/app.ts"
import { chainsOf } from "../../support/chains.ts"
import { assert, describe, it, layer } from "../../support/vitest.ts"
import { chain, clock, friend, holder, network, second, transaction } from "../history/histories.ts"

const token = "0xdd"
const hour = 3_600_000
const at = (second: number, more: Partial<Transaction>) =>
  transaction(0, { timestamp: seconds(second), fee: 1n, ...more })
const incoming = (amount: bigint, of?: string) => ({
  from: [{ address: friend, amount, ...(of === undefined ? {} : { token: of }) }],
  to: [{ address: holder, amount, ...(of === undefined ? {} : { token: of }) }]
})
const outgoing = (amount: bigint) => ({
  from: [{ address: holder, amount }],
  to: [{ address: friend, amount }]
})

const past = {
  holder,
  since: undefined,
  countsPending: false,
  assetOf: (text: string) => (text === token ? text : undefined)
}

describe("rolling transactions back", () => {
  it("counts incoming and outgoing amounts and the fee of the sender, but not other tokens", () => {
    const changes = (item: Transaction) => [...changesOf(item, past)]
    assert.deepStrictEqual(changes(at(1, incoming(5n))), [[native, 5n]])
    assert.deepStrictEqual(changes(at(1, outgoing(5n))), [[native, -6n]])
    assert.deepStrictEqual(changes(at(1, incoming(5n, token))), [[token, 5n]])
    assert.deepStrictEqual(changes(at(1, incoming(5n, "0xother"))), [])
    assert.deepStrictEqual(changes(at(1, { ...outgoing(0n), status: "Failed" })), [[native, -1n]])
    assert.deepStrictEqual(changes(at(1, { ...incoming(5n), paid: 1n })), [[native, 4n]])
    assert.deepStrictEqual(changes(at(1, { ...outgoing(5n), paid: 0n })), [[native, -5n]])
  })

  it("returns past balances, and counts pending transactions only if the current balances include them", () => {
    const transactions = [
      at(40, { ...incoming(100n), status: "Pending" }),
      at(30, outgoing(4n)),
      at(20, incoming(7n, token)),
      at(10, incoming(10n))
    ]
    const balances = new Map([
      [native, 5n],
      [token, 7n]
    ])
    const times = [9_000, 10_000, 20_000, 30_000, 50_000].map(millis)
    const rolled = rollBack({ ...past, balances, transactions }, times)
    assert.deepStrictEqual(rolled.balances.get(native), [0n, 10n, 10n, 5n, 5n])
    assert.deepStrictEqual(rolled.balances.get(token), [0n, 0n, 7n, 7n, 7n])
    assert.isEmpty(rolled.contradicted)
    const counted = rollBack(
      { ...past, countsPending: true, balances: new Map([...balances, [native, 105n]]), transactions },
      times
    )
    assert.deepStrictEqual(counted.balances.get(native), [0n, 10n, 10n, 5n, 105n])
  })

  it("returns the current balances for now, also if a block is ahead of the clock", () => {
    const ahead = rollBack({ ...past, balances: new Map([[native, 5n]]), transactions: [at(40, incoming(5n))] }, [
      millis(20_000),
      millis(30_000)
    ])
    assert.deepStrictEqual(ahead.balances.get(native), [0n, 5n])
  })

  it("returns null before the oldest read transaction, and reports balances that do not add up", () => {
    const balances = new Map([[native, 5n]])
    const known = rollBack(
      { ...past, balances, since: seconds(20), transactions: [at(20, incoming(3n))] },
      [19_000, 20_000, 30_000].map(millis)
    )
    assert.deepStrictEqual(known.balances.get(native), [null, 5n, 5n])
    assert.isEmpty(known.contradicted)
    const more = rollBack({ ...past, balances, transactions: [at(20, incoming(3n))] }, [19_000, 30_000].map(millis))
    assert.deepStrictEqual([more.balances.get(native), [...more.contradicted]], [[2n, 5n], [native]])
    const less = rollBack({ ...past, balances, transactions: [at(20, incoming(9n))] }, [19_000, 30_000].map(millis))
    assert.deepStrictEqual([less.balances.get(native), [...less.contradicted]], [[null, 5n], [native]])
  })
})

describe("historical prices", () => {
  it("are the last price before a time or the next one nearby, and null if both are too far away", () => {
    const points = [
      [10 * hour, 1],
      [11 * hour, 2.5]
    ] as const
    const found = pricesAt(
      points,
      [7, 9, 10, 10.5, 11, 12, 14].map((hours) => hours * hour),
      hour
    )
    assert.deepStrictEqual(
      found.map((price) => price && BigDecimal.unsafeToNumber(price)),
      [null, 1, 1, 1, 2.5, 2.5, null]
    )
    const values = valuesOf([3n, null, 0n, 10n ** 30n, 5n, 0n, 1n], 18, found)
    assert.deepStrictEqual(
      values.map((value) => value && Amount.plain(value)),
      [null, null, "0", "1000000000000", "0.0000000000000000125", "0", null]
    )
  })
})

const unchecked = "its first transactions were not read, so nothing shows that the others explain its balances"

const noPrice = () => Either.left("no_price" as const)
const noSeries = { found: new Map(), pricesOnly: new Set<never>(), failed: new Map(), isCurrent: () => true }

describe("an address whose history cannot be read", () => {
  it("has its current balances, and no earlier balances", function* () {
    const facts = Catalogue.all.find(({ id }) => id === "base")
    const unread = { transactions: [], gaps: [], next: null, failure: { reason: "timeout", message: "timed out" } }
    const history = {
      cursors: () => Either.right(new Map()),
      transactions: () => Effect.succeed([{ histories: [unread] }])
    }
    const address = {
      network: { facts },
      text: "0x1",
      key: "0x1",
      holdings: [{ asset: "native", amount: Either.right(5n * 10n ** 17n) }],
      missing: undefined,
      whole: true
    }
    const now = millis(7 * hour + 1_234)
    const times = [...[5, 6, 7].map((hours) => millis(hours * hour)), now]
    const past = yield* pastOf(history as never, undefined, address as never, [millis(5 * hour), now], 1_000)
    const rolled = [rolledOf(past, times)]
    const chart = chartOf(times, hour, rolled, assetsIn(rolled, times), noSeries, noPrice)
    assert.deepStrictEqual(
      chart.points.map(({ at }) => at),
      [numberOf(now)]
    )
    assert.deepStrictEqual(
      chart.assets.map(({ balances, values }) => [balances, values]),
      [[["0.5"], [null]]]
    )
    const one = () => Either.right(BigDecimal.fromBigInt(1n))
    const coin = { address: "0x2", coinId: "coin", decimals: 18, symbol: "COIN" }
    const token = { asset: coin, amount: Either.left({ reason: "bad_answer", message: "impossible" }) }
    const isVague = Effect.fnUntraced(function* (holdings: ReadonlyArray<unknown>) {
      const own = { ...address, holdings } as never
      const all = [rolledOf(yield* pastOf(history as never, undefined, own, [millis(5 * hour), now], 1_000), times)]
      return chartOf(times, hour, all, assetsIn(all, times), noSeries, one).points[0]?.approximate
    })
    // A token whose balance could not be read is not in the last value.
    assert.deepStrictEqual(
      [yield* isVague(address.holdings), yield* isVague([...address.holdings, token])],
      [false, true]
    )
    const none = [rolledOf({ ...past, since: shift(toSeconds(now), 3_600) }, times)]
    assert.deepStrictEqual(chartOf(times, hour, none, assetsIn(none, times), noSeries, noPrice).assets[0]?.balances, [])
  })
})

describe("a token with a multiplier", () => {
  const coin = { address: token, coinId: CoinId.make("coin"), decimals: 2, symbol: "coin", name: "", thumbnail: "" }
  const five = Option.getOrThrow(Multiplier.fromDecimal("5"))
  const times = [5, 6, 7].map((hours) => millis(hours * hour))
  const series = {
    ...noSeries,
    found: new Map([[coin.coinId, { prices: times.map((time) => [numberOf(time), 3] as const), marketCaps: [] }]])
  }
  const three = () => Either.right(BigDecimal.fromBigInt(3n))

  const charted = Effect.fnUntraced(function* (
    held: ReadonlyArray<unknown>,
    scalings: (tokens: ReadonlyArray<string>) => Effect.Effect<unknown>,
    later: ReadonlyArray<Transaction> = [],
    gaps: ReadonlyArray<Gap> = []
  ) {
    const transactions = [...later, at(5.5 * 3_600, incoming(100n, token))].map((only) => [only])
    const page = { transactions, gaps, next: null, failure: undefined }
    const history = {
      cursors: () => Either.right(new Map()),
      transactions: () => Effect.succeed([{ histories: [page] }])
    }
    const native = { asset: "native", amount: Either.right(0n) }
    const facts = Catalogue.all.find(({ id }) => id === "base")
    const address = {
      network: { facts, scalings },
      text: holder,
      key: holder,
      holdings: [native, ...held],
      missing: undefined,
      whole: true
    }
    const list = { tokens: [coin], decimalsOf: () => coin.decimals } as never
    const past = yield* pastOf(
      history as never,
      list,
      address as never,
      [times[0] ?? millis(0), millis(7 * hour)],
      1_000
    )
    const rolled = [rolledOf(past, times)]
    const { addresses, assets, points } = chartOf(times, hour, rolled, assetsIn(rolled, times), series as never, three)
    const asset = assets.find(({ contract }) => contract === token)
    return {
      asset: asset && [asset.balances, asset.values, asset.problem?.reason],
      approximate: points.map(({ approximate }) => approximate),
      reasons: addresses[0]?.reasons.filter((text) => text.startsWith("COIN"))
    }
  })

  it("is approximate only before the time from which a gap does not matter", function* () {
    const holding = { asset: { ...coin }, amount: Either.right(100n) }
    const at = (since: Seconds) => [gap("transfers", "COIN: down", { since })]
    const nothing = () => Effect.die("not needed")
    const seconds = times.map((time) => toSeconds(time))
    const [first = second, middle = second] = seconds
    const all = yield* charted([holding], nothing, [], at(shift(second, 1)))
    assert.deepStrictEqual([all.approximate, all.reasons], [[true, true, false], ["COIN: down"]])
    const some = yield* charted([holding], nothing, [], at(middle))
    assert.deepStrictEqual([some.approximate, some.reasons], [[true, false, false], ["COIN: down"]])
    const none = yield* charted([holding], nothing, [], at(first))
    assert.deepStrictEqual([none.approximate, none.reasons], [[false, false, false], []])
  })

  it("has displayed balances, and values only if the price is for the displayed unit", function* () {
    const holding = { asset: coin, amount: Either.right(100n), scaling: { multiplier: five } }
    const { asset, approximate } = yield* charted([holding], () => Effect.die("not needed"))
    assert.deepStrictEqual(asset, [["0", "5", "5"], ["0", null, "15"], "no_price"])
    assert.deepStrictEqual(approximate, [false, true, false])
  })

  it("has its multiplier also if it is no longer held, and is left out if that could not be read", function* () {
    const sale = at(6.5 * 3_600, {
      fee: 0n,
      from: [{ address: holder, amount: 100n, token }],
      to: [{ address: friend, amount: 100n, token }]
    })
    const known = new Map([[token, Either.right({ multiplier: five })]])
    const sold = yield* charted([], () => Effect.succeed(known), [sale])
    assert.deepStrictEqual(sold.asset, [["0", "5", "0"], ["0", null, "0"], "no_price"])
    const unread = Either.left({ reason: "timeout", message: "late" })
    const { asset, reasons } = yield* charted([], () => Effect.succeed(new Map([[token, unread]])), [sale])
    assert.deepStrictEqual([asset, reasons], [undefined, ["COIN: late"]])
  })
})

describe("an account and an address that it includes", () => {
  const times = [1, 2, 3].map((hours) => millis(hours * hour))
  const network = { facts: Catalogue.all.find(({ id }) => id === "base") }
  const charted = (
    ...all: ReadonlyArray<{ readonly since?: number; readonly now: bigint | null; readonly in?: number }>
  ) => {
    const pasts = all.map(({ now, since }, index): AddressPast => {
      const amount = now === null ? Either.left({ reason: "timeout", message: "late" }) : Either.right(now)
      const unread = now === null ? { reason: "timeout" as const, message: "late" } : undefined
      return {
        address: {
          network,
          text: `${index}`,
          key: `${index}`,
          holdings: [{ asset: "native", amount }],
          whole: true,
          missing: undefined
        } as never,
        assets: new Map([[native, { coinId: CoinId.make("ethereum"), symbol: "ETH", decimals: 0 }]]),
        balances: new Map(now === null ? [] : [[native, now]]),
        transactions: [],
        since: since === undefined ? seconds(3 * 3_600) : seconds(since * 3_600),
        reasonsNow: unread === undefined ? [] : [unread.message],
        reasons: [],
        unread
      }
    })
    const rolled = pasts.map((past, index) => ({
      ...rolledOf(past, times),
      account: pasts[all[index]?.in ?? -1]?.address
    }))
    const one = () => Either.right(BigDecimal.make(1n, 0))
    const prices = times.map((time) => [numberOf(time), 1] as const)
    const series = { ...noSeries, found: new Map([[CoinId.make("ethereum"), { prices, marketCaps: [] }]]) }
    const chart = chartOf(times, hour, rolled, assetsIn(rolled, times), series as never, one)
    return {
      values: chart.points.map(({ approximate, value }) => `${value}${approximate ? "~" : ""}`),
      balances: chart.assets[0]?.balances
    }
  }

  it("are counted once, with the greater of both amounts", () => {
    const wallet = (now: bigint) => charted({ now, since: 0 }, { now: 5n, since: 0, in: 0 })
    assert.deepStrictEqual(wallet(7n), { values: ["7", "7", "7"], balances: ["7", "7", "7"] })
    assert.deepStrictEqual(wallet(0n).values, ["5", "5", "5"])
  })

  it("have the value of the address at times for which that of the account is not known", () => {
    assert.deepStrictEqual(charted({ now: 7n, since: 3 }, { now: 5n, since: 2, in: 0 }), {
      values: ["5~", "7"],
      balances: [null, "7"]
    })
    assert.deepStrictEqual(charted({ now: null }, { now: 5n, since: 0, in: 0 }), {
      values: ["5~", "5~", "5~"],
      balances: [null, null, null]
    })
    assert.deepStrictEqual(charted({ now: 7n, since: 0 }, { now: null, in: 0 }).values, ["7", "7", "7"])
  })
})

describe("a history without movements that no source lists", () => {
  it("has them among the reasons, and says that they are no failure", function* () {
    const facts = Catalogue.all.find(({ id }) => id === "base")
    const gaps = [notListed("withdrawals"), gap("amounts", "older fees")]
    const page = { transactions: [], gaps, next: null, failure: undefined }
    const history = {
      cursors: () => Either.right(new Map()),
      transactions: () => Effect.succeed([{ histories: [page] }])
    }
    const holdings = [{ asset: "native", amount: Either.right(1n) }]
    const address = { network: { facts }, text: "a", key: "a", holdings, whole: true, missing: undefined }
    const times = [1, 2, 3].map((hours) => millis(hours * hour))
    const past = yield* pastOf(history as never, undefined, address as never, [millis(hour), millis(3 * hour)], 1)
    const rolled = [rolledOf(past, times)]
    const { addresses } = chartOf(times, hour, rolled, assetsIn(rolled, times), noSeries, noPrice)
    const [{ reasons, unlisted } = assert.fail("no address")] = addresses
    assert.includeMembers([...reasons], ["withdrawals", "older fees"])
    assert.deepStrictEqual(unlisted, ["withdrawals"])
  })
})

describe("the balances of an asset", () => {
  it("are null while that of one of the addresses is not known, and the value is of the others", function* () {
    const times = [1, 2, 3].map((hours) => millis(hours * hour))
    const network = { facts: Catalogue.all.find(({ id }) => id === "base") }
    const dai = { address: token, coinId: CoinId.make("dai"), name: "Dai", symbol: "DAI", decimals: 0, thumbnail: "" }
    const pastWith = (text: string, since: number | undefined, tokens: ReadonlyArray<unknown>, more: object = {}) => {
      const holdings = [{ asset: "native", amount: Either.right(1n) }, ...tokens]
      const address = { network, text, key: text, holdings, whole: true, missing: undefined, ...more }
      const page = { transactions: [], gaps: [], next: since === undefined ? null : "next", failure: undefined }
      const history = {
        cursors: () => Either.right(new Map()),
        transactions: () => Effect.succeed([{ histories: [page] }])
      }
      return Effect.map(
        pastOf(history as never, undefined, address as never, [millis(0), millis(3 * hour)], 1),
        (past) => ({ ...past, since: since === undefined ? undefined : seconds(since * 3_600) })
      )
    }
    const held = { asset: dai, amount: Either.right(7n) }
    const balances = Effect.fnUntraced(function* (...others: ReadonlyArray<AddressPast>) {
      const all = [{ ...(yield* pastWith("a", 0, [held])) }, ...others].map((past) => rolledOf(past, times))
      return assetsIn(all, times).map(({ balances, known }) => [balances, known])
    })
    const [ones, sevens] = [
      [1n, 1n, 1n],
      [7n, 7n, 7n]
    ]
    assert.deepStrictEqual(yield* balances(), [
      [ones, ones],
      [sevens, sevens]
    ])
    // The second address has no token, since the second hour.
    assert.deepStrictEqual(yield* balances(yield* pastWith("b", 2, [])), [
      [
        [null, 2n, 2n],
        [1n, 2n, 2n]
      ],
      [[null, 7n, 7n], sevens]
    ])
    const unread = { asset: dai, amount: Either.left({ reason: "timeout", message: "late" }) }
    const nulls = [null, null, null]
    const twos = [2n, 2n, 2n]
    for (const other of [
      yield* pastWith("b", 0, [unread]),
      yield* pastWith("b", 0, [], { missing: { reason: "timeout", message: "late" } })
    ])
      assert.deepStrictEqual(yield* balances(other), [
        [twos, twos],
        [nulls, sevens]
      ])
  })
})

describe("the past of an address", () => {
  const address = {
    network: { facts: { id: "ethereum" } },
    text: holder,
    holdings: [],
    missing: undefined,
    whole: true
  }

  /** Returns an effect that reads the past from a fake network, while the price sources hang. */
  const pastOver = Effect.fnUntraced(function* (ethereum: ReturnType<typeof network>) {
    yield* TestClock.setTime(clock)
    const built = yield* Layer.build(
      Layer.provide(Layer.provide(History.layer, NewestBlocks.layer), [
        chainsOf([ethereum.service]),
        Layer.mock(Pricing, {
          prices: (ids) => (ids.length > 0 ? Effect.never : Effect.succeed({ found: new Map(), missing: new Map() }))
        }),
        TokenRegistry.layerTest({}),
        Settings.layer({}),
        Layer.fresh(Memory.layer())
      ])
    )
    const range = [toMillis(shift(second, -86_400)), toMillis(second)] as const
    return Effect.gen(function* () {
      const past = yield* Effect.fork(pastOf(Context.get(built, History), undefined, address as never, range, 1_000))
      yield* TestClock.adjust("1 second")
      return yield* past
    })
  })

  it("is read while the price sources hang, because it needs no prices", function* () {
    const past = yield* pastOver(
      network(
        "ethereum",
        chain(() => [transaction(60)])
      )
    )
    const { reasons, since, transactions } = yield* past
    assert.deepStrictEqual([transactions.length, since, reasons], [1, undefined, []])
  })

  it("names tokens that moved and whose decimals are not confirmed, and does not count them", function* () {
    const facts = Catalogue.all.find(({ id }) => id === "base")
    const dai = { address: token, coinId: CoinId.make("dai"), name: "Dai", symbol: "DAI", decimals: 6, thumbnail: "" }
    const moved = at(1, incoming(5n, token))
    const read = { transactions: [[moved, []]], gaps: [], next: null, failure: undefined }
    const history = {
      cursors: () => Either.right(new Map()),
      transactions: () => Effect.succeed([{ histories: [read] }])
    }
    const holdings = [{ asset: "native", amount: Either.right(2n) }]
    const address = { network: { facts }, text: holder, key: "", holdings, whole: true, missing: undefined }
    const pastWith = (confirmed: number | undefined) =>
      pastOf(
        history as never,
        listOf([dai], 0, () => confirmed),
        address as never,
        [millis(0), millis(9_000)],
        1
      )
    const unconfirmed = yield* pastWith(undefined)
    assert.deepStrictEqual(textsOf(unconfirmed.reasons), ["DAI: the decimals of the token are not confirmed"])
    assert.deepStrictEqual([...unconfirmed.assets.keys()], [native])
    const confirmed = yield* pastWith(18)
    assert.deepStrictEqual(confirmed.reasons, [])
    assert.strictEqual(confirmed.assets.get(token)?.decimals, 18)
  })

  it("has its tokens if only its native coin could not be read", function* () {
    const facts = Catalogue.all.find(({ id }) => id === "base")
    const dai = { address: token, coinId: CoinId.make("dai"), name: "Dai", symbol: "DAI", decimals: 0, thumbnail: "" }
    const page = { histories: [{ transactions: [], gaps: [], next: null, failure: undefined }] }
    const history = { cursors: () => Either.right(new Map()), transactions: () => Effect.succeed([page]) }
    const left = Either.left({ reason: "timeout", message: "timed out" })
    const holdings = [
      { asset: "native", amount: left },
      { asset: dai, amount: Either.right(5n) }
    ]
    const address = { network: { facts }, text: holder, key: "", holdings, whole: true, missing: undefined }
    const times = [millis(0), millis(9_000)]
    const past = yield* pastOf(history as never, undefined, address as never, [millis(0), millis(9_000)], 1)
    const rolled = [rolledOf(past, times)]
    const assets = assetsIn(rolled, times)
    assert.deepStrictEqual(
      assets.map(({ balances, coinId }) => [String(coinId), balances]),
      [["dai", [5n, 5n]]]
    )
    const one = Either.right(BigDecimal.make(1n, 0))
    const { points } = chartOf(times, hour, rolled, assets, noSeries as never, () => one)
    assert.deepStrictEqual(points.at(-1), { at: 9_000, value: "5", approximate: true })
    assert.deepStrictEqual(past.reasonsNow, ["ETH: timed out"])
    assert.deepStrictEqual(textsOf(rolled[0]?.reasons ?? []), ["the transactions do not add up to the balance of DAI"])
  })

  it("contains the archived transactions and the reason if the read times out", function* () {
    const ethereum = network("ethereum", () => Effect.never)
    const past = yield* pastOver(ethereum)
    const none = yield* past
    assert.deepStrictEqual([none.since, textsOf(none.reasons)], [second, ["transactions: timed out"]])
    yield* TestClock.adjust("1 minute")
    ethereum.state.answer = chain(() => [transaction(7_200)])
    assert.lengthOf((yield* past).transactions, 1)
    yield* TestClock.adjust("1 minute")
    ethereum.state.answer = () => Effect.never
    const { reasons, transactions } = yield* past
    assert.lengthOf(transactions, 1)
    assert.deepStrictEqual(textsOf(reasons), ["transactions newer than the first: timed out", unchecked])
  })
})

describe("the pages of the past of an address", () => {
  const day = 86_400
  /** Days ago of the transactions of each page; what follows is refused, or the history ends. */
  const pastOfPages = Effect.fnUntraced(function* (
    pages: ReadonlyArray<ReadonlyArray<number>>,
    { refused = false, gaps = [], disorder }: { refused?: boolean; gaps?: Array<Gap>; disorder?: number } = {}
  ) {
    let read = 0
    const history = {
      cursors: () => (refused && read === pages.length ? Either.left({}) : Either.right(new Map())),
      transactions: () =>
        Effect.sync(() => {
          const transactions = (pages[read++] ?? []).map((days) => [transaction(days * day)])
          const next = refused || read < pages.length ? `cursor ${read}` : null
          return [{ histories: [{ transactions, gaps, next, failure: undefined }] }]
        })
    }
    const network = { facts: { id: "ethereum" }, ...(disorder === undefined ? {} : { heights: { disorder } }) }
    const address = { network, text: holder, holdings: [], missing: undefined, whole: true }
    const range = [toMillis(shift(second, -90 * day)), toMillis(second)] as const
    const past = yield* pastOf(history as never, undefined, address as never, range, 1_000)
    const since = past.since === undefined ? undefined : -distance(past.since, second)
    return { read, since, count: past.transactions.length, reasons: textsOf(past.reasons) }
  })

  it("are read until the start of the chart, or to the end", function* () {
    assert.deepStrictEqual(yield* pastOfPages([[1, 70], [80, 89], [91, 92], [93]]), {
      read: 3,
      since: -92 * day,
      count: 6,
      reasons: [unchecked]
    })
    assert.deepStrictEqual(yield* pastOfPages([[1, 70], [80]]), { read: 2, since: undefined, count: 3, reasons: [] })
  })

  it("are known back to the last one if older ones are missing, or if the next cursor is refused", function* () {
    const known = { read: 1, since: -20 * day, count: 2, reasons: [unchecked] }
    assert.deepStrictEqual(yield* pastOfPages([[1, 20]], { gaps: [gap("older", "timed out")] }), known)
    assert.deepStrictEqual(yield* pastOfPages([[1, 20]], { refused: true }), known)
    assert.deepStrictEqual(yield* pastOfPages([[1, 20]], { gaps: [gap("amounts", "older fees")] }), {
      ...known,
      since: undefined,
      reasons: ["older fees"]
    })
    // NFTs have no amounts.
    assert.deepStrictEqual(yield* pastOfPages([[1, 20]], { refused: true, gaps: [collectibles("NFTs")] }), known)
  })

  it("end with a page without transactions, which returns its own cursor", function* () {
    const gaps = [gap("older", "timed out")]
    assert.deepStrictEqual(yield* pastOfPages([[1, 20], [], [30]], { gaps }), {
      read: 2,
      since: -20 * day,
      count: 2,
      reasons: [unchecked]
    })
  })

  it("are at most six", function* () {
    const pages = Array.from({ length: 9 }, (_, index) => [index + 1])
    assert.deepStrictEqual(yield* pastOfPages(pages), { read: 6, since: -6 * day, count: 6, reasons: [unchecked] })
  })

  it("are read further, and known from later on, if a block may be earlier than one below it", function* () {
    const disorder = 7_200
    const justBefore = 90 + 7_000 / day
    assert.deepStrictEqual(yield* pastOfPages([[justBefore], [90, 91], [92]], { disorder }), {
      read: 2,
      since: -91 * day + disorder,
      count: 3,
      reasons: [unchecked]
    })
    const refused = (days: number) => pastOfPages([[days]], { refused: true, disorder })
    assert.strictEqual((yield* refused(1)).since, -day + disorder)
    assert.strictEqual((yield* refused(0.01)).since, 0)
  })
})

const [rich = "", poor = ""] = samples(Catalogue.all.find(({ id }) => id === "base") as never, 2, 9_100)
const world = World.make()

/** Test vectors of CIP-19: a payment address and the stake address of its key. */
const payment =
  "addr1qx2fxv2umyhttkxyxp8x0dlpdt3k6cwng5pxj3jhsydzer3n0d3vllmyqwsx5wktcd8cc3sq835lu7drv2xwl2wywfgse35a3x"
const stake = "stake1uyehkck0lajq8gr28t9uxnuvgcqrc6070x3k9r8048z8y5gh6ffgw"

describe("POST /portfolio/chart", () => {
  layer(Service.layer({}, Sandbox.layer(Catalogue.all, { world })), { excludeTestServices: true })((it) => {
    const chart = Effect.fnUntraced(function* (
      networks: Record<string, ReadonlyArray<string>>,
      days: number,
      more: object = {}
    ) {
      const { post } = yield* Service
      const response = yield* post("/portfolio/chart", { networks, days, ...more })
      assert.strictEqual(response.status, 200)
      return yield* Schema.decodeUnknown(PortfolioChart)(yield* body(response))
    })

    it("ends with the current balances, and each point is the sum of its assets", function* () {
      yield* world.set("base", rich, 10n ** 18n)
      yield* world.send("base", { from: rich, to: poor, amount: 4n * 10n ** 17n })
      yield* world.confirm()
      const { addresses, assets, points, step } = yield* chart({ base: [rich, poor], nowhere: ["x"] }, 7)
      assert.strictEqual(step, 3_600_000)
      assert.isAtLeast(points.length, 7 * 24 + 1)
      const ether = assets.find(({ contractAddress }) => contractAddress === null)
      const owned = (yield* Effect.all([rich, poor].map((address) => world.balanceOf("base", address)))).reduce(
        (sum, amount) => sum + amount,
        0n
      )
      const now = BigDecimal.unsafeFromString(ether?.balances.at(-1) ?? "")
      assert.strictEqual(BigDecimal.scale(now, 18).value, owned)
      for (const [index, { value }] of points.entries()) {
        const parts = assets.map(({ values }) => BigDecimal.unsafeFromString(values[index] ?? "0"))
        assert.isTrue(BigDecimal.equals(BigDecimal.sumAll(parts), BigDecimal.unsafeFromString(value ?? "")))
      }
      assert.deepStrictEqual(
        addresses.map(({ address, reasons }) => [address, reasons]),
        [
          [rich, []],
          [poor, []]
        ]
      )
      assert.isTrue(points.every(({ approximate }) => approximate === undefined))
    })

    it("ends with the total of POST /balance, in dollars and in other currencies, for any number of days", function* () {
      const { post } = yield* Service
      for (const currency of ["usd", "eur"])
        for (const days of [1, 365]) {
          const rows = yield* body<ReadonlyArray<{ readonly value: string | null }>>(
            yield* post(`/balance?currency=${currency}`, { networks: { base: [rich, poor] } })
          )
          const { points } = yield* chart({ base: [rich, poor] }, days, { currency })
          const total = BigDecimal.sumAll(rows.map(({ value }) => BigDecimal.unsafeFromString(value ?? "")))
          assert.strictEqual(points.at(-1)?.value, Amount.plain(total), `${currency} ${days}`)
        }
    })

    it("converts to any currency at historical rates", function* () {
      const [dollars, euros] = yield* Effect.all([
        chart({ base: [rich] }, 7),
        chart({ base: [rich] }, 7, { currency: "EUR" })
      ])
      assert.deepStrictEqual([dollars.currency, euros.currency], ["usd", "eur"])
      const rates = euros.points.map(({ value }, index) => Number(value) / Number(dollars.points[index]?.value))
      assert.isAtLeast(rates.length, 7 * 24)
      assert.isTrue(rates.every((rate) => rate > 0.5 && rate < 2 && rate !== 1))
    })

    it("counts an address once if it is listed in several spellings or under several names of its network", function* () {
      const once = yield* chart({ base: [rich] }, 1)
      const spelling = `0x${rich.slice(2).toUpperCase()}`
      const twice = yield* chart({ base: [rich, spelling], "8453": [spelling] }, 1)
      const nowOf = ({ assets }: typeof once) => assets.map(({ balances }) => balances.at(-1))
      assert.deepStrictEqual(nowOf(twice), nowOf(once))
      assert.strictEqual(twice.points.at(-1)?.value, once.points.at(-1)?.value)
      assert.deepStrictEqual(
        twice.addresses.map(({ address }) => address),
        [rich]
      )
    })

    it("counts a payment address of cardano as a part of its stake address", function* () {
      const alone = yield* chart({ cardano: [stake] }, 1)
      const both = yield* chart({ cardano: [payment.toUpperCase(), stake] }, 1)
      assert.isNotNull(alone.points.at(-1)?.value ?? null)
      // In the simulated world, the stake address does not include the payment address, which has more.
      const other = yield* chart({ cardano: [payment] }, 1)
      const nowOf = ({ assets }: typeof alone) =>
        assets.find(({ contractAddress }) => contractAddress === null)?.balances.at(-1)
      assert.isAbove(Number(nowOf(other)), Number(nowOf(alone)))
      assert.strictEqual(nowOf(both), nowOf(other))
      assert.deepStrictEqual(
        both.addresses.map(({ account, address }) => [address, account]),
        [
          [payment.toUpperCase(), stake],
          [stake, undefined]
        ]
      )
      const contradiction = `it includes ${payment.toUpperCase()}, which has more`
      assert.deepStrictEqual(both.addresses[1]?.reasonsNow, [contradiction])
      assert.include(both.addresses[1]?.reasons ?? [], contradiction)
      assert.isTrue(both.points.every(({ approximate }) => approximate === true))
      assert.notProperty(other.addresses[0], "account")
      assert.isNotNull(other.points.at(-1)?.value ?? null)
    })

    it("reports addresses without known balances, and rejects too many addresses", function* () {
      const { addresses, points } = yield* chart({ base: [rich, "nonsense"] }, 1)
      assert.isNull(addresses.find(({ address }) => address === "nonsense")?.since)
      assert.isTrue(points.every(({ approximate, value }) => approximate === true && value !== null))
      const none = yield* chart({ zkevm: [rich] }, 1)
      assert.deepStrictEqual([none.points, none.assets], [[], []])
      const { post } = yield* Service
      const many = yield* post("/portfolio/chart", { networks: { base: Array(51).fill(rich) }, days: 1 })
      assert.strictEqual(many.status, 413)
    })
  })
})
