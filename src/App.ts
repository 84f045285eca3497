import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "./catalogue/Catalogue.ts"
import { Chains } from "./chains/Chains.ts"
import * as ExtraNetworks from "./chains/evm/ExtraNetworks.ts"
import type * as Networks from "./chains/Networks.ts"
import { Portfolio } from "./features/balances/Portfolio.ts"
import { NewestBlocks } from "./features/blocks/NewestBlocks.ts"
import { Charts } from "./features/charts/Charts.ts"
import { Faucet } from "./features/faucet/Faucet.ts"
import { NetworkFees } from "./features/fees/NetworkFees.ts"
import { History } from "./features/history/History.ts"
import { Icons } from "./features/icons/Icons.ts"
import { ProtocolParameters } from "./features/nodes/ProtocolParameters.ts"
import { RpcProxy } from "./features/nodes/RpcProxy.ts"
import { PortfolioChart } from "./features/portfolio/PortfolioChart.ts"
import { CoinDetails } from "./features/prices/CoinDetails.ts"
import { ContractPrices } from "./features/prices/ContractPrices.ts"
import { ExchangeRates } from "./features/prices/currencies/ExchangeRates.ts"
import { MarketCharts } from "./features/prices/MarketCharts.ts"
import { PriceRefresh } from "./features/prices/PriceRefresh.ts"
import { Pricing } from "./features/prices/Pricing.ts"
import type * as PriceSources from "./features/prices/sources/PriceSources.ts"
import { SentTransactions } from "./features/sending/SentTransactions.ts"
import { Simulation } from "./features/simulation/Simulation.ts"
import { Availability } from "./features/status/Availability.ts"
import * as LeverSource from "./features/status/LeverSource.ts"
import { NetworkList } from "./features/status/NetworkList.ts"
import { TokenSearch } from "./features/tokens/TokenSearch.ts"
import { FirstTransaction } from "./features/transactions/FirstTransaction.ts"
import { RawTransactions } from "./features/transactions/RawTransactions.ts"
import { handlers } from "./handlers.ts"
import { Health } from "./http/Health.ts"
import { Mode } from "./http/Mode.ts"
import { RawRoutes } from "./http/RawRoutes.ts"
import { ResponseCache } from "./http/response/ResponseCache.ts"
import * as Server from "./http/Server.ts"
import * as ServerSettings from "./http/ServerSettings.ts"
import * as FinalReplies from "./jsonrpc/proxy/FinalReplies.ts"
import { Background } from "./kernel/Background.ts"
import * as MemoryBudget from "./kernel/collections/MemoryBudget.ts"
import { Lateness } from "./kernel/Lateness.ts"
import { type Infrastructure, orDefault, type Parts } from "./Parts.ts"
import { Binance } from "./providers/Binance.ts"
import { CoinGecko } from "./providers/CoinGecko.ts"
import { DefiLlama } from "./providers/DefiLlama.ts"
import { Frankfurter } from "./providers/Frankfurter.ts"
import { TokenRegistry } from "./providers/TokenRegistry.ts"
import { placeholders } from "./sandbox/placeholders.ts"
import { type Environment, Settings } from "./settings/Settings.ts"
import { maxAddresses, memoryBudget } from "./settings/variables.ts"
import * as Memory from "./storage/Memory.ts"
import * as SharedQuotas from "./storage/quota/SharedQuotas.ts"
import type { Store } from "./storage/Store.ts"
import * as Stores from "./storage/Stores.ts"
import * as Logging from "./telemetry/Logging.ts"
import * as OtlpSettings from "./telemetry/OtlpSettings.ts"
import * as Telemetry from "./telemetry/Telemetry.ts"
import * as FetchClient from "./upstream/FetchClient.ts"
import { GuardedFetch } from "./upstream/guarded/GuardedFetch.ts"
import * as Recorder from "./upstream/record/Recorder.ts"
import * as Transport from "./upstream/Transport.ts"
import { Observer } from "./upstream/Upstream.ts"
import { Upstreams } from "./upstream/Upstreams.ts"
import * as WorkerGroup from "./workers/WorkerGroup.ts"

