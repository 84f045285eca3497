import type { Transaction } from "../../src/domain/Transaction.ts"

/** What came in minus what went out and the fees that the holder paid, by token; the native coin under an empty name. */
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
