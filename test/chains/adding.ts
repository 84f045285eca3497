import type { Transaction } from "../../src/domain/Transaction.ts"

/** Balance of an address per asset after these transactions; `native` is the coin. The sender pays the fee. */
export const sumsOf = (holder: string, transactions: ReadonlyArray<Transaction>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  const add = (asset: string, amount: bigint) => sums.set(asset, (sums.get(asset) ?? 0n) + amount)
  for (const { fee, from, to } of transactions) {
    for (const item of from) if (item.address === holder) add(item.token ?? "native", -item.amount)
    for (const element of to) if (element.address === holder) add(element.token ?? "native", element.amount)
    if (from.some(({ address }) => address === holder)) add("native", -(fee ?? 0n))
  }
  return sums
}
