/**
 * The service as a library: `wallet-data`. An application is {@link App.serviceOf} with the parts that are your own, over
 * {@link App.settings}; everything below is for writing such parts. Runs on Bun. Tests of what is built on it:
 * `wallet-data/testing`; clients of a service that runs: `wallet-data/client` and `wallet-data/effect`.
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

// The application, what it listens with, and what it reads from its environment.

export * as App from "./App.ts"
export { Server } from "./http/Server.ts"
/** Fibers that leave the event loop free: `Effect.withScheduler(Scheduler.make())` around what launches the service. */
export * as Scheduler from "./kernel/Scheduler.ts"
export type { Infrastructure, Parts } from "./Parts.ts"
/** Variables of the environment, declared where they are used. */
export * as declare from "./settings/declare.ts"
export { type Declared, type Environment, type Setting, SettingError, Settings } from "./settings/Settings.ts"

// The contract: every route with its schemas, and every error.

export { Api } from "./contract/Api.ts"
export * as Problem from "./contract/Problem.ts"

// Networks: by facts alone where their family is there, else over the port Chain.

export * as Catalogue from "./catalogue/Catalogue.ts"
export { type EvmFacts, ether, evmSupply } from "./catalogue/evm/EvmFacts.ts"
export type { ChainFacts, Family, NetworkFacts, SingleFacts } from "./catalogue/NetworkFacts.ts"
export type { UtxoFacts } from "./catalogue/utxo/UtxoFacts.ts"
export { impossible, isPossible } from "./chains/amounts.ts"
export {
  type Abilities,
  Chain,
  type FirstTransaction,
  type Holding,
  type HoldingsResult,
  type NodeResponse,
  type OfEpoch,
  type ProtocolParameters,
  type RawTransactions,
  type Served,
  type Unread
} from "./chains/Chain.ts"
export * as Evm from "./chains/evm/Evm.ts"
export * as Networks from "./chains/Networks.ts"
export { follow as followTokens, invalidToken, missingTokens, unread, unregistered } from "./chains/tokenList.ts"
export * as Utxo from "./chains/utxo/Utxo.ts"

// Prices.

export { type Contract, PriceSource } from "./features/prices/PriceSource.ts"
export * as Prices from "./features/prices/sources/PriceSources.ts"

// Upstreams: a client with time limits, repeats, limits of rate and a circuit breaker for each address.

/** JSON-RPC over an {@link Upstream}. */
export * as JsonRpc from "./jsonrpc/Client.ts"
/** Which upstream a request of an own transport belongs to. */
export { CurrentUpstream } from "./upstream/CurrentUpstream.ts"
/** The transport of live upstreams: `layer`, and `client` and `received` for an own one. */
export * as FetchClient from "./upstream/FetchClient.ts"
/** What reads a value out of a response: `fitting` a schema. */
export * as ResponseDecoder from "./upstream/response/ResponseDecoder.ts"
/** The transport that UPSTREAMS chooses. */
export * as Transport from "./upstream/Transport.ts"
export * as Upstream from "./upstream/Upstream.ts"
export { type Fault, UpstreamError } from "./upstream/UpstreamError.ts"

// Stores.

export * as Memory from "./storage/Memory.ts"
export * as Redis from "./storage/redis/Redis.ts"
export * as Sqlite from "./storage/Sqlite.ts"
export { type Entries, Store, StoreError, StoreOpenError } from "./storage/Store.ts"

// The words of all of them.

export * as Amount from "./domain/Amount.ts"
export { Balance } from "./domain/Balance.ts"
export { CoinId } from "./domain/CoinId.ts"
export { NetworkId, variablePrefix } from "./domain/NetworkId.ts"
export { Price } from "./domain/Price.ts"
export { Reason } from "./domain/Reason.ts"
export { Token } from "./domain/Token.ts"
export { type HistoryPart, type HistoryQuery, Movement, newestFirst, Transaction } from "./domain/Transaction.ts"
