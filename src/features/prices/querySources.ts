import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Data from "effect/Data"
import * as Effect from "effect/Effect"
import * as Equal from "effect/Equal"
import * as Metric from "effect/Metric"
import * as MetricLabel from "effect/MetricLabel"
import * as Catalogue from "../../catalogue/Catalogue.ts"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import { each } from "../../kernel/each.ts"
import type { TokenList, TokenRegistry } from "../../providers/TokenRegistry.ts"
import type { LogFailure } from "../../upstream/FailureLog.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import type * as CoinFacts from "./CoinFacts.ts"
import type * as OutlierGuard from "./OutlierGuard.ts"
import { confirms, isDoubtful } from "./OutlierGuard.ts"
import type { Contract, PriceSource } from "./PriceSource.ts"

type PricedSource = Context.Tag.Service<PriceSource>

const jumps = Metric.counter("price_jumps_total", {
  description: "Prices that were too far from the last one to be accepted at once, by what a second source returned",
  incremental: true
})

const countJumps = (outcome: "refused" | "confirmed", count: number): void =>
  jumps.unsafeUpdate(count, [MetricLabel.make("outcome", outcome)])

export interface PriceQuery {
  /** Whether a price is recent enough. */
  readonly current: (price: Price, now: number) => boolean
  /** The last accepted price. */
  readonly last: (id: CoinId) => Price | undefined
  readonly contractsOf: (id: CoinId) => ReadonlyArray<Contract>
  readonly logFailure: LogFailure
}

/** A coin in none of the three has no price. */
export interface PriceQueryResult {
  readonly found: ReadonlyMap<CoinId, Price>
  /** A source that might know the coin failed, and no other returned it. */
  readonly failed: ReadonlyMap<CoinId, UpstreamError>
  /** Coins with a doubtful price, of which no two sources agree: they get no price. */
  readonly refused: ReadonlyArray<CoinId>
}

/** The prices that a source has of these coins, in as many calls as needed; a failed call costs only its own coins. */
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
 * Requests from each source the coins that the sources before it did not return, or only with a doubtful price; see
 * {@link Sources.first}. `before` are prices that were returned without a request. Cannot fail.
 */
export const querySources = Effect.fnUntraced(function* (
  sources: ReadonlyArray<PricedSource>,
  ids: ReadonlyArray<CoinId>,
  { contractsOf, current, last, logFailure }: PriceQuery,
  before: ReadonlyArray<Price> = []
) {
  const found = new Map<CoinId, Price>()
  /** The prices of coins whose first one was doubtful. */
  const doubtful = new Map<CoinId, Array<Price>>()
  const failed = new Map<CoinId, UpstreamError>()
  const take = (price: Price, now: number) => {
    if (!current(price, now) || found.has(price.coinId)) return
    const others = doubtful.get(price.coinId)
    const confirmed = others?.find((other) => other.source !== price.source && confirms(price, other))
    if (confirmed !== undefined) found.set(price.coinId, confirmed)
    else if (others !== undefined) others.push(price)
    else if (isDoubtful(price, last(price.coinId))) doubtful.set(price.coinId, [price])
    else found.set(price.coinId, price)
  }
  const started = yield* Clock.currentTimeMillis
  for (const price of before) take(price, started)
  const open = () => [...new Set([...ids, ...doubtful.keys()])].filter((id) => !found.has(id))
  const from = (source: PricedSource) =>
    Effect.gen(function* () {
      const left = open()
      if (left.length === 0) return
      const requested = new Set(left)
      const responses = yield* pages(source, left, { contractsOf, logFailure })
      const now = yield* Clock.currentTimeMillis
      for (const page of responses) {
        for (const price of page.prices) if (requested.has(price.coinId)) take(price, now)
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

/** The prices that sources return, completed with names; remembers which prices were refused. */
export const querying = (
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
    // An equal price stays the same object, so that responses made of it stay current. A source that lags behind another
    // does not replace the newer price.
    const merged = prices.map((price) => {
      const before = cached(price.coinId)
      if (before === undefined) return price
      const lags = before.source !== price.source && before.updatedAt > price.updatedAt && before.updatedAt <= now
      return lags || Equal.equals(Data.struct(before), Data.struct(price)) ? before : price
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
      const chain = token === undefined ? undefined : chains.get(platform)
      if (token !== undefined && chain !== undefined) contracts.push({ chain, address: token.address })
    }
    return contracts
  }

/** The chains of platforms, as DefiLlama names them. */
const chains: ReadonlyMap<string, string> = new Map(
  Catalogue.all.flatMap(({ llama, platform }) =>
    platform === undefined || llama === undefined ? [] : [[platform, llama]]
  )
)

const incomplete = "incomplete"

/** The most characters of the ids in one call: they have to fit into a URL. */
const longestPage = 6_000

/** The ids in a fixed order, so that equal requests have equal URLs. */
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
