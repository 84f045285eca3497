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
import { CurrentPriority, priorities } from "../../upstream/Priority.ts"
import { Upstreams } from "../../upstream/Upstreams.ts"
import { Pricing } from "./Pricing.ts"
import { toPrices } from "./sources/CoinGeckoPrices.ts"

/**
 * Keeps the prices of all tokens current on chains with a chain id. The largest coins come from CoinGecko's pages,
 * within its monthly budget, and all others from sources without a monthly budget.
 */
export class PriceRefresh extends Context.Tag("features/prices/PriceRefresh")<
  PriceRefresh,
  {
    /** Whether every coin of a platform's first token list has been requested. A list may load long after the start. */
    readonly covers: (platform: string) => boolean
    /** Waits until the largest coins have been requested once. */
    readonly firstPassDone: Effect.Effect<void>
    /** Refreshes while it runs; does nothing if the operator has disabled it. */
    readonly keepFresh: Effect.Effect<void>
  }
>() {
  static readonly layer = Layer.scoped(
    PriceRefresh,
    Effect.suspend(() => make)
  )
}

/** The default period, ms, and the number of pages of the largest coins per period, by CoinGecko's plan. */
const plans = {
  // 144 of 322 calls per day (10,000 per month); charts take about 112 (charts/Charts.ts).
  keyless: { every: 600_000, pages: 1 },
  demo: { every: 600_000, pages: 1 },
  // 1,440 of 3,225 calls per day (100,000 per month).
  pro: { every: 300_000, pages: 5 }
}

/** How long a lease lasts without a renewal; a step waits at most a minute for a permit. */
const leaseTime = "3 minutes"

const step = 200

/** Approximate duration of a round, ms: a price that lasts until the end of the next round is not requested. */
const slack = 120_000

/** How often to check for coins of new token lists, ms. */
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

/** Every coin with a price on any chain. */
const coinsOf = (networks: ReadonlyArray<ChainFacts>, lists: ReadonlyMap<string, TokenList>): ReadonlyArray<CoinId> => {
  const ids = new Set<CoinId>()
  for (const info of networks) {
    if (info.chainId === undefined) continue
    if (`${info.native.coinId}` !== "") ids.add(info.native.coinId)
    for (const { coinId } of lists.get(info.platform ?? "")?.tokens ?? []) ids.add(coinId)
  }
  return [...ids]
}

/** Processes coins in batches, so that the lease is renewed and requests are handled in between. */
const stepwise = (ids: ReadonlyArray<CoinId>, use: (some: ReadonlyArray<CoinId>) => Effect.Effect<void>) =>
  Effect.forEach(
    Array.from({ length: Math.ceil(ids.length / step) }, (_, index) => index * step),
    (from) => use(ids.slice(from, from + step)),
    { discard: true }
  )

const make = Effect.gen(function* () {
  const coingecko = yield* CoinGecko
  const pricing = yield* Pricing
  const registry = yield* TokenRegistry
  const { facts } = yield* Chains
  const plan = plans[coingecko.plan]
  const every = yield* period(plan.every)
  const logFailure = yield* Upstreams.logFailure
  const lease = yield* Lease.make("prices", leaseTime)
  const firstPassDone = yield* Deferred.make<void>()
  const memory = yield* pricing.memory

  /** 0 if CoinGecko is not a price source. */
  const pages = (yield* pricing.sources).includes("coingecko") ? plan.pages : 0

  /** The largest coins, one page per call; ends at the first page that fails. */
  const largest = Effect.gen(function* () {
    for (let page = 1; page <= pages && (yield* lease.claim); page++) {
      const markets = yield* coingecko.largest(page)
      yield* pricing.accept("coingecko", toPrices(markets))
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

  /** Runs a full round if due, otherwise refreshes coins of new token lists. Returns ms until the next check. */
  const check = Effect.gen(function* () {
    const lists = yield* registry.lists
    const platforms = [...lists.keys()]
    const ids = coinsOf(facts, lists)
    const now = yield* Clock.currentTimeMillis
    const leading = yield* lease.claim
    const fresh = ids.filter((id) => !requested.has(id))
    yield* stepwise(leading ? fresh : ids, pricing.recall)
    if (leading) {
      // A clock that was set back must not stop the refresh.
      const due = now >= next || next > now + every
      if (due) {
        next = now + every
        yield* largest
      }
      yield* Deferred.succeed(firstPassDone, undefined)
      yield* refresh(due ? ids : fresh)
      yield* Metric.set(size, ids.length)
    }
    for (const id of ids) requested.add(id)
    for (const platform of platforms) covered.add(platform)
    return leading ? Math.min(Math.max(0, next - (yield* Clock.currentTimeMillis)), checkEvery) : followEvery
  }).pipe(
    Effect.provideService(CurrentPriority, priorities.refresh),
    Effect.catchAllCause((cause) => Effect.as(Effect.logError("a price refresh failed", cause), checkEvery)),
    Effect.ensuring(Deferred.succeed(firstPassDone, undefined))
  )

  if (every === 0) yield* Deferred.succeed(firstPassDone, undefined)
  return {
    covers: (platform: string) => every === 0 || covered.has(platform),
    firstPassDone: Deferred.await(firstPassDone),
    keepFresh: every === 0 ? Effect.void : Effect.forever(Effect.flatMap(check, Effect.sleep))
  }
})
