import type { Movement, Transaction } from "../../src/domain/Transaction.ts"
import type { Move } from "../../src/sandbox/world/ledger.ts"

const side = (movements: ReadonlyArray<Movement>) =>
  movements
    .map(
      ({ address, amount, token }) =>
        `${address.slice(0, 8)}:${amount}${token === undefined ? "" : ` ${token.slice(0, 8)}`}`
    )
    .join(" + ")

/** A transaction in one line: addresses and hashes by their first eight characters. */
export const short = ({ fee, from, hash, status, timestamp, to, type }: Transaction): string =>
  `${hash.slice(0, 8)} ${type} ${status} ${timestamp} fee ${fee}: ${side(from)} -> ${side(to)}`

/** The balance of a holder in each asset after these transactions; the sender pays the fee. */
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

/** Hashes as a ledger has them, the newest first. */
export const hashes = (moves: ReadonlyArray<Move>) => moves.map(({ id }) => id).reverse()
