import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import * as BunFileSystem from "@effect/platform-bun/BunFileSystem"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Balance from "./balance/Http.ts"
import { Portfolio } from "./balance/Portfolio.ts"
import { Charts } from "./chart/Charts.ts"
import * as Chart from "./chart/Http.ts"
import { History } from "./history/History.ts"
import * as HistoryRoutes from "./history/Http.ts"
import * as Extra from "./networks/evm/extra.ts"
import { infos, Networks } from "./networks/Networks.ts"
import { CoinDetails } from "./price/CoinDetails.ts"
import { ExchangeRates } from "./price/ExchangeRates.ts"
import * as Price from "./price/Http.ts"
import { MarketCharts } from "./price/MarketCharts.ts"
import { PriceRefresh } from "./price/PriceRefresh.ts"
import { Pricing } from "./price/Pricing.ts"
import { DirectRoutes } from "./ready/DirectRoutes.ts"
import { ReadyAnswers } from "./ready/ReadyAnswers.ts"
import { Faucet } from "./relay/Faucet.ts"
import { FirstTransaction } from "./relay/FirstTransaction.ts"
import * as Relay from "./relay/Http.ts"
import { ProtocolParameters } from "./relay/ProtocolParameters.ts"
import { RawTransactions } from "./relay/RawTransactions.ts"
import { RpcProxy } from "./relay/RpcProxy.ts"
import { Simulation } from "./relay/Simulation.ts"
import { placeholders } from "./sandbox/placeholders.ts"
import { maxAddresses } from "./settings/MaxAddresses.ts"
import { type Environment, Settings } from "./settings/Settings.ts"
import * as Memory from "./stores/Memory.ts"
import * as Stores from "./stores/Stores.ts"
import { Health } from "./system/Health.ts"
import * as System from "./system/Http.ts"
import * as Logging from "./system/Logging.ts"
import { Mode } from "./system/Mode.ts"
import { NetworkCatalogue } from "./system/NetworkCatalogue.ts"
import * as Server from "./system/Server.ts"
import * as Edge from "./system/ServerSettings.ts"
import * as Telemetry from "./system/Telemetry.ts"
import { TokenRegistry } from "./tokens/TokenRegistry.ts"
import { Binance } from "./upstreams/Binance.ts"
import { CoinGecko } from "./upstreams/CoinGecko.ts"
import { DefiLlama } from "./upstreams/DefiLlama.ts"
import * as Outside from "./upstreams/Outside.ts"
import { Upstreams } from "./upstreams/Upstreams.ts"

/**
 * The variables of the environment. In the sandbox, upstreams that need a key or an address of the operator's count as
 * configured; what the operator sets comes first.
 */
export const settings = (environment: Environment, { lenient = false } = {}) =>
  (lenient ? Settings.layerLenient : Settings.layer)(
    environment,
    environment.UPSTREAMS?.trim() === "sandbox" ? placeholders : {}
  )

const upstreamsKnown = Layer.unwrapEffect(
  Effect.map(Outside.settings, ({ kind }) =>
    kind === "sandbox" || kind === "replay" ? Upstreams.layerUnlimited : Upstreams.layerKept
  )
)

/** Everything between the routes and the way out. */
export const useCases = Layer.mergeAll(
  Portfolio.layer,
  History.layer,
  NetworkCatalogue.layer,
  ExchangeRates.layer,
  PriceRefresh.layer,
  MarketCharts.layer,
  CoinDetails.layer,
  Charts.layer,
  ProtocolParameters.layer,
  RpcProxy.layer,
  Simulation.layer,
  Faucet.layer,
  FirstTransaction.layer,
  RawTransactions.layer
).pipe(
  Layer.provideMerge(Networks.layer),
  Layer.provideMerge(Pricing.layer),
  Layer.provideMerge(TokenRegistry.layer),
  Layer.provideMerge(Layer.mergeAll(CoinGecko.layer, DefiLlama.layer, Binance.layer)),
  Layer.provideMerge(upstreamsKnown)
)

/** The handlers of every group of routes. */
const handlers = Layer.mergeAll(Balance.layer, HistoryRoutes.layer, Price.layer, Chart.layer, Relay.layer, System.layer)

const mode = Layer.effect(
  Mode,
  Effect.zipWith(Outside.settings, Telemetry.settings, ({ kind }, { share, url }) => ({
    sandbox: kind === "sandbox",
    tracing: url === "" ? 0 : share
  }))
)

/** The routes with all that they need but the way out and the store. */
export const routes = Server.app(handlers).pipe(
  Layer.provideMerge(useCases),
  Layer.provideMerge(
    Layer.mergeAll(Health.layer, Edge.ServerSettings.layer, DirectRoutes.layer, ReadyAnswers.layer, mode)
  )
)

/** Loaded when it is needed: a start that does without it is so much faster. */
const sandbox = Layer.unwrapEffect(
  Effect.zipWith(
    Extra.configured(infos),
    Effect.promise(() => import("./sandbox/Sandbox.ts")),
    (extra, Sandbox) => Sandbox.layer([...infos, ...extra.map(Extra.facts)])
  )
)

/** Simulated or replayed answers that are kept must never be served as real ones, nor the other way round. */
const store = Layer.unwrapEffect(
  Effect.map(Outside.settings, ({ kind }) =>
    kind === "sandbox" || kind === "replay" ? Layer.provide(Stores.apart(kind), Stores.layer) : Stores.layer
  )
)

/** The way out and the store, as they are configured. */
const surroundings = Layer.mergeAll(Outside.layer(sandbox), store).pipe(Layer.provide(BunFileSystem.layer))

/** Log lines and telemetry, as they are configured. */
export const observed = Layer.mergeAll(Logging.layer, Telemetry.layer)

/** The whole service, listening. */
export const service = Server.Server.layer.pipe(
  Layer.provideMerge(routes),
  Layer.provide(surroundings),
  Layer.provideMerge(observed)
)

/** The clients of all upstreams, to try them out. */
export const upstreams = useCases.pipe(Layer.provide(surroundings))

/** Declares every variable that there is. Opens no store, calls no upstream, listens nowhere. */
export const declarations = Effect.all([
  maxAddresses,
  Edge.settings,
  Outside.settings,
  Stores.settings,
  Logging.settings,
  Telemetry.settings,
  // The last, for they may fail: an extra network that no chain belongs to.
  Layer.build(
    useCases.pipe(
      Layer.provide(
        Layer.merge(
          Memory.layer(),
          Layer.succeed(
            HttpClient.HttpClient,
            HttpClient.make((request) => new HttpClientError.RequestError({ request, reason: "Transport" }))
          )
        )
      )
    )
  )
])
