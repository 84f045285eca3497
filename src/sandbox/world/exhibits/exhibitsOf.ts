import type { Family } from "../../../catalogue/NetworkFacts.ts"
import * as Landmarks from "../Landmarks.ts"
import { cardano } from "./cardano.ts"
import { evm } from "./evm.ts"
import type { Exhibit, ExhibitFacts } from "./exhibit.ts"
import { utxo } from "./utxo.ts"

/** Exhibits of the families, oldest first. */
const families: Partial<Record<Family, (facts: ExhibitFacts) => ReadonlyArray<Exhibit>>> = { cardano, evm, utxo }

/** Canonical address of a network's museum; undefined if its family has no exhibits. */
export const museumOf = (facts: ExhibitFacts): string | undefined =>
  Object.hasOwn(families, facts.family ?? "evm") ? Landmarks.museum(facts) : undefined

/** Exhibits in the history of an address, oldest first; empty unless it is a museum. */
export const exhibitsOf = (facts: ExhibitFacts, address: string): ReadonlyArray<Exhibit> =>
  address === museumOf(facts) ? (families[facts.family ?? "evm"]?.(facts) ?? []) : []
