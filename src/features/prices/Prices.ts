import type { CoinId } from "../../domain/CoinId.ts"
import type { Price } from "../../domain/Price.ts"
import type { Reason } from "../../domain/Reason.ts"

/** Each requested coin is in exactly one of the maps. */
export interface Prices {
  readonly found: ReadonlyMap<CoinId, Price>
  /** Why there is no price. */
  readonly missing: ReadonlyMap<CoinId, Reason>
}

/** The prices in memory. */
export interface PriceMemory {
  /** The price of a coin, if it is current at this time (ms). */
  readonly current: (id: CoinId, now: number) => Price | undefined
  /** Increases whenever a price changes. */
  readonly version: () => number
  /** Maximum age of a price whose source has no separate limit, ms. */
  readonly maxAge: number
  /** When a price stops being current (ms): at the age limit of its source. */
  readonly expires: (price: Price) => number
}
