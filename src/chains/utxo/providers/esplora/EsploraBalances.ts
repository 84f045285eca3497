import * as HttpClientRequest from "@effect/platform/HttpClientRequest"
import * as Option from "effect/Option"
import * as Schema from "effect/Schema"
import { Count, Units } from "../../amounts.ts"
import type { AddressSummary } from "../../Provider.ts"
import type { Spelling } from "../../UtxoAddress.ts"
import type * as Indexer from "../Indexer.ts"
import { reading } from "../reading.ts"

// Esplora's `/address/:address`.

const Sum = Units.pipe(Schema.nonNegativeBigInt())
const Stats = Schema.Struct({
  funded_txo_count: Schema.optional(Count),
  funded_txo_sum: Sum,
  spent_txo_sum: Sum,
  spent_txo_count: Schema.optional(Count),
  tx_count: Count
})

const Address = Schema.Struct({
  address: Schema.String,
  chain_stats: Stats.pipe(Schema.filter(({ funded_txo_sum, spent_txo_sum }) => funded_txo_sum >= spent_txo_sum)),
  mempool_stats: Stats
})

/**
 * Forks with an Electrum server return no counts of outputs, and the remaining amount as funded: funded minus spent is
 * correct for both.
 */
const toSummary = ({ chain_stats: chain, mempool_stats: mempool }: typeof Address.Type): AddressSummary => ({
  balance: chain.funded_txo_sum - chain.spent_txo_sum + mempool.funded_txo_sum - mempool.spent_txo_sum,
  transactions: chain.tx_count,
  ...unconfirmedIn(mempool)
})

/**
 * Absent if a mempool transaction may spend from the address, because the spent output may be unconfirmed. Forks with an
 * Electrum server subtract what is spent, and return no counts.
 */
const unconfirmedIn = ({ funded_txo_count = 0, funded_txo_sum, spent_txo_count, tx_count }: typeof Stats.Type) => {
  if (tx_count === 0) return { unconfirmed: 0n }
  return spent_txo_count === 0 && funded_txo_count > 0 ? { unconfirmed: funded_txo_sum } : {}
}

export const balances =
  (spelling: Spelling): Indexer.IndexerKind["request"] =>
  (facts, addresses) => ({
    request: HttpClientRequest.get(`/address/${addresses.map((address) => spelling(facts, address)).join()}`),
    decode: reading(facts, addresses, Address, (summary) => [Option.some([summary.address, toSummary(summary)])])
  })
