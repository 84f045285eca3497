import * as Effect from "effect/Effect"
import * as Either from "effect/Either"
import type { UtxoFacts } from "../../../catalogue/utxo/UtxoFacts.ts"
import { variablePrefix } from "../../../domain/NetworkId.ts"
import type { AbilitySources, ReadFailure } from "../../Chain.ts"
import { headCheck } from "../../kit/status/currentHead.ts"
import { withOutputs } from "../context.ts"
import { noEstimator } from "../fees.ts"
import { withHistories } from "../history.ts"
import { noRelay } from "../sending.ts"
import * as Bitcoind from "./bitcoind/Bitcoind.ts"
import * as Blockbook from "./blockbook/Blockbook.ts"
import * as BlockchainInfo from "./blockchaininfo/BlockchainInfo.ts"
import * as BlockCypher from "./blockcypher/BlockCypher.ts"
import * as Esplora from "./esplora/Esplora.ts"
import * as Haskoin from "./haskoin/Haskoin.ts"

const kinds = {
  blockbook: Blockbook.source,
  blockchainInfo: BlockchainInfo.source,
  blockCypher: BlockCypher.source,
  esplora: Esplora.source,
  haskoin: Haskoin.source
}

/** The sources of a network, in order of use, and the reasons for missing ones. */
export const connect = (facts: UtxoFacts) =>
  Effect.gen(function* () {
    const node = yield* Bitcoind.make(facts)
    const check = yield* headCheck(facts)
    // At the URLs of its facts unless the operator sets others.
    const indexers = yield* Effect.forEach(facts.indexers, (indexer) =>
      kinds[indexer.kind](indexer.urls, indexer)(facts, check)
    )
    const relays = byRank([node, ...indexers].flatMap((source) => source?.relay ?? []))
    const estimators = byRank([node, ...indexers].flatMap((source) => source?.fees ?? []))
    const configured = indexers.filter(({ supports }) => supports(facts.sampleAddress))
    const withHistory = withHistories(configured)
    const reasons = {
      indexer: noSource(facts, false),
      address: noSource(facts, configured.length > 0),
      history: noSource(facts, withHistory.length > 0),
      relay: noRelay(facts)
    }
    return {
      indexers,
      relays,
      estimators,
      lookups: indexers.flatMap(({ statuses }) => statuses),
      reasons,
      abilities: Effect.succeed({
        balance: served(configured, reasons.address),
        history: served(withHistory, reasons.indexer),
        rawTransactions: served(relays, reasons.relay),
        fees: served(estimators, noEstimator(facts)),
        transactionContext: served(withOutputs(configured), reasons.address),
        tokens: Either.left(`${facts.name} has no tokens`)
      })
    }
  })

/** The operator's own node first, then its indexers. */
const byRank = <A extends { readonly rank: number }>(sources: ReadonlyArray<A>): ReadonlyArray<A> =>
  sources.toSorted((source, other) => source.rank - other.rank)

const served = (sources: ReadonlyArray<{ readonly name: string }>, noSource: ReadFailure): AbilitySources =>
  sources.length > 0 ? Either.right(sources.map(({ name }) => name)) : Either.left(noSource.message)

/** Why no source can be queried: no indexer is configured, or only ones that do not support extended public keys. */
const noSource = ({ id, name }: UtxoFacts, forAddresses: boolean): ReadFailure => {
  const variable = variablePrefix(id)
  return {
    reason: "not_configured",
    message: forAddresses
      ? `extended public keys need a Blockbook: set ${variable}_BLOCKBOOK_URLS`
      : `${name} has no indexer: set ${variable}_BLOCKBOOK_URLS or ${variable}_ESPLORA_URLS`
  }
}
