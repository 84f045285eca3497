import type { Transaction } from "../../src/domain/Transaction.ts"

/** Received minus sent amounts and the holder's fees, by token; the key of the native coin is "". */
export const summed = (holder: string, transactions: ReadonlyArray<Transaction>): ReadonlyMap<string, bigint> => {
  const sums = new Map<string, bigint>()
  const add = (token: string, amount: bigint) => sums.set(token, (sums.get(token) ?? 0n) + amount)
  for (const { fee, from, to } of transactions) {
    for (const { address, amount, token = "" } of from) if (address === holder) add(token, -amount)
    for (const { address, amount, token = "" } of to) if (address === holder) add(token, amount)
    if (from.some(({ address }) => address === holder)) add("", -(fee ?? 0n))
  }
  return sums
}
