import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import { collect } from "../../kernel/collect.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutTo } from "../../kernel/timeout.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/Deadline.ts"
import * as Cache from "../../storage/Cache.ts"
import * as CoinFacts from "./CoinFacts.ts"
import * as OutlierGuard from "./OutlierGuard.ts"
import * as PriceAges from "./PriceAges.ts"
import { type Contract, PriceSource, sound } from "./PriceSource.ts"
import type { PriceMemory, Prices } from "./Prices.ts"
import { ask } from "./querySources.ts"
import * as BinancePrices from "./sources/BinancePrices.ts"
import * as CoinGeckoPrices from "./sources/CoinGeckoPrices.ts"
import * as DefiLlamaPrices from "./sources/DefiLlamaPrices.ts"

export type { PriceMemory, Prices } from "./Prices.ts"

/** Current prices by coin id, from a chain of sources. */
export class Pricing extends Context.Tag("features/prices/Pricing")<
  Pricing,
  {
    /**
     * Cannot fail, and ends before the deadline of a request: a coin without a current price is in `missing`. Ids are asked
     * of the sources once, however often they stand.
     */
    readonly prices: (ids: ReadonlyArray<CoinId>) => Effect.Effect<Prices>
    /** What coins are called, with a price or without one; of a coin that is no known token and was never priced, nothing. */
    readonly facts: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyMap<CoinId, CoinFacts.CoinFacts>>
    /** Asks the sources whose calls are not scarce for these coins, whatever is known of them. Nobody waits for it. */
    readonly refresh: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** Takes prices that the source of this name told without being asked for these coins. */
    readonly take: (source: string, prices: ReadonlyArray<Price>) => Effect.Effect<void>
    /** Brings into memory what the store has of these coins. */
    readonly recall: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** What is in memory now and later; reading it asks nobody. */
    readonly memory: Effect.Effect<PriceMemory>
  }
>() {
  /** Each source is asked for what those before it did not tell. */
  static readonly fromLayers = <E, R>(layers: ReadonlyArray<Layer.Layer<PriceSource, E, R>>) =>
    Layer.scoped(
      Pricing,
      Effect.flatMap(collect(PriceSource, layers), (sources) => make(sources.map(sound)))
    )

  /** One line a source, in the order in which they are asked. */
  static readonly layer = Pricing.fromLayers<Layer.Layer.Error<AnySource>, Layer.Layer.Context<AnySource>>([
    CoinGeckoPrices.layer,
    DefiLlamaPrices.layer,
    BinancePrices.layer
  ])

  /** Fixed prices; every other coin has none. */
  static readonly layerTest = (usd: Readonly<Record<string, number>>) => {
    const priceOf = (coinId: CoinId, updatedAt: number): Price | undefined =>
      usd[coinId] === undefined ? undefined : { coinId, usd: usd[coinId], updatedAt, source: "test" }
    return Layer.mock(Pricing, {
      prices: (ids) =>
        Effect.map(Clock.currentTimeMillis, (now) =>
          split(ids, (coinId) => Either.fromNullable(priceOf(coinId, now), () => "no_price" as const))
        ),
      facts: () => Effect.succeed(new Map()),
      memory: Effect.succeed({
        held: priceOf,
        version: () => 0,
        maxAge: 900_000,
        expires: ({ updatedAt }: Price) => updatedAt + 900_000
      })
    })
  }
}

type AnySource = typeof CoinGeckoPrices.layer | typeof DefiLlamaPrices.layer | typeof BinancePrices.layer

/** Coins whose price is held. */
const capacity = 50_000

