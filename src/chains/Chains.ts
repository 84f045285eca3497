import * as Context from "effect/Context"
import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Option from "effect/Option"
import * as Catalogue from "../catalogue/Catalogue.ts"
import type { NetworkId } from "../domain/NetworkId.ts"
import { collect } from "../kernel/collect.ts"
import { Chain } from "./Chain.ts"
import * as Cardano from "./cardano/Cardano.ts"
import * as Evm from "./evm/Evm.ts"
import * as ExtraNetworks from "./evm/ExtraNetworks.ts"
import { Explorers } from "./evm/history/Explorers.ts"
import * as Polkadot from "./polkadot/Polkadot.ts"
import * as Ripple from "./ripple/Ripple.ts"
import * as Solana from "./solana/Solana.ts"
import * as Sui from "./sui/Sui.ts"
import * as Ton from "./ton/Ton.ts"
import * as Tron from "./tron/Tron.ts"
import * as Utxo from "./utxo/Utxo.ts"

/** The families of one network each. */
const single = {
  cardano: Cardano.layer,
  polkadot: Polkadot.layer,
  ripple: Ripple.layer,
  solana: Solana.layer,
  sui: Sui.layer,
  ton: Ton.layer,
  tron: Tron.layer
}

/** A network is its family's code and its own facts. */
const layerOf = (facts: Catalogue.AnyFacts) => {
  switch (facts.family) {
    case "evm":
      return Evm.layer(facts)
    case "utxo":
      return Utxo.layer(facts)
    default:
      return single[facts.family]
  }
}

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
  static readonly fromLayers = <E, R>(layers: ReadonlyArray<Layer.Layer<Chain, E, R>>) =>
    Layer.scoped(Chains, Effect.map(collect(Chain, layers), index))

  /** Of the registered networks those with these ids. */
  static readonly only = (ids: ReadonlyArray<NetworkId>) =>
    Chains.fromLayers(Catalogue.all.flatMap((facts) => (ids.includes(facts.id) ? [layerOf(facts)] : []))).pipe(
      Layer.provide(Explorers.layer)
    )

  /** All registered networks and those of EXTRA_EVM_NETWORKS. */
  static readonly layer = Layer.unwrapEffect(
    Effect.map(ExtraNetworks.layers(Catalogue.all), (extra) =>
      Chains.fromLayers([...Catalogue.all.map(layerOf), ...extra])
    )
  ).pipe(Layer.provide(Explorers.layer))
}

const index = (all: ReadonlyArray<AnyChain>): Context.Tag.Service<Chains> => {
  const byName = new Map(
    all.flatMap((network) => [network.facts.id, ...network.facts.aliases].map((name) => [name as string, network]))
  )
  return { all, find: (name) => Option.fromNullable(byName.get(name.trim().toLowerCase())) }
}
