import type * as HttpClient from "@effect/platform/HttpClient"
import type * as Layer from "effect/Layer"
import type * as Networks from "./chains/Networks.ts"
import type * as PriceSources from "./features/prices/sources/PriceSources.ts"
import type { Store } from "./storage/Store.ts"

/** Parts of an application that replace those of the standard service. */
export interface Parts<N extends Networks.NetworkInput, S extends PriceSources.PriceSourceLayer> {
  /** All networks; by default the registered ones and those of EXTRA_EVM_NETWORKS. */
  readonly networks?: ReadonlyArray<N>
  /** All price sources, in the order in which they are queried. */
  readonly prices?: ReadonlyArray<S>
}

/** Infrastructure of an application that replaces what its variables choose. */
export interface Infrastructure<EU, RU, ES, RS> {
  /** The HTTP client for all calls to upstreams; by default the one that UPSTREAMS chooses. */
  readonly upstreams?: Layer.Layer<HttpClient.HttpClient, EU, RU>
  /** The store of its caches; by default the one that CACHE chooses. */
  readonly store?: Layer.Layer<Store, ES, RS>
}

/** The given layer, or else the default. */
export const orDefault = <I, E, R, E2, R2>(
  given: Layer.Layer<I, E, R> | undefined,
  own: Layer.Layer<I, E2, R2>
): Layer.Layer<I, E | E2, R | R2> => given ?? own
