/**
 * The service as a library: `wallet-data`. An application is {@link App.serviceOf} with your own parts, over
 * {@link App.settings}; the other exports are for writing such parts. Runs on Bun. `wallet-data/testing` tests such
 * applications; `wallet-data/client` and `wallet-data/effect` are clients of a running service.
 *
 * ```ts
 * import { BunRuntime } from "@effect/platform-bun"
 * import { Layer } from "effect"
 * import { App, Networks, Prices } from "wallet-data"
 *
 * App.serviceOf({ networks: [...Networks.all, myNetwork], prices: [myPrices, ...Prices.all] }).pipe(
 *   Layer.provide(App.settings(process.env)),
 *   Layer.launch,
 *   BunRuntime.runMain
 * )
 * ```
 */

// The application, its server and its settings.

export * as App from "./App.ts"
export { Server } from "./http/Server.ts"
/** A scheduler whose fibers do not block the event loop: launch with `Effect.withScheduler(Scheduler.make())`. */
export * as Scheduler from "./kernel/Scheduler.ts"
export type { Infrastructure, Parts } from "./Parts.ts"
/** Declares environment variables where they are used. */
export * as declare from "./settings/declare.ts"
export { type Declared, type Environment, type Setting, SettingError, Settings } from "./settings/Settings.ts"

// The contract: all routes with their schemas, and all errors.

export { Api } from "./contract/Api.ts"
export * as Problem from "./contract/Problem.ts"

// Networks: only facts for a known family, otherwise an implementation of the port Chain.

export * as Catalogue from "./catalogue/Catalogue.ts"
export { type EvmFacts, ether, evmSupply } from "./catalogue/evm/EvmFacts.ts"
export type { ChainFacts, Family, NetworkFacts, SingleFacts } from "./catalogue/NetworkFacts.ts"
export type { UtxoFacts } from "./catalogue/utxo/UtxoFacts.ts"
export {
  type Abilities,
  type AbilitySources,
  Chain,
  type EpochJson,
  type FirstTransaction,
  type Holding,
  type HoldingsResult,
  type NodeResponse,
  type ProtocolParameters,
  type RawTransactions,
  type ReadFailure
} from "./chains/Chain.ts"
export * as Evm from "./chains/evm/Evm.ts"
export { byBlock, byTime, positioned } from "./chains/kit/history/heights.ts"
export { impossible, isPossible } from "./chains/kit/holdings/amounts.ts"
export {
  follow as followTokens,
  invalidToken,
  missingTokens,
  unread,
  unregistered
} from "./chains/kit/holdings/tokenList.ts"
export * as Networks from "./chains/Networks.ts"
export * as Utxo from "./chains/utxo/Utxo.ts"
export type { Heights } from "./domain/history/Heights.ts"

// Prices.

export { type Contract, PriceSource } from "./features/prices/PriceSource.ts"
export * as Prices from "./features/prices/sources/PriceSources.ts"

// Upstreams: a client with timeouts, retries, rate limits and a circuit breaker per address.

/** JSON-RPC over an {@link Upstream}. */
export * as JsonRpc from "./jsonrpc/Client.ts"
/** The upstream of the current request, for custom transports. */
export { CurrentUpstream } from "./upstream/CurrentUpstream.ts"
/** The transport for live upstreams: `layer`; `client` and `received` for custom transports. */
export * as FetchClient from "./upstream/FetchClient.ts"
/** Decodes responses; `fitting` decodes with a schema. */
export * as ResponseDecoder from "./upstream/response/ResponseDecoder.ts"
/** The transport that UPSTREAMS chooses. */
export * as Transport from "./upstream/Transport.ts"
export * as Upstream from "./upstream/Upstream.ts"
export { type Fault, UpstreamError } from "./upstream/UpstreamError.ts"

// Stores.

export * as Memory from "./storage/Memory.ts"
export * as Redis from "./storage/redis/Redis.ts"
export * as Sqlite from "./storage/Sqlite.ts"
export { changedList, type Entries, type ListChange, Store, StoreError, StoreOpenError } from "./storage/Store.ts"

// Types that all of these use.

export * as Amount from "./domain/Amount.ts"
export { Balance } from "./domain/Balance.ts"
export { CoinId } from "./domain/CoinId.ts"
export { type Gap, gap, notListed } from "./domain/history/Gap.ts"
export { NetworkId, variablePrefix } from "./domain/NetworkId.ts"
export { Price } from "./domain/Price.ts"
export { Reason } from "./domain/Reason.ts"
export { Token } from "./domain/Token.ts"
export { type HistoryPart, type HistoryQuery, Movement, newestFirst, Transaction } from "./domain/Transaction.ts"
export * as Units from "./domain/units.ts"
