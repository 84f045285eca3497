import * as Option from "effect/Option"
import type { AddressSummary } from "../../Provider.ts"
import type { Spelling } from "../../UtxoAddress.ts"
import type { IndexerKind } from "../Indexer.ts"
import { reading, requesting } from "../reading.ts"
import * as calls from "./calls.ts"

type EsploraAddress = typeof calls.address.response.Type

/** Funded minus spent is correct for forks with an Electrum server too. */
const toSummary = ({ chain_stats: chain, mempool_stats: mempool }: EsploraAddress): AddressSummary => ({
  balance: chain.funded_txo_sum - chain.spent_txo_sum + mempool.funded_txo_sum - mempool.spent_txo_sum,
  transactions: chain.tx_count,
  ...unconfirmedIn(mempool)
})

/**
 * Absent if a mempool transaction may spend from the address, because the spent output may be unconfirmed. Forks with an
 * Electrum server subtract what is spent, and return no counts.
 */
const unconfirmedIn = ({
  funded_txo_count = 0,
  funded_txo_sum,
  spent_txo_count,
  tx_count
}: EsploraAddress["mempool_stats"]) => {
  if (tx_count === 0) return { unconfirmed: 0n }
  return spent_txo_count === 0 && funded_txo_count > 0 ? { unconfirmed: funded_txo_sum } : {}
}

export const balances =
  (spelling: Spelling): IndexerKind["request"] =>
  (facts, addresses) =>
    requesting(
      calls.address,
      { address: addresses.map((address) => spelling(facts, address)).join() },
      reading(facts, addresses, calls.address.response, (summary) => [
        Option.some([summary.address, toSummary(summary)])
      ])
    )
