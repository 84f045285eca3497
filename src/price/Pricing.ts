import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import { CoinId } from "../domain/CoinId.ts"
import { Price } from "../domain/Price.ts"
import type { Reason } from "../domain/Reason.ts"
import { collect } from "../effect/collect.ts"
import * as declare from "../settings/declare.ts"
import * as Cache from "../stores/Cache.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"
import { PriceSource } from "./PriceSource.ts"
import * as CoinGecko from "./sources/CoinGecko.ts"
import * as DefiLlama from "./sources/DefiLlama.ts"

/** Each coin is in one of the two. */
export interface Prices {
  readonly found: ReadonlyMap<CoinId, Price>
  /** Why there is no price. */
  readonly missing: ReadonlyMap<CoinId, Reason>
}

/** Current prices by coin id, from a chain of sources. */
export class Pricing extends Context.Tag("price/Pricing")<
  Pricing,
  {
    /** Cannot fail: a coin without a current price is in `missing`. Ids are asked of the sources once, however often they stand. */
    readonly prices: (ids: ReadonlyArray<CoinId>) => Effect.Effect<Prices>
  }
>() {
  /** Each source is asked for what those before it did not tell. */
  static readonly fromLayers = <E, R>(layers: ReadonlyArray<Layer.Layer<PriceSource, E, R>>) =>
    Layer.scoped(
      Pricing,
      Effect.flatMap(collect(PriceSource, layers), (sources) => make(sources))
    )

  /** One line a source, in the order in which they are asked. */
  static readonly layer = Pricing.fromLayers<
    Layer.Layer.Error<typeof CoinGecko.layer | typeof DefiLlama.layer>,
    Layer.Layer.Context<typeof CoinGecko.layer | typeof DefiLlama.layer>
  >([CoinGecko.layer, DefiLlama.layer])

  /** Fixed prices; every other coin has none. */
  static readonly layerTest = (usd: Readonly<Record<string, number>>) =>
    Layer.succeed(Pricing, {
      prices: (ids) =>
        Effect.map(Clock.currentTimeMillis, (updatedAt) =>
          split(ids, (coinId) => {
            const value = usd[coinId]
            return value === undefined
              ? Either.left("no_price" as const)
              : Either.right({ coinId, usd: value, updatedAt, source: "test" })
          })
        )
    })
}

/** Coins whose price is held. */
const capacity = 50_000

const make = (sources: ReadonlyArray<Context.Tag.Service<PriceSource>>) =>
  Effect.gen(function* () {
    const maxAge = yield* declare.integer({
      name: "PRICE_MAX_AGE_MS",
      default: 900_000,
      min: 1_000,
      max: 86_400_000,
      meaning: "A price that its source last changed longer ago is not served, in milliseconds"
    })

    /** A time well ahead of ours is no time to rely on. */
    const current = (price: Price, now: number) => Math.abs(now - price.updatedAt) <= maxAge

    /** What a source says of these coins, asked in as many calls as it needs; a call that fails costs only its own coins. */
    const told = (source: Context.Tag.Service<PriceSource>, ids: ReadonlyArray<CoinId>) =>
      Effect.forEach(
        pagesOf(ids, source.most),
        (page) =>
          source
            .prices(page, () => [])
            .pipe(
              Effect.map((prices) => ({ prices, failed: [] as ReadonlyArray<readonly [string, UpstreamError]> })),
              Effect.catchTag("UpstreamError", (error) =>
                Effect.as(Effect.logWarning("a price source does not answer", error.message), {
                  prices: [] as ReadonlyArray<Price>,
                  failed: page.map((id) => [id, error] as const)
                })
              )
            ),
        { concurrency: "unbounded" }
      )

    /** A coin fails where nobody who answered knows it, and not all answered: then it is not known whether it has a price. */
    const lookup = Effect.fn("Pricing.lookup")(function* (ids: ReadonlyArray<string>) {
      const found = new Map<string, Price>()
      const failed = new Map<string, UpstreamError>()
      const now = yield* Clock.currentTimeMillis
      for (const source of sources) {
        const left = ids.filter((id) => !found.has(id)).map((id) => CoinId.make(id))
        if (left.length === 0) break
        for (const page of yield* told(source, left)) {
          for (const price of page.prices) if (current(price, now)) found.set(price.coinId, price)
          for (const [id, error] of page.failed) if (!failed.has(id)) failed.set(id, error)
        }
      }
      for (const id of found.keys()) failed.delete(id)
      return { found, failed }
    })

    const fresh = Math.min(60_000, maxAge)
    const cache = yield* Cache.make({
      name: "prices",
      version: 1,
      schema: Price,
      fresh,
      stale: maxAge - fresh,
      absent: 60_000,
      failure: 2_000,
      capacity,
      window: 2,
      batch: 250,
      lookup
    })

    return Pricing.of({
      prices: Effect.fn("Pricing.prices")(function* (ids) {
        const { failed, found } = yield* cache.getMany(ids)
        const now = yield* Clock.currentTimeMillis
        return split(ids, (id) => {
          const price = found.get(id)
          if (price !== undefined && current(price, now)) return Either.right(price)
          return Either.left(failed.get(id)?.reason ?? "no_price")
        })
      })
    })
  })

/** No longer than this is the list of ids in one call: an address has to fit in a line. */
const longestPage = 6_000

const pagesOf = (ids: ReadonlyArray<CoinId>, most: number): ReadonlyArray<ReadonlyArray<CoinId>> => {
  const pages: Array<Array<CoinId>> = []
  let length = 0
  for (const id of [...ids].sort()) {
    const last = pages.at(-1)
    if (last === undefined || last.length === most || length + id.length > longestPage) {
      pages.push([id])
      length = id.length
    } else {
      last.push(id)
      length += id.length + 1
    }
  }
  return pages
}

const split = (ids: ReadonlyArray<CoinId>, one: (id: CoinId) => Either.Either<Price, Reason>): Prices => {
  const found = new Map<CoinId, Price>()
  const missing = new Map<CoinId, Reason>()
  for (const id of new Set(ids))
    Either.match(one(id), {
      onLeft: (reason) => missing.set(id, reason),
      onRight: (price) => found.set(id, price)
    })
  return { found, missing }
}
