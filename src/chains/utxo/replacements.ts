import { distance, type Height, height, numberOf } from "../../domain/units.ts"
import { feeOf, type UtxoTransaction } from "./toTransaction.ts"

const isPending = ({ block }: UtxoTransaction) => block === undefined

/** Removes duplicates: a transaction may be on two pages, or was mined between them, and then the mined one counts. */
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
 * Returns each transaction once. If several spend the same output, only one is valid: the one in a block, or else the
 * one with the higher fee (BIP-125 requires that of a replacement).
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

/** Exceeds the number of transactions in a block; a height times this is an exact number. */
const perBlock = 2 ** 20

/** The height of mempool transactions for sorting: above all blocks. */
const pool = height(2 ** 31)

/** The block height, from the sort key of a transaction; infinite while it is in the mempool. */
export const heightOf = ({ order }: { readonly order: number }): Height => {
  const block = height(Math.floor(order / perBlock))
  return block < pool ? block : height(Number.POSITIVE_INFINITY)
}

/** Sorts the transactions of one block, given newest first: oldest first, each after those whose outputs it spends. */
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
 * Sorts transactions newest first, each with a sort key for those of the same second: the block, and the position in
 * it. Positions count from the newest transaction, so they do not depend on how many older ones were read.
 */
export const ordered = (
  seen: ReadonlyArray<UtxoTransaction>
): ReadonlyArray<readonly [seen: UtxoTransaction, order: number]> => {
  const groups = Map.groupBy(seen, ({ block = pool }) => block)
  return [...groups]
    .sort(([a], [b]) => distance(a, b))
    .flatMap(([block, group]) =>
      inSpendingOrder(group)
        .toReversed()
        .map((utxoTransaction, index) => [utxoTransaction, (numberOf(block) + 1) * perBlock - 1 - index] as const)
    )
}
