import * as Effect from "effect/Effect"
import * as Layer from "effect/Layer"
import * as Catalogue from "../catalogue/Catalogue.ts"
import type { EvmFacts } from "../catalogue/evm/EvmFacts.ts"
import type { ChainFacts } from "../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../catalogue/utxo/UtxoFacts.ts"
import type { PlatformFacts } from "../providers/TokenRegistry.ts"
import type { Chain } from "./Chain.ts"
import { tokens as cardano } from "./cardano/CardanoAsset.ts"
import { tokensOf } from "./evm/EvmAddress.ts"
import { tokens as polkadot } from "./polkadot/PolkadotAsset.ts"
import { tokens as ripple } from "./ripple/IssuedToken.ts"
import { tokens as solana } from "./solana/SolanaAddress.ts"
import { tokens as sui } from "./sui/CoinType.ts"
import { tokens as ton } from "./ton/TonAddress.ts"
import { tokens as tron } from "./tron/TronAddress.ts"

/** The layer of any network. */
export type NetworkLayer = Layer.Layer<Chain, unknown, unknown>

/** A network whose layer and code are loaded on first use. */
export interface Network<L extends NetworkLayer> {
  readonly facts: ChainFacts
  readonly layer: L
  /** Definition of its token list, which is loaded even if the network is not used, because prices need it. */
  readonly tokens: PlatformFacts | undefined
}

/** A network as an application passes it: a layer is built at the start, a {@link Network} on first use. */
export type NetworkInput = NetworkLayer | Network<NetworkLayer>

/** The layer type of either form. */
export type LayerOf<N extends NetworkInput> = N extends Network<infer L> ? L : N extends NetworkLayer ? N : never

/** The layer of a module that is loaded when the layer is built. */
const loaded = <A, E, R>(module: () => Promise<A>, layerOf: (module: A) => Layer.Layer<Chain, E, R>) =>
  Layer.unwrapEffect(Effect.map(Effect.promise(module), layerOf))

const own = <E, R>({ layer }: { readonly layer: Layer.Layer<Chain, E, R> }) => layer

/** The families with a single network. */
const single = {
  cardano: { tokens: cardano, layer: loaded(() => import("./cardano/Cardano.ts"), own) },
  polkadot: { tokens: polkadot, layer: loaded(() => import("./polkadot/Polkadot.ts"), own) },
  ripple: { tokens: ripple, layer: loaded(() => import("./ripple/Ripple.ts"), own) },
  solana: { tokens: solana, layer: loaded(() => import("./solana/Solana.ts"), own) },
  sui: { tokens: sui, layer: loaded(() => import("./sui/Sui.ts"), own) },
  ton: { tokens: ton, layer: loaded(() => import("./ton/Ton.ts"), own) },
  tron: { tokens: tron, layer: loaded(() => import("./tron/Tron.ts"), own) }
}

const evm = (facts: EvmFacts) => ({
  facts,
  tokens: facts.platform === undefined ? undefined : tokensOf(facts.platform),
  layer: loaded(
    () => import("./evm/Evm.ts"),
    ({ layer }) => layer(facts)
  )
})

const utxo = (facts: UtxoFacts) => ({
  facts,
  tokens: undefined,
  layer: loaded(
    () => import("./utxo/Utxo.ts"),
    ({ layer }) => layer(facts)
  )
})

/** Combines the facts of a network with the layer of its family. */
export const fromFacts = (facts: Catalogue.AnyFacts) => {
  switch (facts.family) {
    case "evm":
      return evm(facts)
    case "utxo":
      return utxo(facts)
    default:
      return { facts, ...single[facts.family] }
  }
}

/** The registered networks, in their order. */
export const all = Catalogue.all.map(fromFacts)

/** A registered network. */
export type RegisteredNetwork = (typeof all)[number]

/** The registered networks with these ids. */
export const only = (...ids: ReadonlyArray<string>) => all.filter(({ facts }) => ids.includes(facts.id))

/** The registered networks except those with these ids. */
export const without = (...ids: ReadonlyArray<string>) => all.filter(({ facts }) => !ids.includes(facts.id))
