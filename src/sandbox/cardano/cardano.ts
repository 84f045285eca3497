import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { Simulated } from "../world/wire.ts"
import { blockfrost } from "./blockfrost.ts"
import * as CardanoHistory from "./CardanoHistory.ts"
import * as CardanoOutputs from "./CardanoOutputs.ts"
import * as CardanoSent from "./CardanoSent.ts"
import { koios } from "./koios.ts"

/** The upstreams of Cardano: the keyless one, and the preferred one, which needs a key. */
export const cardano = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  const outputs = CardanoOutputs.outputs(facts)
  const ledger = { facts, histories: CardanoHistory.histories(facts), outputs, sent: CardanoSent.pool(facts, outputs) }
  return [
    ["koios", koios(ledger)],
    ["blockfrost", blockfrost(ledger)]
  ]
}
