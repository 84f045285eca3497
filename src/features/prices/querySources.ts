import * as Clock from "effect/Clock"
import type * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Metric from "effect/Metric"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import { each } from "../../kernel/each.ts"
import * as Sources from "../../upstream/Sources.ts"
import type { UpstreamError } from "../../upstream/UpstreamError.ts"
import { confirms, isDoubtful } from "./OutlierGuard.ts"
import type { Contract, PriceSource } from "./PriceSource.ts"

type Source = Context.Tag.Service<PriceSource>

const jumps = Metric.counter("price_jumps_total", {
  description: "Prices that were too far from the last one to be believed at once, by what a second source said",
  incremental: true
})

export interface PriceQuery {
  /** Whether a price is young enough. */
  readonly current: (price: Price, now: number) => boolean
  /** The price that was last believed. */
  readonly last: (id: CoinId) => Price | undefined
  readonly contractsOf: (id: CoinId) => ReadonlyArray<Contract>
}

/** A coin in none of them has no price. */
export interface PriceQueryResult {
  readonly found: ReadonlyMap<CoinId, Price>
  /** A source that might know the coin did not answer, and no other knew it. */
  readonly failed: ReadonlyMap<CoinId, UpstreamError>
  /** Coins that seem to have a price which nobody confirmed: better none. */
  readonly refused: ReadonlyArray<CoinId>
}

/** What a source says of these coins, in as many calls as it takes; a call that fails costs only its own coins. */
const pages = (source: Source, ids: ReadonlyArray<CoinId>, contractsOf: PriceQuery["contractsOf"]) =>
  each(pagesOf(ids, source.most), (page) =>
    source.prices(page, contractsOf).pipe(
      Effect.map((prices) => ({ prices, failed: [] as ReadonlyArray<readonly [CoinId, UpstreamError]> })),
      Effect.catchTag("UpstreamError", (error) =>
        Effect.as(Effect.logWarning("a price source failed", error.message), {
          prices: [] as ReadonlyArray<Price>,
          failed: page.map((id) => [id, error] as const)
        })
      )
    )
  )

/**
 * Asks each source for what those before it did not tell, or did not tell credibly, as {@link Sources.first} does. Begins with what has been told already
 * without being asked for. Cannot fail.
 */
export const ask = Effect.fnUntraced(function* (
  sources: ReadonlyArray<Source>,
  ids: ReadonlyArray<CoinId>,
  { contractsOf, current, last }: PriceQuery,
  before: ReadonlyArray<Price> = []
) {
  const found = new Map<CoinId, Price>()
  const doubtful = new Map<CoinId, Price>()
  const failed = new Map<CoinId, UpstreamError>()
  const take = (price: Price, now: number) => {
    const first = doubtful.get(price.coinId)
    if (!current(price, now) || found.has(price.coinId)) return
    if (first !== undefined) {
      if (price.source !== first.source && confirms(price, first)) found.set(price.coinId, first)
    } else if (isDoubtful(price, last(price.coinId))) doubtful.set(price.coinId, price)
    else found.set(price.coinId, price)
  }
  const started = yield* Clock.currentTimeMillis
  for (const price of before) take(price, started)
  const open = () => [...new Set([...ids, ...doubtful.keys()])].filter((id) => !found.has(id))
  const from = (source: Source) =>
    Effect.gen(function* () {
      const left = open()
      if (left.length === 0) return
      const wanted = new Set(left)
      const told = yield* pages(source, left, contractsOf)
      const now = yield* Clock.currentTimeMillis
      for (const page of told) {
        for (const price of page.prices) if (wanted.has(price.coinId)) take(price, now)
        for (const [id, error] of page.failed) if (!failed.has(id)) failed.set(id, error)
      }
      if (open().length > 0) return yield* Effect.fail(incomplete)
    })
  yield* Effect.ignore(Sources.first(sources, from, { none: incomplete }))
  const refused = [...doubtful.keys()].filter((id) => !found.has(id))
  for (const id of [...found.keys(), ...refused]) failed.delete(id)
  if (doubtful.size > 0) {
    yield* Metric.incrementBy(Metric.tagged(jumps, "outcome", "refused"), refused.length)
    yield* Metric.incrementBy(Metric.tagged(jumps, "outcome", "confirmed"), doubtful.size - refused.length)
  }
  return { found, failed, refused } satisfies PriceQueryResult as PriceQueryResult
})

const incomplete = "incomplete"

/** No longer than this is the list of ids in one call: it has to fit into an address. */
const longestPage = 6_000

/** The ids in one order, so that equal questions have equal addresses. */
const pagesOf = (ids: ReadonlyArray<CoinId>, most: number): ReadonlyArray<ReadonlyArray<CoinId>> => {
  const pages: Array<Array<CoinId>> = []
  let length = 0
  for (const id of [...ids].sort()) {
    const page = pages.at(-1)
    if (page === undefined || page.length === most || length + id.length > longestPage) {
      pages.push([id])
      length = 0
    } else page.push(id)
    length += id.length + 1
  }
  return pages
}
