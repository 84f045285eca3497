import type { Transaction } from "../../domain/Transaction.ts"

/** The key of the native coin among assets; tokens have their addresses. */
export const native = ""

/** What an address has now, and what is known of its past. */
export interface PastOf {
  /** As it stands among the parties of its transactions. */
  readonly holder: string
  /** Base units by asset. */
  readonly balances: ReadonlyMap<string, bigint>
  /** The newest first; none is left out back to `since`. */
  readonly transactions: ReadonlyArray<Transaction>
  /** UNIX seconds from which on all transactions are read; undefined where they reach back to the first one. */
  readonly since: number | undefined
  /** Whether what waits for a block is in the balances already. */
  readonly countsPending: boolean
  /** The asset of a token that moves; undefined where it is none that is looked at. */
  readonly assetOf: (token: string) => string | undefined
}

export interface RolledBack {
  /** Base units at each of the times; null before `since`, and where the transactions contradict the balance. */
  readonly balances: ReadonlyMap<string, ReadonlyArray<bigint | null>>
  /** Assets whose balance does not follow from the transactions. */
  readonly contradicted: ReadonlySet<string>
}

/** Who sends pays the fee, where the transaction does not say what the holder has paid of it. */
const feeOf = ({ fee, from, paid }: Transaction, holder: string): bigint =>
  paid ?? (from.some(({ address }) => address === holder) ? (fee ?? 0n) : 0n)

/** By how much a transaction changed what an address has of each asset: what it got less what it gave and paid. */
export const changesOf = (
  transaction: Transaction,
  { assetOf, holder }: Pick<PastOf, "assetOf" | "holder">
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
 * What an address had at each of some times (ms, ascending, none later than now): its balances of now without what the
 * transactions since then have changed. Exact, in base units.
 */
export const rollBack = (past: PastOf, times: ReadonlyArray<number>): RolledBack => {
  const { balances, countsPending, since, transactions } = past
  const effects = transactions
    .filter(({ status }) => countsPending || status !== "Pending")
    .map((transaction) => ({ at: transaction.timestamp * 1000, changes: changesOf(transaction, past) }))
    .sort((a, b) => b.at - a.at)
  const assets = new Set([...balances.keys(), ...effects.flatMap(({ changes }) => [...changes.keys()])])
  const current = new Map([...assets].map((asset) => [asset, balances.get(asset) ?? 0n]))
  const found = new Map([...assets].map((asset) => [asset, new Array<bigint | null>(times.length).fill(null)]))
  const contradicted = new Set<string>()
  let next = 0
  const undo = (until: number) => {
    for (; next < effects.length && (effects[next]?.at ?? 0) > until; next++)
      for (const [asset, change] of effects[next]?.changes ?? []) {
        const before = (current.get(asset) ?? 0n) - change
        current.set(asset, before)
        // Within a second and within a block transactions may be in another order: only what is left at a time counts.
      }
  }
  for (let index = times.length - 1; index >= 0; index--) {
    const time = times[index] ?? 0
    if (since !== undefined && time < since * 1000) break
    undo(time)
    for (const [asset, amount] of current) {
      if (amount < 0n) contradicted.add(asset)
      const column = found.get(asset)
      if (column !== undefined && !contradicted.has(asset)) column[index] = amount
    }
  }
  if (since === undefined) {
    // Before the first transaction there was nothing.
    undo(Number.NEGATIVE_INFINITY)
    for (const [asset, amount] of current) if (amount !== 0n) contradicted.add(asset)
  }
  return { balances: found, contradicted }
}
