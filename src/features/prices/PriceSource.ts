import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import { unreadable } from "../../upstream/response/ResponseDecoder.ts"
import type { Standing } from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"

/** The contract of a coin: a chain as DefiLlama names it, and an address there. */
export interface Contract {
  readonly chain: string
  readonly address: string
}

/** A source of prices: one layer per source, listed in `Pricing.ts`. */
export class PriceSource extends Context.Tag("features/prices/PriceSource")<
  PriceSource,
  {
    /** As `source` of a price names it. */
    readonly name: string
    /** It has a monthly budget: only coins that clients request are requested from it. */
    readonly scarce?: boolean
    /** The default age limit of its prices, ms; absent for the common default. */
    readonly maxAge?: number
    /** The number of ids in one call. */
    readonly batchSize: number
    /** At most {@link batchSize} ids; those without a usable price are left out. Contracts help a source that does not know an id. */
    readonly prices: (
      ids: ReadonlyArray<CoinId>,
      contractsOf?: (id: CoinId) => ReadonlyArray<Contract>
    ) => Effect.Effect<ReadonlyArray<Price>, UpstreamError>
    /** Whether it is available: its circuit may be open after failures, or its budget used up. */
    readonly standing: Effect.Effect<Standing>
  }
>() {}

/** A defect of a source costs the requested coins, as an unreadable response does. */
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
