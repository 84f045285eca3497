import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../catalogue/Catalogue.ts"
import { collect } from "../kernel/collect.ts"
import { Chain } from "./Chain.ts"
import * as ExtraNetworks from "./evm/ExtraNetworks.ts"
import { Explorers } from "./evm/history/Explorers.ts"
import * as Networks from "./Networks.ts"

type AnyChain = Context.Tag.Service<Chain>

/** Every network that the service knows, the operator's own included. */
export class Chains extends Context.Tag("chains/Chains")<
  Chains,
  {
    readonly all: ReadonlyArray<AnyChain>
    /** By id or alias, in any case. */
    readonly find: (name: string) => Option.Option<AnyChain>
  }
>() {
  /** These networks, in this order. */
  static readonly fromLayers = <N extends Networks.NetworkLayer>(layers: ReadonlyArray<N>) =>
    Layer.scoped(Chains, Effect.map(collect(Chain, layers), index))

  /** The same, with the explorers that EVM networks share. */
  static readonly fromNetworks = <N extends Networks.NetworkLayer>(layers: ReadonlyArray<N>) =>
    Layer.provide(Chains.fromLayers(layers), Explorers.layer)

  /** Of the registered networks those with these ids. */
  static readonly only = (ids: ReadonlyArray<string>) => Chains.fromNetworks(Networks.only(...ids))

  /** All registered networks and those of EXTRA_EVM_NETWORKS. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(ExtraNetworks.layers(Catalogue.all), (extra) => Chains.fromNetworks([...Networks.all, ...extra]))
  )
}

const index = (all: ReadonlyArray<AnyChain>): Context.Tag.Service<Chains> => {
  const byName = new Map(
    all.flatMap((network) => [network.facts.id, ...network.facts.aliases].map((name) => [name as string, network]))
  )
  return { all, find: (name) => Option.fromNullable(byName.get(name.trim().toLowerCase())) }
}
