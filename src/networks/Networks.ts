import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import type { NetworkId } from "../domain/NetworkId.ts"
import { collect } from "../effect/collect.ts"
import * as Arbitrum from "./arbitrum/index.ts"
import * as Avalanche from "./avalanche/index.ts"
import * as Base from "./base/index.ts"
import * as Bch from "./bch/index.ts"
import * as Bitcoin from "./bitcoin/index.ts"
import * as Bsc from "./bsc/index.ts"
import * as Cardano from "./cardano/index.ts"
import * as Dogecoin from "./dogecoin/index.ts"
import * as Ethereum from "./ethereum/index.ts"
import * as EthereumClassic from "./ethereum-classic/index.ts"
import * as Extra from "./evm/extra.ts"
import { Explorers } from "./evm/history/Explorers.ts"
import * as Litecoin from "./litecoin/index.ts"
import { Network } from "./Network.ts"
import * as Optimism from "./optimism/index.ts"
import * as Polkadot from "./polkadot/index.ts"
import * as Polygon from "./polygon/index.ts"
import * as Ripple from "./ripple/index.ts"
import * as Solana from "./solana/index.ts"
import * as Sonic from "./sonic/index.ts"
import * as Sui from "./sui/index.ts"
import * as Ton from "./ton/index.ts"
import * as Tron from "./tron/index.ts"
import * as Zkevm from "./zkevm/index.ts"

/** One line a network, in the order in which `GET /networks` lists them. */
const registered = [
  Ethereum,
  Optimism,
  Bsc,
  EthereumClassic,
  Polygon,
  Zkevm,
  Sonic,
  Base,
  Arbitrum,
  Avalanche,
  Tron,
  Bitcoin,
  Bch,
  Litecoin,
  Dogecoin,
  Cardano,
  Solana,
  Sui,
  Ton,
  Ripple,
  Polkadot
] as const

/** The facts of every network that comes with the service. */
export const infos = registered.map(({ info }) => info)

type AnyNetwork = Context.Tag.Service<Network>

/** Every network that the service knows, the operator's own included. */
export class Networks extends Context.Tag("networks/Networks")<
  Networks,
  {
    readonly all: ReadonlyArray<AnyNetwork>
    /** By id or alias, in any case. */
    readonly find: (name: string) => Option.Option<AnyNetwork>
  }
>() {
  static readonly fromLayers = <E, R>(layers: ReadonlyArray<Layer.Layer<Network, E, R>>) =>
    Layer.scoped(Networks, Effect.map(collect(Network, layers), index))

  /** Of the registered networks those with these ids. */
  static readonly only = (ids: ReadonlyArray<NetworkId>) =>
    Networks.fromLayers(registered.flatMap(({ info, layer }) => (ids.includes(info.id) ? [layer] : []))).pipe(
      Layer.provide(Explorers.layer)
    )

  /** All registered networks and those of EXTRA_EVM_NETWORKS. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(Extra.layers(infos), (extra) => Networks.fromLayers([...registered.map(({ layer }) => layer), ...extra]))
  ).pipe(Layer.provide(Explorers.layer))
}

const index = (all: ReadonlyArray<AnyNetwork>): Context.Tag.Service<Networks> => {
  const byName = new Map(
    all.flatMap((network) => [network.info.id, ...network.info.aliases].map((name) => [name as string, network]))
  )
  return { all, find: (name) => Option.fromNullable(byName.get(name.trim().toLowerCase())) }
}
