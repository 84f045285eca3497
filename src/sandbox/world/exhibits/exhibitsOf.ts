import type { Family } from "../../../catalogue/NetworkFacts.ts"
import * as Landmarks from "../Landmarks.ts"
import type { Contract } from "../World.ts"
import { cardano } from "./cardano.ts"
import { evm } from "./evm.ts"
import type { Exhibit, ExhibitFacts } from "./exhibit.ts"
import { polkadot } from "./polkadot.ts"
import { ripple } from "./ripple.ts"
import { solana } from "./solana.ts"
import { sui } from "./sui.ts"
import { ton } from "./ton.ts"
import { tron } from "./tron.ts"
import { utxo } from "./utxo.ts"

type Tokens = ReadonlyArray<Contract>

/** Exhibits of the families, oldest first. */
const families: Record<Family, (facts: ExhibitFacts, tokens: Tokens) => ReadonlyArray<Exhibit>> = {
  cardano,
  evm,
  polkadot,
  ripple,
  solana,
  sui,
  ton,
  tron,
  utxo
}

/** Exhibits in the history of an address, oldest first; empty unless it is a museum. `tokens` are those of the network. */
export const exhibitsOf = (facts: ExhibitFacts, address: string, tokens: () => Tokens): ReadonlyArray<Exhibit> =>
  address === Landmarks.museum(facts) ? families[facts.family ?? "evm"](facts, tokens()) : []
