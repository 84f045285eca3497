import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import * as declare from "../../settings/declare.ts"
import { priceAgeBounds, priceMaxAge } from "../../settings/variables.ts"
import { unreadable } from "../../upstream/response/ResponseDecoder.ts"
import type { Standing } from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"

/** Maximum age of prices, counted from the last update by their source. */
export const priceAges = Effect.fnUntraced(function* (
  sources: ReadonlyArray<{ readonly name: string; readonly maxAge?: number }>
) {
  const maxAge = yield* priceMaxAge
  const ages = new Map<string, number>()
  for (const source of sources)
    ages.set(
      source.name,
      yield* declare.integer({
        ...priceAgeBounds,
        name: `${source.name.toUpperCase()}_PRICE_MAX_AGE_MS`,
        default: source.maxAge ?? maxAge,
        meaning: `PRICE_MAX_AGE_MS for the prices of ${source.name}`
      })
    )
  return {
    /** The default limit, for sources without a separate limit, ms. */
    maxAge,
    /** The longest limit of all sources, ms. */
    longest: Math.max(maxAge, ...ages.values()),
    /** The age limit of a price, ms. */
    ageLimit: ({ source }: Price): number => ages.get(source) ?? maxAge
  }
})

/** The contract of a coin: DefiLlama's name of the chain, and an address on it. */
export interface Contract {
  readonly chain: string
  readonly address: string
}

/** A source of prices: one layer per source, listed in `PriceSources.ts`. */
export class PriceSource extends Context.Tag("features/prices/PriceSource")<
  PriceSource,
  {
    /** The `source` of its prices. */
    readonly name: string
    /** Whether it has a monthly budget: it is then queried only for coins that clients request. */
    readonly scarce?: boolean
    /** The default age limit of its prices, ms; absent for the common default. */
    readonly maxAge?: number
    /** Maximum number of ids per call. */
    readonly batchSize: number
    /** At most {@link batchSize} ids; omits unpriced ids. Contracts help if the source does not know an id. */
    readonly prices: (
      ids: ReadonlyArray<CoinId>,
      contractsOf?: (id: CoinId) => ReadonlyArray<Contract>
    ) => Effect.Effect<ReadonlyArray<Price>, UpstreamError>
    /** Whether it is available: its circuit may be open or its budget used up. */
    readonly standing: Effect.Effect<Standing>
  }
>() {}

/** Turns a defect of a source into an error for the requested coins, like an unreadable response. */
export const withDefectsAsErrors = (source: Context.Tag.Service<PriceSource>): Context.Tag.Service<PriceSource> => ({
  ...source,
  prices: (ids, contractsOf) =>
    Effect.catchAllDefect(
      Effect.suspend(() => source.prices(ids, contractsOf)),
      (defect) =>
        Effect.zipRight(
          Effect.logError(`${source.name}: internal error`, defect),
          new UpstreamError({ upstream: source.name, ...unreadable })
        )
    )
})