/**
 * The variables of the environment. In the sandbox, upstreams that need a key or an address from the operator count as
 * configured; variables that the operator sets take precedence.
 */
export const settings = (environment: Environment, { lenient = false } = {}) =>
  (lenient ? Settings.layerLenient : Settings.layer)(
    environment,
    environment.UPSTREAMS?.trim() === "sandbox" ? placeholders : {}
  )

const upstreamRegistry = Layer.unwrapEffect(
  Effect.zipWith(Transport.settings, Transport.hasSandboxLimits, ({ kind }, hasLimits) =>
    kind === "replay" || (kind === "sandbox" && !hasLimits) ? Upstreams.layerUnlimited : Upstreams.layerStored
  )
)

/** Everything between the routes and the HTTP client. */
const useCasesOver = <EN, RN, EP, RP>(chains: Layer.Layer<Chains, EN, RN>, pricing: Layer.Layer<Pricing, EP, RP>) =>
  Layer.mergeAll(
    Portfolio.layer,
    History.layer,
    Layer.provide(PortfolioChart.layer, [History.layer, MarketCharts.layer]),
    Layer.provideMerge(Availability.layer, NetworkList.layer),
    PriceRefresh.layer,
    MarketCharts.layer,
    CoinDetails.layer,
    Icons.layer,
    Charts.layer,
    ProtocolParameters.layer,
    RpcProxy.layer,
    NetworkFees.layer,
    Simulation.layer,
    Faucet.layer,
    FirstTransaction.layer,
    RawTransactions.layer,
    TokenSearch.layer
  ).pipe(
    Layer.provideMerge(Layer.merge(NewestBlocks.layer, SentTransactions.layer)),
    Layer.provideMerge(chains),
    Layer.provideMerge(Layer.merge(ExchangeRates.layer, ContractPrices.layer)),
    Layer.provideMerge(pricing),
    Layer.provideMerge(TokenRegistry.layer),
    Layer.provideMerge(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer, Frankfurter.layer)),
    Layer.provideMerge(Layer.mergeAll(upstreamRegistry, GuardedFetch.layer, LeverSource.layer, FinalReplies.layer))
  )

/** The use cases of the standard service. */
export const useCases = useCasesOver(Chains.layer, Pricing.layer)

/** One bound for all caches in memory. */
const memory = Layer.effect(
  MemoryBudget.CurrentMemoryBudget,
  Effect.map(memoryBudget, (max) => MemoryBudget.make(max))
)

const mode = Mode.layerOf(Transport.settings)

const routesOver = <UseCases, E, R>(layer: Layer.Layer<UseCases | Layer.Layer.Success<typeof useCases>, E, R>) =>
  Server.app(handlers).pipe(
    Layer.provideMerge(layer),
    Layer.provideMerge(
      Layer.mergeAll(Health.layer, ServerSettings.ServerSettings.layer, RawRoutes.layer, ResponseCache.layer, mode)
    ),
    Layer.provide(memory)
  )

/** The routes with everything that they need except the HTTP client and the store. */
export const routes = routesOver(useCases)

/** The same routes with custom networks or price sources. */
export const routesOf = <
  N extends Networks.NetworkInput = Networks.RegisteredNetwork,
  S extends PriceSources.PriceSourceLayer = PriceSources.RegisteredSource
>({
  networks,
  prices
}: Parts<N, S>) =>
  routesOver(
    useCasesOver(
      orDefault(networks && Chains.fromNetworks(networks), Chains.layer),
      orDefault(prices && Pricing.fromLayers(prices), Pricing.layer)
    )
  )

/** Imported on demand, so that a start without it is faster. */
const sandbox = Layer.unwrapEffect(
  Effect.map(
    Effect.all([
      ExtraNetworks.configured(Catalogue.all),
      Transport.hasSandboxLimits,
      Effect.promise(() => import("./sandbox/Sandbox.ts"))
    ]),
    ([extra, limits, Sandbox]) => Sandbox.layer([...Catalogue.all, ...extra.map(ExtraNetworks.facts)], { limits })
  )
)

