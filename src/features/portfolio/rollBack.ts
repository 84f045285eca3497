import type { Transaction } from "../../domain/Transaction.ts"
import { distance, type Millis, millis, type Seconds, toMillis } from "../../domain/units.ts"
import { native } from "../balances/accounts.ts"

/** The current balances of an address and its known past. */
export interface RollBackInput {
  /** The address as written among the parties of its transactions. */
  readonly holder: string
  /** Base units by asset. */
  readonly balances: ReadonlyMap<string, bigint>
  /** Newest first, without gaps back to `since`. */
  readonly transactions: ReadonlyArray<Transaction>
  /** When the transactions that are read begin; undefined if they reach back to the first transaction. */
  readonly since: Seconds | undefined
  /** Whether the balances include pending transactions. */
  readonly countsPending: boolean
  /** The asset of a moved token; undefined if the token is ignored. */
  readonly assetOf: (token: string) => string | undefined
}

/** The fee that the holder paid: `paid` of the transaction, else the whole fee if the holder is a sender. */
const feeOf = ({ fee, from, paid }: Transaction, holder: string): bigint =>
  paid ?? (from.some(({ address }) => address === holder) ? (fee ?? 0n) : 0n)

/** Balance changes of an address by asset in a transaction: received minus sent, minus the fee. */
export const changesOf = (
  transaction: Transaction,
  { assetOf, holder }: Pick<RollBackInput, "assetOf" | "holder">
): ReadonlyMap<string, bigint> => {
  const changes = new Map<string, bigint>()
  const add = (token: string | undefined, amount: bigint) => {
    const asset = token === undefined ? native : assetOf(token)
    if (asset !== undefined && amount !== 0n) changes.set(asset, (changes.get(asset) ?? 0n) + amount)
  }
  for (const { address, amount, token } of transaction.to) if (address === holder) add(token, amount)
  for (const { address, amount, token } of transaction.from) if (address === holder) add(token, -amount)
  add(undefined, -feeOf(transaction, holder))
  return changes
}

/**
 * The balances of an address at each of the times, of which the last is now: the current balances minus the changes by
 * transactions since then. Exact, in base units; null before `since`, and for the `contradicted` assets,
 * whose balance does not follow from the transactions.
 */
export const rollBack = (past: RollBackInput, times: ReadonlyArray<Millis>) => {
  const { balances, countsPending, since, transactions } = past
  const effects = transactions
    .filter(({ status }) => countsPending || status !== "Pending")
    .map((transaction) => ({ at: toMillis(transaction.timestamp), changes: changesOf(transaction, past) }))
    .sort((a, b) => distance(a.at, b.at))
  const assets = new Set([...balances.keys(), ...effects.flatMap(({ changes }) => [...changes.keys()])])
  const current = new Map([...assets].map((asset) => [asset, balances.get(asset) ?? 0n]))
  const found = new Map([...assets].map((asset) => [asset, new Array<bigint | null>(times.length).fill(null)]))
  const contradicted = new Set<string>()
  let next = 0
  const undo = (until: Millis) => {
    for (; next < effects.length && (effects[next]?.at ?? millis(0)) > until; next++)
      for (const [asset, change] of effects[next]?.changes ?? []) {
        const before = (current.get(asset) ?? 0n) - change
        current.set(asset, before)
        // Transactions within a second or a block may be in another order, so only the balance at a time is checked.
      }
  }
  for (let index = times.length - 1; index >= 0; index--) {
    const time = times[index] ?? millis(0)
    if (since !== undefined && time < toMillis(since)) break
    // A block may be ahead of the clock: the balances of now are the current ones.
    if (index < times.length - 1) undo(time)
    for (const [asset, amount] of current) {
      if (amount < 0n) contradicted.add(asset)
      const column = found.get(asset)
      if (column !== undefined && !contradicted.has(asset)) column[index] = amount
    }
  }
  if (since === undefined) {
    // Before the first transaction all balances were zero.
    undo(millis(Number.NEGATIVE_INFINITY))
    for (const [asset, amount] of current) if (amount !== 0n) contradicted.add(asset)
  }
  return { balances: found, contradicted }
}
