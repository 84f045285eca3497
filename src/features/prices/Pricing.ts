import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import { CoinId } from "../../domain/CoinId.ts"
import { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { span } from "../../kernel/span.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Cache from "../../storage/Cache.ts"
import * as FailureLog from "../../upstream/FailureLog.ts"
import * as CoinFacts from "./CoinFacts.ts"
import * as OutlierGuard from "./OutlierGuard.ts"
import * as PriceAges from "./PriceAges.ts"
import { PriceSource, withDefectsAsErrors } from "./PriceSource.ts"
import type { PriceMemory, Prices } from "./Prices.ts"
import { querying } from "./querySources.ts"
import * as PriceSources from "./sources/PriceSources.ts"

export type { PriceMemory, Prices } from "./Prices.ts"

/** Current prices by coin id, from a chain of sources. */
export class Pricing extends Context.Tag("features/prices/Pricing")<
  Pricing,
  {
    /**
     * Cannot fail, and ends before the deadline of a request, or within this time (ms): then with the prices in memory. A
     * coin without a current price is in `missing`. An id that is listed several times is requested once.
     */
    readonly prices: (ids: ReadonlyArray<CoinId>, within?: number) => Effect.Effect<Prices>
    /** Names of coins, with a price or without. A coin that is no listed token and never had a price is left out. */
    readonly facts: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyMap<CoinId, CoinFacts.CoinFacts>>
    /** Requests these coins from the sources without a monthly budget, whatever is cached. No request waits for it. */
    readonly refresh: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** Accepts prices that the source of this name returned without a request for these coins. */
    readonly take: (source: string, prices: ReadonlyArray<Price>) => Effect.Effect<void>
    /** Loads the stored prices of these coins into memory. */
    readonly recall: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** The names of the sources, in the order in which they are queried. */
    readonly sources: Effect.Effect<ReadonlyArray<string>>
    /** The prices in memory; reading them sends no request. */
    readonly memory: Effect.Effect<PriceMemory>
  }
>() {
  /** Each source is queried for the coins that the sources before it did not return. */
  static readonly fromLayers = <S extends PriceSources.PriceSourceLayer>(layers: ReadonlyArray<S>) =>
    Layer.scoped(
      Pricing,
      Effect.forEach(
        layers as ReadonlyArray<Layer.Layer<PriceSource, Layer.Layer.Error<S>, Layer.Layer.Context<S>>>,
        (layer) => Effect.map(Layer.build(layer), (built) => withDefectsAsErrors(Context.get(built, PriceSource)))
      ).pipe(Effect.flatMap((sources) => make(sources)))
    )

  static readonly layer = Pricing.fromLayers(PriceSources.all)

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
        current: priceOf,
        version: () => 0,
        maxAge: 900_000,
        expires: ({ updatedAt }: Price) => updatedAt + 900_000
      })
    })
  }
}

/** Coins whose price is cached. */
const capacity = 50_000

/** The lookup of the cache. Ids that no token list has are requested from the unmetered sources alone. */
const lookingUp = (
  registry: typeof TokenRegistry.Service,
  query: ReturnType<typeof querying>,
  sources: ReadonlyArray<Context.Tag.Service<PriceSource>>,
  unmetered: typeof sources
) =>
  Effect.fnUntraced(function* (keys: ReadonlyArray<string>, cached: ReadonlyMap<string, Price>) {
    const listed = yield* registry.coinIds
    const ids = keys.map((id) => CoinId.make(id))
    const [unlisted, listedIds] = Arr.partition(ids, (id) => listed === undefined || listed.has(id))
    const results = yield* Effect.all(
      [query(sources, listedIds, (id) => cached.get(id)), query(unmetered, unlisted, (id) => cached.get(id))],
      { concurrency: 2 }
    )
    return {
      found: new Map(results.flatMap(({ found }) => [...found])),
      failed: new Map(results.flatMap(({ failed }) => [...failed]))
    }
  })

