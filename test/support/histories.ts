import type { Movement, Transaction } from "../../src/domain/Transaction.ts"

/** Writes a transaction in a line, with the first eight characters of its hash and these names of its addresses. */
export const rowOf = (name: (address: string) => string) => {
  const side = (movements: ReadonlyArray<Movement>) =>
    movements
      .map(({ address, amount, token }) => `${name(address)}:${amount}${token === undefined ? "" : ` ${name(token)}`}`)
      .join(" + ")
  return ({ fee, from, hash, status, timestamp, to, type }: Transaction): string =>
    `${hash.slice(0, 8)} ${type} ${status} ${timestamp} fee ${fee}: ${side(from)} -> ${side(to)}`
}

/** A transaction in a line, with the first eight characters of addresses and hashes. */
export const short = rowOf((address) => address.slice(0, 8))

/** The rows of transactions in which the holder is `me`. */
export const rowsOf = (holder: string, transactions: ReadonlyArray<Transaction>): ReadonlyArray<string> =>
  transactions.map(rowOf((address) => (address === holder ? "me" : address)))

/** A holder's balance of each asset after these transactions; by default the sender pays the fee. */
export const sums = (
  holder: string,
  transactions: ReadonlyArray<Transaction>,
  paysFee: (transaction: Transaction) => boolean = ({ from }) => from.some(({ address }) => address === holder)
): ReadonlyMap<string, bigint> => {
  const owned = new Map<string, bigint>([["native", 0n]])
  const add = (asset: string, amount: bigint) => owned.set(asset, (owned.get(asset) ?? 0n) + amount)
  for (const transaction of transactions) {
    for (const { address, amount, token = "native" } of transaction.to) if (address === holder) add(token, amount)
    for (const { address, amount, token = "native" } of transaction.from) if (address === holder) add(token, -amount)
    if (paysFee(transaction)) add("native", -(transaction.fee ?? 0n))
  }
  return owned
}
