import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import * as Layer from "effect/Layer"
import type { Ability as Described, NetworkDescription } from "../api/SystemApi.ts"
import type { Ability, Network, Served } from "../networks/Network.ts"
import { Networks } from "../networks/Networks.ts"
import { type UpstreamState, Upstreams } from "../upstreams/Upstreams.ts"

/** What GET /networks tells. */
export class NetworkCatalogue extends Context.Tag("system/NetworkCatalogue")<
  NetworkCatalogue,
  {
    /** In the order of the registry. */
    readonly networks: Effect.Effect<ReadonlyArray<NetworkDescription>>
  }
>() {
  static readonly layer = Layer.effect(
    NetworkCatalogue,
    Effect.gen(function* () {
      const { all } = yield* Networks
      const upstreams = yield* Upstreams
      return {
        networks: Effect.flatMap(upstreams.states, (states) => {
          const byName = new Map(states.map((state) => [state.name, state]))
          return Effect.forEach(all, (network) =>
            Effect.map(network.abilities, (abilities) => describe(network, abilities, byName))
          )
        })
      }
    })
  )
}

const describe = (
  { info, rpc }: Context.Tag.Service<Network>,
  abilities: Readonly<Partial<Record<Ability, Served>>>,
  states: ReadonlyMap<string, UpstreamState>
): NetworkDescription => {
  const described = (served: Served): Described =>
    Either.match(served, {
      onLeft: (reason) => ({ available: false, upstreams: [], reason }),
      onRight: (names) => ({
        available: true,
        upstreams: names.flatMap((one) => {
          const state = states.get(one)
          return state === undefined
            ? []
            : [{ name: one, keyed: state.keyed, state: state.state, circuits: state.circuits }]
        })
      })
    })
  const ability = (name: Exclude<Ability, "rpc">) =>
    described(abilities[name] ?? Either.left(`not there for ${info.name}`))
  return {
    id: info.id,
    aliases: info.aliases,
    family: info.family,
    chainId: info.chainId ?? null,
    name: info.name,
    nativeCoin: { coinId: info.native.coinId, symbol: info.native.symbol, decimals: info.native.decimals },
    ...(info.sunset === undefined ? {} : { sunset: info.sunset }),
    abilities: {
      balance: ability("balance"),
      tokens: ability("tokens"),
      history: ability("history"),
      rpc: described(passedOn(rpc)),
      rawTransactions: ability("rawTransactions"),
      firstTransaction: ability("firstTransaction")
    }
  }
}

/** Who answers the calls that are passed on, the test network's after the main network's. */
const passedOn = (rpc: Context.Tag.Service<Network>["rpc"]): Served =>
  rpc === undefined
    ? Either.left("calls to its nodes are not passed on")
    : Either.right([rpc.main, rpc.testnet].flatMap((nodes) => (nodes === undefined ? [] : [nodes.upstream])))
