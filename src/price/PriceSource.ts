import * as Context from "effect/Context"
import type * as Effect from "effect/Effect"
import type { CoinId } from "../domain/CoinId.ts"
import type { Price } from "../domain/Price.ts"
import type { UpstreamError } from "../upstreams/UpstreamError.ts"

/** Where prices come from: one layer a source, joined in the chain of `Pricing.ts`. */
export class PriceSource extends Context.Tag("price/PriceSource")<
  PriceSource,
  {
    /** As `source` of a price names it. */
    readonly name: string
    /** Any number of ids; those without a usable price are left out. */
    readonly prices: (ids: ReadonlyArray<CoinId>) => Effect.Effect<ReadonlyArray<Price>, UpstreamError>
  }
>() {}