const make = (sources: ReadonlyArray<Context.Tag.Service<PriceSource>>) =>
  Effect.gen(function* () {
    const registry = yield* TokenRegistry
    const longestWait = Deadline.make(yield* requestDeadline).share("price")
    const facts = yield* CoinFacts.make
    const outlierGuard = yield* OutlierGuard.make
    const { ageLimit, longest, maxAge } = yield* PriceAges.make(sources)
    const expires = (price: Price) => price.updatedAt + ageLimit(price)

    /** A time far ahead of this clock is as unreliable as an old one. */
    const current = (price: Price, now: number) => Math.abs(now - price.updatedAt) <= ageLimit(price)

    /** Sources without a monthly budget: the only ones that are queried for ids that may belong to no coin. */
    const unmetered = sources.filter(({ scarce }) => scarce !== true)

    const query = querying(registry, facts, outlierGuard, current, yield* FailureLog.make)
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
      lookup: lookingUp(registry, query, sources, unmetered)
    })

    const currentPrice = (id: CoinId, now: number) => {
      const price = cache.current(id, now)
      return price !== undefined && current(price, now) ? price : undefined
    }

    /** Caches what the sources return: a price, or none where the new price is refused. */
    const update = Effect.fnUntraced(function* (
      some: typeof sources,
      ids: ReadonlyArray<CoinId>,
      before: ReadonlyArray<Price> = []
    ) {
      const now = yield* Clock.currentTimeMillis
      const { found, refused } = yield* query(some, ids, (id) => cache.current(id, now), before)
      yield* cache.put(new Map<string, Price | undefined>([...refused.map((id) => [id, undefined] as const), ...found]))
    })

    return Pricing.of({
      prices: Effect.fnUntraced(function* (ids, within = longestWait) {
        // The lookup continues in the background: later requests find its result.
        const lookup = yield* timeoutOption(cache.getMany(ids.filter(isWellFormed)), Math.min(within, longestWait))
        const now = yield* Clock.currentTimeMillis
        return split(ids, (id) => {
          const price = Option.isSome(lookup) ? lookup.value.found.get(id) : cache.current(id, now)
          if (price !== undefined && current(price, now)) return Either.right(price)
          if (Option.isNone(lookup)) return Either.left(isWellFormed(id) ? "timeout" : "no_price")
          return Either.left(lookup.value.failed.get(id)?.reason ?? "no_price")
        })
      }, span("Pricing.prices")),
      facts: Effect.fnUntraced(function* (ids) {
        yield* facts.recall(ids)
        const lists = [...(yield* registry.lists).values()]
        return namesOf(ids, (id) => facts.of(id) ?? CoinFacts.ofToken(lists, id))
      }),
      refresh: Effect.fn("Pricing.refresh")((ids) => update(unmetered, ids)),
      take: Effect.fnUntraced(function* (source, prices) {
        const others = sources.filter(({ name }) => name !== source)
        yield* update(others, [], prices)
      }, span("Pricing.take")),
      recall: cache.recall,
      sources: Effect.succeed(sources.map(({ name }) => name)),
      memory: Effect.succeed({ current: currentPrice, version: cache.version, maxAge, expires })
    })
  })

/** Every coin id has this form, and a malformed id in a call could cost the prices of all others in it. */
const isWellFormed = (id: CoinId) => /^[^\s\p{C}/\\?#%"<>]+$/u.test(id)

const namesOf = (ids: ReadonlyArray<CoinId>, find: (id: CoinId) => CoinFacts.CoinFacts | undefined) =>
  new Map(
    ids.flatMap((id) => {
      const names = find(id)
      return names === undefined ? [] : [[id, names] as const]
    })
  )

const split = (ids: ReadonlyArray<CoinId>, priceOf: (id: CoinId) => Either.Either<Price, Reason>): Prices => {
  const found = new Map<CoinId, Price>()
  const missing = new Map<CoinId, Reason>()
  for (const id of new Set(ids))
    Either.match(priceOf(id), {
      onLeft: (reason) => missing.set(id, reason),
      onRight: (price) => found.set(id, price)
    })
  return { found, missing }
}
