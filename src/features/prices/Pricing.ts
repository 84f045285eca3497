import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Equal from "effect/Equal"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Option from "effect/Option"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import { CoinId } from "../../domain/CoinId.ts"
import { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"
import * as Deadline from "../../kernel/Deadline.ts"
import { each } from "../../kernel/each.ts"
import { span } from "../../kernel/span.ts"
import { CurrentTally } from "../../kernel/Tally.ts"
import { timeoutOption } from "../../kernel/timeout.ts"
import { type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import { requestDeadline } from "../../settings/variables.ts"
import * as Cache from "../../storage/Cache.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { type LogFailure, Upstreams } from "../../upstream/Upstreams.ts"
import * as CoinFacts from "./CoinFacts.ts"
import * as OutlierGuard from "./OutlierGuard.ts"
import { confirms, isDoubtful } from "./OutlierGuard.ts"
import { type Contract, PriceSource, priceAges, withDefectsAsErrors } from "./PriceSource.ts"
import { type PriceMemory, type Prices, priceCounter } from "./Prices.ts"
import * as PriceSources from "./sources/PriceSources.ts"
import { withMarket } from "./withMarket.ts"

type PricedSource = Context.Tag.Service<PriceSource>

const jumps = Metric.counter("price_jumps_total", {
  description: "Prices too far from the last price to be accepted without a second source, by what it returned",
  incremental: true
})

const countJumps = (outcome: "refused" | "confirmed", count: number): void =>
  jumps.unsafeUpdate(count, [MetricLabel.make("outcome", outcome)])

interface PriceQuery {
  /** Whether a price is recent enough. */
  readonly current: (price: Price, now: number) => boolean
  /** The last accepted price. */
  readonly last: (id: CoinId) => Price | undefined
  readonly contractsOf: (id: CoinId) => ReadonlyArray<Contract>
  readonly logFailure: LogFailure
}

/** A coin in none of these collections has no price. */
interface PriceQueryResult {
  readonly found: ReadonlyMap<CoinId, Price>
  /** A source that might know the coin failed, and no other source returned it. */
  readonly failed: ReadonlyMap<CoinId, UpstreamError>
  /** Coins with a doubtful price on which no two sources agree: they get no price. */
  readonly refused: ReadonlyArray<CoinId>
}

/** The prices of these coins from a source, in as many calls as needed; a failed call affects only its coins. */
const pages = (
  source: PricedSource,
  ids: ReadonlyArray<CoinId>,
  { contractsOf, logFailure }: Pick<PriceQuery, "contractsOf" | "logFailure">
) =>
  each(pagesOf(ids, source.batchSize), (page) =>
    source.prices(page, contractsOf).pipe(
      Effect.map((prices) => ({ prices, failed: [] as ReadonlyArray<readonly [CoinId, UpstreamError]> })),
      Effect.catchTag("UpstreamError", (error) =>
        Effect.as(logFailure("a price source failed", error), {
          prices: [] as ReadonlyArray<Price>,
          failed: page.map((id) => [id, error] as const)
        })
      )
    )
  )

/**
 * Queries each source for the coins that earlier sources did not return or returned with a doubtful price; see {@link
 * Sources.first}. `before` are prices that were returned without a request. Cannot fail.
 */
const querySources = Effect.fnUntraced(function* (
  sources: ReadonlyArray<PricedSource>,
  ids: ReadonlyArray<CoinId>,
  { contractsOf, current, last, logFailure }: PriceQuery,
  before: ReadonlyArray<Price> = []
) {
  const found = new Map<CoinId, Price>()
  /** The prices of coins whose first price was doubtful. */
  const doubtful = new Map<CoinId, Array<Price>>()
  const failed = new Map<CoinId, UpstreamError>()
  const accept = (price: Price, now: number) => {
    if (!current(price, now) || found.has(price.coinId)) return
    const others = doubtful.get(price.coinId)
    const confirmed = others?.find((other) => other.source !== price.source && confirms(price, other))
    if (confirmed !== undefined) found.set(price.coinId, confirmed)
    else if (others !== undefined) others.push(price)
    else if (isDoubtful(price, last(price.coinId))) doubtful.set(price.coinId, [price])
    else found.set(price.coinId, price)
  }
  const started = yield* Clock.currentTimeMillis
  for (const price of before) accept(price, started)
  const open = () => [...new Set([...ids, ...doubtful.keys()])].filter((id) => !found.has(id))
  const from = (source: PricedSource) =>
    Effect.gen(function* () {
      const left = open()
      if (left.length === 0) return
      const requested = new Set(left)
      const responses = yield* pages(source, left, { contractsOf, logFailure })
      const now = yield* Clock.currentTimeMillis
      for (const page of responses) {
        for (const price of page.prices) if (requested.has(price.coinId)) accept(price, now)
        for (const [id, error] of page.failed) if (!failed.has(id)) failed.set(id, error)
      }
      if (open().length > 0) return yield* Effect.fail(incomplete)
    })
  yield* Effect.ignore(Sources.first(sources, from, { none: incomplete }))
  const refused = [...doubtful.keys()].filter((id) => !found.has(id))
  for (const id of [...found.keys(), ...refused]) failed.delete(id)
  if (doubtful.size > 0) {
    countJumps("refused", refused.length)
    countJumps("confirmed", doubtful.size - refused.length)
  }
  return { found, failed, refused } satisfies PriceQueryResult as PriceQueryResult
})

/** Queries sources and completes prices with names; stores which prices were refused. */
const querying = (
  registry: typeof TokenRegistry.Service,
  facts: Effect.Effect.Success<typeof CoinFacts.make>,
  outlierGuard: Effect.Effect.Success<typeof OutlierGuard.make>,
  current: PriceQuery["current"],
  logFailure: LogFailure
) => {
  countJumps("refused", 0)
  countJumps("confirmed", 0)
  return Effect.fnUntraced(function* (
    some: ReadonlyArray<Context.Tag.Service<PriceSource>>,
    ids: ReadonlyArray<CoinId>,
    cached: (id: CoinId) => Price | undefined,
    before: ReadonlyArray<Price> = []
  ) {
    const last = (id: CoinId) => outlierGuard.last(id) ?? cached(id)
    const lists = yield* registry.lists
    const query = { current, last, logFailure, contractsOf: contractsOf(lists) }
    const result = yield* querySources(some, ids, query, before)
    const prices = yield* facts.complete([...result.found.values()])
    const lasts = result.refused.flatMap((id) => last(id) ?? [])
    yield* outlierGuard.settle(lasts, result.found.keys())
    const now = yield* Clock.currentTimeMillis
    // An equal price remains the same object, so that responses with it stay current. A source that lags behind does
    // not replace a newer price of another source, but the change and valuation that it has.
    const merged = prices.map((price) => {
      const before = cached(price.coinId)
      if (before === undefined) return price
      const lags = before.source !== price.source && before.updatedAt > price.updatedAt && before.updatedAt <= now
      const complete = lags ? withMarket(before, price, now) : withMarket(price, before, now)
      return Equal.equals(Data.struct(before), Data.struct(complete)) ? before : complete
    })
    return { ...result, found: new Map(merged.map((price) => [price.coinId, price])) }
  })
}

const contractsOf =
  (lists: ReadonlyMap<string, TokenList>) =>
  (id: CoinId): ReadonlyArray<Contract> => {
    const contracts: Array<Contract> = []
    for (const [platform, { byCoin }] of lists) {
      const token = byCoin.get(id)
      const chain = token === undefined ? undefined : llamaChains.get(platform)
      if (token !== undefined && chain !== undefined) contracts.push({ chain, address: token.address })
    }
    return contracts
  }

/** DefiLlama's chain names by platform. */
export const llamaChains: ReadonlyMap<string, string> = new Map(
  Catalogue.all.flatMap(({ llama, platform }) =>
    platform === undefined || llama === undefined ? [] : [[platform, llama]]
  )
)

const incomplete = "incomplete"

/** Maximum characters of the ids in one call: they must fit into a URL. */
const longestPage = 6_000

/** Splits ids into pages in a fixed order, so that equal requests have equal URLs. */
const pagesOf = (ids: ReadonlyArray<CoinId>, batchSize: number): ReadonlyArray<ReadonlyArray<CoinId>> => {
  const pages: Array<Array<CoinId>> = []
  let length = 0
  for (const id of [...ids].sort()) {
    const page = pages.at(-1)
    if (page === undefined || page.length === batchSize || length + id.length > longestPage) {
      pages.push([id])
      length = 0
    } else page.push(id)
    length += id.length + 1
  }
  return pages
}

export type { PriceMemory, Prices } from "./Prices.ts"

/** Current prices by coin id, from a chain of sources. */
export class Pricing extends Context.Tag("features/prices/Pricing")<
  Pricing,
  {
    /**
     * Cannot fail, and ends before the deadline of a request or within `within` (ms), then with the prices in memory. A
     * coin without a current price is in `missing`. Duplicate ids are requested once.
     */
    readonly prices: (ids: ReadonlyArray<CoinId>, within?: number) => Effect.Effect<Prices>
    /** Names of coins, with or without a price. Omits coins that are not listed and never had a price. */
    readonly facts: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyMap<CoinId, CoinFacts.CoinFacts>>
    /** Requests these coins from the sources without a monthly budget, ignoring the cache. No client waits for it. */
    readonly refresh: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** Accepts prices that the source of this name returned without a request for these coins. */
    readonly accept: (source: string, prices: ReadonlyArray<Price>) => Effect.Effect<void>
    /** Loads the stored prices of these coins into memory. */
    readonly recall: (ids: ReadonlyArray<CoinId>) => Effect.Effect<void>
    /** The names of the sources, in the order in which they are queried. */
    readonly sources: Effect.Effect<ReadonlyArray<string>>
    /** The prices in memory; reading them sends no request. */
    readonly memory: Effect.Effect<PriceMemory>
  }
>() {
  /** Each source is queried for the coins that earlier sources did not return. */
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

/** Maximum number of coins with a cached price. */
const capacity = 50_000

/** The lookup of the cache. Ids that are in no token list are requested only from the unmetered sources. */
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
    const { ageLimit, longest, maxAge } = yield* priceAges(sources)
    const expires = (price: Price) => price.updatedAt + ageLimit(price)

    /** A time far ahead of this clock is as unreliable as an old time. */
    const current = (price: Price, now: number) => Math.abs(now - price.updatedAt) <= ageLimit(price)

    /** Sources without a monthly budget: the only ones that are queried for ids that may belong to no coin. */
    const unmetered = sources.filter(({ scarce }) => scarce !== true)

    const query = querying(registry, facts, outlierGuard, current, yield* Upstreams.logFailure)
    const countPrices = priceCounter()
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

    /** Caches the result of the sources: a price, or no price if the new price is refused. */
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
        const prices = split(ids, (id) => {
          const price = Option.isSome(lookup) ? lookup.value.found.get(id) : cache.current(id, now)
          if (price !== undefined && current(price, now)) return Either.right(price)
          if (Option.isNone(lookup)) return Either.left(isWellFormed(id) ? "timeout" : "no_price")
          return Either.left(lookup.value.failed.get(id)?.reason ?? "no_price")
        })
        countPrices(yield* CurrentTally, prices, yield* registry.coinIds)
        return prices
      }, span("Pricing.prices")),
      facts: Effect.fnUntraced(function* (ids) {
        yield* facts.recall(ids)
        const lists = [...(yield* registry.lists).values()]
        return namesOf(ids, (id) => facts.of(id) ?? CoinFacts.ofToken(lists, id))
      }),
      refresh: Effect.fn("Pricing.refresh")((ids) => update(unmetered, ids)),
      accept: Effect.fnUntraced(function* (source, prices) {
        const others = sources.filter(({ name }) => name !== source)
        yield* update(others, [], prices)
      }, span("Pricing.take")),
      recall: cache.recall,
      sources: Effect.succeed(sources.map(({ name }) => name)),
      memory: Effect.succeed({ current: currentPrice, version: cache.version, maxAge, expires })
    })
  })

/** Every coin id has this form. A malformed id in a call could cost the prices of all other ids in the call. */
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
