import type { NetworkFacts } from "../../catalogue/NetworkFacts.ts"
import type { UtxoFacts } from "../../catalogue/utxo/UtxoFacts.ts"
import type { Simulated } from "../world/wire.ts"
import { bitcoind } from "./bitcoind.ts"
import { blockbook } from "./blockbook.ts"
import { blockchainInfo } from "./blockchainInfo.ts"
import { blockcypher } from "./blockcypher.ts"
import { esplora } from "./esplora.ts"
import { haskoin } from "./haskoin.ts"
import * as UtxoChain from "./UtxoChain.ts"
import * as UtxoPool from "./UtxoPool.ts"

/** Upstreams by kind, which is the last part of the upstream's name. */
const kinds = { esplora, blockbook, haskoin, blockcypher, "blockchain-info": blockchainInfo, rpc: bitcoind }

const isUtxo = (facts: NetworkFacts): facts is UtxoFacts => facts.family === "utxo"

/**
 * All kinds of upstreams of a network of the Bitcoin family, by name. A transaction that one upstream accepts is
 * available at all of them.
 */
export const utxo = (facts: NetworkFacts): ReadonlyArray<readonly [name: string, upstream: Simulated]> => {
  if (!isUtxo(facts)) return []
  const past = UtxoChain.past(facts)
  const pool = UtxoPool.make(past)
  const ledger = { past, pool }
  return Object.entries(kinds).map(([kind, upstream]) => [`${facts.id}-${kind}`, upstream(ledger)] as const)
}
