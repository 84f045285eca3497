import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Schema from "effect/Schema"
import type { Indexer } from "../../../catalogue/utxo/UtxoFacts.ts"
import { Count, Units } from "../amounts.ts"
import { calls as fees } from "../fees/esplora.ts"
import { calls } from "../rawTransactions/esplora.ts"
import * as UtxoAddress from "../UtxoAddress.ts"
import { history } from "./EsploraHistory.ts"
import { unspent } from "./EsploraUnspent.ts"
import * as Source from "./Source.ts"

// Esplora's HTTP API (github.com/Blockstream/esplora/blob/master/API.md), also spoken by mempool.space and its forks.

const Stats = Schema.Struct({
  funded_txo_sum: Units,
  spent_txo_sum: Units,
  spent_txo_count: Schema.optional(Count),
  tx_count: Count
})

const Address = Schema.Struct({ address: Schema.String, chain_stats: Stats, mempool_stats: Stats })

/**
 * Forks with an Electrum server return no counts of outputs, and as funded what is left: what was funded less what was
 * spent is right for both.
 */
const toSummary = ({ chain_stats: chain, mempool_stats: mempool }: typeof Address.Type): Source.AddressSummary => ({
  balance: chain.funded_txo_sum - chain.spent_txo_sum + mempool.funded_txo_sum - mempool.spent_txo_sum,
  transactions: chain.tx_count,
  ...unconfirmedIn(mempool)
})

/** Where the pool spends something of the address, it is not known whether that was confirmed. */
const unconfirmedIn = ({ funded_txo_sum, spent_txo_count, tx_count }: typeof Stats.Type) => {
  if (tx_count === 0) return { unconfirmed: 0n }
  return spent_txo_count === 0 ? { unconfirmed: funded_txo_sum } : {}
}

const canonical: UtxoAddress.Spelling = (_, address) => address

export const source = (
  urls: ReadonlyArray<string>,
  { balancesOnly = false, base58Only = false }: Partial<Pick<Indexer, "balancesOnly" | "base58Only">> = {}
) => {
  const spelling = base58Only ? UtxoAddress.toBase58 : canonical
  return Source.make(
    {
      id: "esplora",
      title: "Esplora indexers",
      // No number is published.
      granted: { perSecond: 10, burst: 30 },
      takes: Source.isAddress,
      perCall: 1,
      request: (facts, addresses) => ({
        request: HttpClientRequest.get(`/address/${addresses.map((address) => spelling(facts, address)).join()}`),
        interpret: Source.reading(facts, addresses, Address, (summary) => [[summary.address, toSummary(summary)]])
      }),
      history: { ...history(spelling), ownRate: balancesOnly },
      unspent: unspent(spelling),
      transactions: calls,
      fees
    },
    urls
  )
}
