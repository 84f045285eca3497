import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Layer from "effect/Layer"
import type * as Networks from "./chains/Networks.ts"
import type * as PriceSources from "./features/prices/sources/PriceSources.ts"
import type { Store } from "./storage/Store.ts"

/** What an application is made of, where it is not what the service has by itself. What is given wins. */
export interface Parts<N extends Networks.NetworkPart, S extends PriceSources.PriceSourceLayer> {
  /** Every network that it knows; without it the registered ones and those of EXTRA_EVM_NETWORKS. */
  readonly networks?: ReadonlyArray<N>
  /** The sources of prices, in the order in which they are queried. */
  readonly prices?: ReadonlyArray<S>
}

/** What an application stands on, where it is not what its variables choose. What is given wins. */
export interface Infrastructure<EU, RU, ES, RS> {
  /** The HTTP client of all calls to upstreams; without it the one that UPSTREAMS chooses. */
  readonly upstreams?: Layer.Layer<HttpClient.HttpClient, EU, RU>
  /** Where it caches; without it the store that CACHE chooses. */
  readonly store?: Layer.Layer<Store, ES, RS>
}

/** The layer that is given, or the service's own. */
export const either = <I, E, R, E2, R2>(
  given: Layer.Layer<I, E, R> | undefined,
  own: Layer.Layer<I, E2, R2>
): Layer.Layer<I, E | E2, R | R2> => given ?? own
