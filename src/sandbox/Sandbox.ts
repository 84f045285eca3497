import * as HttpClient from "@effect/platform/HttpClient"
import * as HttpClientError from "@effect/platform/HttpClientError"
import type * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Clock from "effect/Clock"
import type * as Duration from "effect/Duration"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import type { Family, NetworkFacts } from "../catalogue/NetworkFacts.ts"
import { CurrentUpstream } from "../upstream/CurrentUpstream.ts"
import * as FetchClient from "../upstream/FetchClient.ts"
import { cardano } from "./cardano/cardano.ts"
import { Defects } from "./Defects.ts"
import * as EvmExplorers from "./evm/EvmExplorers.ts"
import * as EvmLedger from "./evm/EvmLedger.ts"
import { evmNode, evmNodes, testnet } from "./evm/evmNode.ts"
import { tenderly } from "./evm/tenderly.ts"
import * as Limits from "./limits/Limits.ts"
import { callOf } from "./limits/Provider.ts"
import { binance } from "./market/binance.ts"
import * as CoinGecko from "./market/CoinGecko.ts"
import { defillama } from "./market/defillama.ts"
import { frankfurter } from "./market/frankfurter.ts"
import { polkadot } from "./polkadot/polkadot.ts"
import { ripple } from "./ripple/ripple.ts"
import { solana } from "./solana/solana.ts"
import { sui } from "./sui/sui.ts"
import { ton } from "./ton/ton.ts"
import { tron } from "./tron/tron.ts"
import { utxo } from "./utxo/utxo.ts"
import * as World from "./world/World.ts"
import type { Simulated } from "./world/wire.ts"

/** Simulated upstreams of a network of each family, with the upstreams' names. */
const families: Record<
  Family,
  (
    facts: World.InWorld<NetworkFacts>,
    ledgers: EvmLedger.Ledgers
  ) => ReadonlyArray<readonly [name: string, upstream: Simulated]>
> = {
  cardano,
  polkadot,
  evm: (facts, ledgers) => [
    ...evmNodes(facts, ledgers(facts)),
    [`${facts.id}-blockscout`, EvmExplorers.blockscout(facts, ledgers(facts))]
  ],
  ripple,
  solana,
  sui,
  ton,
  tron,
  utxo
}

export interface SandboxOptions {
  /** Delay of every response. */
  readonly latency?: Duration.DurationInput
  /** True if upstreams refuse calls beyond the free plans of their providers. Default: false. */
  readonly limits?: boolean
  /** State of all addresses. Default: a new world with the default seed. */
  readonly world?: World.World
}

/**
 * An HttpClient that simulates every upstream at the wire level, from one world. Identifies upstreams by name; ignores
 * their configured addresses.
 */
export const layer = (
  networks: ReadonlyArray<NetworkFacts>,
  { latency = 0, limits = false, world: given }: SandboxOptions = {}
) =>
  Layer.effect(
    HttpClient.HttpClient,
    Effect.map(Defects, (defects) => {
      const world = given ?? World.make({ networks })
      const simulated = simulatorsOf(networks, world)
      const refusal = limits ? Limits.meter() : undefined
      return FetchClient.client((request, url) =>
        Effect.gen(function* () {
          const { name } = yield* CurrentUpstream
          const upstream = simulated.get(name)
          if (upstream === undefined)
            return yield* new HttpClientError.RequestError({
              request,
              reason: "Transport",
              description: `the sandbox does not simulate ${name}`
            })
          yield* Effect.sleep(latency)
          const now = yield* Clock.currentTimeMillis
          const refused = refusal?.(name, callOf(request, url), now)
          if (refused !== undefined) return yield* FetchClient.received(request, refused)
          world.state.settleDue(Math.floor(now / 1000))
          const { method } = request
          const bytes = bytesOf(request)
          const body = Buffer.from(bytes).toString("utf8")
          const answer = Effect.catchAllDefect(
            Effect.sync(() => upstream({ method, path: url.pathname, query: url.searchParams, body, bytes, now })),
            (error) => defects.respond({ by: `the simulation of ${name}`, request, url, error })
          )
          return yield* FetchClient.received(request, yield* answer)
        })
      )
    })
  )

/** Simulated upstreams of these networks and of all providers, by name. */
const simulatorsOf = (networks: ReadonlyArray<NetworkFacts>, world: World.World): ReadonlyMap<string, Simulated> => {
  const ledgers = EvmLedger.several()
  const inhabited = networks.map((facts): World.InWorld<NetworkFacts> => ({ ...facts, world }))
  return new Map<string, Simulated>([
    ["coingecko", CoinGecko.api(networks)],
    ["coingecko-tokens", CoinGecko.lists(networks)],
    ["icons", CoinGecko.images(networks)],
    ["defillama", defillama(networks)],
    ["binance", binance],
    ["frankfurter", frankfurter],
    ["etherscan", EvmExplorers.etherscan(inhabited, ledgers)],
    ["routescan", EvmExplorers.routescan(inhabited, ledgers)],
    ["tenderly", tenderly(inhabited)],
    ["testnet-rpc", evmNode({ ...testnet, world })],
    ...inhabited.flatMap((facts) => families[facts.family](facts, ledgers))
  ])
}

/** Names of the upstreams that the sandbox simulates for these networks. */
export const namesOf = (networks: ReadonlyArray<NetworkFacts>): ReadonlyArray<string> => [
  ...simulatorsOf(networks, World.make({ networks })).keys()
]

const bytesOf = ({ body }: HttpClientRequest.HttpClientRequest): Uint8Array =>
  body._tag === "Uint8Array" ? body.body : new Uint8Array()