/** Keeps stored responses of the sandbox and of replays apart from real ones. */
const ownStore = <E, R>(store: Layer.Layer<Store, E, R>) =>
  Layer.unwrapEffect(
    Effect.map(Transport.settings, ({ kind }) =>
      kind === "sandbox" || kind === "replay" ? Layer.provide(Stores.namespaced(kind), store) : store
    )
  )

/** The HTTP client and the store: the given ones, by default those that the variables configure. */
const infrastructureOf = <EU, RU, ES, RS>({ store, upstreams }: Infrastructure<EU, RU, ES, RS>) =>
  Layer.mergeAll(orDefault(upstreams, Transport.layer(sandbox)), ownStore(orDefault(store, Stores.layer))).pipe(
    Layer.provide(BunFileSystem.layer)
  )

/** The store alone, for `wallet-data lever`. */
export const store = Layer.provide(ownStore(Stores.layer), BunFileSystem.layer)

/** The configured logger. */
export const logging = Logging.layer

/** The configured logger and telemetry. */
export const observability = Layer.provideMerge(Telemetry.layer, logging)

/**
 * The whole service, which listens at PORT and HOST, with custom parts:
 * `Layer.launch(Layer.provide(App.serviceOf({ networks: [...Networks.all, mine] }), App.settings(process.env)))`.
 * Background refreshes start after it listens, so they do not delay the start.
 */
export const serviceOf = <
  N extends Networks.NetworkInput = Networks.RegisteredNetwork,
  S extends PriceSources.PriceSourceLayer = PriceSources.RegisteredSource,
  EU = never,
  RU = never,
  ES = never,
  RS = never
>(
  parts: Parts<N, S> & Infrastructure<EU, RU, ES, RS>
) =>
  Layer.effectDiscard(Effect.flatMap(Background, ({ begin }) => begin)).pipe(
    Layer.provideMerge(Server.Server.layer),
    Layer.provideMerge(routesOf(parts)),
    Layer.provideMerge(WorkerGroup.layer),
    Layer.provide(SharedQuotas.layer),
    Layer.provide(infrastructureOf(parts)),
    Layer.provide(Layer.merge(Background.layerDelayed, Lateness.layer)),
    Layer.provideMerge(observability),
    Layer.provide(memory)
  )

/** The standard service. */
export const service = serviceOf({})

/** The clients of all upstreams, for `wallet-data check`. */
export const upstreams = useCases.pipe(Layer.provide(infrastructureOf<never, never, never, never>({})))

/**
 * The routes over live traffic that is recorded in a directory, with empty caches each time. `observer` receives the
 * outcome of each read and what happens to exchanges, and decides which upstreams are left out.
 */
export const recordingRoutes = (
  directory: string,
  { lost, written, ...observer }: Observer["Type"] & Recorder.Recording,
  live: Layer.Layer<HttpClient.HttpClient> = FetchClient.layer
) =>
  Layer.fresh(routes).pipe(
    Layer.provide(
      Layer.mergeAll(
        Recorder.layer(directory, { lost, written }).pipe(Layer.provide(live), Layer.provide(BunFileSystem.layer)),
        Layer.fresh(Memory.layer()),
        Layer.succeed(Observer, observer)
      )
    )
  )

const unreachable = Layer.succeed(
  HttpClient.HttpClient,
  HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))
)

/** Declares every variable. Opens no store, calls no upstream and does not listen. */
export const declarations = Effect.all([
  maxAddresses,
  memoryBudget,
  ServerSettings.settings,
  Transport.settings,
  Transport.hasSandboxLimits,
  Stores.settings,
  Logging.settings,
  OtlpSettings.settings,
  // Last, because they may fail: an extra network may name an unknown chain.
  Effect.flatMap(
    Layer.build(useCases.pipe(Layer.provide(Layer.merge(Memory.layer(), unreachable)))),
    (built) => Context.get(built, Chains).all
  ),
  Stores.requireComplete
])
