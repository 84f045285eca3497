import type { Transaction } from "../../src/domain/Transaction.ts"

/** What an address has of each asset after these transactions; the coin is `native`. It pays the fee of what it sends. */
export const sumsOf = (holder: string, transactions: ReadonlyArray<Transaction>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  for (const { fee, from, to } of transactions) {
    for (const one of from) if (one.address === holder) add(one.token ?? "native", -one.amount)
    for (const one of to) if (one.address === holder) add(one.token ?? "native", one.amount)
    if (from.some(({ address }) => address === holder)) add("native", -(fee ?? 0n))
  }
  return sums
}
