import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { Simulated } from "../world/wire.ts"
import { blockfrost } from "./blockfrost.ts"
import { ledgerOf } from "./CardanoLedger.ts"
import { koios } from "./koios.ts"

/** Simulated upstreams of Cardano: indexers of the same ledger, each with its own response format. */
export const cardano = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const ledger = ledgerOf(facts)
  return [
    ["koios", koios(ledger)],
    ["blockfrost", blockfrost(ledger)]
  ]
}