const make = (sources: ReadonlyArray<Context.Tag.Service<PriceSource>>) =>
  Effect.gen(function* () {
    const registry = yield* TokenRegistry
    const late = { duration: Deadline.make(yield* requestDeadline).share("price"), onTimeout: () => Effect.succeedNone }
    const facts = yield* CoinFacts.make
    const doubts = yield* OutlierGuard.make
    const { ageLimit, longest, maxAge } = yield* PriceAges.make(sources)
    const expires = (price: Price) => price.updatedAt + ageLimit(price)

    /** A time well ahead of ours is no time to rely on. */
    const current = (price: Price, now: number) => Math.abs(now - price.updatedAt) <= ageLimit(price)

    const contractsOf = Effect.map(registry.lists, (lists) => (id: CoinId): ReadonlyArray<Contract> => {
      const contracts: Array<Contract> = []
      for (const [platform, { byCoin }] of lists) {
        const token = byCoin.get(id)
        const chain = token === undefined ? undefined : chains.get(platform)
        if (token !== undefined && chain !== undefined) contracts.push({ chain, address: token.address })
      }
      return contracts
    })

    /** Those whose calls are not counted by the month: the only ones that are asked for ids which nobody may have given a coin. */
    const plenty = sources.filter(({ scarce }) => scarce !== true)

    /** What sources tell of coins, with what is known of these coins otherwise; remembers what could not be believed. */
    const told = Effect.fnUntraced(function* (
      some: typeof sources,
      ids: ReadonlyArray<CoinId>,
      held: (id: CoinId) => Price | undefined,
      before: ReadonlyArray<Price> = []
    ) {
      const last = (id: CoinId) => doubts.last(id) ?? held(id)
      const answer = yield* ask(some, ids, { current, last, contractsOf: yield* contractsOf }, before)
      const prices = yield* facts.complete([...answer.found.values()])
      const lasts = answer.refused.flatMap((id) => last(id) ?? [])
      yield* doubts.settle(lasts, answer.found.keys())
      const now = yield* Clock.currentTimeMillis
      // A price that was told again is the same one: nothing that was made of it is out of date. And a source that lags
      // behind another one does not turn a price back.
      const known = prices.map((price) => {
        const before = held(price.coinId)
        if (before === undefined) return price
        const lags = before.source !== price.source && before.updatedAt > price.updatedAt && before.updatedAt <= now
        return lags || Equal.equals(Data.struct(before), Data.struct(price)) ? before : price
      })
      return { ...answer, found: new Map(known.map((price) => [price.coinId, price])) }
    })

    const fresh = Math.min(60_000, longest)
    const cache = yield* Cache.make({
      name: "prices",
      version: 2,
      schema: Price,
      fresh,
      stale: longest - fresh,
      expires,
      notFound: 60_000,
      failure: 5_000,
      capacity,
      window: 2,
      batch: 250,
      lookup: Effect.fnUntraced(function* (keys, held) {
        const known = yield* registry.coinIds
        const ids = keys.map((id) => CoinId.make(id))
        const [made, real] = Arr.partition(ids, (id) => known === undefined || known.has(id))
        const answers = yield* Effect.all(
          [told(sources, real, (id) => held.get(id)), told(plenty, made, (id) => held.get(id))],
          { concurrency: 2 }
        )
        return {
          found: new Map(answers.flatMap(({ found }) => [...found])),
          failed: new Map(answers.flatMap(({ failed }) => [...failed]))
        }
      })
    })

    const held = (id: CoinId, now: number) => {
      const price = cache.current(id, now)
      return price !== undefined && current(price, now) ? price : undefined
    }

    /** Puts what was told into the cache: a price, or none where the new one is not believed. */
    const keep = Effect.fnUntraced(function* (
      some: typeof sources,
      ids: ReadonlyArray<CoinId>,
      before: ReadonlyArray<Price> = []
    ) {
      const now = yield* Clock.currentTimeMillis
      const { found, refused } = yield* told(some, ids, (id) => cache.current(id, now), before)
      yield* cache.put(new Map<string, Price | undefined>([...refused.map((id) => [id, undefined] as const), ...found]))
    })

    return Pricing.of({
      prices: Effect.fnUntraced(function* (ids) {
        // The lookup goes on behind: whoever asks next finds what it brings.
        const asked = yield* timeoutTo(Effect.asSome(cache.getMany(ids.filter(isOneWord))), late)
        const now = yield* Clock.currentTimeMillis
        return split(ids, (id) => {
          const price = Option.isSome(asked) ? asked.value.found.get(id) : cache.current(id, now)
          if (price !== undefined && current(price, now)) return Either.right(price)
          if (Option.isNone(asked)) return Either.left(isOneWord(id) ? "timeout" : "no_price")
          return Either.left(asked.value.failed.get(id)?.reason ?? "no_price")
        })
      }, span("Pricing.prices")),
      facts: Effect.fnUntraced(function* (ids) {
        yield* facts.recall(ids)
        const lists = [...(yield* registry.lists).values()]
        const known = new Map<CoinId, CoinFacts.CoinFacts>()
        for (const id of ids) {
          const item = facts.of(id) ?? CoinFacts.ofToken(lists, id)
          if (item !== undefined) known.set(id, item)
        }
        return known
      }),
      refresh: Effect.fn("Pricing.refresh")((ids) => keep(plenty, ids)),
      take: Effect.fnUntraced(function* (source, prices) {
        const others = sources.filter(({ name }) => name !== source)
        yield* keep(others, [], prices)
      }, span("Pricing.take")),
      recall: cache.recall,
      memory: Effect.succeed({ held, version: cache.version, maxAge, expires })
    })
  })

/** No coin is called otherwise; and one odd id in a call could cost the prices of all others in it. */
const isOneWord = (id: CoinId) => /^[^\s\p{C}/\\?#%"<>]+$/u.test(id)

/** The chains of platforms, as DefiLlama names them. */
const chains: ReadonlyMap<string, string> = new Map(
  Catalogue.all.flatMap(({ llama, platform }) =>
    platform === undefined || llama === undefined ? [] : [[platform, llama]]
  )
)

const split = (ids: ReadonlyArray<CoinId>, item: (id: CoinId) => Either.Either<Price, Reason>): Prices => {
  const found = new Map<CoinId, Price>()
  const missing = new Map<CoinId, Reason>()
  for (const id of new Set(ids))
    Either.match(item(id), {
      onLeft: (reason) => missing.set(id, reason),
      onRight: (price) => found.set(id, price)
    })
  return { found, missing }
}
