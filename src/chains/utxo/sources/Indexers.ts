import * as Effect from "effect/Effect"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { headCheck } from "../../kit/status/currentHead.ts"
import * as Blockbook from "./Blockbook.ts"
import * as BlockCypher from "./BlockCypher.ts"
import * as BlockchainInfo from "./BlockchainInfo.ts"
import * as Esplora from "./Esplora.ts"
import * as Haskoin from "./Haskoin.ts"

const kinds = {
  blockbook: Blockbook.source,
  blockchainInfo: BlockchainInfo.source,
  blockCypher: BlockCypher.source,
  esplora: Esplora.source,
  haskoin: Haskoin.source
}

/** The indexers of a network, at the URLs of its facts unless the operator sets others. */
export const make = (facts: UtxoFacts) =>
  Effect.flatMap(headCheck(facts), (check) =>
    Effect.forEach(facts.indexers, (indexer) => kinds[indexer.kind](indexer.urls, indexer)(facts, check))
  )
