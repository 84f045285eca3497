import { feeOf, type UtxoTransaction } from "./history.ts"

const isPending = ({ block }: UtxoTransaction) => block === undefined

/** A transaction that is returned again was mined meanwhile, or is on two pages. */
const unique = (seen: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const found = new Map<string, UtxoTransaction>()
  for (const utxoTransaction of seen) {
    const before = found.get(utxoTransaction.hash)
    if (before === undefined || (isPending(before) && !isPending(utxoTransaction)))
      found.set(utxoTransaction.hash, utxoTransaction)
  }
  return [...found.values()]
}

const beats = (utxoTransaction: UtxoTransaction, other: UtxoTransaction) =>
  isPending(utxoTransaction) === isPending(other) ? feeOf(utxoTransaction) > feeOf(other) : isPending(other)

/**
 * Each transaction once. Of those that spend the same output only one is valid: the one in a block, or else the one
 * that pays more (BIP-125 requires that of a replacement).
 */
export const withoutReplaced = (seen: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const all = unique(seen)
  if (!all.some(isPending)) return all
  const spenders = new Map<string, UtxoTransaction>()
  for (const utxoTransaction of all)
    for (const { spends } of utxoTransaction.inputs) {
      const other = spends === undefined ? undefined : spenders.get(spends)
      if (spends !== undefined && (other === undefined || beats(utxoTransaction, other)))
        spenders.set(spends, utxoTransaction)
    }
  return all.filter(
    (utxoTransaction) =>
      !isPending(utxoTransaction) ||
      utxoTransaction.inputs.every(({ spends }) => spends === undefined || spenders.get(spends) === utxoTransaction)
  )
}

/** More than the transactions of a block; heights times this are exact numbers. */
const perBlock = 2 ** 20

/** The height of its block, from what orders it; above all blocks while it waits in the pool. */
export const heightOf = ({ order }: { readonly order: number }): number => Math.floor(order / perBlock)

/** Above all blocks. */
const pool = 2 ** 31

/** The transactions of one block, the newest first as they came, but each after those whose outputs it spends. */
const inSpendingOrder = (group: ReadonlyArray<UtxoTransaction>): ReadonlyArray<UtxoTransaction> => {
  const open = new Map(group.toReversed().map((utxoTransaction) => [utxoTransaction.hash, utxoTransaction]))
  const inOrder: Array<UtxoTransaction> = []
  const visit = (utxoTransaction: UtxoTransaction) => {
    open.delete(utxoTransaction.hash)
    for (const { spends = "" } of utxoTransaction.inputs) {
      const parent = open.get(spends.slice(0, spends.indexOf(":")))
      if (parent !== undefined) visit(parent)
    }
    inOrder.push(utxoTransaction)
  }
  for (const utxoTransaction of open.values()) visit(utxoTransaction)
  return inOrder
}

/**
 * The newest first, with what orders those of the same second: the block, and the position in it. Counted from the newest
 * one on, it is the same however many older ones were read.
 */
export const ordered = (
  seen: ReadonlyArray<UtxoTransaction>
): ReadonlyArray<readonly [seen: UtxoTransaction, order: number]> => {
  const groups = Map.groupBy(seen, ({ block = pool }) => block)
  return [...groups]
    .sort(([a], [b]) => b - a)
    .flatMap(([block, group]) =>
      inSpendingOrder(group)
        .toReversed()
        .map((utxoTransaction, index) => [utxoTransaction, (block + 1) * perBlock - 1 - index] as const)
    )
}
