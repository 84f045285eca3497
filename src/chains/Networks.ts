import type * as Layer from "effect/Layer"
import * as Catalogue from "../catalogue/Catalogue.ts"
import type { Chain } from "./Chain.ts"
import * as Cardano from "./cardano/Cardano.ts"
import * as Evm from "./evm/Evm.ts"
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

/** The layer of any network. */
export type NetworkLayer = Layer.Layer<Chain, unknown, unknown>

/** A network is its family's code and its own facts. */
export const of = (facts: Catalogue.AnyFacts) => {
  switch (facts.family) {
    case "evm":
      return Evm.layer(facts)
    case "utxo":
      return Utxo.layer(facts)
    default:
      return single[facts.family]
  }
}

/** The registered networks, in their order. */
export const all = Catalogue.all.map(of)

/** The layer of a registered network. */
export type RegisteredNetwork = (typeof all)[number]

/** Of the registered networks those with these ids. */
export const only = (...ids: ReadonlyArray<string>) => Catalogue.all.filter(({ id }) => ids.includes(id)).map(of)

/** The registered networks but those with these ids. */
export const without = (...ids: ReadonlyArray<string>) => Catalogue.all.filter(({ id }) => !ids.includes(id)).map(of)
