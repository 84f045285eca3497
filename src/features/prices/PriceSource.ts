import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import { unreadable } from "../../upstream/ResponseDecoder.ts"
import type { Standing } from "../../upstream/Sources.ts"
import { UpstreamError } from "../../upstream/UpstreamError.ts"

/** Where a coin lives: a chain as DefiLlama names it, and an address there. */
export interface Contract {
  readonly chain: string
  readonly address: string
}

/** Where prices come from: one layer a source, joined in the chain of `Pricing.ts`. */
export class PriceSource extends Context.Tag("features/prices/PriceSource")<
  PriceSource,
  {
    /** As `source` of a price names it. */
    readonly name: string
    /** Its calls are counted by the month: only what clients ask for is asked of it. */
    readonly scarce?: boolean
    /** Its prices may be this old by default, ms; absent where they may be as old as those of most sources. */
    readonly maxAge?: number
    /** So many ids it is asked for at once. */
    readonly most: number
    /** At most {@link most} ids; those without a usable price are left out. Contracts help a source that does not know an id. */
    readonly prices: (
      ids: ReadonlyArray<CoinId>,
      contractsOf?: (id: CoinId) => ReadonlyArray<Contract>
    ) => Effect.Effect<ReadonlyArray<Price>, UpstreamError>
    /** How it stands among the others: whether it rests after failures, or has used up its budget. */
    readonly standing: Effect.Effect<Standing>
  }
>() {}

/** What a source throws costs the coins that it was asked for, as a wrong answer does. */
export const sound = (source: Context.Tag.Service<PriceSource>): Context.Tag.Service<PriceSource> => ({
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
