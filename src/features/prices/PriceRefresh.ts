import * as Arr from "effect/Array"
import * as Clock from "effect/Clock"
import * as Context from "effect/Context"
import * as Deferred from "effect/Deferred"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Metric from "effect/Metric"
import type { ChainFacts } from "../../catalogue/NetworkFacts.ts"
import { Chains } from "../../chains/Chains.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import { CoinGecko, marketsPerCall } from "../../providers/CoinGecko.ts"
import { type TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import * as declare from "../../settings/declare.ts"
import * as Lease from "../../storage/Lease.ts"
import * as FailureLog from "../../upstream/FailureLog.ts"
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import { Pricing } from "./Pricing.ts"
import { toPrices } from "./sources/CoinGeckoPrices.ts"

/**
 * Keeps the prices of all tokens of the chains with a chain id current: those of the largest coins from CoinGecko's pages,
 * as many as its monthly budget allows, and all others from the sources without a monthly budget.
 */
export class PriceRefresh extends Context.Tag("features/prices/PriceRefresh")<
  PriceRefresh,
  {
    /** Whether every coin of a platform's first token list has been requested; a list may arrive long after the start. */
    readonly covers: (platform: string) => boolean
    /** Waits until the largest coins have been requested once. */
    readonly begun: Effect.Effect<void>
    /** Refreshes for as long as it runs; does nothing where the operator has switched it off. */
    readonly keepFresh: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    PriceRefresh,
    Effect.suspend(() => make)
  )

  /** Refreshes nothing; every platform counts as covered. */
  static readonly layerNone = Layer.succeed(PriceRefresh, {
    covers: () => true,
    begun: Effect.void,
    keepFresh: Effect.void
  })
}

/** The default period, ms, and how many pages of the largest coins it takes, by CoinGecko's plan. */
const plans = {
  // 144 calls a day of the 322 that 10,000 a month are; charts take about 112 (chart/Charts.ts).
  keyless: { every: 600_000, pages: 1 },
  demo: { every: 600_000, pages: 1 },
  // 1,440 calls a day of the 3,225 that 100,000 a month are.
  pro: { every: 300_000, pages: 5 }
}

/** How long a lease lasts without a renewal; a step waits at most a minute for a permit. */
const leaseTime = "3 minutes"

/** The coins of one step. */
const step = 200

/** About as long as a round takes, ms: a price that lasts until the end of the next round is not requested. */
const slack = 120_000

/** How soon the coins of a new token list are noticed, ms. */
const checkEvery = 15_000

/** How often a process without the lease reads what the leading process has stored, ms. */
const followEvery = 60_000

const size = Metric.gauge("price_refresh_coins", { description: "Coins whose prices are refreshed in the background" })

const period = (usual: number) =>
  declare.integer({
    name: "PRICE_REFRESH_MS",
    default: usual,
    min: 0,
    max: 86_400_000,
    meaning: "How often prices are refreshed in the background, in milliseconds; 0: never"
  })

/** Every coin with a price on some chain. */
const coinsOf = (networks: ReadonlyArray<ChainFacts>, lists: ReadonlyMap<string, TokenList>): ReadonlyArray<CoinId> => {
  const ids = new Set<CoinId>()
  for (const info of networks) {
    if (info.chainId === undefined) continue
    if (`${info.native.coinId}` !== "") ids.add(info.native.coinId)
    for (const { coinId } of lists.get(info.platform ?? "")?.tokens ?? []) ids.add(coinId)
  }
  return [...ids]
}

/** These coins in batches, so that the lease is renewed and requests are answered in between. */
const stepwise = (ids: ReadonlyArray<CoinId>, use: (some: ReadonlyArray<CoinId>) => Effect.Effect<void>) =>
  Effect.forEach(Arr.chunksOf(ids, step), use, { discard: true })

const make = Effect.gen(function* () {
  const coingecko = yield* CoinGecko
  const pricing = yield* Pricing
  const registry = yield* TokenRegistry
  const { facts } = yield* Chains
  const plan = plans[coingecko.plan]
  const every = yield* period(plan.every)
  const logFailure = yield* FailureLog.make
  const lease = yield* Lease.make("prices", leaseTime)
  const begun = yield* Deferred.make<void>()
  const memory = yield* pricing.memory

  /** None where prices come from elsewhere. */
  const pages = (yield* pricing.sources).includes("coingecko") ? plan.pages : 0

  /** The largest coins, one page per call; ends at the first page that fails. */
  const largest = Effect.gen(function* () {
    for (let page = 1; page <= pages && (yield* lease.claim); page++) {
      const markets = yield* coingecko.largest(page)
      yield* pricing.take("coingecko", toPrices(markets))
      if (markets.length < marketsPerCall) return
    }
  }).pipe(
    Effect.catchTag("UpstreamError", (error) => logFailure("the list of the largest coins could not be fetched", error))
  )

  const refresh = (ids: ReadonlyArray<CoinId>) =>
    stepwise(ids, (some) =>
      Effect.gen(function* () {
        const now = yield* Clock.currentTimeMillis
        const lasting = (id: CoinId) => (memory.current(id, now)?.updatedAt ?? 0) + memory.maxAge > now + every + slack
        const due = some.filter((id) => !lasting(id))
        if (due.length > 0 && (yield* lease.claim)) yield* pricing.refresh(due)
      })
    )

  const requested = new Set<CoinId>()
  const covered = new Set<string>()
  let next = 0

  /** A full round where it is due, otherwise the coins of new token lists. Returns the time to the next check, ms. */
  const check = Effect.gen(function* () {
    const lists = yield* registry.lists
    const platforms = [...lists.keys()]
    const ids = coinsOf(facts, lists)
    const now = yield* Clock.currentTimeMillis
    const leading = yield* lease.claim
    const fresh = ids.filter((id) => !requested.has(id))
    yield* stepwise(leading ? fresh : ids, pricing.recall)
    if (leading) {
      const due = now >= next
      if (due) {
        next = now + every
        yield* largest
      }
      yield* Deferred.succeed(begun, undefined)
      yield* refresh(due ? ids : fresh)
      yield* Metric.set(size, ids.length)
    }
    for (const id of ids) requested.add(id)
    for (const platform of platforms) covered.add(platform)
    return leading ? Math.min(Math.max(0, next - (yield* Clock.currentTimeMillis)), checkEvery) : followEvery
  }).pipe(
    Effect.provideService(CurrentPriority, priorities.refresh),
    Effect.catchAllCause((cause) => Effect.as(Effect.logError("a price refresh failed", cause), checkEvery)),
    Effect.ensuring(Deferred.succeed(begun, undefined))
  )

  if (every === 0) yield* Deferred.succeed(begun, undefined)
  return {
    covers: (platform: string) => every === 0 || covered.has(platform),
    begun: Deferred.await(begun),
    keepFresh: every === 0 ? Effect.void : Effect.forever(Effect.flatMap(check, Effect.sleep))
  }
})
